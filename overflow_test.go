package ids_test

import (
	"bytes"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oneclock/ids"
)

// lastMilli is the last millisecond of version 7 and ULID.
var lastMilli = time.UnixMilli(1<<48 - 1).UTC()

// checkSpent checks that f panics because the last tick of a format is exhausted.
func checkSpent(t *testing.T, what string, f func()) {
	t.Helper()
	if err := panicOf(f); !errors.Is(err, ids.ErrRange) {
		t.Errorf("%s past the last tick: %v, want a panic that matches ErrRange", what, err)
	}
}

var (
	full    = [10]byte(bytes.Repeat([]byte{0xff}, 10))
	oneLeft = [10]byte(append(bytes.Repeat([]byte{0xff}, 9), 0xfe))
	drawn55 = [10]byte(bytes.Repeat([]byte{0x55}, 10)) // what repeated(0x55) gives
)

// TestULIDOverflow exhausts the random part of a millisecond's ULIDs: the next one is of the
// next millisecond, with fresh bits, and nothing wraps.
func TestULIDOverflow(t *testing.T) {
	for _, monotonic := range []bool{false, true} {
		g := ids.NewGenerator(&ids.GeneratorOptions{Clock: stopped(start), Random: repeated(0x55), ULIDMonotonic: monotonic})
		for name, mint := range map[string]func() ids.ULID{
			"NewULID":    g.NewULID,
			"AppendULID": func() ids.ULID { return g.AppendULID(nil, 1)[0] },
		} {
			first := g.NewULID()
			g.SetEntropy(full)
			u := mint()
			if !u.Time().Equal(first.Time().Add(time.Millisecond)) || u.Entropy() != drawn55 {
				t.Errorf("%s, monotonic %v: %v follows the last of %v", name, monotonic, u, first)
			}
			if next := mint(); u.Compare(next) >= 0 {
				t.Errorf("%s, monotonic %v: %v follows %v", name, monotonic, next, u)
			}
		}
		first := g.NewULID()
		g.SetEntropy(oneLeft)
		if u := g.NewULID(); monotonic != (u.Entropy() == full) || u.Time().Equal(first.Time()) != monotonic {
			t.Errorf("monotonic %v: %v follows the last but one of %v", monotonic, u, first)
		}
		if !monotonic {
			continue
		}
		g.SetEntropy(oneLeft)
		run := g.AppendULID(nil, 3) // the last of its millisecond, and two of the next
		if run[0].Entropy() != full || !run[1].Time().Equal(run[0].Time().Add(time.Millisecond)) || run[1].Entropy() != drawn55 || run[1].Compare(run[2]) >= 0 {
			t.Errorf("a run over the end of a millisecond: %v", run)
		}
	}
}

// TestV7Overflow exhausts the random part of ticks of version 7 on a clock that stands still and
// may not be run ahead of: the next id is of the next tick, after a wait.
func TestV7Overflow(t *testing.T) {
	for name, mint := range map[string]func(*ids.Generator) ids.UUID{
		"NewV7":    (*ids.Generator).NewV7,
		"AppendV7": func(g *ids.Generator) ids.UUID { return g.AppendV7(nil, 1)[0] },
	} {
		synctest.Test(t, func(t *testing.T) {
			clock := ids.NewClock(&ids.ClockOptions{Now: func() time.Time { return start }, MaxAhead: -1})
			g := ids.NewGenerator(&ids.GeneratorOptions{Clock: clock, Random: repeated(0xff)})
			last := ids.MinV7At(start)
			for i := range 3 * v7Room {
				began := time.Now()
				u := mint(g)
				waited := time.Since(began)
				if u.Compare(last) <= 0 {
					t.Fatalf("%s: %v then %v", name, last, u)
				}
				// It is one tick of 1/4096 ms ahead, and the shortest sleep is 100 µs.
				if ahead := i >= v7Room; ahead && i%v7Room == 0 && waited == 0 || !ahead && waited > 0 || waited > 100*time.Microsecond {
					t.Errorf("%s: id %d, %v, waited %v", name, i, u, waited)
				}
				if ticks := int(u[6]&0x0f)<<8 | int(u[7]); ticks != i/v7Room {
					t.Errorf("%s: id %d is of tick %d", name, i, ticks)
				}
				last = u
			}
		})
	}
}

// v7Room is how many ids of version 7 the largest random bits leave room for in a tick: the
// first has 2^61-1, and the rest of 2^62 is in strides of 2^48.
const v7Room = 1 + 1<<13

// TestLastMilli exhausts the last tick of version 7 and ULID: then each call panics, and the clock
// is usable afterwards.
func TestLastMilli(t *testing.T) {
	clock := stopped(lastMilli.Add(999_999))
	last, minted := ids.NilUUID(), 0
	g := ids.NewGenerator(&ids.GeneratorOptions{Clock: clock, Random: readerFunc(func(p []byte) (int, error) {
		if minted == v7Room {
			minted++
			return repeated(0)(p) // a stride of 1, which would lead just beyond
		}
		return repeated(0xff)(p)
	})})
	checkSpent(t, "NewV7", func() {
		for range 2 * v7Room {
			u := g.NewV7()
			if u.Compare(last) <= 0 {
				t.Fatalf("%v then %v", last, u)
			}
			last = u
			minted++
		}
	})
	if at, _ := last.Time(); !at.Equal(lastMilli) || minted != v7Room+1 || last.String()[19:] != "bfff-ffffffffffff" {
		t.Errorf("%d ids, the last of %v", minted, at)
	}
	// The random part must not come round, however often it is tried.
	for range 60_000 {
		checkSpent(t, "NewV7", func() { g.NewV7() })
	}
	checkSpent(t, "AppendV7", func() { g.AppendV7(nil, 2) })

	if u := g.NewULID(); !u.Time().Equal(lastMilli) {
		t.Errorf("ULID %v", u)
	}
	g.SetEntropy(full)
	checkSpent(t, "NewULID", func() { g.NewULID() })
	checkSpent(t, "AppendULID", func() { g.AppendULID(nil, 2) })
	within(t, "another generator", func() {
		if u := ids.NewGenerator(&ids.GeneratorOptions{Clock: clock}).NewULID(); !u.Time().Equal(lastMilli) {
			t.Errorf("ULID of another generator after the panics: %v", u)
		}
	})
}
