package ids

import (
	"sync"
	"time"
)

// Latest returns the latest time in any id of version 1, version 6 and Snowflake from c, in UTC,
// or [ClockOptions].After if that is later. It is the zero time if there is neither. A process
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

// Horizon returns a time up to which c may issue ids: the latest of the wall clock plus d, Latest
// plus d/100, and the limit in force. A negative d counts as 0. Save it durably, and then give it
// to [Clock.SetLimit]: no id is later than the saved time, at whatever moment the process ends.
// Package [github.com/oneclock/ids/clockfile] does all this with a file.
//
// Renew it before it is reached, at least every d/100 while Latest is ahead of the wall clock. The
// small step there keeps a process that crashes again and again from carrying its ids ever further
// ahead. Choose d at least 100 times the longest tick of the layouts in use.
//
// A single wrong reading of the wall clock stays in the horizon, and in Latest if an id was issued
// then. To lower a horizon, SetLimit the earlier time first, and save it afterwards.
func (c *Clock) Horizon(d time.Duration) time.Time {
	mustBe(c.nodes != nil, "Clock")
	d = max(d, 0)
	now, _ := c.enter(c.injected())
	defer c.mu.Unlock()
	horizon := now.time().Add(d)
	if c.limited {
		horizon = later(horizon, c.limit)
	}
	return later(horizon, c.latest().Add(d/100))
}

// later returns the later of two times.
func later(t, u time.Time) time.Time {
	if u.After(t) {
		return u
	}
	return t
}

// SetLimit withholds ids of version 1, version 6 and Snowflake whose time is after t. Calls for
// them wait until a later SetLimit allows the id; [SnowflakeNode.NextContext] waits until its context
// ends at most, and [SnowflakeNode.TryNext] returns [ErrSuspended]. The zero time is a time like any
// other, and withholds all. Nothing removes a limit: a later one replaces it. Versions 4 and 7 and ULID
// are unique by their random bits, and are not limited. After [Clock.EndAt], SetLimit does nothing.
//
// A call that waits does not see that the wall clock has come back below the limit. So whoever keeps
// the limit of a clock looks often, as every 100 ms, and if the wall clock is before the limit in force
// sets that again: then one wrong reading holds nobody up for longer.
func (c *Clock) SetLimit(t time.Time) {
	mustBe(c.nodes != nil, "Clock")
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ended {
		c.setLimit(t)
	}
}

// EndAt makes the earlier of t and the limit in force the limit for good. No call waits for ids that
// it withholds any more, and those that wait return: [SnowflakeNode.TryNext] and
// [SnowflakeNode.NextContext] return [ErrEnded], and the other constructors panic with it. The zero
// time means at once. A later EndAt can only make the end earlier.
//
// EndAt is for a process that gives up what made its ids unique: a file, or a lease on its number.
// Choose t some 100 ms after the wall clock and [Clock.Latest], so that goroutines that still mint can
// return. What the limit withholds stays withheld: it may be all that has been saved.
func (c *Clock) EndAt(t time.Time) {
	mustBe(c.nodes != nil, "Clock")
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.limited && c.limit.Before(t) {
		t = c.limit
	}
	c.ended = true
	c.setLimit(t)
}

// setLimit sets the limit of all lanes and wakes who waits for it. The mutex is held.
func (c *Clock) setLimit(t time.Time) {
	c.limit, c.limited = t.Round(0).UTC(), true
	c.eachLimited(c.bind)
	for w := range c.waiters {
		if c.ended || w.lane.mayGoOn() {
			w.lifted.Signal()
		}
	}
}

// bind gives a lane the limit. The mutex is held.
func (c *Clock) bind(l *lane) {
	if c.limited {
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

// newWaiter returns a waiter for the next id of l.
func (c *Clock) newWaiter(l *lane) *waiter { return &waiter{lane: l, lifted: sync.Cond{L: &c.mu}} }

// stop has a waiter look again, for the last time. The mutex is held.
func (w *waiter) stop() {
	w.stopped = true
	w.lifted.Signal()
}

// lockLater goes on where lockNext has returned err: it waits for a later limit, until the waiter is
// stopped. On an error the mutex is free.
func (c *Clock) lockLater(l *lane, err error, w *waiter) (wait time.Duration, _ error) {
	for err != nil {
		err = c.reason(err)
		if err != ErrSuspended || w.stopped {
			c.mu.Unlock()
			return 0, err
		}
		c.waitForLimit(w)
		wait, err = c.lockNext(l)
	}
	return wait, nil
}

// mustLock is lockLater for callers that return no error.
func (c *Clock) mustLock(l *lane, err error) time.Duration {
	return must(c.lockLater(l, err, c.newWaiter(l)))
}

// reason returns the error of a lane, which does not know whether its limit is for good. The mutex
// is held.
func (c *Clock) reason(err error) error {
	if err == ErrSuspended && c.ended {
		return ErrEnded
	}
	return err
}

// waitForLimit waits until the limit may have changed or the waiter is stopped. The mutex is held, and
// is not afterwards.
func (c *Clock) waitForLimit(w *waiter) {
	defer c.mu.Unlock()
	c.waiters[w] = true
	defer delete(c.waiters, w)
	w.lifted.Wait()
}
