package rule

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"
	"time"
)

// scale returns a Scale with n ticks in span, starting sec seconds after 1970.
func scale(sec, n int64, span time.Duration, width int) Scale {
	s, _ := NewScale(time.Unix(sec, 0), n, span, width)
	return s
}

// calendar returns a lane for version 1.
func calendar() Lane {
	return NewLane(scale(-12219292800, 1, 100, 60), 4, 0, 10*time.Millisecond, time.Time{})
}

// TestDebt checks debts around the largest debt that a call can find. The time of that call may be
// up to MaxAge before the time of the call that increased the debt. A larger debt comes from
// another testing/synctest bubble.
func TestDebt(t *testing.T) {
	l := calendar()
	most := l.maxDebt + int64(MaxAge)
	for _, k := range []struct{ paid, want int64 }{{-1, 0}, {0, 0}, {1, 1}, {most, most}, {most + 1, 0}} {
		l.paidUntil = k.paid
		if got := l.debt(0); got != k.want {
			t.Errorf("what is paid for in %d ns is a debt of %d, want %d", k.paid, got, k.want)
		}
	}
	// A call for an ID that is two ticks too far ahead waits as soon as the debt exceeds the
	// allowed lead.
	l.last = l.aheadTicks + 2
	for paid, want := range map[int64]time.Duration{l.maxAhead: 0, l.maxAhead + 1: minSleep} {
		l.paidUntil = paid
		if got := l.wait(0, 0); got != want {
			t.Errorf("with a debt of %d ns it waits for %v, want %v", paid, got, want)
		}
	}
	// In the last tick, the wall clock has reached every ID. Past that tick, the wait depends only
	// on the debt.
	l.last, l.paidUntil = l.scale.last, l.maxAhead+int64(time.Millisecond)
	for past, want := range []time.Duration{0, time.Millisecond} {
		if got := l.wait(l.scale.last+int64(past), 0); got != want {
			t.Errorf("%d ticks past the last one it waits for %v, want %v", past, got, want)
		}
	}
}

// TestReseedCountsFar reseeds a tail after so many calls to Reseed that 31 or 32 bits cannot count
// them, as if its latest ID was generated long ago, or never. A call with an earlier generation,
// which was overtaken, has no effect.
func TestReseedCountsFar(t *testing.T) {
	tail := NewTail(scale(0, 1, 250, 60), 62, false, 10*time.Second, 10*time.Millisecond)
	for _, generation := range []uint64{1, 1 << 31, 1<<31 + 1, 1<<32 + 1, 1 << 40, 1<<63 + 2} {
		tail.lane.last, tail.lane.count = 1000, 5
		if tail.reseed(generation, 1000, 0); !tail.full() {
			t.Errorf("after %d calls of Reseed the next id is of the same tick", generation)
		}
		tail.lane.count = 5
		if tail.reseed(generation-1, 1000, 0); tail.full() {
			t.Errorf("after %d calls of Reseed a call that knows of one fewer takes another tick", generation)
		}
	}
	// Far ahead of the clock, the random part leaps. If it has no room for a leap, the next ID
	// takes the next tick anyway.
	tail.lane.last, tail.lane.count, tail.lo = 1<<40, 5, tail.maxLo
	if tail.reseed(tail.generation+1, 0, math.MaxUint64); !tail.full() {
		t.Error("after Reseed the next id is of the same tick, and near the one before")
	}
}

