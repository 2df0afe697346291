package ids

import (
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oneclock/ids/internal/rule"
)

// SetEntropy makes the given 80 bits the random part of the latest ULID of g, which no test
// could reach by minting.
func (g *Generator) SetEntropy(e [10]byte) {
	var b [16]byte
	copy(b[6:], e[:])
	hi, lo := split(b)
	set := func(name string, bits uint64) {
		*(*uint64)(reflect.ValueOf(&g.ulid).Elem().FieldByName(name).Addr().UnsafePointer()) = bits
	}
	g.clock.mu.Lock()
	set("hi", hi)
	set("lo", lo)
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
		wait, why := n.lane.Next(now, elapsed)
		if why == rule.Given {
			s = n.newest()
		}
		return s, wait, c.reason(why)
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
			for _, d := range []time.Duration{0, 1, rule.MaxAge - 1, 1, 1, 0, rule.MaxAge, 3 * rule.MaxAge, 1} {
				time.Sleep(d)
				now, elapsed := c.enter(sample{})
				c.mu.Unlock()
				if !now.Time().Equal(time.Now()) || elapsed != int64(time.Since(begin)) {
					t.Errorf("%v after %d, it says %v after, and %v instead of %v",
						time.Since(begin), year, time.Duration(elapsed), now.Time(), time.Now().UTC())
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
	for name, p := range map[string]any{"base": &c.base, "at": &c.at, "life": &c.life, "wall": &c.wall} {
		if line(p) == line(&c.mu) {
			t.Errorf("%s is in the cache line of the mutex", name)
		}
	}
}
