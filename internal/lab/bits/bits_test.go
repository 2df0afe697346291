package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/oneclock/ids"
)

// long skips a test under -short, which the race detector is run with.
func long(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long with the race detector, and has one goroutine")
	}
}

// TestFair counts some ids of each source: see the bound for how seldom chance makes it fail.
func TestFair(t *testing.T) {
	long(t)
	for _, s := range sources() {
		c := count(s, 200_000)
		if err := c.check(); err != nil {
			t.Errorf("%s: %v", s.name, err)
		}
		if c.n != 200_000 {
			t.Errorf("%s: %d numbers", s.name, c.n)
		}
	}
}

// fair is a source of fair coins that follows from a seed, with a fault.
func fair(width int, fault func(x, before number, rng *rand.Rand) number) source {
	rng := rand.New(rand.NewPCG(1, 1))
	var before number
	return source{name: "faulty", width: width, fill: func(dst []number) {
		for i := range dst {
			x := number{0, rng.Uint64()}
			if width < 64 {
				x.lo >>= 64 - width
			} else {
				x.hi = rng.Uint64() >> (128 - width)
			}
			dst[i] = fault(x, before, rng)
			before = dst[i]
		}
	}}
}

// TestFaults shows that the check finds what is wrong with random bits, in places near both ends.
func TestFaults(t *testing.T) {
	long(t)
	for _, c := range []struct {
		name, problem string
		width         int
		fault         func(x, before number, rng *rand.Rand) number
	}{
		{"none", "", 62, func(x, _ number, _ *rand.Rand) number { return x }},
		{"none, wide", "", 80, func(x, _ number, _ *rand.Rand) number { return x }},
		{"none, of 64 bits", "", 64, func(x, _ number, _ *rand.Rand) number { return x }},
		{"a bit stuck", "bit 0 is set 0 ", 62, func(x, _ number, _ *rand.Rand) number { return number{0, x.lo &^ 1} }},
		{"the top bit clear", "bit 61 is set 0 ", 62, func(x, _ number, _ *rand.Rand) number {
			return number{0, x.lo &^ (1 << 61)}
		}},
		{"the top bit of 80 clear", "bit 79 is set 0 ", 80, func(x, _ number, _ *rand.Rand) number {
			return number{x.hi &^ (1 << 15), x.lo}
		}},
		{"a bit set in 52 of 100", "bit 7 is set", 80, func(x, _ number, rng *rand.Rand) number {
			if rng.IntN(25) == 0 {
				x.lo |= 1 << 7
			}
			return x
		}},
		{"a bit as before in 52 of 100", "bit 70 is as before", 80, func(x, before number, rng *rand.Rand) number {
			if rng.IntN(25) == 0 {
				x.hi = x.hi&^(1<<6) | before.hi&(1<<6)
			}
			return x
		}},
		{"the same number twice", "as before", 62, func(x, before number, rng *rand.Rand) number {
			if rng.IntN(10) == 0 {
				return before
			}
			return x
		}},
		{"too many bits", "1 numbers have more", 62, func() func(x, _ number, _ *rand.Rand) number {
			n := 0
			return func(x, _ number, _ *rand.Rand) number {
				if n++; n == 1000 {
					x.lo |= 1 << 62
				}
				return x
			}
		}()},
		{"a mean that is low", "is set", 48, func(x, _ number, rng *rand.Rand) number {
			return number{0, min(x.lo, rng.Uint64()>>16)}
		}},
	} {
		err := count(fair(c.width, c.fault), 100_000).check()
		if (err == nil) != (c.problem == "") || err != nil && !strings.Contains(err.Error(), c.problem) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	// Bits that are fair one by one, of numbers that are not.
	t2 := &tally{width: 48, n: 100_000, sum: 51_500}
	for i := range t2.ones {
		t2.ones[i], t2.sames[i] = 50_000, 50_000
	}
	if err := t2.check(); err == nil || !strings.Contains(err.Error(), "mean") {
		t.Errorf("a mean of 0.515: %v", err)
	}
}

// TestWrite compares what is written with the digits of the numbers.
func TestWrite(t *testing.T) {
	long(t)
	for _, width := range []int{1, 7, 48, 62, 63, 64, 65, 80, 122, 127, 128} {
		rng := rand.New(rand.NewPCG(2, uint64(width)))
		var digits strings.Builder
		s := source{width: width, fill: func(dst []number) {
			for i := range dst {
				x := number{rng.Uint64(), rng.Uint64()}
				if width <= 64 {
					dst[i] = number{0, x.lo >> (64 - width)}
					fmt.Fprintf(&digits, "%0*b", width, dst[i].lo)
				} else {
					dst[i] = number{x.hi >> (128 - width), x.lo}
					fmt.Fprintf(&digits, "%0*b%064b", width-64, dst[i].hi, dst[i].lo)
				}
			}
		}}
		for _, limit := range []int64{1, 1023, 50_000} {
			digits.Reset()
			var out bytes.Buffer
			if err := write(&out, s, limit); err != nil || int64(out.Len()) != limit {
				t.Fatalf("%d of %d bytes are written, error %v", out.Len(), limit, err)
			}
			want := digits.String()
			for i, b := range out.Bytes() {
				if got := fmt.Sprintf("%08b", b); got != want[8*i:8*i+8] {
					t.Fatalf("width %d: byte %d is %s, want %s", width, i, got, want[8*i:8*i+8])
				}
			}
		}
	}
}

// broken is a writer to a pipe that nobody reads.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

// TestWriteFails writes where nothing can be written.
func TestWriteFails(t *testing.T) {
	if err := write(broken{}, sources()[0], 0); err == nil {
		t.Error("no error")
	}
}

// TestPackV4 shows that the 122 random bits are taken, each in a place of its own, and no others.
func TestPackV4(t *testing.T) {
	seen := map[number]bool{}
	for i := range 128 {
		var u ids.UUID
		u[i/8] = 1 << (i % 8)
		x := packV4(u)
		if fixed := i/8 == 6 && i%8 >= 4 || i/8 == 8 && i%8 >= 6; fixed != (x == number{}) {
			t.Errorf("bit %d of byte %d becomes %x", i%8, i/8, x)
		}
		seen[x] = true
	}
	if len(seen) != 122+1 {
		t.Errorf("%d bits are taken", len(seen)-1)
	}
}

// TestStrides takes the strides of ids by hand: within a tick, over the end of a run, and past a carry.
func TestStrides(t *testing.T) {
	runs := [][]ids.ULID{
		{{15: 1}, {15: 3}},
		{{15: 4}, {5: 1, 15: 4}}, // the second is of another tick
		{{5: 1, 14: 1, 15: 3}, {5: 1, 7: 1}},
	}
	fill := strides(func(dst []ids.ULID) []ids.ULID {
		next := runs[0]
		runs = runs[1:]
		return append(dst, next...)
	}, random, func(u, v ids.ULID) bool { return [6]byte(u[:6]) == [6]byte(v[:6]) })
	got := make([]number, 4)
	fill(got)
	if want := [4]number{{0, 1}, {0, 0}, {0, 254}, {0, 1<<64 - 0x104}}; [4]number(got) != want {
		t.Errorf("strides less 1 are %x, want %x", got, want)
	}
}
