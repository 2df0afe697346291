package ids

// This file contains versions 1, 2 and 6, which consist of a time in ticks of 100 ns, a clock
// sequence and a node ID.

import (
	"time"

	"github.com/oneclock/ids/internal/rule"
)

const maxSequence = 1<<14 - 1 // maximum of the 14-bit clock sequence

// NewV1 returns a new version 1 UUID. It consists of a time in units of 100 ns, a clock sequence
// and a random node ID. Version 1 UUIDs do not sort by time, but version 6 UUIDs do; see [NewV6].
func NewV1() UUID { return defaultGenerator.NewV1() }

// NewV6 returns a new version 6 UUID. It has the fields of version 1 in an order that sorts by
// time. Each UUID is greater than the previous one, across all goroutines. If the wall clock is set
// back by more than 10 s, UUIDs restart at the earlier time.
func NewV6() UUID { return defaultGenerator.NewV6() }

// NewV1At returns a version 1 UUID with time t, rounded down to a multiple of 100 ns. It can be
// equal to a UUID that [NewV1] returns at that time. The error matches [ErrRange] if t is before
// 1582-10-15 or after 5236-03-31T21:21:00.6846975Z.
func NewV1At(t time.Time) (UUID, error) { return defaultGenerator.NewV1At(t) }

// NewV6At is like [NewV1At], but returns a version 6 UUID.
func NewV6At(t time.Time) (UUID, error) { return defaultGenerator.NewV6At(t) }

// NewV1 returns a new version 1 UUID. It consists of a time in units of 100 ns, a clock sequence
// and the node ID of g. Version 1 UUIDs do not sort by time, but version 6 UUIDs do; see
// [Generator.NewV6]. If more than four UUIDs per 100 ns are requested for a long time, NewV1 waits
// for up to 20 ms.
//
// If a [ClockLimit] withholds the ID, NewV1 waits until a later call to [ClockLimit.Set] allows the
// ID or until the clock ends. This wait has no time limit. After the clock has been ended by
// [ClockLimit.EndAt] or by the Close method of a clockfile.File, NewV1 panics with an error that
// matches [ErrEnded].
func (g *Generator) NewV1() (u UUID) {
	g.makeGregorian(&u, 1)
	return u
}

// makeGregorian sets u to a new UUID of version 1 or 6. Its callers are inlined, so the UUID is not
// copied when they return.
func (g *Generator) makeGregorian(u *UUID, version uint64) {
	node := g.nodeBits() // before the mutex is locked, because nodeBits may lock it
	c := g.clock
	l, start := &c.v1, c.v1Start
	if version == 6 {
		l, start = &c.v6, c.v6Start
	}
	wait := must(c.lockNext(l, nil))
	tick, number := l.Newest()
	u.setGregorian(version, uint64(tick), (start+uint64(number))&maxSequence, node)
	c.mu.Unlock()
	waitForClock(wait)
}

// NewV1At returns a version 1 UUID with time t, rounded down to a multiple of 100 ns, and the node
// ID of g. Its clock sequence counts the calls to NewV1At and [Generator.NewV6At], so that 16,384
// consecutive UUIDs with the same time differ. The UUID can be equal to one that [Generator.NewV1]
// returns at that time. To avoid that, use a generator with a different node ID. The error matches
// [ErrRange] if t is before 1582-10-15 or after 5236-03-31T21:21:00.6846975Z.
func (g *Generator) NewV1At(t time.Time) (UUID, error) { return g.gregorianAt(1, t) }

// gregorianAt returns a UUID of version 1 or 6 with time t.
func (g *Generator) gregorianAt(version uint64, t time.Time) (u UUID, err error) {
	tick, side := gregorianScale.Tick(rule.NewReading(t))
	if side != 0 {
		return u, rangeError("ids: time is not within 1582-10-15T00:00:00Z to 5236-03-31T21:21:00.6846975Z")
	}
	node := g.nodeBits()
	u.setGregorian(version, uint64(tick), uint64(g.atCalls.Add(1))&maxSequence, node)
	return u, nil
}

// NewV6 returns a new version 6 UUID. It has the fields of version 1 in an order that sorts by
// time. Each UUID is greater than the previous one from the same clock. If the wall clock is set
// back by more than [ClockOptions].Tolerance, UUIDs restart at the earlier time. NewV6 waits and
// panics in the same cases as [Generator.NewV1].
func (g *Generator) NewV6() (u UUID) {
	g.makeGregorian(&u, 6)
	return u
}

// NewV6At is like [Generator.NewV1At], but returns a version 6 UUID.
func (g *Generator) NewV6At(t time.Time) (UUID, error) { return g.gregorianAt(6, t) }

// MinV6At returns the smallest version 6 UUID in the 100 ns tick that contains t. Use it like
// [MinV7At]. A time out of range is treated as the nearest time in range.
func MinV6At(t time.Time) (u UUID) {
	tick, _ := gregorianScale.Tick(rule.NewReading(t))
	u.setGregorian(6, uint64(tick), 0, 0)
	return u
}

