package ids

// This file contains version 7, which consists of a time in ticks of 1/4096 ms and random bits.

import (
	"time"

	"github.com/oneclock/ids/internal/rule"
)

// NewV7 returns a new version 7 UUID. It consists of a time in units of 1/4096 ms and random bits.
// Each UUID is greater than the previous one, across all goroutines. If the wall clock is set back
// by more than 10 s, UUIDs restart at the earlier time.
func NewV7() UUID { return defaultGenerator.NewV7() }

// NewV7At returns a version 7 UUID with time t. Use it for records from the past. UUIDs with the
// same time are in no particular order. For ascending UUIDs, use a clock whose
// [ClockOptions.Now] returns t. The error matches [ErrRange] if t is before 1970 or after
// 10889-08-02T05:31:50.655Z.
func NewV7At(t time.Time) (UUID, error) { return defaultGenerator.NewV7At(t) }

// AppendV7 appends n version 7 UUIDs to dst, in increasing order. For 3 or more UUIDs, it is faster
// than calling NewV7 repeatedly. It panics if n is negative or more than a slice can hold.
func AppendV7(dst []UUID, n int) []UUID { return defaultGenerator.AppendV7(dst, n) }

// NewV7 returns a new version 7 UUID. It consists of a time in units of 1/4096 ms and random bits.
// Each UUID is greater than the previous one from the same clock. If the wall clock is set back by
// more than [ClockOptions].Tolerance, UUIDs restart at the earlier time.
func (g *Generator) NewV7() (u UUID) {
	g.makeV7(&u)
	return u
}

// makeV7 sets u to a new version 7 UUID. It is separate so that NewV7 is inlined, which saves a
// copy of the UUID.
func (g *Generator) makeV7(u *UUID) {
	mustBe(g.clock != nil, "Generator")
	tick, _, rand := g.next(&g.clock.v7, 8)
	u.setV7(tick, rand)
}

// AppendV7 is like the function [AppendV7], but uses the clock and the random bits of g.
func (g *Generator) AppendV7(dst []UUID, n int) []UUID {
	dst, added := extend(dst, n)
	mustBe(g.clock != nil, "Generator")
	r := run{g: g, tail: &g.clock.v7, sample: g.clock.anchor.Injected()}
	defer clear(r.words[:1+min(n, pieceLen)])
	for len(added) > 0 {
		tick, _, rands := r.piece(len(added))
		for i, rand := range rands {
			added[i].setV7(tick, rand)
		}
		added = added[len(rands):]
	}
	return dst
}

// NewV7At is like the function [NewV7At], but uses the random bits of g.
func (g *Generator) NewV7At(t time.Time) (u UUID, err error) {
	tick, side := v7Scale.Tick(rule.NewReading(t))
	if side != 0 {
		return u, errMilli
	}
	_, bits := g.bits(8)
	u.setV7(uint64(tick), bits)
	return u, nil
}

// setV7 sets u to a version 7 UUID with this layout:
//
//	 0                   1                   2                   3
//	 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//	+---------------------------------------------------------------+
//	|            unix_ts_ms: milliseconds, bits 12-59 of the tick   |
//	+-------------------------------+-------+-----------------------+
//	|          unix_ts_ms           |   7   | rand_a: bits 0-11     |
//	+---+---------------------------+-------+-----------------------+
//	|1 0|                    rand_b: random                         |
//	+---+-----------------------------------------------------------+
//	|                            rand_b                             |
//	+---------------------------------------------------------------+
func (u *UUID) setV7(tick, rand uint64) { u.set(7, tick>>12<<16|tick&0xfff, rand) }

// MinV7At returns the smallest version 7 UUID in t's millisecond. To select IDs with times from a
// (inclusive) to b (exclusive), both with a precision of 1 ms, use the condition id >= MinV7At(a)
// AND id < MinV7At(b). For a column of 16 bytes, pass MinV7At(a).Binary(). A time out of range is
// treated as the nearest time in range.
func MinV7At(t time.Time) (u UUID) {
	ms := nearestMilli(t)
	u.setV7(ms<<12, 0)
	return u
}

// MaxV7At returns the greatest version 7 UUID in t's millisecond. Use it as the upper bound of a
// time range that includes its end. A time out of range is treated as the nearest time in range.
func MaxV7At(t time.Time) (u UUID) {
	ms := nearestMilli(t)
	u.setV7(ms<<12|0xfff, 1<<v7Random-1)
	return u
}
