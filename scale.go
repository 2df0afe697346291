package ids

import (
	"math"
	"math/bits"
	"time"
)

// A reading is a time of the wall clock, since 1970-01-01 UTC.
type reading struct {
	sec  int64 // at most maxSec+1 either way
	nsec int64 // 0 to 999,999,999, and up to anchorLife more
}

// maxSec is how many seconds from 1970, or from an epoch, a time may be: some 17,000 years. That
// exceeds every format, and keeps the arithmetic on ticks within 64 bits.
const maxSec = 1 << 39

// newReading returns t as a reading. All times that are too far from 1970 are the same one.
func newReading(t time.Time) reading {
	return reading{min(max(t.Unix(), -maxSec-1), maxSec+1), int64(t.Nanosecond())}
}

// time returns r in UTC.
func (r reading) time() time.Time { return time.Unix(r.sec, r.nsec).UTC() }

// A scale counts ticks of some length from some epoch.
type scale struct {
	// perSecond, offset and perNano serve if a second is a whole number of ticks and the
	// epoch, a whole number of ticks from 1970, is offset of them. Otherwise perSecond is 0.
	perSecond, offset int64
	perNano           uint64 // times 2^64, rounded up

	length int64 // of a tick, in ns, rounded up for version 7
	epoch  reading
}

// newScale returns the scale of ticks of the given length from epoch.
func newScale(epoch time.Time, tick time.Duration) scale {
	s := scale{length: int64(tick), epoch: newReading(epoch)}
	// Of 100 ns or more, the ticks of 2^39 s fit 63 bits, and so does the offset of an epoch this near.
	near := -1<<37 <= s.epoch.sec && s.epoch.sec < 1<<37
	if near && time.Second%tick == 0 && tick >= 100 && s.epoch.nsec%s.length == 0 {
		s.perSecond, s.perNano = int64(time.Second/tick), math.MaxUint64/uint64(tick)+1
		s.offset = s.epoch.sec*s.perSecond + s.epoch.nsec/s.length
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

// multiply is at if a second is a whole number of ticks. It is exact: since perNano is rounded up, a part of a
// second gains less than 2^-34 of a tick, and one that is not whole lacks 10^-9 of it or more.
func (s *scale) multiply(r reading) int64 {
	part, _ := bits.Mul64(uint64(r.nsec), s.perNano)
	return r.sec*s.perSecond - s.offset + int64(part)
}

// divide is at if a second is not a whole number of ticks.
func (s *scale) divide(r reading) int64 {
	sec, nsec := r.sec-s.epoch.sec, r.nsec-s.epoch.nsec
	if nsec < 0 {
		sec, nsec = sec-1, nsec+1e9
	}
	if sec < 0 {
		return -1
	}
	// The quotient has at most 71 bits. What exceeds most is past the end of every format.
	const most = math.MaxInt64 - 1 // a tick that has a next one
	hi, lo := bits.Mul64(uint64(sec), 1e9)
	lo, carry := bits.Add64(lo, uint64(nsec), 0)
	hi += carry
	if hi >= uint64(s.length) {
		return most
	}
	ticks, _ := bits.Div64(hi, lo, uint64(s.length))
	return int64(min(ticks, most))
}

// time returns the start of a tick that is not negative, in UTC.
func (s *scale) time(tick int64) time.Time {
	if s.perSecond != 0 {
		tick += s.offset
		return time.Unix(tick/s.perSecond, tick%s.perSecond*1e9/s.perSecond).UTC()
	}
	hi, lo := bits.Mul64(uint64(tick), uint64(s.length))
	sec, nsec := bits.Div64(hi%1e9, lo, 1e9)
	if hi/1e9 != 0 || sec >= 1<<60 {
		sec, nsec = 1<<60, 0 // which is beyond what time.Time can print
	}
	return time.Unix(s.epoch.sec+int64(sec), s.epoch.nsec+int64(nsec)).UTC()
}

// ticks returns how many whole ticks a span has that is not negative, and whether they are all of it.
func (s *scale) ticks(d time.Duration) (n int64, exact bool) {
	if s.perSecond == 0 {
		return int64(d) / s.length, int64(d)%s.length == 0
	}
	part := int64(d%time.Second) * s.perSecond
	return int64(d/time.Second)*s.perSecond + part/1e9, part%1e9 == 0
}

// maxMilli is the last millisecond since 1970 that version 7 and ULID can hold.
const maxMilli = 1<<48 - 1

// milli returns t in milliseconds since 1970, or the nearest that 48 bits can hold and an error.
func milli(t time.Time) (ms uint64, err error) {
	const errMilli = rangeError("ids: time is not within 1970-01-01T00:00:00Z to 10889-08-02T05:31:50.655Z")
	switch sec := t.Unix(); {
	case sec < 0:
		return 0, errMilli
	case sec > maxMilli/1000 || t.UnixMilli() > maxMilli:
		return maxMilli, errMilli
	}
	return uint64(t.UnixMilli()), nil
}

// Versions 1, 2 and 6 count ticks of 100 ns from the start of the Gregorian calendar,
// 1582-10-15 UTC, in 60 bits.
const (
	gregorianPerSecond = 1e7
	gregorianOffset    = -12219292800 * gregorianPerSecond // from 1970
	gregorianMax       = 1<<60 - 1                         // in the year 5236
)

var gregorianScale = scale{perSecond: gregorianPerSecond, perNano: 1<<64/100 + 1, offset: gregorianOffset, length: 100}

// Version 7 counts ticks of 1/4096 ms from 1970 in 60 bits: 48 of milliseconds, in unix_ts_ms,
// and 12 of their fraction, in rand_a (RFC 9562, Section 6.2, method 3). Ids of one tick differ
// in the 62 random bits of rand_b.
const (
	v7PerMilli = 1 << 12
	v7Max      = 1<<60 - 1 // in the year 10889
	v7Random   = 1<<62 - 1
)

// v7Scale has the length of a tick rounded up, 245 ns, so that no tick is paid for with less than it lasts.
var v7Scale = scale{perSecond: 1000 * v7PerMilli, perNano: 1<<64*v7PerMilli/1_000_000 + 1, length: 1_000_000/v7PerMilli + 1}

var ulidScale = scale{perSecond: 1000, perNano: 1<<64/1_000_000 + 1, length: int64(time.Millisecond)}
