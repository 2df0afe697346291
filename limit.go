package ids

// ClockLimit, which withholds IDs of a clock or ends the clock, and the times to save for a
// restart: Latest and the horizon.

import (
	"time"

	"github.com/oneclock/ids/internal/rule"
)

// Latest returns the latest time in a version 1 or 6 UUID or a Snowflake of c, in UTC, or
// [ClockOptions].After if that is later. It is the zero time if there is neither. A process that
// generates no more IDs can save it as the After of the next process.
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

// Ahead returns the time by which [Clock.Latest] is ahead of the wall clock, for gauges. It is 0 if
// Latest is not ahead.
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

// ClockLimit withholds IDs of a [Clock] if their time is later than the time you have saved. It
// limits versions 1 and 6 and Snowflakes, which are unique by their time. It is safe for concurrent
// use. Create one with [NewLimitedClock]; using the zero value panics.
type ClockLimit struct{ clock *Clock }

// NewLimitedClock returns a new clock and its limit. Until the first [ClockLimit.Set], the
// clock withholds all IDs of versions 1 and 6 and Snowflakes. Nil options mean the default.
//
// To prevent repeated IDs after a crash, save [ClockLimit.NextHorizon] durably, pass it to Set,
// and repeat both steps before the horizon is reached. The next process passes the saved time as
// its [ClockOptions].After. Package [github.com/oneclock/ids/clockfile] does this with a file.
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

// NextHorizon returns a time to save and then to [ClockLimit.Set]: the latest of the wall clock
// plus window, [Clock.Latest] plus window/100, and the current limit. It changes nothing. A
// negative window is treated as 0. The time is exact to the nanosecond. If the storage keeps fewer
// digits, round the time up, and Set the saved time, never a later one.
//
// Save the next horizon before this one is reached, and at least every window/100 while Latest is
// ahead of the wall clock. The step is small then, so that a process that crashes repeatedly does
// not move its IDs ever further ahead. Choose a window of at least 100 times the longest tick in
// use.
//
// A single wrong reading of the wall clock stays in the horizon, and in Latest if an ID was
// generated. NextHorizon never returns a time before the limit. To lower a horizon, first Set an
// earlier time of your choice, then save it.
func (l *ClockLimit) NextHorizon(window time.Duration) time.Time {
	c := l.mustClock()
	window = max(window, 0)
	now, _ := c.lockAndRead(c.anchor.Injected())
	defer c.mu.Unlock()
	horizon := later(now.Time().Add(window), c.limit)
	return later(horizon, c.latest().Add(window/100))
}

// Set withholds IDs of versions 1 and 6 and Snowflakes whose time is after t, until a later Set. In
// the meantime, calls wait. [SnowflakeNode.NextContext] waits at most until its context ends, and
// [SnowflakeNode.TryNext] does not wait. Their errors match [ErrWithheld] and cause. cause is the
// reason why there is no later limit, such as a full disk; it may be nil. The zero time withholds
// all these IDs, and so does a time out of range for package time, such as time.Unix(math.MaxInt64,
// 0). After [ClockLimit.EndAt], Set does nothing.
//
// Waiting calls do not resume in the order in which they were made. A waiting call does not notice
// that the wall clock has come back below the limit, so while the wall clock is before the limit,
// Set the same limit again about every 100 ms.
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
// return an error that matches [ErrEnded] and cause, which may be nil; other constructors panic
// with that error. The zero time means now, and so does a time that Set treats as the zero time, or
// any time before the first Set. Another call to EndAt can only move the end to an earlier time;
// the first non-nil cause is kept.
//
// EndAt is for a process that gives up its file or the lease of its number, which made its IDs
// unique. Choose t about 100 ms after the wall clock and [Clock.Latest], so that goroutines that
// are still generating IDs can return. A limit earlier than t is kept, because possibly no later
// time has been saved.
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

// validTime returns t in UTC, or the zero time if t.Before and t.Unix disagree, for example for
// time.Unix(math.MaxInt64, 0).
func validTime(t time.Time) time.Time {
	if epoch := time.Unix(0, 0); t.Before(epoch) != (t.Unix() < 0) {
		return time.Time{}
	}
	return t.Round(0).UTC()
}

// setLimit sets the limit of all lanes and the error of calls beyond it, and wakes the calls that
// wait for the limit. The mutex is held.
func (c *Clock) setLimit(t time.Time, err error) {
	c.limit, c.limitErr = t, err
	c.eachLimited(c.applyLimit)
	for w := range c.waiters {
		if c.ended || w.lane.MayGoOn() {
			w.changed.Signal()
		}
	}
}
