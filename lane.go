package ids

import (
	"math"
	"math/bits"
	"time"
)

// A reading is a reading of the wall clock, since 1970-01-01 UTC.
type reading struct {
	sec  int64 // at most maxSec either way
	nsec int64 // 0 to 999,999,999, and up to anchorLife more
}

// maxSec bounds readings to some 17,000 years around 1970, which exceeds every
// format and keeps the arithmetic on ticks within 64 bits.
const maxSec = 1 << 39

// newReading returns t as a reading.
func newReading(t time.Time) reading {
	return reading{min(max(t.Unix(), -maxSec), maxSec), int64(t.Nanosecond())}
}

// add returns the reading ns nanoseconds after r.
func (r reading) add(ns int64) reading {
	r.nsec += ns
	if uint64(r.nsec) >= 1e9 {
		r.sec += floorDiv(r.nsec, 1e9)
		r.nsec -= floorDiv(r.nsec, 1e9) * 1e9
	}
	return r
}

// time returns r in UTC.
func (r reading) time() time.Time { return time.Unix(r.sec, r.nsec).UTC() }

// sub returns r - s in nanoseconds, or the nearest number that an int64 can hold.
func (r reading) sub(s reading) int64 {
	sec := r.sec - s.sec
	switch {
	case sec >= math.MaxInt64/int64(time.Second):
		return math.MaxInt64
	case sec <= math.MinInt64/int64(time.Second):
		return math.MinInt64
	}
	return sec*1e9 + r.nsec - s.nsec
}

// A scale counts ticks of some length from some epoch.
type scale struct {
	// perSecond and offset serve where a second is a whole number of ticks and the
	// epoch, a whole number of ticks from 1970, is offset of them. Else perSecond is 0.
	perSecond, offset int64

	// tick, in nanoseconds, and epoch serve everywhere but in version 7, whose
	// tick is no whole number of nanoseconds.
	tick  int64
	epoch reading
}

// newScale returns the scale of ticks of the given length from epoch.
func newScale(epoch time.Time, tick time.Duration) scale {
	s := scale{tick: int64(tick), epoch: newReading(epoch)}
	near := s.epoch.sec>>37 == 0 || s.epoch.sec>>37 == -1 // so that no product overflows
	if near && time.Second%tick == 0 && tick >= 100 && s.epoch.nsec%s.tick == 0 {
		s.perSecond = int64(time.Second / tick)
		s.offset = s.epoch.sec*s.perSecond + s.epoch.nsec/s.tick
	}
	return s
}

// at returns the tick of r, which is negative before the epoch.
func (s *scale) at(r reading) int64 {
	if s.perSecond == 0 {
		return s.divide(r)
	}
	return s.multiply(r)
}

// multiply is at where a second is a whole number of ticks.
func (s *scale) multiply(r reading) int64 {
	return r.sec*s.perSecond + int64(uint64(r.nsec*s.perSecond)/1e9) - s.offset
}

// divide is at where a second is no whole number of ticks.
func (s *scale) divide(r reading) int64 {
	sec, nsec := r.sec-s.epoch.sec, r.nsec-s.epoch.nsec
	if nsec < 0 {
		sec, nsec = sec-1, nsec+1e9
	}
	if sec < 0 {
		return -1
	}
	hi, lo := bits.Mul64(uint64(sec), 1e9)
	lo, carry := bits.Add64(lo, uint64(nsec), 0)
	hi += carry
	if hi >= uint64(s.tick) {
		return math.MaxInt64
	}
	ticks, _ := bits.Div64(hi, lo, uint64(s.tick))
	return int64(min(ticks, math.MaxInt64))
}

// reading returns the first nanosecond of a tick that is not negative.
func (s *scale) reading(tick int64) reading {
	if s.perSecond != 0 {
		tick += s.offset
		sec := floorDiv(tick, s.perSecond)
		rest := tick - sec*s.perSecond
		return reading{sec, (rest*1e9 + s.perSecond - 1) / s.perSecond}
	}
	hi, lo := bits.Mul64(uint64(tick), uint64(s.tick))
	if hi >= 1e9 {
		return reading{sec: maxSec}
	}
	sec, nsec := bits.Div64(hi, lo, 1e9)
	return reading{s.epoch.sec + int64(min(sec, maxSec)), s.epoch.nsec}.add(int64(nsec))
}

// time returns the first nanosecond of a tick that is not negative, in UTC.
func (s *scale) time(tick int64) time.Time {
	return s.reading(tick).time()
}

// floorDiv returns a / b, rounded down, for b > 0.
func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

const (
	none      = -1                // the tick of a lane that has issued nothing
	unlimited = math.MaxInt64 - 1 // ids in a tick, where random bits tell them apart
	forever   = math.MaxInt64     // patience
)

// A lane is what one scheme has issued on one clock. It gives each id a tick,
// which is that of the wall clock unless the order or the room in a tick demands
// another, and an ordinal within it. The clock's mutex guards it.
type lane struct {
	scale
	end      int64 // the last tick that the format can name
	perTick  int64 // how many ids one tick holds
	ahead    int64 // MaxAhead in ticks, rounded down
	patience int64 // ns: at a longer step back the lane follows the wall clock

	// sequenced says that the ids have the clock sequence in them, which must change when the lane
	// goes back.
	sequenced bool

	last  int64 // the tick of the latest id
	used  int64 // ids issued in it
	high  int64 // the latest tick of all before the lane last followed the clock back
	limit int64 // the last tick that Limit lets it use

	mark reading // the latest reading since the lane last followed the clock back

	// While the wall clock is behind what the lane may issue, the lane's present is
	// lag nanoseconds after peak, the latest reading since the clock fell behind.
	lag  int64
	peak reading
}

