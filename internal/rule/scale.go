package rule

import (
	"math"
	"math/bits"
	"time"
)

const (
	MostAhead  = time.Duration(1 << 60) // bounds MaxAhead and the time since base, so that no sum of debts overflows
	AnchorLife = time.Millisecond       // how long an anchor serves before the wall clock is read again
)

// A Reading is a time of the wall clock, since 1970-01-01 UTC.
type Reading struct {
	Sec  int64 // at most MaxSec+1 either way
	Nsec int64 // 0 to 999,999,999, and up to AnchorLife more
}

// MaxSec is how many seconds from 1970, or from an epoch, a time may be: some 17,000 years. That
// exceeds every format, and keeps the arithmetic on ticks within 64 bits.
const MaxSec = 1 << 39

// NewReading returns t as a reading. All times that are too far from 1970 are the same one.
func NewReading(t time.Time) Reading {
	return Reading{min(max(t.Unix(), -MaxSec-1), MaxSec+1), int64(t.Nanosecond())}
}

// Time returns r in UTC.
func (r Reading) Time() time.Time { return time.Unix(r.Sec, r.Nsec).UTC() }

// A Scale counts ticks of some length from some epoch.
type Scale struct {
	// PerSecond, Offset and PerNano serve if a second is a whole number of ticks and the
	// epoch, a whole number of ticks from 1970, is Offset of them. Otherwise PerSecond is 0.
	PerSecond, Offset int64
	PerNano           uint64 // times 2^64, rounded up

	Length int64 // of a tick, in ns, rounded up for version 7
	Epoch  Reading
}

// NewScale returns the scale of ticks of the given length from epoch.
func NewScale(epoch time.Time, tick time.Duration) Scale {
	s := Scale{Length: int64(tick), Epoch: NewReading(epoch)}
	// Of 100 ns or more, the ticks of 2^39 s fit 63 bits, and so does the offset of an epoch this near.
	near := -1<<37 <= s.Epoch.Sec && s.Epoch.Sec < 1<<37
	if near && time.Second%tick == 0 && tick >= 100 && s.Epoch.Nsec%s.Length == 0 {
		s.PerSecond, s.PerNano = int64(time.Second/tick), math.MaxUint64/uint64(tick)+1
		s.Offset = s.Epoch.Sec*s.PerSecond + s.Epoch.Nsec/s.Length
	}
	return s
}

// At returns the tick of r, which is negative before the epoch.
func (s *Scale) At(r Reading) int64 {
	if s.PerSecond == 0 {
		return s.Divide(r)
	}
	return s.Multiply(r)
}

// Multiply is At if a second is a whole number of ticks. It is exact: since PerNano is rounded up, a part of a
// second gains less than 2^-34 of a tick, and one that is not whole lacks 10^-9 of it or more.
func (s *Scale) Multiply(r Reading) int64 {
	part, _ := bits.Mul64(uint64(r.Nsec), s.PerNano)
	return r.Sec*s.PerSecond - s.Offset + int64(part)
}

// Divide is At if a second is not a whole number of ticks.
func (s *Scale) Divide(r Reading) int64 {
	sec, nsec := r.Sec-s.Epoch.Sec, r.Nsec-s.Epoch.Nsec
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
	if hi >= uint64(s.Length) {
		return most
	}
	ticks, _ := bits.Div64(hi, lo, uint64(s.Length))
	return int64(min(ticks, most))
}

// Time returns the start of a tick that is not negative, in UTC.
func (s *Scale) Time(tick int64) time.Time {
	if s.PerSecond != 0 {
		tick += s.Offset
		return time.Unix(tick/s.PerSecond, tick%s.PerSecond*1e9/s.PerSecond).UTC()
	}
	hi, lo := bits.Mul64(uint64(tick), uint64(s.Length))
	sec, nsec := bits.Div64(hi%1e9, lo, 1e9)
	if hi/1e9 != 0 || sec >= 1<<60 {
		sec, nsec = 1<<60, 0 // which is beyond what time.Time can print
	}
	return time.Unix(s.Epoch.Sec+int64(sec), s.Epoch.Nsec+int64(nsec)).UTC()
}

// ticks returns how many whole ticks a span has that is not negative, and whether they are all of it.
func (s *Scale) ticks(d time.Duration) (n int64, exact bool) {
	if s.PerSecond == 0 {
		return int64(d) / s.Length, int64(d)%s.Length == 0
	}
	part := int64(d%time.Second) * s.PerSecond
	return int64(d/time.Second)*s.PerSecond + part/1e9, part%1e9 == 0
}
