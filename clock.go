package ids

import (
	"cmp"
	"sync"
	"time"

	"github.com/oneclock/ids/internal/random"
)

const (
	defaultTolerance = 10 * time.Second
	defaultMaxAhead  = 10 * time.Millisecond
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

// newTail returns a tail that has issued nothing, with random strides of up to 2^48.
func (c *Clock) newTail(s scale, end int64, maxHi, maxLo uint64) tail {
	t := tail{maxHi: maxHi, maxLo: maxLo, freshHi: maxHi >> 1, freshLo: maxLo, strideMask: 1<<48 - 1}
	if maxHi == 0 {
		t.freshLo >>= 1
	}
	t.lane = c.newLane(s, 0, end, unlimited, c.tolerance, time.Time{})
	t.tick = t.last
	return t
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

// A waiter is a call that waits until the limit allows its id. Each has a condition of its own, so that
// the end of one call's context wakes no other call.
type waiter struct {
	lane    *lane
	lifted  sync.Cond // the limit has been set, or stopped has
	stopped bool      // the context of the call has ended
}

// noWaiter is stopped from the start: a call with it does not wait for a limit.
var noWaiter = &waiter{stopped: true}

// newWaiter returns a waiter for the next id of l.
func (c *Clock) newWaiter(l *lane) *waiter { return &waiter{lane: l, lifted: sync.Cond{L: &c.mu}} }

// stop has a waiter look again, for the last time. The mutex is held.
func (w *waiter) stop() {
	w.stopped = true
	w.lifted.Signal()
}

// waitForLimit waits, if err of l is the limit's, until the limit may have changed or w is stopped, and returns
// the waiter for the next time. Otherwise it returns the error. The mutex is held before, and free afterwards.
func (c *Clock) waitForLimit(l *lane, w *waiter, err error) (*waiter, error) {
	defer c.mu.Unlock()
	if err != ErrWithheld || c.ended || w != nil && w.stopped {
		return w, c.reason(err)
	}
	if w == nil {
		w = c.newWaiter(l)
	}
	c.waiters[w] = true
	defer delete(c.waiters, w)
	w.lifted.Wait()
	return w, nil
}

// reason returns the error of a lane, which does not know why its limit is no later. The mutex is held.
func (c *Clock) reason(err error) error {
	if err == ErrWithheld {
		return c.refusal
	}
	return err
}

// bind gives a lane the limit. The mutex is held.
func (c *Clock) bind(l *lane) {
	if c.refusal != nil {
		l.limit = min(l.at(newReading(c.limit)), l.end)
	}
}

// eachLimited calls f for the lanes whose ids are unique by their time. The mutex is held.
func (c *Clock) eachLimited(f func(*lane)) {
	f(&c.v1)
	f(&c.v6)
	for _, l := range c.nodes {
		f(l)
	}
}

// nodeKey identifies the lane of a node by what its ids are.
type nodeKey struct {
	scale
	timeShift, sequenceShift uint8
	lastSequence             int64
	base                     Snowflake
}
