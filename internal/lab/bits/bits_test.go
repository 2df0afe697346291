// Package bits counts the random bits of ids: how often each is set, and how often it is as in the id before. Both are binomially
// distributed if bits are fair coins. It does the same for the strides by which version 7 and ULID raise their random bits within a
// tick, and measures their mean: half of the largest stride is how many guesses the next id of the tick takes on average.
//
//	go -C internal/lab test -v -timeout 0 ./bits -ids 1e8
//
// prints a table. What cannot be seen by counting, such as bits that depend on each other, is not tried.
package bits

import (
	"cmp"
	"flag"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/oneclock/ids"
)

var n = flag.Float64("ids", 2e5, "how many ids of each scheme to count")

// bound is how many standard deviations off a count may be. Fair coins exceed it with a probability of at most 2 exp(-bound²/2) =
// 2.6e-14 (Hoeffding's inequality). There are 2 counts for each of 360 bits, so chance fails one run in 5e10.
const bound = 8

// A tally counts the bits of numbers that are big-endian.
type tally struct {
	n           int
	before      [16]byte
	ones, sames [128]int // by bits from the left: how often one is set, and how often it is as in the number before
}

func (t *tally) add(x [16]byte) {
	for i := range 128 {
		bit, before := x[i/8]>>(7-i%8)&1, t.before[i/8]>>(7-i%8)&1
		t.ones[i] += int(bit)
		t.sames[i] += int(1 ^ bit ^ before)
	}
	t.before = x
	t.n++
}

// worst returns how many standard deviations the count that is furthest off is from one half.
func (t *tally) worst(counts [128]int, random func(bit int) bool) (worst float64) {
	for i, k := range counts {
		if off := (float64(k) - float64(t.n)/2) / math.Sqrt(float64(t.n)/4); random(i) && math.Abs(off) > math.Abs(worst) {
			worst = off
		}
	}
	return worst
}

// mean returns the mean of numbers of so many bits, as a fraction of the largest, and how many standard deviations it is off. It follows
// from the ones, since a number is the sum of its bits.
func (t *tally) mean(bits int) (mean, off float64) {
	for i := 128 - bits; i < 128; i++ {
		mean += math.Ldexp(float64(t.ones[i])/float64(t.n), 127-i-bits)
	}
	return mean, (mean - 0.5) * math.Sqrt(12*float64(t.n))
}

// problem says what is wrong with bits that are to be random, or "".
func (t *tally) problem(random func(bit int) bool) string {
	for i, ones := range t.ones {
		if !random(i) && ones != 0 && ones != t.n {
			return fmt.Sprintf("bit %d is not fixed", i)
		}
	}
	if z := t.worst(t.ones, random); math.Abs(z) > bound {
		return fmt.Sprintf("a bit is set %.1f standard deviations off one half", z)
	}
	if z := t.worst(t.sames, random); math.Abs(z) > bound {
		return fmt.Sprintf("a bit is as before %.1f standard deviations off one half", z)
	}
	return ""
}

// strides returns a source of the differences, less 1, of the ids that mint makes, where two have the tick in common.
func strides(ticks int, mint func() [16]byte) func() [16]byte {
	before := mint()
	return func() (x [16]byte) {
		for {
			id := mint()
			same := string(id[:ticks]) == string(before[:ticks])
			difference := new(big.Int).Sub(new(big.Int).SetBytes(id[:]), new(big.Int).SetBytes(before[:]))
			before = id
			if same {
				difference.Sub(difference, big.NewInt(1)).FillBytes(x[:])
				return x
			}
		}
	}
}

func TestFair(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long with the race detector, and has one goroutine")
	}
	v4 := func(i int) bool { return i/4 != 12 && i/2 != 32 } // all but version and variant
	last := func(bits int) func(int) bool { return func(i int) bool { return i >= 128-bits } }
	now := time.Now()
	var run []ids.UUID
	inRun := func() [16]byte {
		if len(run) == 0 {
			run = ids.AppendV7(run, 1024)
		}
		id := run[0]
		run = run[1:]
		return id
	}
	t.Log("| random bits of | numbers | bits | ones, worst bit | as in the id before, worst bit | mean of the largest |")
	for _, s := range []struct {
		name   string
		bits   int
		random func(bit int) bool
		next   func() [16]byte
	}{
		{"`NewV4`", 122, v4, func() [16]byte { return ids.NewV4() }},
		{"`NewV7At`", 62, last(62), func() [16]byte { u, _ := ids.NewV7At(now); return u }},
		{"`NewULIDAt`", 80, last(80), func() [16]byte { u, _ := ids.NewULIDAt(now); return u }},
		{"strides of `AppendV7`", 48, last(48), strides(8, inRun)},
		{"strides of `NewULID`", 48, last(48), strides(6, func() [16]byte { return ids.NewULID() })},
	} {
		var c tally
		for range int(*n) {
			c.add(s.next())
		}
		mean, off := c.mean(s.bits)
		t.Logf("| %s | %d | %d | %+.2f σ | %+.2f σ | %.7f (%+.2f σ) |", s.name, c.n, s.bits, c.worst(c.ones, s.random), c.worst(c.sames, s.random), mean, off)
		if p := c.problem(s.random); p != "" {
			t.Errorf("%s: %s", s.name, p)
		}
	}
}

// TestFaults shows that the count finds what is wrong with random bits.
func TestFaults(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	last := func(i int) bool { return i >= 48 }
	for problem, fault := range map[string]func(x *[16]byte, before [16]byte){
		"":                    func(*[16]byte, [16]byte) {},
		"is set -":            func(x *[16]byte, _ [16]byte) { x[6] &= 0x7f },
		"is set 1":            func(x *[16]byte, _ [16]byte) { x[15] |= byte(1 - min(rng.IntN(25), 1)) }, // in 52 of 100
		"is as before":        func(x *[16]byte, before [16]byte) { x[9] ^= (x[9] ^ before[9]) * byte(1-min(rng.IntN(25), 1)) },
		"bit 47 is not fixed": func(x *[16]byte, _ [16]byte) { x[5] = byte(rng.IntN(2)) },
	} {
		var c tally
		for range 100_000 {
			var x [16]byte
			for i := 6; i < 16; i++ {
				x[i] = byte(rng.Uint32())
			}
			fault(&x, c.before)
			c.add(x)
		}
		if got := c.problem(last); !strings.Contains(got, cmp.Or(problem, got)) || (got == "") != (problem == "") {
			t.Errorf("got %q, want %q", got, problem)
		}
	}
}
