// Package anchor reads the wall clock for an ids.Clock. If a method's comment contains "The mutex
// is held", its caller must hold the Clock's mutex.
package anchor

import (
	"runtime"
	"sync/atomic"
	"time"

	"github.com/oneclock/ids/internal/rule"
)

// inMilliseconds reports whether the system's wall clock counts only whole milliseconds.
const inMilliseconds = runtime.GOOS == "js"

// An Anchor is a reading of the wall clock, with the monotonic time at which it was read. While the
// Anchor is valid, one reading of the system's monotonic clock, in nanoseconds since base, is
// enough to compute the wall clock's time. time.Now takes two readings.
type Anchor struct {
	now func() time.Time // injected wall clock; nil means the system's

	// tickets is the number of tickets drawn so far. One ticket is drawn before each reading of an
	// injected clock, and another one after it.
	tickets atomic.Int64

	// base is an arbitrary time. ReadAnew moves base to the present long before the difference
	// between the two times reaches the longest Duration, which is 292 years. Outside the years
	// 1885 to 2157, a time.Time has no monotonic reading.
	base atomic.Pointer[time.Time]

	// The fields below are guarded by the clock's mutex.

	at       int64  // time of the anchor, in ns since base
	validity uint64 // validity period in ns; 0 if the anchor is not set or the clock is injected

	wall     rule.Reading // wall clock at the anchor, or newest injected reading that was used
	lastUsed int64        // ticket drawn after the injected reading in wall
}

// Init sets the function that reads the wall clock. If now is nil, the Anchor reads the system
// clock. Call it once, before any other method.
func (a *Anchor) Init(now func() time.Time) {
	a.now = now
	a.base.Store(new(time.Time)) // the first ReadAnew moves base to the present
}

// SinceBase returns the nanoseconds since base, or 0 if the wall clock is injected.
func (a *Anchor) SinceBase() int64 {
	if a.now != nil {
		return 0
	}
	return int64(time.Since(*a.base.Load()))
}

// Read computes the wall clock's time from elapsed, the number of nanoseconds since base. valid
// reports whether the anchor is valid at that time. If it is not, the caller must call ReadAnew.
// The mutex is held.
func (a *Anchor) Read(elapsed int64) (now rule.Reading, valid bool) {
	since := elapsed - a.at
	return a.wall.Plus(since), uint64(since) < a.validity // also false if since is negative
}

// ReadAnew moves the anchor to the present. If base is more than rule.MaxElapsed from the present,
// ReadAnew also moves base to the present. It returns the wall clock's time and the nanoseconds
// since base. If the wall clock is injected, there is no anchor. If readings of an injected clock
// overlap, only the reading that is used first takes effect. Another of these readings may have
// been taken before the clock was set forward. If it took effect too, the clock would seem to step
// back. The mutex is held.
func (a *Anchor) ReadAnew(injected Sample) (now rule.Reading, elapsed int64) {
	since := time.Since(*a.base.Load())
	if a.now == nil || since.Abs() > rule.MaxElapsed {
		t := time.Now() // read again, because another call may have used a later time
		since = t.Sub(*a.base.Load())
		if since.Abs() > rule.MaxElapsed {
			base := t // with &t, t would be allocated on each call
			a.base.Store(&base)
			since = 0
		}
		if a.now == nil {
			a.wall, a.at, a.validity = rule.NewReading(t), int64(since), uint64(rule.MaxAge)
			if inMilliseconds && t.Nanosecond()%1e6 == 0 {
				// Take the fraction of a millisecond from the monotonic clock. Otherwise, the bits
				// of a version 7 UUID that contain this fraction would be 0.
				a.wall = a.wall.Plus(int64(uint64(since) % 1e6))
			}
		}
	}
	if injected.began > a.lastUsed {
		a.wall, a.lastUsed = injected.Reading, injected.ended
	}
	return a.wall, int64(since)
}

// A Sample is a reading of an injected clock, with the tickets that were drawn before and after it.
type Sample struct {
	rule.Reading
	began, ended int64
}

// Injected returns a reading of the injected wall clock, or the zero Sample if none is injected.
// The mutex must not be held, because the injected function may block or panic.
func (a *Anchor) Injected() (now Sample) {
	if a.now != nil {
		now = a.callNow()
	}
	return now
}

// callNow reads the injected wall clock. It is a separate function, which is not inlined, so that
// Injected can be inlined.
func (a *Anchor) callNow() Sample {
	began := a.tickets.Add(1)
	return Sample{rule.NewReading(a.now()), began, a.tickets.Add(1)}
}
