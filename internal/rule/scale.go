package rule

import (
	"math"
	"math/bits"
	"time"
)

// A Reading is a time of the wall clock.
type Reading struct {
	sec  int64 // since 1970-01-01 UTC, at most maxSec+1 either way
	nsec int64 // 0 to 999,999,999, and up to MaxAge more
}

// maxSec is how many seconds from 1970, or from an epoch, a time may be: some 17,000 years. That
// exceeds every format, and keeps the arithmetic on ticks within 64 bits.
const maxSec = 1 << 39

// NewReading returns t as a reading. All times more than 2^39 s from 1970 on one side are the same one.
func NewReading(t time.Time) Reading {
	return Reading{min(max(t.Unix(), -maxSec-1), maxSec+1), int64(t.Nanosecond())}
}

// Plus returns the reading ns nanoseconds later, at most MaxAge.
func (r Reading) Plus(ns int64) Reading { return Reading{r.sec, r.nsec + ns} }

// Time returns r in UTC.
func (r Reading) Time() time.Time { return time.Unix(r.sec, r.nsec).UTC() }

// A Scale counts ticks of some length from some epoch, in some number of bits. Scales are equal if they count alike.
type Scale struct {
	// perSecond, offset and perNano serve if a second is a whole number of ticks and the epoch, a whole number of ticks
	// from 1970, is offset of them. Otherwise the scale is odd: perSecond and perNano are 0, and offset is oddOffset.
	perSecond, offset int64
	perNano           uint64 // times 2^64, rounded up

	length      int64 // of a tick, in ns, rounded up
	epoch       Reading
	first, last int64 // the ticks whose times are in range and which the bits can hold, if there are any
}

// oddOffset makes whole return the tick noTick for any time.
const (
	oddOffset = -noTick
	noTick    = math.MaxInt64 // is after the end of every format
)

// NewScale returns the scale of which n ticks last as long as span, from epoch. A tick has the given number of bits, of
// which 62 count. ok is false if epoch is more than 2^39 s from 1970.
//
// If n is more than 1, a second must be a multiple of span, and epoch a whole second. Otherwise, ticks
// are counted by their length rounded up to a nanosecond, and are wrong by thousands.
func NewScale(epoch time.Time, n int64, span time.Duration, width int) (s Scale, ok bool) {
	s = Scale{offset: oddOffset, length: (int64(span) + n - 1) / n, epoch: NewReading(epoch)}
	// Of 100 ns or more, the ticks of 2^39 s fit 63 bits, and so does the offset of an epoch this near.
	near := -1<<37 <= s.epoch.sec && s.epoch.sec < 1<<37
	if near && time.Second%span == 0 && s.length >= 100 && s.epoch.nsec%s.length == 0 {
		s.perSecond = int64(time.Second/span) * n
		perNano, rest := bits.Div64(uint64(n), 0, uint64(span))
		s.perNano = perNano + min(rest, 1)
		s.offset = s.epoch.sec*s.perSecond + s.epoch.nsec/s.length
	}
	s.first = max(s.at(NewReading(time.Time{}))+1, 0)
	// All times too far from 1970 are one reading, whose tick is out of range too.
	s.last = min(1<<min(width, 62)-1, s.at(Reading{maxSec + 1, 0})-1, s.at(Reading{s.epoch.sec + maxSec, s.epoch.nsec}))
	return s, -maxSec <= s.epoch.sec && s.epoch.sec <= maxSec
}

// Tick returns the tick of r and 0, or the nearest tick of the scale, and on which side of its ticks r is: -1 before the first,
// 1 after the last. They are those that the bits can hold and whose times are after the year 1 and within 2^39 s from 1970
// and from the epoch.
func (s *Scale) Tick(r Reading) (tick int64, side int) {
	tick = s.whole(r) // s.at(r), which the compiler does not inline
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

// at returns the tick of r, which is negative before the epoch.
func (s *Scale) at(r Reading) int64 {
	if s.perSecond == 0 {
		return s.odd(r)
	}
	return s.whole(r)
}

// whole is at if a second is a whole number of ticks, and noTick if not. It is exact: since perNano is rounded up, a part of
// a second gains less than 2^-34 of a tick, and one that is not whole lacks 10^-9 of it or more.
func (s *Scale) whole(r Reading) int64 {
	part, _ := bits.Mul64(uint64(r.nsec), s.perNano)
	return r.sec*s.perSecond - s.offset + int64(part)
}

// odd is at if a second is not a whole number of ticks.
func (s *Scale) odd(r Reading) int64 {
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

// Time returns the start of a tick from 0 to 2^62-1, in UTC.
func (s *Scale) Time(tick int64) time.Time {
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
func (s *Scale) ticks(d time.Duration) (n int64, exact bool) {
	if s.perSecond == 0 {
		return int64(d) / s.length, int64(d)%s.length == 0
	}
	part := int64(d%time.Second) * s.perSecond
	return int64(d/time.Second)*s.perSecond + part/1e9, part%1e9 == 0
}
