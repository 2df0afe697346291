package rule

import (
	"math"
	"testing"
	"time"
)

// calendar returns the lane of version 1.
func calendar() Lane {
	l := NewLane(NewScale(time.Date(1582, 10, 15, 0, 0, 0, 0, time.UTC), 100), 0, 1<<60-1, PlacesInTick, 0, 10*time.Millisecond, time.Time{})
	l.Sequenced = true
	return l
}

// TestDebt looks at debts around the largest that a call can find, which may be AnchorLife older than the
// one that ran it up. More than that is of another testing/synctest bubble.
func TestDebt(t *testing.T) {
	l := calendar()
	most := l.maxDebt + int64(AnchorLife)
	for _, k := range []struct{ paid, want int64 }{{-1, 0}, {0, 0}, {1, 1}, {most, most}, {most + 1, 0}} {
		l.paid = k.paid
		if got := l.debt(0); got != k.want {
			t.Errorf("what is paid for in %d ns is a debt of %d, want %d", k.paid, got, k.want)
		}
	}
	// An id two ticks too far ahead waits as soon as the debt is more than MaxAhead.
	l.Last = l.aheadTicks + 2
	for paid, want := range map[int64]time.Duration{l.maxAhead: 0, l.maxAhead + 1: minSleep} {
		l.paid = paid
		if got := l.wait(0, 0, false); got != want {
			t.Errorf("with a debt of %d ns it waits for %v, want %v", paid, got, want)
		}
	}
}

// TestReseedCountsFar has a tail that last made an id long ago, or never, hear of Reseed after so many calls that 31 or 32
// bits do not count them, and then of earlier ones, by calls that were overtaken.
func TestReseedCountsFar(t *testing.T) {
	tail := NewTail(NewScale(time.Unix(0, 0), 250), 1<<60-1, 0, 1<<62-1, 10*time.Second, 10*time.Millisecond)
	for _, epoch := range []uint64{1, 1 << 31, 1<<31 + 1, 1<<32 + 1, 1 << 40, 1<<63 + 2} {
		tail.Last, tail.Used = 1000, 5
		if tail.Reseed(epoch, 1000, 0); !tail.Closed() {
			t.Errorf("after %d calls of Reseed the next id is of the same tick", epoch)
		}
		tail.Used = 5
		if tail.Reseed(epoch-1, 1000, 0); tail.Closed() {
			t.Errorf("after %d calls of Reseed a call that knows of one fewer takes another tick", epoch)
		}
	}
	// Far ahead of the clock the random part leaps. If it has no room for that, the next id is of the next tick all the same.
	tail.Last, tail.Used, tail.Lo = 1<<40, 5, tail.MaxLo
	if tail.Reseed(tail.Epoch+1, 0, math.MaxUint64); !tail.Closed() {
		t.Error("after Reseed the next id is of the same tick, and near the one before")
	}
}

// TestDebtIsNotForgiven has a call read the process's clock, and another one take the mutex before it and
// run up debt. The late call, which knows an earlier time, must leave that debt as it is.
func TestDebtIsNotForgiven(t *testing.T) {
	l := NewLane(NewScale(time.Unix(0, 0), time.Millisecond), 0, 1<<40, 1, Forever, 10*time.Millisecond, time.Time{})
	tick, late, elapsed := int64(1000), int64(0), int64(AnchorLife/2)
	for range 100 {
		if _, why := l.Hold(tick, elapsed); why != Given {
			t.Fatal(why)
		}
	}
	paid := l.paid
	if _, why := l.Hold(tick, late); why != Given || paid != elapsed+l.maxDebt || l.paid < paid {
		t.Errorf("the lane has paid at %d ns, and at %d ns after a late call, refusal %v; want %d ns", paid, l.paid, why, elapsed+l.maxDebt)
	}
	// If the process's clock has gone back, nothing is owed. What is taken from then on is paid for.
	var waited time.Duration
	for range 100 {
		wait, _ := l.Hold(tick, -int64(time.Hour))
		waited += wait
	}
	if waited == 0 {
		t.Error("after the process's clock has gone back, no id waits")
	}
	// A tick of 292 years, twice of which exceed a Duration, costs as much as any other long one.
	l = NewLane(NewScale(time.Unix(0, 0), math.MaxInt64), 0, 1<<40, 1, Forever, 10*time.Millisecond, time.Time{})
	for _, want := range []time.Duration{0, maxWait} {
		if wait, why := l.Hold(0, 0); wait != want || why != Given {
			t.Errorf("with the longest tick an id waits for %v, %v, want %v", wait, why, want)
		}
	}
}

// TestFloorBeforeRise has a lane whose sequences are exhausted not follow the wall clock to a tick that it would not follow
// to anyway: it stays in the tick of its latest id.
func TestFloorBeforeRise(t *testing.T) {
	l := calendar()
	l.Last, l.Sequence = 1000, sequence{started: true, floor: 500, Top: 2000}
	if before := l; l.turn(500) || l != before {
		t.Errorf("in the floor's tick it goes to %d", l.Last)
	}
}

// TestFarScales counts ticks from epochs as far from 1970 as they may be, to readings as far on the other side,
// in the two ways that there are. Epochs that are farther still are refused.
func TestFarScales(t *testing.T) {
	for _, epoch := range []int64{-MaxSec, -MaxSec / 2, -MaxSec/4 - 1, -MaxSec / 4, 0, MaxSec/4 - 1, MaxSec / 4, MaxSec / 2, MaxSec} {
		for _, tick := range []time.Duration{100, time.Microsecond, time.Second} {
			s := NewScale(time.Unix(epoch, 0), tick)
			for _, sec := range []int64{-MaxSec - 1, -MaxSec, epoch - 1, epoch, epoch + 1, MaxSec, MaxSec + 1} {
				r := Reading{sec, 1e9 - 1}
				if got, want := s.At(r), s.Divide(r); max(got, -1) != want {
					t.Errorf("with ticks of %v from %d s, %d s is in tick %d, want %d", tick, epoch, sec, got, want)
				}
			}
		}
	}
	hundreds := NewScale(time.Unix(0, 0), 100)
	if n, exact := hundreds.ticks(time.Second - 1); n != 9_999_999 || exact {
		t.Errorf("a nanosecond less than a second is %d ticks of 100 ns, exactly: %v", n, exact)
	}
}
