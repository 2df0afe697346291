package ids

import "time"

// Versions 1, 2 and 6 count ticks of 100 ns from the start of the Gregorian calendar,
// 1582-10-15 UTC, in 60 bits.
const (
	gregorianPerSecond = 1e7
	gregorianOffset    = -12219292800 * gregorianPerSecond // from 1970
	gregorianMax       = 1<<60 - 1                         // in the year 5236
)

var gregorianScale = scale{
	perSecond: gregorianPerSecond,
	offset:    gregorianOffset,
	tick:      100,
	epoch:     reading{sec: gregorianOffset / gregorianPerSecond},
}

// gregorianTime returns the start of a tick.
func gregorianTime(tick uint64) time.Time { return gregorianScale.time(int64(tick)) }

// ordinals is how many ids of version 1 or 6 one tick holds: the low two bits of the
// clock sequence tell them apart.
const ordinals = 4

// NewV1 returns a version 1 UUID: the time to 100 ns, the clock sequence and the node of g. It does
// not sort by time: [Generator.NewV6] does. When more than four are asked for in
// 100 ns, lastingly, it waits, for up to 20 ms.
func (g *Generator) NewV1() (u UUID) {
	node := g.nodeBits()
	c, l := g.clock, &g.clock.v1
	over := c.lock(l)
	u.setV1(uint64(l.last), c.ordinal(l), node)
	c.unlock(l, over)
	return u
}

// NewV2 returns a version 2 UUID, of DCE Security: a local id, such as a POSIX user id, of a
// domain, with the node of g. Only 28 bits are left for the time, which counts spans of 429.4967296
// s, and 6 for a sequence. So it stands outside the promises of this package: after
// 64 ids in one span of some 7 minutes, ids repeat.
func (g *Generator) NewV2(domain Domain, localID uint32) (u UUID) {
	node := g.nodeBits()
	c := g.clock
	c.mu.Lock()
	tick := min(max(gregorianScale.at(c.read()), 0), gregorianMax)
	place := c.v2 & 63
	c.v2++
	c.mu.Unlock()
	// As version 1, save that the local id stands for time_low and the domain for
	// clock_seq_low.
	u.setV1(uint64(tick), place<<8|uint64(domain), node)
	hi, lo := split(u)
	u.set(2, hi&0xffffffff|uint64(localID)<<32, lo)
	return u
}

// NewV6 returns a version 6 UUID: what version 1 holds, in an order that sorts. The ids of one
// clock strictly increase while the wall clock is set back by at most
// [ClockOptions].Tolerance. It waits as [Generator.NewV1] does.
func (g *Generator) NewV6() (u UUID) {
	node := g.nodeBits()
	c, l := g.clock, &g.clock.v6
	over := c.lock(l)
	u.setV6(uint64(l.last), c.ordinal(l), node)
	c.unlock(l, over)
	return u
}

// setV1 makes u a version 1 UUID:
//
//	 0                   1                   2                   3
//	 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//	+---------------------------------------------------------------+
//	|                    time_low: tick bits 0-31                   |
//	+-------------------------------+-------+-----------------------+
//	|     time_mid: bits 32-47      |   1   | time_high: bits 48-59 |
//	+---+-----------------------+---+-------+-----------------------+
//	|1 0|    clock sequence     |ord|          node, 48 bits        |
//	+---+-----------------------+---+-------------------------------+
//	|                             node                              |
//	+---------------------------------------------------------------+
func (u *UUID) setV1(tick, seq, node uint64) {
	u.set(1, tick<<32|tick>>32&0xffff<<16|tick>>48, seq<<48|node)
}

// setV6 makes u a version 6 UUID: the same, with the upper 48 bits of the
// tick first and its lower 12 after the version.
func (u *UUID) setV6(tick, seq, node uint64) {
	u.set(6, tick>>12<<16|tick&0xfff, seq<<48|node)
}

// gregorian returns the tick in u, and whether u is of version 1, 2 or 6. Of
// version 2 it is the first of its span.
func (u UUID) gregorian() (tick uint64, ok bool) {
	hi, _ := split(u)
	switch {
	case u.is(1):
		return hi>>32 | hi>>16&0xffff<<32 | hi&0xfff<<48, true
	case u.is(2):
		return hi>>16&0xffff<<32 | hi&0xfff<<48, true
	case u.is(6):
		return hi>>16<<12 | hi&0xfff, true
	}
	return 0, false
}

// ClockSequence returns the 14 bits of the clock sequence, and whether u has one: it is of
// version 1 or 6.
func (u UUID) ClockSequence() (int, bool) {
	if !u.is(1) && !u.is(6) {
		return 0, false
	}
	_, lo := split(u)
	return int(lo >> 48 & 0x3fff), true
}

// NodeID returns the 48 bits of the node, and whether u has one: it is of version 1, 2 or 6.
func (u UUID) NodeID() (node [6]byte, ok bool) {
	if !u.is(1) && !u.is(2) && !u.is(6) {
		return node, false
	}
	return [6]byte(u[10:]), true
}

// ToV6 returns the version 6 UUID of the same time, sequence and node as u, and
// whether there is one: u is of version 1 or 6.
func (u UUID) ToV6() (v UUID, ok bool) {
	if u.is(1) || u.is(6) {
		v.setV6(u.fields())
		return v, true
	}
	return v, false
}

// ToV1 returns the version 1 UUID of the same time, sequence and node as u, and
// whether there is one: u is of version 1 or 6.
func (u UUID) ToV1() (v UUID, ok bool) {
	if u.is(1) || u.is(6) {
		v.setV1(u.fields())
		return v, true
	}
	return v, false
}

// fields returns what a version 1 or 6 UUID is made of.
func (u UUID) fields() (tick, seq, node uint64) {
	tick, _ = u.gregorian()
	_, lo := split(u)
	return tick, lo >> 48 & 0x3fff, lo & (1<<48 - 1)
}

// Domain says what the local id of a version 2 UUID identifies.
type Domain uint8

// The domains of DCE Security.
const (
	DomainPerson Domain = iota // a POSIX user id
	DomainGroup                // a POSIX group id
	DomainOrg                  // an organization
)

// String returns "person", "group", "org" or "unknown".
func (d Domain) String() string {
	switch d {
	case DomainPerson:
		return "person"
	case DomainGroup:
		return "group"
	case DomainOrg:
		return "org"
	}
	return "unknown"
}

// Domain returns the domain, and whether u has one: it is of version 2.
func (u UUID) Domain() (Domain, bool) {
	if !u.is(2) {
		return 0, false
	}
	return Domain(u[9]), true
}

// LocalID returns the local id, and whether u has one: it is of version 2.
func (u UUID) LocalID() (uint32, bool) {
	if !u.is(2) {
		return 0, false
	}
	hi, _ := split(u)
	return uint32(hi >> 32), true
}
