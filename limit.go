package ids

// This file contains ClockLimit, which withholds a clock's IDs or ends the clock. It also computes
// Latest and the horizon, which are the times that a program can save for the next process.

import (
	"time"

	"github.com/oneclock/ids/internal/rule"
)

// Latest returns the latest time in any version 1 or 6 UUID or Snowflake from c, or
// [ClockOptions].After if that is later. The time is in UTC. If there is no such ID and After is
// not set, Latest returns the zero time. A process that will generate no more IDs can save Latest
// for the next process, which passes it as After.
func (c *Clock) Latest() time.Time {
	mustBe(c.nodes != nil, "Clock")
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.latest()
}

// latest is like Latest. The mutex is held.
func (c *Clock) latest() time.Time {
	latest := c.after
	c.eachLimited(func(l *rule.Lane) {
		if t, ok := l.Latest(); ok {
			latest = later(latest, t)
		}
	})
	return latest
}

// Ahead returns the time by which [Clock.Latest] is ahead of the wall clock, or 0 if it is not
// ahead. Use it as a metric.
func (c *Clock) Ahead() time.Duration {
	mustBe(c.nodes != nil, "Clock")
	now, _ := c.lockAndRead(c.anchor.Injected())
	defer c.mu.Unlock()
	return max(c.latest().Sub(now.Time()), 0)
}

// later returns the later of two times.
func later(t, u time.Time) time.Time {
	if u.After(t) {
		return u
	}
	return t
}

// ClockLimit withholds a [Clock]'s IDs if their time is later than the time that you have saved. It
// limits the IDs whose uniqueness depends on their time, which are UUIDs of versions 1 and 6 and
// Snowflakes. It is safe for concurrent use. Create one with [NewLimitedClock]; using the zero
// value panics.
type ClockLimit struct{ clock *Clock }

// NewLimitedClock returns a new clock and its limit. Until the first [ClockLimit.Set], the clock
// withholds all UUIDs of versions 1 and 6 and all Snowflakes. If opts is nil, it uses the default
// options.
//
// To prevent repeated IDs after a crash, durably save the result of [ClockLimit.NextHorizon], pass
// it to Set, and repeat both steps before the horizon is reached. The next process passes the saved
// time as its [ClockOptions].After. Package [github.com/oneclock/ids/clockfile] does this with a
// file.
func NewLimitedClock(opts *ClockOptions) (*Clock, *ClockLimit) {
	c := NewClock(opts)
	l := &ClockLimit{c}
	l.Set(time.Time{}, errNoLimit)
	return c, l
}

// mustClock returns the clock of l. It panics if l is the zero value.
func (l *ClockLimit) mustClock() *Clock {
	if l.clock == nil {
		panic("ids: zero ClockLimit: use NewLimitedClock")
	}
	return l.clock
}

// NextHorizon returns a time to save and then pass to [ClockLimit.Set]. This is the latest of the
// wall clock plus window, [Clock.Latest] plus window/100, and the current limit. NextHorizon
// changes nothing. A negative window is treated as 0. The time has nanosecond precision. If the
// storage has less precision, round the time up, and pass the saved time to Set, never a later one.
//
// Save the next horizon before this one is reached, and at least every window/100 while Latest is
// ahead of the wall clock. While Latest is ahead, the horizon moves in small steps, so that a
// process that crashes repeatedly does not move its IDs further and further ahead. Choose a window
// of at least 100 times the longest tick in use.
//
// If the wall clock is wrong just once, the wrong time stays in the horizon and, if an ID was
// generated, in Latest. NextHorizon never returns a time before the limit. To lower the horizon,
// first pass an earlier time of your choice to Set, and then save that time.
func (l *ClockLimit) NextHorizon(window time.Duration) time.Time {
	c := l.mustClock()
	window = max(window, 0)
	now, _ := c.lockAndRead(c.anchor.Injected())
	defer c.mu.Unlock()
	horizon := later(now.Time().Add(window), c.limit)
	return later(horizon, c.latest().Add(window/100))
}

// Set withholds UUIDs of versions 1 and 6 and Snowflakes whose time is after t. A call whose ID is
// withheld waits until a later call to Set allows that ID. [SnowflakeNode.NextContext] waits at
// most until its context is done, and [SnowflakeNode.TryNext] does not wait. The errors of these
// two methods match [ErrWithheld] and the given cause. The cause is the reason why the limit is not
// later, such as a full disk. It may be nil. If t is the zero time or is out of range for package
// time, for example time.Unix(math.MaxInt64, 0), Set withholds all UUIDs of versions 1 and 6 and
// all Snowflakes. After [ClockLimit.EndAt], Set does nothing.
//
// Waiting calls do not necessarily resume in the order in which they were made. A waiting call does
// not notice that the wall clock was set back to before the limit. While the wall clock is before
// the limit, call Set with the same limit about every 100 ms.
func (l *ClockLimit) Set(t time.Time, cause error) {
	c, withheld := l.mustClock(), withCause(ErrWithheld, cause)
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ended {
		c.setLimit(validTime(t), withheld)
	}
}

// EndAt permanently ends the clock at t, or at the limit if that is earlier. Calls for later IDs do
// not wait, and waiting calls return. [SnowflakeNode.TryNext] and [SnowflakeNode.NextContext]
// return an error that matches [ErrEnded] and, if cause is not nil, cause. Other constructors panic
// with that error. The zero time means now, and so does any time that Set treats as the zero time.
// Before the first call to Set, every time is treated as the zero time. Another call to EndAt can
// only move the end to an earlier time; the first non-nil cause is kept.
//
// EndAt is for a process that gives up the file or the lease on which the uniqueness of its IDs
// depends. Choose a t that is about 100 ms later than both the wall clock's time and
// [Clock.Latest], so that calls that are still generating IDs can finish. If the limit is earlier
// than t, the clock ends at the limit, because a later time may not have been saved.
func (l *ClockLimit) EndAt(t time.Time, cause error) {
	c, ended := l.mustClock(), withCause(ErrEnded, cause)
	c.mu.Lock()
	defer c.mu.Unlock()
	t = validTime(t)
	if c.limit.Before(t) {
		t = c.limit
	}
	if c.ended && c.limitErr != ErrEnded {
		ended = c.limitErr
	}
	c.ended = true
	c.setLimit(t, ended)
}

// validTime returns t in UTC. If the seconds of t have overflowed, as in time.Unix(math.MaxInt64,
// 0), it returns the zero time. After such an overflow, t is before 1970 although t.Unix is
// positive, or the reverse.
func validTime(t time.Time) time.Time {
	if epoch := time.Unix(0, 0); t.Before(epoch) != (t.Unix() < 0) {
		return time.Time{}
	}
	return t.Round(0).UTC()
}

// setLimit sets the limit of all lanes and the error for calls beyond the limit. It wakes the
// waiting calls that the new limit may affect. The mutex is held.
func (c *Clock) setLimit(t time.Time, err error) {
	c.limit, c.limitErr = t, err
	c.eachLimited(c.applyLimit)
	for w := range c.waiters {
		if c.ended || w.lane.MayGoOn() {
			w.changed.Signal()
		}
	}
}
