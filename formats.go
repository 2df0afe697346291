package ids

import (
	"time"

	"github.com/oneclock/ids/internal/rule"
)

// Versions 1, 2 and 6 count ticks of 100 ns from the start of the Gregorian calendar,
// 1582-10-15 UTC, in 60 bits.
const (
	gregorianPerSecond = 1e7
	gregorianOffset    = -12219292800 * gregorianPerSecond // from 1970
	gregorianMax       = 1<<60 - 1                         // in the year 5236
)

var gregorianScale = rule.Scale{PerSecond: gregorianPerSecond, PerNano: 1<<64/100 + 1, Offset: gregorianOffset, Length: 100}

// Version 7 counts ticks of 1/4096 ms from 1970 in 60 bits: 48 of milliseconds, in unix_ts_ms,
// and 12 of their fraction, in rand_a (RFC 9562, Section 6.2, method 3). Ids of one tick differ
// in the 62 random bits of rand_b.
const (
	v7PerMilli = 1 << 12
	v7Max      = 1<<60 - 1 // in the year 10889
	v7Random   = 1<<62 - 1
)

// v7Scale has the length of a tick rounded up, 245 ns, so that no tick is paid for with less than it lasts.
var v7Scale = rule.Scale{PerSecond: 1000 * v7PerMilli, PerNano: 1<<64*v7PerMilli/1_000_000 + 1, Length: 1_000_000/v7PerMilli + 1}

var ulidScale = rule.Scale{PerSecond: 1000, PerNano: 1<<64/1_000_000 + 1, Length: int64(time.Millisecond)}

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
