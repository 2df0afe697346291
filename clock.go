package ids

import (
	"cmp"
	"sync"
	"sync/atomic"
	"time"

	"github.com/oneclock/ids/internal/random"
)

const (
	defaultTolerance = 10 * time.Second
	defaultMaxAhead  = 10 * time.Millisecond

	mostAhead  = time.Duration(1 << 60) // bounds MaxAhead and the time since base, so that no sum of debts overflows
	anchorLife = time.Millisecond       // how long an anchor serves before the wall clock is read again
)

// Clock gives ids their time. It remembers the latest id of each format, so that ids stay unique and ordered
// whatever the wall clock does. It is safe for concurrent use. Make one with [NewClock]; using the zero value
// panics.
type Clock struct {
	anchor // in another cache line than the mutex, which all who wait for it write to

	tolerance time.Duration
	maxAhead  time.Duration
	after     time.Time

	mu      sync.Mutex // guards all that follows, every lane, and the anchor
	waiters map[*waiter]bool
	limit   time.Time
	refusal error // of calls beyond the limit: ErrWithheld or ErrEnded, with its cause; nil if there is no limit
	ended   bool  // the limit is for good

	block, spare *random.Block // for ids that take their bits under the mutex; spare is nil while a call fills it
	v1, v6       lane
	v7           tail
	v2           uint64 // how many version 2 ids there were
	nodes        map[nodeKey]*lane
}

// ClockOptions are the options of [NewClock]. The zero value is the default.
type ClockOptions struct {
	// Now replaces the system clock; nil means that. It must be safe for concurrent use, and must not call the
	// Clock. Do not count its calls: calls at the same time share a reading, and a call that waits for a limit
	// reads again. If Now reads the system clock, a version 7 UUID takes about twice as long as without.
	Now func() time.Time

	// Tolerance is how far the wall clock may be behind the latest id before version 6, version 7 and ULID
	// follow it. Zero means 10 s; a negative value means MaxAhead, or 1 ms if that is more; math.MaxInt64 means
	// never.
	Tolerance time.Duration

	// MaxAhead is how far an id may be ahead of the wall clock before its call waits. Zero means 10 ms; a
	// negative value means not at all. More than 2^60 ns, some 36 years, counts
	// as that.
	MaxAhead time.Duration

	// After is a time that an earlier process saved: [Clock.Latest] or [ClockLimit.NextHorizon]. Versions 1 and
	// 6 and Snowflakes get only later times. The zero time means none. If you read After from storage, treat
	// the zero time as an error: it protects nothing.
	After time.Time
}

// NewClock returns a new clock, independent of the default one. Nil options mean the default.
func NewClock(opts *ClockOptions) *Clock {
	opts = cmp.Or(opts, new(ClockOptions))
	c := &Clock{
		tolerance: cmp.Or(opts.Tolerance, defaultTolerance),
		maxAhead:  min(max(cmp.Or(opts.MaxAhead, defaultMaxAhead), 0), mostAhead),
		after:     opts.After.Round(0).UTC(),
		anchor:    anchor{now: opts.Now},
		waiters:   make(map[*waiter]bool),
		block:     new(random.Block),
		spare:     new(random.Block),
		nodes:     make(map[nodeKey]*lane),
	}
	c.base.Store(new(time.Time)) // which readAnew moves
	c.v1 = c.newLane(gregorianScale, 0, gregorianMax, placesInTick, 0, c.after)
	c.v6 = c.newLane(gregorianScale, 0, gregorianMax, placesInTick, c.tolerance, c.after)
	c.v1.sequenced, c.v6.sequenced = true, true
	c.v7 = c.newTail(v7Scale, v7Max, 0, v7Random)
	return c
}

// mustBe panics if a value of the named type is not made, but the zero value.
func mustBe(made bool, name string) {
	if !made {
		panic("ids: zero " + name + ": use New" + name)
	}
}

// newLane returns a lane that has issued nothing and begins after start.
func (c *Clock) newLane(s scale, first, end, perTick int64, patience time.Duration, start time.Time) lane {
	l := lane{scale: s, first: first, end: end, perTick: perTick, patience: forever,
		maxAhead: int64(c.maxAhead), maxDebt: int64(c.maxAhead + 2*maxWait),
		last: min(max(first-1, s.at(newReading(start))), end), used: perTick, limit: end}
	l.aheadTicks, _ = s.ticks(c.maxAhead)
	if patience != forever {
		n, exact := s.ticks(max(patience, c.maxAhead, anchorLife)) // a reading may be this old
		if !exact {
			n++ // the wall clock's tick is rounded down
		}
		l.patience = n
	}
	l.sequence.floor, l.sequence.top = l.last, l.last
	return l
}

