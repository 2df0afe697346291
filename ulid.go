package ids

import (
	"bytes"
	"math/bits"
	"slices"
	"time"
)

// ULID is a universally unique lexicographically sortable identifier: 48 bits of
// milliseconds since 1970 and 80 random bits, in network byte order. The top random bit of a
// fresh one is clear, so that later ones of the same millisecond fit above it: 79 are random. It
// is comparable, and converts freely to and from any other type whose underlying type is [16]byte.
// See the [specification].
//
// [specification]: https://github.com/ulid/spec
type ULID [16]byte

var ulidScale = scale{perSecond: 1000, tick: int64(time.Millisecond)}

// ulidLane is the lane of one generator's ULIDs. Those of one tick, a millisecond, are told
// apart by 80 bits: random at a new tick, then raised by a random stride or by one.
type ulidLane struct {
	lane
	monotonic bool
	hi, lo    uint64 // the random part of the latest ULID: 16 and 64 bits
}

// ulidFresh masks the upper 16 bits of a fresh random part, which leaves its top bit clear, so
// that strides fit above it.
const ulidFresh = 1<<15 - 1

// draw makes the random part of the next ULID from 80 random bits, and reports whether it fits:
// a fresh one for the first ULID of a tick, else the latest one raised.
func (l *ulidLane) draw(first bool, hi, lo uint64) (fits bool) {
	if first {
		l.hi, l.lo = hi&ulidFresh, lo
		return true
	}
	n := uint64(1)
	if !l.monotonic {
		n = stride(lo)
	}
	lo, carry := bits.Add64(l.lo, n, 0)
	if l.hi+carry >= 1<<16 {
		return false
	}
	l.hi, l.lo = l.hi+carry, lo
	return true
}

// overflow moves a ULID whose random part does not fit its tick to the next one. It takes more
// than 2^31 ULIDs in one tick to come to this.
func (l *ulidLane) overflow(hi, lo uint64) (over int64) {
	if outcome := l.skip(); outcome < 0 {
		return outcome
	}
	l.used = 1
	l.draw(true, hi, lo)
	return max(l.last-l.ceiling(), 0)
}

// NewULID returns a ULID of the current time. Those of one generator strictly increase while
// the wall clock is set back by at most its [ClockOptions].Tolerance.
func (g *Generator) NewULID() (u ULID) {
	c, l := g.clock, &g.ulid
	hi, lo := g.injected80()
	elapsed := c.elapsed()
	c.mu.Lock()
	over := l.take(c, c.reading(elapsed))
	if g.source == nil {
		lo = c.random.Uint64()
		if l.used == 1 {
			hi = c.random.Uint64()
		}
	}
	if !l.draw(l.used == 1, hi, lo) {
		over = l.overflow(hi, lo)
	}
	c.ulidTick = max(c.ulidTick, l.last)
	u.set(uint64(l.last), l.hi, l.lo)
	c.unlock(&l.lane, over)
	return u
}

// AppendULID appends n ULIDs to dst, in increasing order. It reads the clock once for all of
// them, and so does it in a fraction of the time that as many calls of [Generator.NewULID]
// take. It panics if n is negative.
func (g *Generator) AppendULID(dst []ULID, n int) []ULID {
	dst, run := extend(dst, n)
	c, l := g.clock, &g.ulid
	var bits [pieceLen]uint64
	for first := true; len(run) > 0; first = false {
		piece := run[:min(len(run), pieceLen)]
		run = run[len(piece):]
		g.words(bits[:len(piece)])
		hi := g.injected64()
		c.mu.Lock()
		if g.source == nil {
			hi = c.random.Uint64()
		}
		var over int64
		for i := range piece {
			fresh := false
			if first && i == 0 {
				over = l.take(c, c.read())
				fresh = l.used == 1
			}
			if !l.draw(fresh, hi, bits[i]) {
				over = l.overflow(hi, bits[i])
			}
			piece[i].set(uint64(l.last), l.hi, l.lo)
		}
		c.ulidTick = max(c.ulidTick, l.last)
		c.unlock(&l.lane, over)
	}
	return dst
}

// NewULIDAt returns a ULID of time t, to the millisecond, with 80 fresh random bits. The error
// matches [ErrRange] if t is before 1970 or after 10889-08-02T05:31:50.655Z.
func (g *Generator) NewULIDAt(t time.Time) (u ULID, err error) {
	ms, ok := milli(t)
	if !ok {
		return u, errMilli
	}
	hi, lo := g.injected80()
	if g.source == nil {
		hi, lo = g.random128()
	}
	u.set(ms, hi, lo)
	return u, nil
}

// set makes u the ULID of a millisecond and a random part:
//
//	 0                   1                   2                   3
//	 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//	+---------------------------------------------------------------+
//	|                  milliseconds since 1970                      |
//	+-------------------------------+-------------------------------+
//	|          milliseconds         |        hi: random             |
//	+-------------------------------+-------------------------------+
//	|                          lo: random                           |
//	+---------------------------------------------------------------+
//	|                          lo: random                           |
//	+---------------------------------------------------------------+
func (u *ULID) set(ms, hi, lo uint64) { put((*[16]byte)(u), ms<<16|hi&0xffff, lo) }