// TestDebtIsNotForgiven lets a call read the process's clock, and then lets other calls lock the
// mutex first and increase the debt. The late call, which has an earlier time, must not reduce that
// debt.
func TestDebtIsNotForgiven(t *testing.T) {
	l := NewLane(scale(0, 1, time.Millisecond, 40), 1, never, 10*time.Millisecond, time.Time{})
	now, late, elapsed := NewReading(time.Unix(1, 0)), int64(0), int64(MaxAge/2)
	for range 100 {
		if _, why := l.Next(now, elapsed); why != Given {
			t.Fatal(why)
		}
	}
	paid := l.paidUntil
	if _, why := l.Next(now, late); why != Given || paid != elapsed+l.maxDebt || l.paidUntil < paid {
		t.Errorf("the lane has paid at %d ns, and at %d ns after a late call, refusal %v; want %d ns", paid, l.paidUntil, why, elapsed+l.maxDebt)
	}
	// If the process's clock has gone back, there is no debt. IDs that are taken from then on
	// increase the debt again.
	var waited time.Duration
	for range 100 {
		wait, _ := l.Next(now, -int64(time.Hour))
		waited += wait
	}
	if waited == 0 {
		t.Error("after the process's clock has gone back, no id waits")
	}
	// A tick of 292 years costs as much as any other long tick, although twice its length exceeds a
	// Duration.
	l = NewLane(scale(0, 1, math.MaxInt64, 40), 1, never, 10*time.Millisecond, time.Time{})
	for _, want := range []time.Duration{0, maxWait} {
		if wait, why := l.Next(NewReading(time.Unix(0, 0)), 0); wait != want || why != Given {
			t.Errorf("with the longest tick an id waits for %v, %v, want %v", wait, why, want)
		}
	}
}

// TestFloorBeforeRise sets the wall clock back to the floor of a lane that has used all sequences.
// The lane does not follow the wall clock to the floor, and stays in the tick of its latest ID.
func TestFloorBeforeRise(t *testing.T) {
	l := calendar()
	l.last, l.sequence = 1000, sequence{floor: 500, top: 2000}
	if before := l; l.followBack(500) || l != before {
		t.Errorf("in the floor's tick it goes to %d", l.last)
	}
}

// TestTailGoesBackEachTime sets the wall clock back more often than there are clock sequences. A
// tail follows it each time, because a tail has no clock sequences.
func TestTailGoesBackEachTime(t *testing.T) {
	tail := NewTail(scale(0, 1, time.Second, 60), 62, false, 10*time.Second, 10*time.Millisecond)
	for i := range 2 * sequences {
		for _, sec := range []int64{100, 50} {
			_, why := tail.Next(Reading{sec, 0}, 0, 0, 0, nil)
			if tick, _, _ := tail.Newest(); why != Given || tick != uint64(sec) {
				t.Fatalf("set back %d times, at %d s: %v and tick %d", i, sec, why, tick)
			}
		}
	}
}

// TestRunBesideStepBack sets the wall clock back between two calls of a run. Another call follows
// it, and then the wall clock is set back a little further. The IDs of the run still ascend, and
// the run does not change the tail that other calls use.
func TestRunBesideStepBack(t *testing.T) {
	tail := NewTail(scale(0, 1, time.Second, 60), 62, false, 10*time.Second, 10*time.Millisecond)
	var latest Tail
	tail.Run(&latest, Reading{100, 0}, 0, 0, 0, []uint64{1})
	tail.Next(Reading{50, 0}, 0, 0, 2, nil)
	was := tail
	_, _, why := tail.Run(&latest, Reading{49, 0}, 0, 0, 0, []uint64{3})
	if tick, _, _ := latest.Newest(); why != Given || tick != 101 || tail != was {
		t.Errorf("the run goes on in tick %d, %v, want 101, and the tail in %d, want 50", tick, why, tail.lane.last)
	}
}

