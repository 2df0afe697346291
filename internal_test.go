package ids

import (
	"math"
	"reflect"
	"testing"
	"testing/synctest"
	"time"
)

// SetEntropy makes the given 80 bits the random part of the latest ULID of g, which no test
// could reach by minting.
func (g *Generator) SetEntropy(e [10]byte) {
	var b [16]byte
	copy(b[6:], e[:])
	g.clock.mu.Lock()
	g.ulid.hi, g.ulid.lo = split(b)
	g.clock.mu.Unlock()
}

// NextLate begins a call of Next that has read the clock and waits for the mutex. What it returns goes
// on once the call has the mutex, and returns the id and for how long it must wait.
func NextLate(n *SnowflakeNode) func() (s Snowflake, wait time.Duration, err error) {
	c := n.clock
	injected := c.injected()
	return func() (s Snowflake, wait time.Duration, err error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		now, elapsed := c.readAnew(injected)
		if wait, err = n.lane.hold(n.lane.at(now), elapsed); err == nil {
			s = n.newest()
		}
		return s, wait, err
	}
}

// Exempt is exempt, for tests that hash as versions 3 and 5 do.
func Exempt(f func()) { exempt(f) }

// Waiters returns how many calls the clock has noted as waiting for its limit.
func Waiters(c *Clock) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.waiters)
}

// TestEnter reads the wall clock at the ends of the time that an anchor serves, and later. A step of the
// wall clock is seen after 1 ms at the latest, also after one of more than the longest Duration.
func TestEnter(t *testing.T) {
	for _, year := range []int{2000, 1601, 2400} {
		synctest.Test(t, func(t *testing.T) {
			c, begin := NewClock(nil), time.Now()
			base := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)
			c.base.Store(&base)
			for _, d := range []time.Duration{0, 1, anchorLife - 1, 1, 1, 0, anchorLife, 3 * anchorLife, 1} {
				time.Sleep(d)
				now, elapsed := c.enter(sample{})
				c.mu.Unlock()
				if !now.time().Equal(time.Now()) || elapsed != int64(time.Since(begin)) {
					t.Errorf("%v after %d, it says %v after, and %v instead of %v",
						time.Since(begin), year, time.Duration(elapsed), now.time(), time.Now().UTC())
				}
				if age := time.Since(begin) - time.Duration(c.at); age > time.Millisecond {
					t.Errorf("%v after %d, the anchor is %v old", time.Since(begin), year, age)
				}
			}
		})
	}
}

// TestMutexIsApart looks at what each call reads of the anchor. With the mutex in the same cache line, which all who wait for
// it write to, versions 1 and 6 took 1.6 times as long on 64 goroutines.
func TestMutexIsApart(t *testing.T) {
	line := func(p any) uintptr { return reflect.ValueOf(p).Pointer() / 64 } // bytes on most processors
	c := NewClock(nil)
	for name, p := range map[string]any{"base": &c.base, "at": &c.at, "life": &c.life, "sec": &c.wall.sec, "nsec": &c.wall.nsec} {
		if line(p) == line(&c.mu) {
			t.Errorf("%s is in the cache line of the mutex", name)
		}
	}
}

// TestDebt looks at debts around the largest that a call can find, which may be anchorLife older than the
// one that ran it up. More than that is of another testing/synctest bubble.
func TestDebt(t *testing.T) {
	c := NewClock(nil)
	most := c.v1.maxDebt + int64(anchorLife)
	for _, k := range []struct{ paid, want int64 }{{-1, 0}, {0, 0}, {1, 1}, {most, most}, {most + 1, 0}} {
		c.v1.paid = k.paid
		if got := c.v1.debt(0); got != k.want {
			t.Errorf("what is paid for in %d ns is a debt of %d, want %d", k.paid, got, k.want)
		}
	}
	// An id two ticks too far ahead waits as soon as the debt is more than MaxAhead.
	c.v1.last = c.v1.aheadTicks + 2
	for paid, want := range map[int64]time.Duration{c.v1.maxAhead: 0, c.v1.maxAhead + 1: minSleep} {
		c.v1.paid = paid
		if got := c.v1.wait(0, 0, false); got != want {
			t.Errorf("with a debt of %d ns it waits for %v, want %v", paid, got, want)
		}
	}
}

// TestReseedCountsFar has a tail that last made an id long ago, or never, hear of Reseed after so many calls that 31 or 32
// bits do not count them, and then of earlier ones, by calls that were overtaken.
func TestReseedCountsFar(t *testing.T) {
	tail := NewClock(nil).v7
	for _, epoch := range []uint64{1, 1 << 31, 1<<31 + 1, 1<<32 + 1, 1 << 40, 1<<63 + 2} {
		tail.last, tail.used = 1000, 5
		if tail.reseed(epoch, 1000, 0); !tail.closed() {
			t.Errorf("after %d calls of Reseed the next id is of the same tick", epoch)
		}
		tail.used = 5
		if tail.reseed(epoch-1, 1000, 0); tail.closed() {
			t.Errorf("after %d calls of Reseed a call that knows of one fewer takes another tick", epoch)
		}
	}
	// Far ahead of the clock the random part leaps. If it has no room for that, the next id is of the next tick all the same.
	tail.last, tail.used, tail.lo = 1<<40, 5, tail.maxLo
	if tail.reseed(tail.epoch+1, 0, math.MaxUint64); !tail.closed() {
		t.Error("after Reseed the next id is of the same tick, and near the one before")
	}
}

// TestDebtIsNotForgiven has a call read the process's clock, and another one take the mutex before it and
// run up debt. The late call, which knows an earlier time, must leave that debt as it is.
func TestDebtIsNotForgiven(t *testing.T) {
	c := NewClock(nil)
	l := c.newLane(newScale(time.Unix(0, 0), time.Millisecond), 0, 1<<40, 1, forever, time.Time{})
	tick, late, elapsed := int64(1000), int64(0), int64(anchorLife/2)
	for range 100 {
		if _, err := l.hold(tick, elapsed); err != nil {
			t.Fatal(err)
		}
	}
	paid := l.paid
	if _, err := l.hold(tick, late); err != nil || paid != elapsed+l.maxDebt || l.paid < paid {
		t.Errorf("the lane has paid at %d ns, and at %d ns after a late call, error %v; want %d ns", paid, l.paid, err, elapsed+l.maxDebt)
	}
	// If the process's clock has gone back, nothing is owed. What is taken from then on is paid for.
	var waited time.Duration
	for range 100 {
		wait, _ := l.hold(tick, -int64(time.Hour))
		waited += wait
	}
	if waited == 0 {
		t.Error("after the process's clock has gone back, no id waits")
	}
	// A tick of 292 years, twice of which exceed a Duration, costs as much as any other long one.
	l = c.newLane(newScale(time.Unix(0, 0), math.MaxInt64), 0, 1<<40, 1, forever, time.Time{})
	for _, want := range []time.Duration{0, maxWait} {
		if wait, err := l.hold(0, 0); wait != want || err != nil {
			t.Errorf("with the longest tick an id waits for %v, %v, want %v", wait, err, want)
		}
	}
}

// TestFloorBeforeRise has a lane whose sequences are exhausted not follow the wall clock to a tick that it would not follow
// to anyway: it stays in the tick of its latest id.
func TestFloorBeforeRise(t *testing.T) {
	l := NewClock(nil).v1
	l.last, l.sequence = 1000, sequence{started: true, floor: 500, top: 2000}
	if before := l; l.turn(500) || l != before {
		t.Errorf("in the floor's tick it goes to %d", l.last)
	}
}