// MinULIDAt returns the least ULID of t's millisecond. With [MaxULIDAt] it bounds a
// range query, both included. A time outside the field is taken as the nearest in it.
func MinULIDAt(t time.Time) (u ULID) {
	ms, _ := milli(t)
	u.set(ms, 0, 0)
	return u
}

// MaxULIDAt returns the greatest ULID of t's millisecond: see [MinULIDAt].
func MaxULIDAt(t time.Time) (u ULID) {
	ms, _ := milli(t)
	u.set(ms, 0xffff, ^uint64(0))
	return u
}

// Time returns the time in u, to the millisecond, in UTC.
func (u ULID) Time() time.Time {
	hi, _ := split(u)
	return time.UnixMilli(int64(hi >> 16)).UTC()
}

// Entropy returns the 80 random bits of u.
func (u ULID) Entropy() [10]byte { return [10]byte(u[6:]) }

// Next returns u with its random part raised by one, as the specification's monotonic mode does,
// and false if it would overflow.
func (u ULID) Next() (next ULID, ok bool) {
	hi, lo := split(u)
	lo, carry := bits.Add64(lo, 1, 0)
	if carry != 0 && hi&0xffff == 0xffff {
		return next, false
	}
	put((*[16]byte)(&next), hi+carry, lo)
	return next, true
}

// Compare returns -1, 0 or +1 as u sorts before v, is v or sorts after v.
func (u ULID) Compare(v ULID) int { return bytes.Compare(u[:], v[:]) }

// IsZero reports whether all bits of u are zero. The omitzero option of struct tags uses it.
func (u ULID) IsZero() bool { return u == ULID{} }

// UUID returns the same 128 bits as a UUID. Version and variant are not set: only of a
// ULID that came from [UUID.ULID] are they those of RFC 9562.
func (u ULID) UUID() UUID { return UUID(u) }

// String returns the 26 characters of u, in upper case.
func (u ULID) String() string {
	var text [base32Len128]byte
	hi, lo := split(u)
	encodeBase32of128(&text, hi, lo)
	return string(text[:])
}

// Base58 returns the 22 characters of u in Bitcoin's Base58 alphabet. Of one fixed width, they
// sort as the ULIDs do. [ParseULIDBase58] reads them.
func (u ULID) Base58() string { return UUID(u).Base58() }

// AppendText appends what String returns. The error is always nil.
func (u ULID) AppendText(b []byte) ([]byte, error) {
	n := len(b)
	b = slices.Grow(b, base32Len128)[:n+base32Len128]
	hi, lo := split(u)
	encodeBase32of128((*[base32Len128]byte)(b[n:]), hi, lo)
	return b, nil
}

// MarshalText returns what String returns. The error is always nil.
func (u ULID) MarshalText() ([]byte, error) {
	return u.AppendText(make([]byte, 0, base32Len128))
}

// UnmarshalText sets u to the ULID that text holds, as [ParseULID] does. On an error u keeps
// its value.
func (u *ULID) UnmarshalText(text []byte) error { return parse(u, view(text)) }

// AppendBinary appends the 16 bytes of u. The error is always nil.
func (u ULID) AppendBinary(b []byte) ([]byte, error) { return append(b, u[:]...), nil }

// MarshalBinary returns the 16 bytes of u. The error is always nil.
func (u ULID) MarshalBinary() ([]byte, error) { return u.AppendBinary(make([]byte, 0, 16)) }

// UnmarshalBinary sets u to the 16 bytes of data. On an error u keeps its value.
func (u *ULID) UnmarshalBinary(data []byte) error {
	if len(data) != len(u) {
		return parseError(ulidBinary, len(data))
	}
	copy(u[:], data)
	return nil
}

// ParseULID returns the ULID that s holds: 26 characters of Crockford's Base32 in
// either case, up to 7ZZZZZZZZZZZZZZZZZZZZZZZZZ. The letters I, L, O and U are refused.
// The error is a *[ParseError].
func ParseULID(s string) (u ULID, err error) {
	hi, lo, err := decodeBase32to128(s, ulidBase32)
	if err != nil {
		return u, err
	}
	put((*[16]byte)(&u), hi, lo)
	return u, nil
}

// MustParseULID is like [ParseULID] but panics if s is invalid. The panic value is an error that
// quotes s.
func MustParseULID(s string) ULID { return mustParse(ParseULID, s) }

// ParseULIDBase58 returns the ULID that s holds in the 22 characters that
// [ULID.Base58] writes. The error is a *[ParseError].
func ParseULIDBase58(s string) (u ULID, err error) {
	hi, lo, err := decodeBase58to128(s, ulidBase58)
	if err != nil {
		return u, err
	}
	put((*[16]byte)(&u), hi, lo)
	return u, nil
}