// TestFarScales counts ticks from epochs that are as far from 1970 as allowed, to readings that are
// as far on the other side. It compares the two ways of counting. Epochs that are even further from
// 1970 are rejected.
func TestFarScales(t *testing.T) {
	for _, epoch := range []int64{-maxSec, -maxSec / 2, -maxSec/4 - 1, -maxSec / 4, 0, maxSec/4 - 1, maxSec / 4, maxSec / 2, maxSec} {
		for _, tick := range []time.Duration{100, time.Microsecond, time.Second} {
			s := scale(epoch, 1, tick, 62)
			for _, sec := range []int64{-maxSec - 1, -maxSec, epoch - 1, epoch, epoch + 1, maxSec, maxSec + 1} {
				r := Reading{sec, 1e9 - 1}
				if got, want := s.at(r), s.odd(r); max(got, -1) != want {
					t.Errorf("with ticks of %v from %d s, %d s is in tick %d, want %d", tick, epoch, sec, got, want)
				}
			}
		}
	}
	// The first second whose tick exceeds 64 bits is in the last tick that can be counted. Nothing
	// panics.
	for tick := range time.Duration(60) {
		s := scale(-maxSec, 1, tick+1, 62)
		sec, _ := bits.Div64(uint64(tick+1), 0, 1e9)
		if got := s.at(Reading{-maxSec + int64(sec) + 1, 0}); got != math.MaxInt64-1 {
			t.Errorf("with ticks of %v, after %d s tick %d", tick+1, sec, got)
		}
	}
	for sec, want := range map[int64]bool{-maxSec - 1: false, -maxSec: true, maxSec: true, maxSec + 1: false} {
		if _, ok := NewScale(time.Unix(sec, 0), 1, time.Second, 41); ok != want {
			t.Errorf("an epoch of %d s: %v, want %v", sec, ok, want)
		}
	}
	hundreds := scale(0, 1, 100, 60)
	if n, exact := hundreds.ticks(time.Second - 1); n != 9_999_999 || exact {
		t.Errorf("a nanosecond less than a second is %d ticks of 100 ns, exactly: %v", n, exact)
	}
}

// TestOddScale takes IDs from a lane for which a second is not a whole number of ticks. Take takes
// none of them.
func TestOddScale(t *testing.T) {
	l := NewLane(scale(0, 1, 3*time.Millisecond, 62), 4, never, 10*time.Millisecond, time.Time{})
	for _, sec := range []int64{-maxSec - 1, -1, 0, 1, maxSec + 1} {
		if now := (Reading{sec, 1e9 + int64(MaxAge)}); l.Take(now) || l.scale.whole(now) != noTick {
			t.Errorf("at %d s, Take takes an id of tick %d", sec, l.last)
		}
	}
	if _, why := l.Next(Reading{1, 0}, 0); why != Given || l.last != 333 {
		t.Errorf("after a second of ticks of 3 ms, %v and tick %d", why, l.last)
	}
}

// TestTakeIsNext takes IDs from one tail by Take and, if that fails, by Next, from a second tail by
// Next alone, and from a third tail by runs of one ID. The IDs must be the same, and Take must
// leave the tail unchanged if it takes no ID.
func TestTakeIsNext(t *testing.T) {
	for _, width := range []int{62, 80} {
		a := NewTail(scale(0, 1, 250, 60), width, false, 10*time.Second, 10*time.Millisecond)
		b, c := a, a
		rng := rand.New(rand.NewPCG(1, uint64(width)))
		now, elapsed, generation, taken := int64(1e9), int64(0), uint64(0), 0
		for i := range 100_000 {
			step := rng.Int64N(200)
			switch rng.IntN(2000) {
			case 0:
				step = -20e9
			case 1:
				step = 20e9
			case 2:
				generation++
			case 3:
				for _, t := range []*Tail{&a, &b, &c} {
					t.lo, t.hi = t.maxLo, t.maxHi // the tick is full
				}
			}
			now, elapsed = max(now+step, 0), elapsed+max(step, 0)
			r, word, upper := Reading{now / 1e9, now % 1e9}, rng.Uint64(), func() uint64 { return uint64(i) }
			was := a
			var wait time.Duration
			var why Refusal
			switch {
			case a.Take(r, generation, word):
				taken++
			case a != was:
				t.Fatalf("width %d, id %d: Take took no id, and changed the tail", width, i)
			default:
				wait, why = a.Next(r, elapsed, generation, word, upper)
			}
			if wait2, why2 := b.Next(r, elapsed, generation, word, upper); a != b || wait != wait2 || why != why2 {
				t.Fatalf("width %d, id %d: with Take %v %v, without %v %v", width, i, wait, why, wait2, why2)
			}
			if _, wait2, why2 := c.Run(new(Tail), r, elapsed, generation, upper(), []uint64{word}); a != c || wait != wait2 || why != why2 {
				t.Fatalf("width %d, id %d: with Take %v %v, in a run %v %v", width, i, wait, why, wait2, why2)
			}
		}
		if taken < 10_000 || taken > 99_900 {
			t.Errorf("width %d: %d ids by Take", width, taken)
		}
	}
}