// enter takes the mutex, and returns the wall clock, or what is injected for it, and the nanoseconds
// since base. They are read before, since that takes long. A call that then waits for the mutex comes
// with a time before the anchor, and so may one in a testing/synctest bubble. An injected clock has no anchor, and
// the system's is then read with the mutex held.
func (c *Clock) enter(injected sample) (now reading, elapsed int64) {
	if c.now == nil {
		elapsed = int64(time.Since(*c.base.Load()))
	}
	c.mu.Lock()
	if now, serves := c.read(elapsed); serves {
		return now, elapsed
	}
	return c.readAnew(injected)
}

// An anchor is a moment at which the wall clock was read. From then on one reading of the system's clock tells the
// time, the nanoseconds since base, where time.Now makes two.
type anchor struct {
	now     func() time.Time // nil: the wall clock
	tickets atomic.Int64     // drawn before and after each reading of an injected clock

	// base is some moment. Outside of 1885 to 2157 a time.Time has no monotonic reading, and no Duration exceeds
	// 292 years: so base is moved before that is reached.
	base atomic.Pointer[time.Time]

	// These are guarded by the mutex of the clock.
	at    int64   // ns after base
	life  uint64  // how many ns the anchor serves: 0 until there is one, and always if the wall clock is injected
	wall  reading // the wall clock at the anchor, or the newest reading of an injected one that was used
	asked int64   // the ticket drawn after that reading
}

// read returns the wall clock at elapsed nanoseconds since base, if the anchor serves for that. The mutex is held.
func (a *anchor) read(elapsed int64) (now reading, serves bool) {
	since := elapsed - a.at
	return reading{a.wall.sec, a.wall.nsec + since}, uint64(since) < a.life // a negative one is not
}

// readAnew moves the anchor to now, and base too if it is more than mostAhead away. If the wall clock is injected
// there is no anchor, and of overlapping readings only the one used first counts: another may have been taken before
// the clock was set forward, and would look like a step back. The mutex is held.
func (a *anchor) readAnew(injected sample) (now reading, elapsed int64) {
	since := time.Since(*a.base.Load())
	if a.now == nil || since.Abs() > mostAhead {
		t := time.Now() // another call may have had a later one
		since = t.Sub(*a.base.Load())
		if since.Abs() > mostAhead {
			base := t // t itself would be allocated each time
			a.base.Store(&base)
			since = 0
		}
		if a.now == nil {
			a.wall, a.at, a.life = newReading(t), int64(since), uint64(anchorLife)
		}
	}
	if injected.began > a.asked {
		a.wall, a.asked = injected.reading, injected.ended
	}
	return a.wall, int64(since)
}

// A sample is a reading of an injected clock, and the tickets that were drawn before and after it.
type sample struct {
	reading
	began, ended int64
}

// injected returns the time that replaces the wall clock's, if any does. The mutex must not be
// held: now may block or panic.
func (a *anchor) injected() (now sample) {
	if a.now != nil {
		now = a.callNow()
	}
	return now
}

// callNow is not inlined, so that injected is.
func (a *anchor) callNow() sample {
	began := a.tickets.Add(1)
	return sample{newReading(a.now()), began, a.tickets.Add(1)}
}

// lockNext takes the mutex and the next id of l: its tick is l.last, its place l.used-1. While a limit withholds
// the id it waits for a later one, until w is stopped; nil is a waiter that nobody stops. The caller makes
// the id, unlocks the mutex, and then sleeps for wait. After an error there is no id, and the mutex is free.
func (c *Clock) lockNext(l *lane, w *waiter) (wait time.Duration, err error) {
	for {
		now, elapsed := c.enter(c.injected())
		tick := l.multiply(now) // l.at(now), which the compiler does not inline
		if l.perSecond == 0 {
			tick = l.divide(now)
		}
		if l.take(tick) {
			return 0, nil
		}
		if wait, err = l.hold(tick, elapsed); err == nil {
			return wait, nil
		}
		if w, err = c.waitForLimit(l, w, err); err != nil {
			return 0, err
		}
	}
}

// waitForClock waits outside the mutex until the wall clock has come nearer to an id. It is inlined
// as far as there is nothing to wait for.
func waitForClock(wait time.Duration) {
	if wait > 0 {
		time.Sleep(wait)
	}
}

// restock replaces the block, which is exhausted, by the spare one, and fills that one. The mutex is held
// before, and not while bytes are drawn or afterwards.
func (c *Clock) restock() {
	full, empty := c.spare, c.block
	if full == nil {
		c.mu.Unlock()
		return // another call is filling it
	}
	c.block, c.spare = full, nil
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.spare = empty
	}()
	empty.Fill()
}
