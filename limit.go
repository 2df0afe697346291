package ids

import (
	"sync"
	"time"
)

// Latest returns the latest time in any id of version 1, version 6 and Snowflake from c, in UTC,
// or [ClockOptions].After if After is later. It is the zero time if there is neither. A process
// that issues no more ids can save it as the After of its successor.
func (c *Clock) Latest() time.Time {
	mustBe(c.nodes != nil, "Clock")
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.latest()
}

// latest is Latest. The mutex is held.
func (c *Clock) latest() time.Time {
	latest := c.after
	c.eachLimited(func(l *lane) {
		if tick := max(l.last, l.sequence.top); tick >= l.first {
			latest = later(latest, l.time(tick))
		}
	})
	return latest
}

// eachLimited calls f for the lanes whose ids are unique by their time. The mutex is held.
func (c *Clock) eachLimited(f func(*lane)) {
	f(&c.v1)
	f(&c.v6)
	for _, l := range c.nodes {
		f(l)
	}
}

// Ahead returns how far [Clock.Latest] is ahead of the wall clock, for gauges. It is 0 if Latest is not ahead.
func (c *Clock) Ahead() time.Duration {
	mustBe(c.nodes != nil, "Clock")
	now, _ := c.enter(c.injected())
	defer c.mu.Unlock()
	return max(c.latest().Sub(now.time()), 0)
}

// later returns the later of two times.
func later(t, u time.Time) time.Time {
	if u.After(t) {
		return u
	}
	return t
}

// A ClockLimit says how far a [Clock] may issue ids of version 1, version 6 and Snowflake, which are unique
// by their time. It belongs to whoever saves that time; those who mint have the Clock alone. It is safe
// for concurrent use. [NewLimitedClock] makes one; using the zero value panics.
type ClockLimit struct{ clock *Clock }

// NewLimitedClock returns a new clock and its limit. Until the first [ClockLimit.Set], the clock withholds
// every id of version 1, version 6 and Snowflake. Nil options mean the default.
//
// So that no id repeats after a crash at any moment: save [ClockLimit.NextHorizon] durably, give it to Set, and
// repeat that before it is reached. The next process takes the saved time as its [ClockOptions].After. Package
// [github.com/oneclock/ids/clockfile] does all this with a file.
func NewLimitedClock(opts *ClockOptions) (*Clock, *ClockLimit) {
	c := NewClock(opts)
	l := &ClockLimit{c}
	l.Set(time.Time{}, errNoLimit)
	return c, l
}

// owner returns the clock that l limits.
func (l *ClockLimit) owner() *Clock {
	if l.clock == nil {
		panic("ids: zero ClockLimit: use NewLimitedClock")
	}
	return l.clock
}

// NextHorizon proposes a time to save and then to [ClockLimit.Set]: the latest of the wall clock plus window,
// [Clock.Latest] plus window/100, and the limit in force. It changes nothing. A negative window counts as 0. The
// time has nanoseconds: if the storage keeps fewer digits, round it up, and Set the saved time, never a later one.
//
// Renew the horizon before it is reached, at least every window/100 while Latest is ahead of the wall
// clock. The small step there keeps a process that crashes again and again from carrying its ids ever
// further ahead. Choose a window of at least 100 times the longest tick of the layouts in use.
//
// A single wrong reading of the wall clock stays in the horizon, and in Latest if an id was issued
// then. NextHorizon never goes below the limit: to lower a horizon, Set an earlier time of your own first,
// and save it afterwards.
func (l *ClockLimit) NextHorizon(window time.Duration) time.Time {
	c := l.owner()
	window = max(window, 0)
	now, _ := c.enter(c.injected())
	defer c.mu.Unlock()
	horizon := later(now.time().Add(window), c.limit)
	return later(horizon, c.latest().Add(window/100))
}

// Set withholds ids of version 1, version 6 and Snowflake whose time is after t. Calls for them wait until
// a later Set allows the id; [SnowflakeNode.NextContext] waits until its context ends at most, and
// [SnowflakeNode.TryNext] does not wait. Their errors match [ErrWithheld] and, unless it is nil, the cause:
// why there is no later limit, such as a full disk. The zero time is a time like any other, and withholds
// all. Nothing removes a limit: a later one replaces it. A time so far off that [time.Time.Before] and
// [time.Time.Unix] disagree on it, such as time.Unix(math.MaxInt64, 0), counts as the zero time.
//
// Versions 4 and 7 and ULID are unique by their random bits, and are not limited. After [ClockLimit.EndAt], Set
// does nothing.
//
// Calls that wait do not go on in the order in which they came. One that waits does not see that the
// wall clock has come back below the limit. So check every 100 ms or so, and if the wall clock is before
// the limit, set the same limit again: then a wrong reading holds no call up for longer than that.
func (l *ClockLimit) Set(t time.Time, cause error) {
	c, withheld := l.owner(), because(ErrWithheld, cause)
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ended {
		c.setLimit(orderly(t), withheld)
	}
}

// EndAt makes the earlier of t and the current limit permanent. Calls no longer wait for ids beyond it, and those
// that are waiting return: [SnowflakeNode.TryNext] and [SnowflakeNode.NextContext] return an error that matches
// [ErrEnded] and, unless it is nil, the cause, and the other constructors of limited ids panic with it. The zero
// time means at once. So does a time that Set counts as the zero time, and any time if Set was never called. A
// later EndAt can only make the end earlier; the first cause that is not nil stays.
//
// EndAt is for a process that gives up what made its ids unique: a file, or a lease on its number.
// Choose t some 100 ms after the wall clock and [Clock.Latest], so that goroutines that still mint can
// return. A limit that is earlier than t stays: nothing later may have been saved.
func (l *ClockLimit) EndAt(t time.Time, cause error) {
	c, ended := l.owner(), because(ErrEnded, cause)
	c.mu.Lock()
	defer c.mu.Unlock()
	t = orderly(t)
	if c.limit.Before(t) {
		t = c.limit
	}
	if c.ended && c.refusal != ErrEnded {
		ended = c.refusal
	}
	c.ended = true
	c.setLimit(t, ended)
}

// orderly returns t in UTC, or the zero time if Before and Unix disagree on it, for example on time.Unix(math.MaxInt64, 0).
func orderly(t time.Time) time.Time {
	if epoch := time.Unix(0, 0); t.Before(epoch) != (t.Unix() < 0) {
		return time.Time{}
	}
	return t.Round(0).UTC()
}

// setLimit sets the limit of all lanes, and what calls beyond it return, and wakes the calls that wait
// for it. The mutex is held.
func (c *Clock) setLimit(t time.Time, refusal error) {
	c.limit, c.refusal = t, refusal
	c.eachLimited(c.bind)
	for w := range c.waiters {
		if c.ended || w.lane.mayGoOn() {
			w.lifted.Signal()
		}
	}
}

// bind gives a lane the limit. The mutex is held.
func (c *Clock) bind(l *lane) {
	if c.refusal != nil {
		l.limit = min(l.at(newReading(c.limit)), l.end)
	}
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

// reason returns the error of a lane, which does not know why its limit is no later. The mutex is held.
func (c *Clock) reason(err error) error {
	if err == ErrWithheld {
		return c.refusal
	}
	return err
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
