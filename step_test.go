package ids_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/oneclock/ids"
)

// TestStepBack is the table of what each scheme does when the wall clock steps back.
func TestStepBack(t *testing.T) {
	const tolerance, ahead = 10 * time.Second, 10 * time.Millisecond
	for _, k := range kinds {
		for _, test := range []struct {
			back    time.Duration
			follows []string // the others keep ascending
		}{
			{0, nil},
			{1, nil},
			{time.Microsecond, nil},
			{ahead - 1, nil},
			{ahead, []string{"V1"}},
			{time.Second, []string{"V1"}},
			{tolerance, []string{"V1"}},
			{tolerance + 1, []string{"V1", "V6", "V7", "ULID"}},
			{time.Hour, []string{"V1", "V6", "V7", "ULID"}},
			{8766 * 15 * time.Hour, []string{"V1", "V6", "V7", "ULID"}}, // 15 years
		} {
			f, _, g, n := newFake(t)
			k.mint(g, n)
			before := k.mint(g, n)
			f.step(-test.back)
			after := k.mint(g, n)
			name := k.name + " set back by " + test.back.String()
			if before == after {
				t.Errorf("%s: the same id twice: %x", name, after)
			}
			if slices.Contains(test.follows, k.name) {
				if got, want := k.time(after), f.t; got.After(want) || want.Sub(got) >= k.tick {
					t.Errorf("%s: time %v, want that of the clock, %v", name, got, want)
				}
				sequenceChanges(t, k, name, before, after, true)
				continue
			}
			if k.ordered && !less(before, after) {
				t.Errorf("%s: %x then %x, want ascending", name, before, after)
			}
			if got := k.time(after); got.Before(start.Add(-ahead)) || got.After(start.Add(ahead)) {
				t.Errorf("%s: time %v, want still about %v", name, got, start)
			}
			sequenceChanges(t, k, name, before, after, false)
		}
	}
}

// sequenceChanges checks whether the clock sequence changed between two ids of a kind, if that
// has one.
func sequenceChanges(t *testing.T, k kind, name string, before, after [16]byte, want bool) {
	t.Helper()
	if k.name != "V1" && k.name != "V6" {
		return
	}
	a, _ := ids.UUID(before).ClockSequence()
	b, _ := ids.UUID(after).ClockSequence()
	if got := a>>2 != b>>2; got != want {
		t.Errorf("%s: clock sequence %#x then %#x; changed: %v, want %v", name, a, b, got, want)
	}
}

// TestRandomWalk sends the wall clock on walks of steps of 1 ns to 100 years, standing still
// and jittering in between, and checks that ids of all schemes stay distinct, that the ordered
// ones ascend but for steps that they follow, and that none is ahead of the clock but behind
// one of its earlier readings.
func TestRandomWalk(t *testing.T) {
	for seed := range uint64(40) {
		walk(t, rand.New(rand.NewPCG(seed, 1)), seed)
	}
}

