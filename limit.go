package ids

// ClockLimit: what withholds ids of a clock, or ends it. What is saved for a restart: Latest and the horizon.

import (
	"time"

	"github.com/oneclock/ids/internal/rule"
)

// Latest returns the latest time in a version 1 or 6 UUID or a Snowflake of c, in UTC, or [ClockOptions].After
// if that is later. It is the zero time if there is neither. A process that makes no more ids can save it for
// the next one's After.
func (c *Clock) Latest() time.Time {
	mustBe(c.nodes != nil, "Clock")
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.latest()
}

// latest is Latest. The mutex is held.
func (c *Clock) latest() time.Time {
	latest := c.after
	c.eachLimited(func(l *rule.Lane) {
		if t, ok := l.Latest(); ok {
			latest = later(latest, t)
		}
	})
	return latest
}

// Ahead returns how far [Clock.Latest] is ahead of the wall clock, for gauges. It is 0 if Latest is not ahead.
func (c *Clock) Ahead() time.Duration {
	mustBe(c.nodes != nil, "Clock")
	now, _ := c.enter(c.injected())
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

// ClockLimit withholds ids of a [Clock] whose time is later than the one you have saved. It limits versions 1
// and 6 and Snowflakes, which are unique by their time. It is safe for concurrent use. [NewLimitedClock] makes
// one; using the zero value panics.
type ClockLimit struct{ clock *Clock }

// NewLimitedClock returns a new clock and its limit. Until the first [ClockLimit.Set], the clock withholds all
// ids of versions 1 and 6 and Snowflakes. Nil options mean the default.
//
// Save [ClockLimit.NextHorizon] durably, pass it to Set, and repeat that before it is reached. The next process
// passes the saved time as its [ClockOptions].After. So no id repeats after a crash. Package
// [github.com/oneclock/ids/clockfile] does this with a file.
func NewLimitedClock(opts *ClockOptions) (*Clock, *ClockLimit) {
	c := NewClock(opts)
	l := &ClockLimit{c}
	l.Set(time.Time{}, errNoLimit)
	return c, l
}

// mustClock returns the clock that l limits.
func (l *ClockLimit) mustClock() *Clock {
	if l.clock == nil {
		panic("ids: zero ClockLimit: use NewLimitedClock")
	}
	return l.clock
}

// NextHorizon returns a time to save and then to [ClockLimit.Set]: the latest of the wall clock plus window,
// [Clock.Latest] plus window/100, and the limit in force. It changes nothing. A negative window counts as 0.
// The time has nanoseconds: if the storage keeps fewer digits, round it up, and Set the saved time, never a
// later one.
//
// Save the next horizon before this one is reached, and at least every window/100 while Latest is ahead of the
// wall clock: the step is small then, so that a process that crashes again and again does not carry its ids
// ever further ahead. Choose a window of at least 100 times the longest tick in use.
//
// A single wrong reading of the wall clock stays in the horizon, and in Latest if an id was made. NextHorizon
// never returns less than the limit: to lower a horizon, first Set an earlier time of your own, then save it.
func (l *ClockLimit) NextHorizon(window time.Duration) time.Time {
	c := l.mustClock()
	window = max(window, 0)
	now, _ := c.enter(c.injected())
	defer c.mu.Unlock()
	horizon := later(now.Time().Add(window), c.limit)
	return later(horizon, c.latest().Add(window/100))
}

// Set withholds ids of versions 1 and 6 and Snowflakes whose time is after t, until a later Set. Calls wait
// meanwhile; [SnowflakeNode.NextContext] waits until its context ends, and [SnowflakeNode.TryNext] does not
// wait. Their errors match [ErrWithheld] and cause, which may be nil: why there is no later limit, such as a
// full disk. The zero time withholds all, and so does one too far off for package time, such as
// time.Unix(math.MaxInt64, 0). After [ClockLimit.EndAt], Set does nothing.
//
// Calls that wait do not go on in the order in which they came. A waiting call does not see that the wall clock
// has come back below the limit: while it is before the limit, Set the same limit again every 100 ms or so.
func (l *ClockLimit) Set(t time.Time, cause error) {
	c, withheld := l.mustClock(), withCause(ErrWithheld, cause)
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ended {
		c.setLimit(validTime(t), withheld)
	}
}

// EndAt ends the clock at t, or at the limit if that is earlier, for good. Calls for later ids do not wait, and
// calls that wait return: [SnowflakeNode.TryNext] and [SnowflakeNode.NextContext] return an error that matches
// [ErrEnded] and cause, which may be nil, and other constructors panic with it. The zero time means now, and so
// does a time that Set counts as the zero time, or any time before the first Set. A later EndAt can only move
// the end back; the first cause that is not nil stays.
//
// EndAt is for a process that gives up what made its ids unique: a file, or a lease of its number. Choose t
// some 100 ms after the wall clock and [Clock.Latest], so that goroutines that still make ids can return. A
// limit earlier than t stays: nothing later may have been saved.
func (l *ClockLimit) EndAt(t time.Time, cause error) {
	c, ended := l.mustClock(), withCause(ErrEnded, cause)
	c.mu.Lock()
	defer c.mu.Unlock()
	t = validTime(t)
	if c.limit.Before(t) {
		t = c.limit
	}
	if c.ended && c.whyWithheld != ErrEnded {
		ended = c.whyWithheld
	}
	c.ended = true
	c.setLimit(t, ended)
}

// validTime returns t in UTC, or the zero time if Before and Unix disagree on it, for example on time.Unix(math.MaxInt64, 0).
func validTime(t time.Time) time.Time {
	if epoch := time.Unix(0, 0); t.Before(epoch) != (t.Unix() < 0) {
		return time.Time{}
	}
	return t.Round(0).UTC()
}

// setLimit sets the limit of all lanes, and what calls beyond it return, and wakes the calls that wait
// for it. The mutex is held.
func (c *Clock) setLimit(t time.Time, why error) {
	c.limit, c.whyWithheld = t, why
	c.eachLimited(c.applyLimit)
	for w := range c.waiters {
		if c.ended || w.lane.MayGoOn() {
			w.lifted.Signal()
		}
	}
}
