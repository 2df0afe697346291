package ids

import (
	"slices"
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
			if t := l.time(tick); t.After(latest) {
				latest = t
			}
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
// plus d/100, and the limit that is set. A negative d counts as 0. Save it durably, and then give it
// to [Clock.SetLimit]: no id is later than the saved time, at whatever moment the process ends.
// Package [github.com/oneclock/ids/clockfile] does all this with a file.
//
// Renew it before it is reached, at least every d/100 while Latest is ahead of the wall clock. The
// small step there keeps a process that crashes again and again from carrying its ids ever further
// ahead. Choose d at least 100 times the longest tick of the layouts in use.
//
// One wrong reading of the wall clock stays in the horizon, and in Latest if an id was issued at
// it. The horizon comes down only by a SetLimit of an earlier time, before that time is saved.
func (c *Clock) Horizon(d time.Duration) time.Time {
	mustBe(c.nodes != nil, "Clock")
	d = max(d, 0)
	now, _ := c.enter(c.injected())
	defer c.mu.Unlock()
	return slices.MaxFunc([]time.Time{now.time().Add(d), c.latest().Add(d / 100), c.limit}, time.Time.Compare)
}

// SetLimit withholds ids of version 1, version 6 and Snowflake whose time is after t. Calls for
// them wait until a later SetLimit allows the id; [SnowflakeNode.NextContext] waits until its context
// ends at most, and [SnowflakeNode.TryNext] returns [ErrSuspended]. The zero time lifts the limit.
// Versions 4 and 7 and ULID are unique by their random bits, and are not limited. After
// [Clock.EndAt], SetLimit does nothing.
func (c *Clock) SetLimit(t time.Time) {
	mustBe(c.nodes != nil, "Clock")
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ended {
		c.setLimit(t)
	}
}

// EndAt withholds ids of version 1, version 6 and Snowflake whose time is after t for good. No call
// waits for them any more, and those that wait return: [SnowflakeNode.TryNext] and
// [SnowflakeNode.NextContext] return [ErrEnded], and the other constructors panic with it. The zero
// time means at once. A later EndAt can only be earlier.
//
// EndAt is for a process that gives up what made its ids unique: a file, or a lease on its number. A t
// some 100 ms ahead of the wall clock and of [Clock.Latest] leaves goroutines that still mint a
// moment to return.
func (c *Clock) EndAt(t time.Time) {
	mustBe(c.nodes != nil, "Clock")
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ended || t.Before(c.limit) {
		c.ended = true
		c.setLimit(t)
	}
}

// setLimit sets the limit of all lanes and wakes who waits for it. The mutex is held.
func (c *Clock) setLimit(t time.Time) {
	c.limit = t.Round(0).UTC()
	c.eachLimited(c.bind)
	c.lifted.Broadcast()
}

// bind gives a lane the limit. The mutex is held.
func (c *Clock) bind(l *lane) {
	l.limit = l.end
	if c.ended || !c.limit.IsZero() {
		l.limit = min(l.at(newReading(c.limit)), l.end)
	}
}

// lockLater goes on where lockNext has returned err: it waits for a later limit, until *stopped, which the
// mutex guards. On an error the mutex is free.
func (c *Clock) lockLater(l *lane, err error, stopped *bool) (wait time.Duration, _ error) {
	for err != nil {
		if err = c.reason(err); err != ErrSuspended || *stopped {
			c.mu.Unlock()
			return 0, err
		}
		c.waitForLimit()
		wait, err = c.lockNext(l)
	}
	return wait, nil
}

// mustLock is lockLater for callers that return no error.
func (c *Clock) mustLock(l *lane, err error) time.Duration {
	return must(c.lockLater(l, err, new(bool)))
}

// reason returns the error of a lane, which does not know whether its limit is for good. The mutex
// is held.
func (c *Clock) reason(err error) error {
	if err == ErrSuspended && c.ended {
		return ErrEnded
	}
	return err
}

// waitForLimit waits until the limit may have changed. The mutex is held, and is not afterwards.
func (c *Clock) waitForLimit() {
	defer c.mu.Unlock()
	c.lifted.Wait()
}
