package ids

import (
	"cmp"
	"math"
	"sync"
	"time"

	"github.com/oneclock/ids/internal/random"
)

const (
	defaultTolerance = 10 * time.Second
	defaultMaxAhead  = 10 * time.Millisecond

	mostAhead  = time.Duration(1 << 60) // bounds MaxAhead, so that no sum of debts overflows
	anchorLife = time.Millisecond       // how long an anchor serves before the wall clock is read again
)

// Clock is the source of time that schemes share. It records the latest id of each, so that ids
// stay unique and ordered whatever the wall clock does. It is safe for concurrent use. Make one
// with [NewClock]; using the zero value panics.
//
// A call that waits for the limit of a clock in a testing/synctest bubble must be woken in that
// bubble: a SetLimit or EndAt outside of it ends the program with a fatal error of the runtime.
type Clock struct {
	now       func() time.Time // nil: the wall clock
	tolerance time.Duration
	maxAhead  time.Duration
	after     time.Time

	// base is when the clock was made. The time since then is one reading of the system's clock,
	// where time.Now makes two.
	base time.Time

	mu     sync.Mutex // guards all that follows, and every lane
	lifted sync.Cond  // the limit has changed, or the context of a waiter has ended
	limit  time.Time  // the zero time: none, unless ended
	ended  bool       // the limit is for good

	anchor    int64 // ns after base
	sec, nsec int64 // the wall clock at the anchor
	asked     int64 // ns after base: when an injected clock was last asked

	block  random.Block // for ids that take their bits under the mutex
	v1, v6 lane
	v7     tail
	v2     uint64 // how many version 2 ids there were
	nodes  map[nodeKey]*lane
}

// ClockOptions are the options of [NewClock]. The zero value is the default.
type ClockOptions struct {
	// Now replaces the wall clock. Nil means the system's. It must be safe for concurrent
	// use and must not call back into the clock.
	Now func() time.Time

	// Tolerance is how far the wall clock may be behind the latest id before version 6,
	// version 7 and ULID follow it back. Zero means 10 s; a negative value means none; the
	// longest Duration means that they never follow. It is at least MaxAhead and 1 ms.
	Tolerance time.Duration

	// MaxAhead is how far an id may be ahead of the wall clock before its call waits. Zero
	// means 10 ms; a negative value means none. More than 2^60 ns, some 36 years, counts as that.
	MaxAhead time.Duration

	// After is what [Clock.Latest] or [Clock.Horizon] returned in a former process. Versions 1
	// and 6 and Snowflake issue no id of that time or an earlier one. The zero time means no
	// restriction.
	After time.Time
}

// NewClock returns a new clock, independent of the default one. Nil options mean the default.
func NewClock(opts *ClockOptions) *Clock {
	opts = cmp.Or(opts, new(ClockOptions))
	c := &Clock{
		now:       opts.Now,
		tolerance: cmp.Or(opts.Tolerance, defaultTolerance),
		maxAhead:  min(max(cmp.Or(opts.MaxAhead, defaultMaxAhead), 0), mostAhead),
		after:     opts.After.Round(0).UTC(),
		base:      time.Now(),
		anchor:    math.MinInt64, // which no reading is near
		nodes:     make(map[nodeKey]*lane),
	}
	c.lifted.L = &c.mu
	c.block.Failed = c.mu.Unlock
	c.v1 = c.newLane(gregorianScale, 0, gregorianMax, placesInTick, 0, c.after)
	c.v6 = c.newLane(gregorianScale, 0, gregorianMax, placesInTick, c.tolerance, c.after)
	c.v1.sequenced, c.v6.sequenced = true, true
	c.v7 = c.newTail(v7Scale, v7Max, 0, v7Random)
	return c
}

// enter takes the mutex, and returns the wall clock, or what is injected for it, and the nanoseconds
// since base. They are read before, since that takes long. A call that then waits for the mutex comes
// with a time before the anchor, and so may one in a testing/synctest bubble: since is negative
// then, which is a large unsigned number.
func (c *Clock) enter(injected reading) (now reading, elapsed int64) {
	elapsed = c.elapsed()
	c.mu.Lock()
	if since := elapsed - c.anchor; uint64(since) <= uint64(anchorLife) {
		return reading{c.sec, c.nsec + since}, elapsed
	}
	return c.readAnew(injected, elapsed)
}

// readAnew moves the anchor to now. If the wall clock is injected there is no anchor: elapsed alone is
// read anew, if another call had a later one. The mutex is held.
func (c *Clock) readAnew(injected reading, elapsed int64) (reading, int64) {
	if c.now != nil {
		if elapsed < c.asked {
			elapsed = c.elapsed()
		}
		c.asked = elapsed
		return injected, elapsed
	}
	t := time.Now()
	now := newReading(t)
	c.anchor, c.sec, c.nsec = int64(t.Sub(c.base)), now.sec, now.nsec
	return now, c.anchor
}

// elapsed returns the nanoseconds since base.
func (c *Clock) elapsed() int64 { return int64(time.Since(c.base)) }

// injected returns the time that replaces the wall clock's, if any does. The mutex must not be
// held: now may block or panic.
func (c *Clock) injected() (now reading) {
	if c.now != nil {
		now = c.callNow()
	}
	return now
}

// callNow is not inlined, so that injected is.
func (c *Clock) callNow() reading { return newReading(c.now()) }

// lockNext takes the mutex and the next id of l, of l.last and l.used. The caller must make the id,
// release the mutex, and then sleep. On an error there is no id, and the mutex is held too.
func (c *Clock) lockNext(l *lane) (wait time.Duration, err error) {
	now, elapsed := c.enter(c.injected())
	tick := l.multiply(now) // l.at(now), which the compiler does not inline
	if l.perSecond == 0 {
		tick = l.divide(now)
	}
	return l.take(tick, elapsed)
}

// waitForClock waits outside the mutex until the wall clock has come nearer to an id. It is inlined
// as far as there is nothing to wait for.
func waitForClock(wait time.Duration) {
	if wait > 0 {
		time.Sleep(wait)
	}
}