// MaxV6At returns the greatest version 6 UUID in the 100 ns tick that contains t. Use it as the
// upper bound of a time range that includes its end. A time out of range is treated as the nearest
// time in range.
func MaxV6At(t time.Time) (u UUID) {
	tick, _ := gregorianScale.Tick(rule.NewReading(t))
	u.setGregorian(6, uint64(tick), maxSequence, 1<<48-1)
	return u
}

// setGregorian sets u to a UUID of version 1 or 6. Version 6 stores the bits of tick in order.
// Version 1 has this layout:
//
//	 0                   1                   2                   3
//	 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//	+---------------------------------------------------------------+
//	|                    time_low: tick bits 0-31                   |
//	+-------------------------------+-------+-----------------------+
//	|     time_mid: bits 32-47      |   1   | time_high: bits 48-59 |
//	+---+---------------------------+-------+-----------------------+
//	|1 0|      clock sequence       |          node, 48 bits        |
//	+---+---------------------------+-------------------------------+
//	|                             node                              |
//	+---------------------------------------------------------------+
func (u *UUID) setGregorian(version, tick, seq, node uint64) {
	hi := tick>>12<<16 | tick&0xfff
	if version == 1 {
		hi = tick<<32 | tick>>32&0xffff<<16 | tick>>48
	}
	u.set(version, hi, seq<<48|node)
}

// ClockSequence returns the 14-bit clock sequence. ok reports whether u is version 1 or 6.
func (u UUID) ClockSequence() (seq int, ok bool) {
	if !u.is(1) && !u.is(6) {
		return 0, false
	}
	_, lo := split(u)
	return int(lo >> 48 & 0x3fff), true
}

// NodeID returns the 48-bit node ID. ok reports whether u is version 1, 2 or 6.
func (u UUID) NodeID() (node [6]byte, ok bool) {
	if !u.is(1) && !u.is(2) && !u.is(6) {
		return node, false
	}
	return [6]byte(u[10:]), true
}

// ToV6 returns the version 6 UUID with the time, clock sequence and node ID of u. ok reports
// whether u is version 1 or 6. The result can be equal to a UUID from [NewV6], because NewV6 counts
// its clock sequences independently.
func (u UUID) ToV6() (v UUID, ok bool) { return u.convert(6) }

// ToV1 returns the version 1 UUID with the time, clock sequence and node ID of u. ok reports
// whether u is version 1 or 6. The result can be equal to a UUID from [NewV1].
func (u UUID) ToV1() (v UUID, ok bool) { return u.convert(1) }

// convert converts u from version 1 or 6 to the given version. ok reports whether u is version 1 or
// 6.
func (u UUID) convert(version uint64) (v UUID, ok bool) {
	seq, ok := u.ClockSequence()
	if ok {
		tick, _ := u.gregorian()
		_, node := split(u)
		v.setGregorian(version, tick, uint64(seq), node&(1<<48-1))
	}
	return v, ok
}

// NewV2 returns a version 2 UUID as defined by DCE Security. It consists of a domain, a local ID in
// this domain, a time and a random node ID. It is for legacy systems and is not unique. After 64
// UUIDs within about 7 minutes, UUIDs can repeat.
func NewV2(domain Domain, localID uint32) UUID { return defaultGenerator.NewV2(domain, localID) }

// NewV2 returns a version 2 UUID as defined by DCE Security. It consists of a domain, a local ID in
// this domain (such as a POSIX user ID), a time and the node ID of g. It is not unique. Its time
// field has 28 bits and counts units of 429.4967296 s. After 64 UUIDs within one unit, UUIDs can
// repeat.
func (g *Generator) NewV2(domain Domain, localID uint32) (u UUID) {
	node, c := g.nodeBits(), g.clock
	now, _ := c.lockAndRead(c.anchor.Injected())
	tick, _ := gregorianScale.Tick(now)
	sequence := c.v2Count % 64
	c.v2Count++
	c.mu.Unlock()
	// This is version 1 with the local ID in place of time_low and the domain in place of
	// clock_seq_low.
	u.setGregorian(1, uint64(tick), sequence<<8|uint64(domain), node)
	hi, lo := split(u)
	u.set(2, hi&0xffffffff|uint64(localID)<<32, lo)
	return u
}

// Domain is the kind of entity that the local ID of a version 2 UUID identifies.
type Domain uint8

// These are the domains that DCE Security defines.
const (
	DomainPerson Domain = iota // a POSIX user ID
	DomainGroup                // a POSIX group ID
	DomainOrg                  // an organization
)

// String returns "person", "group", "org" or "unknown".
func (d Domain) String() string {
	return [...]string{"person", "group", "org", "unknown"}[min(d, DomainOrg+1)]
}

// Domain returns the domain. ok reports whether u is version 2.
func (u UUID) Domain() (d Domain, ok bool) {
	if !u.is(2) {
		return 0, false
	}
	return Domain(u[9]), true
}

// LocalID returns the local ID. ok reports whether u is version 2.
func (u UUID) LocalID() (id uint32, ok bool) {
	if !u.is(2) {
		return 0, false
	}
	hi, _ := split(u)
	return uint32(hi >> 32), true
}
