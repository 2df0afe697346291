package main

import (
	"fmt"
	"math"
)

// bound is how many standard deviations off a count may be. Fair coins exceed it with a
// probability of at most 2 exp(-bound²/2) = 2.6e-14 (Hoeffding's inequality). There are 2 counts
// for each of 360 bits, so a run fails by chance less than once in 5e10.
const bound = 8

// A tally counts bits of numbers.
type tally struct {
	width int
	n     int
	ones  [128]int // how often a bit is set
	sames [128]int // how often it is as in the number before
	wide  int      // how many numbers have more bits
	sum   float64  // of the numbers, as fractions of the largest
	tops  [tops]int

	before number
}

const (
	topBits = 12
	tops    = 1 << topBits // cells of the chi-squared, by the uppermost bits
)

// add counts numbers.
func (t *tally) add(numbers []number) {
	for _, x := range numbers {
		same := number{^(x.hi ^ t.before.hi), ^(x.lo ^ t.before.lo)}
		t.before = x
		for i := range min(t.width, 64) {
			t.ones[i] += int(x.lo >> i & 1)
			t.sames[i] += int(same.lo >> i & 1)
		}
		for i := range max(t.width-64, 0) {
			t.ones[64+i] += int(x.hi >> i & 1)
			t.sames[64+i] += int(same.hi >> i & 1)
		}
		if x.hi>>max(t.width-64, 0) != 0 || x.lo>>min(t.width, 64) != 0 { // shifted by 64, nothing is left
			t.wide++
			continue
		}
		fraction := math.Ldexp(float64(x.hi), 64-t.width) + math.Ldexp(float64(x.lo), -t.width)
		t.sum += fraction
		t.tops[int(fraction*tops)&(tops-1)]++
	}
	t.n += len(numbers)
}

// off returns how many standard deviations a count of n fair coins is from their half.
func off(count, n int) float64 { return (float64(count) - float64(n)/2) / math.Sqrt(float64(n)/4) }

// worst returns the count that is furthest off, and its bit.
func (t *tally) worst(counts *[128]int) (z float64, bit int) {
	for i, k := range counts[:t.width] {
		if o := off(k, t.n); math.Abs(o) > math.Abs(z) {
			z, bit = o, i
		}
	}
	return z, bit
}

// mean returns the mean of the numbers, as a fraction of 1<<width, and how many standard
// deviations it is off one half.
func (t *tally) mean() (mean, z float64) {
	mean = t.sum / float64(t.n)
	return mean, (mean - 0.5) * math.Sqrt(12*float64(t.n))
}

// chi returns Pearson's chi-squared of the uppermost bits, in standard deviations off its mean.
func (t *tally) chi() float64 {
	var sum float64
	want := float64(t.n) / tops
	for _, k := range t.tops {
		d := float64(k) - want
		sum += d * d / want
	}
	return (sum - (tops - 1)) / math.Sqrt(2*(tops-1))
}

// check returns an error if a bit is not a fair coin.
func (t *tally) check() error {
	if t.wide != 0 {
		return fmt.Errorf("%d numbers have more than %d bits", t.wide, t.width)
	}
	if z, bit := t.worst(&t.ones); math.Abs(z) > bound {
		return fmt.Errorf("bit %d is set %d times of %d, %.1f standard deviations off", bit, t.ones[bit], t.n, z)
	}
	if z, bit := t.worst(&t.sames); math.Abs(z) > bound {
		return fmt.Errorf("bit %d is as before %d times of %d, %.1f standard deviations off", bit, t.sames[bit], t.n, z)
	}
	// The mean of independent numbers between 0 and 1 obeys Hoeffding's inequality too: it is off by
	// sqrt(12/4) = 1.73 of these standard deviations where a coin is off by one.
	if mean, z := t.mean(); math.Abs(z) > bound*math.Sqrt(3) {
		return fmt.Errorf("the mean is %v of the largest, %.1f standard deviations off", mean, z)
	}
	return nil
}

// count counts n numbers of a source.
func count(s source, n int) *tally {
	t := &tally{width: s.width}
	numbers := make([]number, 1<<13)
	for n > 0 {
		piece := numbers[:min(n, len(numbers))]
		s.fill(piece)
		if t.n == 0 {
			t.before = number{^piece[0].hi, 0} // any will do
		}
		t.add(piece)
		n -= len(piece)
	}
	return t
}

// header is the head of the table that row makes the rows of.
const header = "| random bits of | numbers | bits | ones, worst bit | as in the id before, worst bit |" +
	" mean of the largest | upper 12 bits |\n" +
	"| --- | --- | --- | --- | --- | --- | --- |\n"

// row returns t as a row of a table in Markdown. Deviations are in standard deviations.
func (t *tally) row(s source) string {
	ones, _ := t.worst(&t.ones)
	sames, _ := t.worst(&t.sames)
	mean, z := t.mean()
	return fmt.Sprintf("| %s: %s | %d | %d | %+.2f σ | %+.2f σ | %.7f (%+.2f σ) | χ² %+.2f σ |\n",
		s.name, s.what, t.n, s.width, ones, sames, mean, z, t.chi())
}
