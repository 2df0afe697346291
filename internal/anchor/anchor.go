// Package anchor reads the wall clock for a clock of package ids. Its caller has the mutex of which
// the comments speak.
package anchor

import (
	"runtime"
	"sync/atomic"
	"time"

	"github.com/oneclock/ids/internal/rule"
)

const inMilliseconds = runtime.GOOS == "js" // whether the system's wall clock shows no more than that

// An Anchor is a moment at which the wall clock was read. From then on one reading of the system's clock tells the
// time, the nanoseconds since base, where time.Now makes two.
type Anchor struct {
	now     func() time.Time // nil: the wall clock
	tickets atomic.Int64     // drawn before and after each reading of an injected clock

	// base is some moment. Outside of 1885 to 2157 a time.Time has no monotonic reading, and no Duration exceeds
	// 292 years: so base is moved before that is reached.
	base atomic.Pointer[time.Time]

	// These are guarded by the mutex of the clock.
	at    int64        // ns after base
	life  uint64       // how many ns the anchor serves: 0 until there is one, and always if the wall clock is injected
	wall  rule.Reading // the wall clock at the anchor, or the newest reading of an injected one that was used
	asked int64        // the ticket drawn after that reading
}

// Init sets the wall clock of a. A nil now means the system's. Call it once, before all other methods.
func (a *Anchor) Init(now func() time.Time) {
	a.now = now
	a.base.Store(new(time.Time)) // which ReadAnew moves
}

// SinceBase returns the nanoseconds since base, or 0 if the wall clock is injected.
func (a *Anchor) SinceBase() int64 {
	if a.now != nil {
		return 0
	}
	return int64(time.Since(*a.base.Load()))
}

// Read returns the wall clock at elapsed nanoseconds since base, if the anchor serves for that. The mutex is held.
func (a *Anchor) Read(elapsed int64) (now rule.Reading, serves bool) {
	since := elapsed - a.at
	return a.wall.Plus(since), uint64(since) < a.life // a negative one is not
}

// ReadAnew moves the anchor to now, and base too if it is more than rule.MaxElapsed away. If the wall clock is injected
// there is no anchor, and of overlapping readings only the one used first counts: another may have been taken before
// the clock was set forward, and would look like a step back. The mutex is held.
func (a *Anchor) ReadAnew(injected Sample) (now rule.Reading, elapsed int64) {
	since := time.Since(*a.base.Load())
	if a.now == nil || since.Abs() > rule.MaxElapsed {
		t := time.Now() // another call may have had a later one
		since = t.Sub(*a.base.Load())
		if since.Abs() > rule.MaxElapsed {
			base := t // t itself would be allocated each time
			a.base.Store(&base)
			since = 0
		}
		if a.now == nil {
			a.wall, a.at, a.life = rule.NewReading(t), int64(since), uint64(rule.MaxAge)
			if inMilliseconds && t.Nanosecond()%1e6 == 0 {
				// The rest comes from the monotonic clock: else the bits of version 7 below a millisecond would be 0.
				a.wall = a.wall.Plus(int64(uint64(since) % 1e6))
			}
		}
	}
	if injected.began > a.asked {
		a.wall, a.asked = injected.Reading, injected.ended
	}
	return a.wall, int64(since)
}

// A Sample is a reading of an injected clock, and the tickets that were drawn before and after it.
type Sample struct {
	rule.Reading
	began, ended int64
}

// Injected returns the time that replaces the wall clock's, if any does. The mutex must not be
// held: now may block or panic.
func (a *Anchor) Injected() (now Sample) {
	if a.now != nil {
		now = a.callNow()
	}
	return now
}

// callNow is not inlined, so that Injected is.
func (a *Anchor) callNow() Sample {
	began := a.tickets.Add(1)
	return Sample{rule.NewReading(a.now()), began, a.tickets.Add(1)}
}
