package rule

// This file contains the Reading and the Scale, which convert times to ticks and back.

import (
	"math"
	"math/bits"
	"time"
)

// A Reading is a time read from the wall clock.
type Reading struct {
	sec  int64 // seconds since 1970-01-01 UTC, from -maxSec-1 to maxSec+1
	nsec int64 // 0 to 999,999,999, plus up to MaxAge
}

// maxSec is the maximum distance of a time from 1970 or from an epoch, in seconds. It is about
// 17,000 years, which is longer than the range of every predefined format and keeps the arithmetic
// on ticks within 64 bits.
const maxSec = 1 << 39

// NewReading returns t as a Reading. It limits the seconds since 1970 to the range from -2^39-1 to
// 2^39+1.
func NewReading(t time.Time) Reading {
	return Reading{min(max(t.Unix(), -maxSec-1), maxSec+1), int64(t.Nanosecond())}
}

// Plus returns the Reading that is ns nanoseconds after r. ns is at most MaxAge.
func (r Reading) Plus(ns int64) Reading { return Reading{r.sec, r.nsec + ns} }

// Time returns r as a time.Time in UTC.
func (r Reading) Time() time.Time { return time.Unix(r.sec, r.nsec).UTC() }

// A Scale counts ticks of a fixed length from an epoch, in a fixed number of bits. Two Scales that
// count in the same way are equal.
type Scale struct {
	// perSecond, offset and perNano are used if a second is a whole number of ticks and the epoch
	// is a whole number of ticks from 1970. offset is the number of ticks from 1970 to the epoch.
	// Any other scale is called odd. Its perSecond and perNano are 0, and its offset is oddOffset.
	perSecond, offset int64
	perNano           uint64 // ticks per ns times 2^64, rounded up

	length      int64 // length of a tick in ns, rounded up
	epoch       Reading
	first, last int64 // first and last tick in range, if any; see Tick
}

// oddOffset is the offset of an odd scale. It makes the method whole return noTick for every time.
const (
	oddOffset = -noTick
	noTick    = math.MaxInt64 // later than the last tick of every format
)

// NewScale returns a Scale that counts ticks from epoch. Together, n ticks last for span. width is
// the number of bits that store a tick, of which at most 62 are used. ok reports whether epoch is
// at most 2^39 s from 1970.
//
// If n is more than 1, one second must be a multiple of span, and epoch must be a whole second. If
// one of these conditions is violated, the length of a tick is rounded up to a whole number of
// nanoseconds, and the ticks that the Scale returns can be off by thousands.
func NewScale(epoch time.Time, n int64, span time.Duration, width int) (s Scale, ok bool) {
	s = Scale{offset: oddOffset, length: (int64(span) + n - 1) / n, epoch: NewReading(epoch)}
	// If a tick is at least 100 ns long, the number of ticks in 2^39 s fits in 63 bits. The offset
	// also fits, if the epoch is within 2^37 s of 1970.
	near := -1<<37 <= s.epoch.sec && s.epoch.sec < 1<<37
	if near && time.Second%span == 0 && s.length >= 100 && s.epoch.nsec%s.length == 0 {
		s.perSecond = int64(time.Second/span) * n
		perNano, rest := bits.Div64(uint64(n), 0, uint64(span))
		s.perNano = perNano + min(rest, 1)
		s.offset = s.epoch.sec*s.perSecond + s.epoch.nsec/s.length
	}
	s.first = max(s.at(NewReading(time.Time{}))+1, 0)
	// The Reading of a time that is too far after 1970 has maxSec+1 seconds. Its tick is out of
	// range, too.
	s.last = min(1<<min(width, 62)-1, s.at(Reading{maxSec + 1, 0})-1, s.at(Reading{s.epoch.sec + maxSec, s.epoch.nsec}))
	return s, -maxSec <= s.epoch.sec && s.epoch.sec <= maxSec
}

// Tick returns the tick of r. If that tick is in range, side is 0. Otherwise, Tick returns the
// nearest tick in range, and side is -1 if r is before the range or 1 if r is after it. A tick is
// in range if it fits in the Scale's bits and its time is after 0001-01-01T00:00:00Z and at most
// 2^39 s from 1970 and from the epoch.
func (s *Scale) Tick(r Reading) (tick int64, side int) {
	tick = s.whole(r) // like s.at(r), which the compiler does not inline
	if s.perSecond == 0 {
		tick = s.odd(r)
	}
	switch {
	case tick > s.last:
		return max(s.last, 0), 1
	case tick < s.first:
		return max(min(s.first, s.last), 0), -1
	}
	return tick, 0
}

// at returns the tick of r. The tick is negative if r is before the epoch.
func (s *Scale) at(r Reading) int64 {
	if s.perSecond == 0 {
		return s.odd(r)
	}
	return s.whole(r)
}

// whole returns the tick of r, or noTick on an odd scale. The result is exact. Because perNano is
// rounded up, the product for a fraction of a second is never too small, and it is too large by
// less than 2^-34 of a tick. A fraction of a second that is not a whole number of ticks is at least
// 10^-9 of a tick below the next tick, so an error of less than 2^-34 of a tick cannot reach that
// next tick.
func (s *Scale) whole(r Reading) int64 {
	part, _ := bits.Mul64(uint64(r.nsec), s.perNano)
	return r.sec*s.perSecond - s.offset + int64(part)
}

// odd returns the tick of r. It works only on an odd scale.
func (s *Scale) odd(r Reading) int64 {
	sec, nsec := r.sec-s.epoch.sec, r.nsec-s.epoch.nsec
	if nsec < 0 {
		sec, nsec = sec-1, nsec+1e9
	}
	if sec < 0 {
		return -1
	}
	// The quotient has at most 71 bits. A tick above maxTick is later than the last tick of every
	// format.
	const maxTick = math.MaxInt64 - 1 // leaves room for one more tick
	hi, lo := bits.Mul64(uint64(sec), 1e9)
	lo, carry := bits.Add64(lo, uint64(nsec), 0)
	hi += carry
	if hi >= uint64(s.length) {
		return maxTick
	}
	ticks, _ := bits.Div64(hi, lo, uint64(s.length))
	return int64(min(ticks, maxTick))
}

// Time returns the start of a tick from 0 to 2^62-1, in UTC.
func (s *Scale) Time(tick int64) time.Time {
	if s.perSecond != 0 {
		tick += s.offset
		return time.Unix(tick/s.perSecond, tick%s.perSecond*1e9/s.perSecond).UTC()
	}
	hi, lo := bits.Mul64(uint64(tick), uint64(s.length))
	sec, nsec := bits.Div64(hi%1e9, lo, 1e9)
	if hi/1e9 != 0 || sec >= 1<<60 {
		// With 2^60 s, the sum in the return statement does not overflow, and the returned time is
		// later than any time that time.Time can print.
		sec, nsec = 1<<60, 0
	}
	return time.Unix(s.epoch.sec+int64(sec), s.epoch.nsec+int64(nsec)).UTC()
}

// ticks returns the number of whole ticks in d. exact reports whether d is a whole number of ticks.
// d must not be negative.
func (s *Scale) ticks(d time.Duration) (n int64, exact bool) {
	if s.perSecond == 0 {
		return int64(d) / s.length, int64(d)%s.length == 0
	}
	part := int64(d%time.Second) * s.perSecond
	return int64(d/time.Second)*s.perSecond + part/1e9, part%1e9 == 0
}