// newLane returns a lane that has issued nothing.
func (c *Clock) newLane(s scale, end, perTick, patience int64) lane {
	l := lane{scale: s, end: end, perTick: perTick, patience: patience,
		last: none, used: perTick, high: none, limit: end}
	// Version 7's tick is no whole number of nanoseconds.
	if s.tick != 0 {
		l.ahead = c.maxAhead / s.tick
	} else {
		l.ahead = s.at(reading{}.add(c.maxAhead))
	}
	return l
}

// take gives the next id its tick, l.last, and its place there, l.used-1. It returns how many ticks
// that is further ahead of r than the lane may go, or an outcome below zero if there is no id.
func (l *lane) take(c *Clock, r reading) (over int64) {
	tick := l.multiply(r)
	if l.perSecond == 0 {
		tick = l.divide(r)
	}
	used := l.used + 1
	if tick > l.last {
		used = 1
	}
	if tick < l.last || tick > l.limit || used > l.perTick {
		return l.hold(c, r, tick)
	}
	l.last, l.used = tick, used
	l.mark, l.lag = r, 0
	return 0
}

// hold is take where the lane does not simply go with the wall clock.
func (l *lane) hold(c *Clock, r reading, tick int64) (over int64) {
	if l.last == none {
		// The first reading may lie outside the format.
		tick = min(max(tick, 0), l.end)
		if tick > l.limit {
			return suspended
		}
		l.last, l.used, l.mark = tick, 1, r
		return 0
	}
	r, tick = l.within(r, tick)
	if tick > l.last {
		return suspended // since take would have gone there
	}
	if back := l.mark.sub(r); back >= c.jitter && back > l.patience {
		c.follow(l, r, tick)
	}
	l.observe(c, r)
	if l.last > l.limit {
		return suspended
	}
	if l.used >= l.perTick {
		if outcome := l.skip(); outcome < 0 {
			return outcome
		}
	}
	l.used++
	if l.last-tick <= l.ahead {
		return 0
	}
	return max(l.last-l.ceiling(), 0)
}

// within returns what a reading and its tick mean to a lane that has issued ids: a time before
// the format's first is taken for that, and a time after its last tells nothing, as if the
// clock stood still.
func (l *lane) within(r reading, tick int64) (reading, int64) {
	if tick < 0 {
		return l.epoch, 0
	}
	if tick <= l.end {
		return r, tick
	}
	r = l.mark
	if l.lag != 0 {
		r = l.peak
	}
	return r, min(l.at(r), l.last)
}

// skip moves the lane to its next tick, in which no id is issued yet.
func (l *lane) skip() (outcome int64) {
	switch l.last {
	case l.end:
		return spent
	case l.limit:
		return suspended
	}
	l.last++
	l.used = 0
	return 0
}

// observe tells the lane of a reading within the format that may be behind earlier ones.
func (l *lane) observe(c *Clock, r reading) {
	back := l.mark.sub(r)
	if back < 0 {
		l.mark = r
	}
	if l.lag == 0 {
		if back > 0 && back >= c.jitter {
			l.lag, l.peak = back, r
		}
		return
	}
	switch back := l.peak.sub(r); {
	case back < 0:
		// Time passes, which makes room for ids, but not more than is in use: so the lag ends when
		// the wall clock has caught up with the latest id.
		l.peak = r
		l.lag = max(min(l.lag, l.reading(l.last).sub(r)), 0)
	case back > 0 && back >= c.jitter:
		l.lag, l.peak = l.lag+back, r
	}
}

// allowed returns the last tick that needs no waiting at reading r, at which no id is issued.
func (l *lane) allowed(c *Clock, r reading) int64 {
	r, tick := l.within(r, l.at(r))
	caughtUp := r.sub(l.mark) >= 0
	l.observe(c, r)
	if caughtUp {
		return tick + l.ahead // and no lag more
	}
	return l.ceiling()
}

// present returns the time on which the lane may base ids: the latest reading, or, where the
// wall clock is behind what has been issued, that time and what has passed since.
func (l *lane) present() reading {
	if l.lag == 0 {
		return l.mark
	}
	return l.peak.add(l.lag)
}

// ceiling returns the last tick that needs no waiting.
func (l *lane) ceiling() int64 { return l.at(l.present()) + l.ahead }

// credit moves the lane's present on to r, unless it is there: the caller has
// waited that long for a clock that stood still.
func (l *lane) credit(r reading) {
	if missing := r.sub(l.present()); missing > 0 {
		if l.lag == 0 {
			l.peak = l.mark
		}
		l.lag += missing
	}
}

// span returns the length of a number of ticks, and at least a nanosecond.
func (l *lane) span(ticks int64) time.Duration {
	if ticks > int64(maxWait)/max(l.tick, 1) {
		return maxWait
	}
	return time.Duration(max(ticks*l.tick, 1))
}

// highest returns the latest tick that the lane has ever issued.
func (l *lane) highest() int64 { return max(l.high, l.last) }

// resume makes the lane go on after reading r, up to which ids were issued, unless it is beyond it.
func (l *lane) resume(r reading) {
	if tick := min(l.at(r), l.end); tick >= 0 && tick >= l.last {
		l.last, l.used = tick, l.perTick
		l.mark, l.lag = r, 0
	}
}

// bound puts the limit s in force.
func (l *lane) bound(s ClockState) {
	l.limit = l.end
	if s != (ClockState{}) {
		l.limit = min(max(l.at(newReading(s.Time)), none), l.end)
	}
}
