package ids

// This file contains Clock, with its mutex and the calls that wait. Package internal/rule assigns
// ticks to IDs, and package internal/anchor reads the wall clock.

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

// Clock assigns times to IDs. It remembers the latest ID of each format, so that IDs stay unique
// and ordered whatever the wall clock does. It is safe for concurrent use. Create one with
// [NewClock]; using the zero value panics.
type Clock struct {
	// Calls read some fields of anchor before they lock the mutex, and Generator.next also reads
	// crowded. These fields are not on the mutex's cache line, because waiters write to that line.
	// The field crowded is on the line on which anchor begins, because calls with an injected clock
	// write to that line anyway.

	crowded atomic.Bool // calls contend for mu, so they draw their random bits before they lock it
	anchor  anchor.Anchor

	tolerance time.Duration
	maxAhead  time.Duration
	after     time.Time

	_  [8]byte    // aligns mu to the start of a cache line
	mu sync.Mutex // guards the fields below, every lane and the anchor
	v7 rule.Tail  // begins with the fields that change with each ID, on the mutex's cache line

	waiters map[*waiter]bool
	limit   time.Time

	// limitErr is the error for calls beyond the limit. It is ErrWithheld or ErrEnded, with its
	// cause, or nil if there is no limit.
	limitErr error
	ended    bool // the limit is permanent

	// Calls that draw random bits while they hold the mutex take them from block. While a call
	// fills the spare block, spare is nil.
	block, spare *random.Block

	v2Count uint64    // number of version 2 UUIDs generated
	v1, v6  rule.Lane // in each lane, the fields that change with each ID share a cache line
	nodes   map[nodeKey]*rule.Lane

	// v1Start and v6Start are added to the clock sequences. They are set once, to random values,
	// before any generator on this clock stores its node ID. A call that has a node ID can
	// therefore read them without the mutex.
	v1Start, v6Start uint64
	started          bool
}

// ClockOptions are options for [NewClock]. The zero value selects the defaults.
type ClockOptions struct {
	// Now replaces the system clock. Nil means the system clock. Now must be safe for concurrent
	// use and must not call the Clock. Do not rely on the number of calls to Now. IDs that are
	// generated concurrently can get their time from the same call to Now, and a call that waits
	// for a limit calls Now again. If Now reads the system clock, generating a version 7 UUID takes
	// about twice as long as without Now.
	Now func() time.Time

	// Tolerance is the maximum time by which the wall clock may be behind the latest ID while
	// version 6, version 7 and ULID keep ascending. If the wall clock is further behind, their IDs
	// restart at its time. Zero means 10 s. A negative value means MaxAhead or 1 ms, whichever is
	// longer. The value math.MaxInt64 means that IDs never restart.
	Tolerance time.Duration

	// MaxAhead is the maximum time by which an ID may be ahead of the wall clock before the call
	// that generates it waits. Zero means 10 ms. A negative value sets this time to 0. A value
	// above 2^60 ns is treated as 2^60 ns.
	MaxAhead time.Duration

	// After is the result of [Clock.Latest] or [ClockLimit.NextHorizon] that an earlier process
	// saved. The clock assigns only times later than After to UUIDs of versions 1 and 6 and to
	// Snowflakes. The zero time means that there is no saved time. If you read After from storage,
	// treat the zero time as an error, because it does not prevent repeated IDs.
	After time.Time
}

// NewClock returns a new clock that is independent of the default clock. If opts is nil, it uses
// the default options.
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

// mustBe panics if made is false. The parameter made reports whether a value was created by its
// constructor, and name is the name of the value's type.
func mustBe(made bool, name string) {
	if !made {
		panic("ids: zero " + name + ": use New" + name)
	}
}

// lockAndRead locks the mutex. It returns the time of the wall clock, which may be injected, and
// the nanoseconds since the anchor's base. The clocks are read before the mutex is locked, because
// reading takes a long time. If a call waits for the mutex or runs in a testing/synctest bubble,
// its time may be before the anchor. Such a call reads the clock again. If the wall clock is
// injected, there is no anchor, and the system's clock is read while the mutex is held.
func (c *Clock) lockAndRead(injected anchor.Sample) (now rule.Reading, elapsed int64) {
	elapsed = c.anchor.SinceBase()
	c.mu.Lock()
	if now, valid := c.anchor.Read(elapsed); valid {
		return now, elapsed
	}
	return c.anchor.ReadAnew(injected)
}

