package ids

// This file contains the ticks of all formats except Snowflakes.

import (
	"time"

	"github.com/oneclock/ids/internal/rule"
)

// Versions 1, 2 and 6 count ticks of 100 ns from the start of the Gregorian calendar, 1582-10-15
// UTC. The last tick that fits in 60 bits is in the year 5236. The low two bits of the 14-bit clock
// sequence distinguish the IDs within a tick.
var gregorianScale, _ = rule.NewScale(time.Date(1582, 10, 15, 0, 0, 0, 0, time.UTC), 1, 100, 60)

const gregorianPerTick = 4

// Version 7 counts ticks of 1/4096 ms from 1970. Of the 60 bits, the 48 bits in unix_ts_ms are the
// milliseconds, and the 12 bits in rand_a are their fraction (RFC 9562, Section 6.2, method 3). The
// last tick is in the year 10889. IDs within a tick differ in the random bits of rand_b.
var v7Scale, _ = rule.NewScale(time.Unix(0, 0), 1<<12, time.Millisecond, 60)

const v7Random = 62

// ULID counts milliseconds from 1970 in 48 bits. ULIDs within a millisecond differ in the other 80
// bits.
var ulidScale, _ = rule.NewScale(time.Unix(0, 0), 1, time.Millisecond, 48)

const ulidRandom = 80

// nearestMilli returns t in milliseconds since 1970, or the nearest number that fits in 48 bits.
func nearestMilli(t time.Time) uint64 {
	tick, _ := ulidScale.Tick(rule.NewReading(t))
	return uint64(tick)
}

// errMilli is the error for a time that is out of range for version 7 and ULID.
const errMilli = rangeError("ids: time is not within 1970-01-01T00:00:00Z to 10889-08-02T05:31:50.655Z")
