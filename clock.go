package ids

// Clock: its time and its mutex, and which calls wait. internal/rule has the rule of which tick an id gets, and internal/anchor
// reads the wall clock.

import (
	"cmp"
	"sync"
	"sync/atomic"
	"time"

	"github.com/oneclock/ids/internal/anchor"
	"github.com/oneclock/ids/internal/random"
	"github.com/oneclock/ids/internal/rule"
)

const (
	defaultTolerance = 10 * time.Second
	defaultMaxAhead  = 10 * time.Millisecond
)

// Clock gives ids their time. It remembers the latest id of each format, so that ids stay unique and ordered
// whatever the wall clock does. It is safe for concurrent use. Make one with [NewClock]; using the zero value
// panics.
type Clock struct {
	// What every call reads before it locks is on other cache lines than the mutex, which waiters write to. crowded is on
	// the line on which the anchor begins, where calls with an injected clock write.
	crowded atomic.Bool // calls have collided: while this is set, they draw their random bits before they lock
	anchor  anchor.Anchor

	tolerance time.Duration
	maxAhead  time.Duration
	after     time.Time

	_  [8]byte    // so that a cache line begins with the mutex
	mu sync.Mutex // guards all that follows, every lane, and the anchor
	v7 rule.Tail  // begins with what changes with each ID, on the mutex's line

	waiters     map[*waiter]bool
	limit       time.Time
	whyWithheld error // of calls beyond the limit: ErrWithheld or ErrEnded, with its cause; nil if there is no limit
	ended       bool  // the limit is for good

	block, spare *random.Block // for ids that take their bits under the mutex; spare is nil while a call fills it
	v2Count      uint64        // how many version 2 ids there were
	v1, v6       rule.Lane     // what changes of each with an id does not straddle two cache lines
	nodes        map[nodeKey]*rule.Lane

	// These are added to the clock sequences: random bits, once started. They do not change after that, so whoever has a
	// node ID reads them without the mutex.
	v1Start, v6Start uint64
	started          bool
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
		maxAhead:  max(cmp.Or(opts.MaxAhead, defaultMaxAhead), 0),
		after:     opts.After.Round(0).UTC(),
		waiters:   make(map[*waiter]bool),
		block:     new(random.Block),
		spare:     new(random.Block),
		nodes:     make(map[nodeKey]*rule.Lane),
	}
	c.anchor.Init(opts.Now)
	c.v1 = rule.NewLane(gregorianScale, gregorianPerTick, 0, c.maxAhead, c.after)
	c.v6 = rule.NewLane(gregorianScale, gregorianPerTick, c.tolerance, c.maxAhead, c.after)
	c.v7 = rule.NewTail(v7Scale, v7Random, false, c.tolerance, c.maxAhead)
	return c
}

// mustBe panics if a value of the named type is not made, but the zero value.
func mustBe(made bool, name string) {
	if !made {
		panic("ids: zero " + name + ": use New" + name)
	}
}

// enter takes the mutex, and returns the wall clock, or what is injected for it, and the nanoseconds
// since base. They are read before, since that takes long. A call that then waits for the mutex comes
// with a time before the anchor, and so may one in a testing/synctest bubble. An injected clock has no anchor, and
// the system's is then read with the mutex held.
func (c *Clock) enter(injected anchor.Sample) (now rule.Reading, elapsed int64) {
	elapsed = c.anchor.SinceBase()
	c.mu.Lock()
	if now, serves := c.anchor.Read(elapsed); serves {
		return now, elapsed
	}
	return c.anchor.ReadAnew(injected)
}

// lockNext takes the mutex and the next id of l, which is its newest one. While a limit withholds
// the id it waits for a later one, until w is stopped; nil is a waiter that nobody stops. The caller makes
// the id, unlocks the mutex, and then sleeps for wait. After an error there is no id, and the mutex is free.
func (c *Clock) lockNext(l *rule.Lane, w *waiter) (wait time.Duration, err error) {
	for {
		now, elapsed := c.enter(c.anchor.Injected())
		if l.Take(now) {
			return 0, nil
		}
		wait, why := l.Next(now, elapsed)
		if why == rule.Given {
			return wait, nil
		}
		if w, err = c.waitForLimit(l, w, why); err != nil {
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
	lane    *rule.Lane
	lifted  sync.Cond // the limit has been set, or stopped has
	stopped bool      // the context of the call has ended
}

// noWaiter is stopped from the start: a call with it does not wait for a limit.
var noWaiter = &waiter{stopped: true}

// newWaiter returns a waiter for the next id of l.
func (c *Clock) newWaiter(l *rule.Lane) *waiter { return &waiter{lane: l, lifted: sync.Cond{L: &c.mu}} }

// stop has a waiter look again, for the last time. The mutex is held.
func (w *waiter) stop() {
	w.stopped = true
	w.lifted.Signal()
}

// waitForLimit waits, if l gives no id because of the limit, until the limit may have changed or w is stopped, and returns
// the waiter for the next time. Otherwise it returns the error. The mutex is held before, and free afterwards.
func (c *Clock) waitForLimit(l *rule.Lane, w *waiter, why rule.Refusal) (*waiter, error) {
	defer c.mu.Unlock()
	if why != rule.Withheld || c.ended || w != nil && w.stopped {
		return w, c.reason(why)
	}
	if w == nil {
		w = c.newWaiter(l)
	}
	c.waiters[w] = true
	defer delete(c.waiters, w)
	w.lifted.Wait()
	return w, nil
}

// reason returns the error for a lane that gives no id, or nil. The mutex is held.
func (c *Clock) reason(why rule.Refusal) error {
	switch why {
	case rule.Given:
		return nil
	case rule.Withheld:
		return c.whyWithheld
	case rule.Exhausted:
		return ErrExhausted
	case rule.ClockBehind:
		return ErrClockBehind
	case rule.AtEnd:
		return errEnd
	}
	return errPast // rule.PastEnd
}

// applyLimit gives a lane the limit. The mutex is held.
func (c *Clock) applyLimit(l *rule.Lane) {
	if c.whyWithheld != nil {
		l.SetLimit(c.limit)
	}
}

// eachLimited calls f for the lanes whose ids are unique by their time. The mutex is held.
func (c *Clock) eachLimited(f func(*rule.Lane)) {
	f(&c.v1)
	f(&c.v6)
	for _, l := range c.nodes {
		f(l)
	}
}

// nodeKey identifies the lane of a node by what its ids are.
type nodeKey struct {
	scale                    rule.Scale
	timeShift, sequenceShift uint8
	lastSequence             int64
	base                     int64
}