// lockNext locks the mutex and takes l's next ID, which l.Newest then returns. While a limit
// withholds the ID, lockNext waits for a later limit until w is stopped. A nil w is never stopped.
// The caller assembles the ID, unlocks the mutex and then sleeps for wait. If lockNext returns an
// error, it has taken no ID, and the mutex is unlocked.
func (c *Clock) lockNext(l *rule.Lane, w *waiter) (wait time.Duration, err error) {
	for {
		now, elapsed := c.lockAndRead(c.anchor.Injected())
		if l.Take(now) {
			return 0, nil
		}
		wait, refusal := l.Next(now, elapsed)
		if refusal == rule.Given {
			return wait, nil
		}
		if w, err = c.waitForLimit(l, w, refusal); err != nil {
			return 0, err
		}
	}
}

// waitForClock sleeps for wait, so that the wall clock comes closer to the latest ID. The mutex
// must not be held. waitForClock is inlined, so a call that need not wait costs only the
// comparison.
func waitForClock(wait time.Duration) {
	if wait > 0 {
		time.Sleep(wait)
	}
}

// restock swaps in the spare block and refills the exhausted one. If another call is filling the
// spare block, restock only unlocks the mutex. The mutex is held when restock is called. It is not
// held while bytes are drawn or when restock returns.
func (c *Clock) restock() {
	full, empty := c.spare, c.block
	if full == nil {
		c.mu.Unlock()
		return // another call is filling the spare block
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

// A waiter is a call that waits until the limit allows its ID. Each waiter has its own condition,
// so that a context that is done wakes only its own call.
type waiter struct {
	lane    *rule.Lane
	changed sync.Cond // signaled when the clock's limit or stopped is set
	stopped bool      // the call's context is done
}

// noWaiter is already stopped, so a call that passes it does not wait for a limit.
var noWaiter = &waiter{stopped: true}

// newWaiter returns a waiter for the next ID of l.
func (c *Clock) newWaiter(l *rule.Lane) *waiter {
	return &waiter{lane: l, changed: sync.Cond{L: &c.mu}}
}

// stop wakes w, which then tries once more to take its ID and does not wait again. The mutex is
// held.
func (w *waiter) stop() {
	w.stopped = true
	w.changed.Signal()
}

// waitForLimit handles a refusal by lane l. If the limit withholds the ID, waitForLimit waits until
// the limit may have changed or w is stopped, and returns the waiter for the next attempt. If the
// ID was refused for another reason, the clock has ended or w is already stopped, it returns an
// error without waiting. The mutex is held when waitForLimit is called and unlocked when it
// returns.
func (c *Clock) waitForLimit(l *rule.Lane, w *waiter, refusal rule.Refusal) (*waiter, error) {
	defer c.mu.Unlock()
	if refusal != rule.Withheld || c.ended || w != nil && w.stopped {
		return w, c.reason(refusal)
	}
	if w == nil {
		w = c.newWaiter(l)
	}
	c.waiters[w] = true
	defer delete(c.waiters, w)
	w.changed.Wait()
	return w, nil
}

// reason returns the error for a refusal, or nil for rule.Given. The mutex is held.
func (c *Clock) reason(refusal rule.Refusal) error {
	switch refusal {
	case rule.Given:
		return nil
	case rule.Withheld:
		return c.limitErr
	case rule.Exhausted:
		return ErrExhausted
	case rule.ClockBehind:
		return ErrClockBehind
	case rule.AtEnd:
		return errEnd
	}
	return errPast // rule.PastEnd
}

// applyLimit sets l's limit to the clock's, if the clock has one. The mutex is held.
func (c *Clock) applyLimit(l *rule.Lane) {
	if c.limitErr != nil {
		l.SetLimit(c.limit)
	}
}

// eachLimited calls f for every lane to which the limit applies. These are the lanes of IDs whose
// uniqueness depends on their time. The mutex is held.
func (c *Clock) eachLimited(f func(*rule.Lane)) {
	f(&c.v1)
	f(&c.v6)
	for _, l := range c.nodes {
		f(l)
	}
}

// nodeKey identifies a lane. Nodes with equal keys would generate equal IDs, so they share a lane.
type nodeKey struct {
	scale                    rule.Scale
	timeShift, sequenceShift uint8
	lastSequence             int64
	base                     int64
}
