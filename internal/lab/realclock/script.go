package realclock

import "time"

// A Phase is a stretch of a run in which the traced process reads its wall clock through Wall.
type Phase struct {
	Name   string
	Length time.Duration // at least; it also lasts until the process has made three laps: see [Lap]
	// Wall gives the reading in place of real, which ascends evenly and was taken since after the
	// phase began.
	Wall func(real time.Time, since time.Duration) time.Time
}

// A Span is what came of a phase.
type Span struct {
	Phase
	Began, Ended time.Duration // its first and its last reading, on the monotonic clock
	Readings     int
	zero         time.Time // real, at zero of the monotonic clock
}

// At returns what the clock of the phase shows at a time on the monotonic clock.
func (s *Span) At(mono time.Duration) time.Time {
	return s.Wall(s.zero.Add(mono), mono-s.Began)
}

// PhaseOf returns the number of the phase in which a reading was taken, modulo 100. Each reading has
// it in place of its nanoseconds below 100, so that the process need not guess from its readings
// when the clock was moved.
func PhaseOf(wall time.Time) int { return wall.Nanosecond() % 100 }

// tagged returns a reading of a phase.
func tagged(wall time.Time, phase int) time.Time {
	return wall.Add(time.Duration(phase%100 - wall.Nanosecond()%100))
}

// Shift is a clock that is wrong by d.
func Shift(d time.Duration) func(time.Time, time.Duration) time.Time {
	return func(real time.Time, _ time.Duration) time.Time { return real.Add(d) }
}

// From is a clock that shows t when the phase begins.
func From(t time.Time) func(time.Time, time.Duration) time.Time {
	return func(_ time.Time, since time.Duration) time.Time { return t.Add(since) }
}

// Still is a clock that shows t.
func Still(t time.Time) func(time.Time, time.Duration) time.Time {
	return func(time.Time, time.Duration) time.Time { return t }
}

// Slew is a clock that is right when the phase begins and gains rate seconds in each second: -0.5 is
// half speed.
func Slew(rate float64) func(time.Time, time.Duration) time.Time {
	return func(real time.Time, since time.Duration) time.Time {
		return real.Add(time.Duration(rate * float64(since)))
	}
}

// Jitter is a clock that is right in one millisecond and behind by d in the next.
func Jitter(d time.Duration) func(time.Time, time.Duration) time.Time {
	return func(real time.Time, since time.Duration) time.Time {
		if since/time.Millisecond%2 == 1 {
			return real.Add(-d)
		}
		return real
	}
}

// Coarse is a clock that moves once in d.
func Coarse(d time.Duration) func(time.Time, time.Duration) time.Time {
	return func(real time.Time, _ time.Duration) time.Time { return real.Truncate(d) }
}