func walk(t *testing.T, rnd *rand.Rand, seed uint64) {
	f, _, g, n := newFake(t)
	seen := map[[17]byte]bool{}
	last := make([][16]byte, len(kinds))
	peak := slices.Repeat([]time.Time{{}}, len(kinds)) // the latest reading since the scheme followed
	for range 4000 {
		switch rnd.IntN(8) {
		case 0, 1, 2: // stand still
		case 3: // jitter
			f.step(time.Duration(rnd.Int64N(int64(2*time.Millisecond))) - time.Millisecond)
		case 4, 5: // run
			f.step(time.Duration(rnd.Int64N(int64(10 * time.Millisecond))))
		default: // step, by a length of any magnitude up to 100 years
			d := time.Duration(math.Exp(rnd.Float64() * math.Log(100*365.25*24*float64(time.Hour))))
			if rnd.IntN(2) == 0 {
				d = -d
			}
			// Where the earliest format ends and the shortest begins.
			if to := f.t.Add(d); to.Year() > 2011 && to.Year() < 2079 {
				f.step(d)
			}
		}
		for i, k := range kinds {
			for range rnd.IntN(3) {
				id := k.mint(g, n)
				key := [17]byte{byte(i)}
				copy(key[1:], id[:])
				if seen[key] {
					t.Fatalf("seed %d: %s: %x twice", seed, k.name, id)
				}
				seen[key] = true
				at := k.time(id)
				back := peak[i].Sub(f.t)
				mayFollow := back > 10*time.Second && k.name != "Snowflake"
				if k.ordered && !less(last[i], id) && !mayFollow {
					t.Fatalf("seed %d: %s: %x then %x with the clock back by %v", seed, k.name, last[i], id, back)
				}
				if mayFollow || k.name == "V1" && back >= 10*time.Millisecond {
					if at.After(f.t) {
						t.Fatalf("seed %d: %s: set back by %v, time is %v ahead", seed, k.name, back, at.Sub(f.t))
					}
					peak[i] = f.t
				}
				if f.t.After(peak[i]) {
					peak[i] = f.t
				}
				if at.After(peak[i].Add(10 * time.Millisecond)) {
					t.Fatalf("seed %d: %s: time is %v ahead of all readings", seed, k.name, at.Sub(peak[i]))
				}
				if back < 0 && f.t.Sub(at) >= k.tick && !at.After(f.t) {
					t.Fatalf("seed %d: %s: time is %v behind a clock that runs forward", seed, k.name, f.t.Sub(at))
				}
				last[i] = id
			}
		}
	}
}

// TestSequenceRounds toggles a clock between two times, so that version 1 needs more clock
// sequences than there are: then it must keep ascending, and not repeat one.
func TestSequenceRounds(t *testing.T) {
	f, _, g, _ := newFake(t)
	seen := map[ids.UUID]bool{}
	mint := func(name string, u ids.UUID) {
		if seen[u] {
			t.Fatalf("%s: %v twice", name, u)
		}
		seen[u] = true
	}
	followed := 0
	for range 3 { // rounds
		for range 5000 {
			mint("V1", g.NewV1())
			f.step(-11 * time.Second)
			u := g.NewV1()
			if at, _ := u.Time(); !at.After(f.t) {
				followed++
			}
			mint("V1", u)
			mint("V6", g.NewV6())
			f.step(11 * time.Second)
			mint("V6", g.NewV6())
		}
		f.step(time.Minute) // past all that was issued, so that a new round can begin
	}
	if followed < 3*1000 || followed > 3*4096 {
		t.Errorf("V1 followed the clock back %d times, want more than 3000 and at most %d", followed, 3*4096)
	}
}

// TestV6AscendsOverSequences checks that V6 keeps its order within a tick
// while V1 changes the clock sequence under it, which wraps to lower values.
func TestV6AscendsOverSequences(t *testing.T) {
	f, _, g, _ := newFake(t)
	last := g.NewV6()
	for range 6000 {
		g.NewV1()
		f.step(-time.Second)
		g.NewV1()
		u := g.NewV6()
		f.step(time.Second)
		if u.Compare(last) <= 0 {
			t.Fatalf("%v then %v", last, u)
		}
		last = u
	}
}

// TestContentionIsNoStepBack mints from many goroutines on a clock that allows no run-ahead.
// Their readings come to the mutex out of order, which must not be taken for a clock that was
// set back.
func TestContentionIsNoStepBack(t *testing.T) {
	c := ids.NewClock(&ids.ClockOptions{MaxAhead: -1})
	g := ids.NewGenerator(&ids.GeneratorOptions{Clock: c})
	before := c.State().Sequence
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 5000 {
				g.NewV1()
			}
		})
	}
	wg.Wait()
	if after := c.State().Sequence; after != before {
		t.Errorf("the clock sequence went from %#x to %#x", before, after)
	}
}
