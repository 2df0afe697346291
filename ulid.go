package ids

// This file contains the type ULID, its constructors, and its text and binary forms.

import (
	"bytes"
	"math/bits"
	"slices"
	"time"

	"github.com/oneclock/ids/internal/rule"
)

// ULID is a 16-byte ID that consists of 48 bits for the milliseconds since 1970, followed by 80
// bits of randomness, as in the [specification]. Its text has 26 characters and sorts in the same
// order as its bytes. ULIDs can be compared with == and used as map keys. A ULID can be converted
// to and from any other type whose underlying type is [16]byte.
//
// [specification]: https://github.com/ulid/spec
type ULID [16]byte

// NewULID returns a new ULID. Each ULID is greater than the previous one, across all goroutines. If
// the wall clock is set back by more than 10 s, ULIDs restart at the earlier time.
func NewULID() ULID { return defaultGenerator.NewULID() }

// NewULIDAt returns a ULID with time t, which is rounded down to the millisecond. Use it for
// records from the past. ULIDs with the same time are in no particular order. For ascending ULIDs,
// use a clock whose [ClockOptions.Now] returns t. The error matches [ErrRange] if t is before
// 1970 or after 10889-08-02T05:31:50.655Z.
func NewULIDAt(t time.Time) (ULID, error) { return defaultGenerator.NewULIDAt(t) }

// AppendULID appends n ULIDs to dst, in increasing order. It panics if n is negative or more than a
// slice can hold.
func AppendULID(dst []ULID, n int) []ULID { return defaultGenerator.AppendULID(dst, n) }

// NewULID returns a new ULID. Each ULID is greater than the previous one from the same generator.
// If the wall clock is set back by more than [ClockOptions].Tolerance, ULIDs restart at the earlier
// time.
func (g *Generator) NewULID() (u ULID) {
	g.makeULID(&u)
	return u
}

// makeULID sets u to a new ULID. It is separate so that NewULID is inlined, which saves a copy of
// the ULID.
func (g *Generator) makeULID(u *ULID) {
	mustBe(g.clock != nil, "Generator")
	u.set(g.next(&g.ulid, 10))
}

// AppendULID is like the function [AppendULID], but uses the clock and the random bits of g.
func (g *Generator) AppendULID(dst []ULID, n int) []ULID {
	dst, added := extend(dst, n)
	mustBe(g.clock != nil, "Generator")
	r := run{g: g, tail: &g.ulid, sample: g.clock.anchor.Injected()}
	defer clear(r.words[:1+min(n, pieceLen)])
	for len(added) > 0 {
		tick, hi, los := r.piece(len(added))
		for i, lo := range los {
			added[i].set(tick, hi, lo)
		}
		added = added[len(los):]
	}
	return dst
}

// NewULIDAt is like the function [NewULIDAt], but uses the random bits of g.
func (g *Generator) NewULIDAt(t time.Time) (u ULID, err error) {
	ms, side := ulidScale.Tick(rule.NewReading(t))
	if side != 0 {
		return u, errMilli
	}
	hi, lo := g.bits(10)
	u.set(uint64(ms), hi, lo)
	return u, nil
}

// set sets u to the ULID with the given millisecond and random bits:
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

// MinULIDAt returns the smallest ULID in t's millisecond. Use it like [MinV7At]. A time out of
// range is treated as the nearest time in range.
func MinULIDAt(t time.Time) (u ULID) {
	ms := nearestMilli(t)
	u.set(ms, 0, 0)
	return u
}

// MaxULIDAt returns the greatest ULID in t's millisecond. Use it as the upper bound of a time range
// that includes its end. A time out of range is treated as the nearest time in range.
func MaxULIDAt(t time.Time) (u ULID) {
	ms := nearestMilli(t)
	u.set(ms, 0xffff, ^uint64(0))
	return u
}

// Time returns the time in u, in UTC, with a precision of 1 ms.
func (u ULID) Time() time.Time {
	hi, _ := split(u)
	return time.UnixMilli(int64(hi >> 16)).UTC()
}

// Entropy returns the 80 random bits of u.
func (u ULID) Entropy() [10]byte { return [10]byte(u[6:]) }

// Increment returns u with its random bits incremented by one. ok is false if they overflow. Do not
// use the result as a new ID, because with [GeneratorOptions].ULIDMonotonic, the next ULID in the
// same millisecond is equal to it.
func (u ULID) Increment() (next ULID, ok bool) {
	hi, lo := split(u)
	lo, carry := bits.Add64(lo, 1, 0)
	if carry != 0 && hi&0xffff == 0xffff {
		return next, false
	}
	put((*[16]byte)(&next), hi+carry, lo)
	return next, true
}

// Compare returns -1 if u < v, 0 if they are equal and +1 if u > v.
func (u ULID) Compare(v ULID) int { return bytes.Compare(u[:], v[:]) }

// IsZero reports whether all bits of u are zero. The omitzero option of package encoding/json uses
// it.
func (u ULID) IsZero() bool { return u == ULID{} }

// UUID returns a UUID with the 128 bits of u. It can have any version and variant.
func (u ULID) UUID() UUID { return UUID(u) }

// String returns the 26 characters of u, in upper case.
func (u ULID) String() string {
	text, _ := u.AppendText(make([]byte, 0, base32Len128))
	return string(text)
}

// Base58 returns u as 22 characters from Bitcoin's Base58 alphabet. Compared byte by byte, these
// strings sort in the same order as the ULIDs.
func (u ULID) Base58() string { return UUID(u).Base58() }

// GoString returns a Go expression for u, which the verb %#v prints. If a ULID is the only embedded
// field of a struct, the struct prints the same way.
func (u ULID) GoString() string { return `ids.MustParseULID("` + u.String() + `")` }

// AppendText appends u.String(). The error is always nil.
func (u ULID) AppendText(b []byte) ([]byte, error) {
	n := len(b)
	b = slices.Grow(b, base32Len128)[:n+base32Len128]
	hi, lo := split(u)
	encodeBase32of128((*[base32Len128]byte)(b[n:]), hi, lo)
	return b, nil
}

// textForm returns the form to report in errors about a ULID's text.
func (ULID) textForm() form { return ulidText }

// MarshalText returns u.String(). The error is always nil.
func (u ULID) MarshalText() ([]byte, error) { return u.AppendText(make([]byte, 0, base32Len128)) }

// UnmarshalText sets u to the ULID that [ParseULID] returns for text. After an error, u is
// unchanged.
func (u *ULID) UnmarshalText(text []byte) error { return u.parse(view(text)) }

// AppendBinary appends the 16 bytes of u. The error is always nil.
func (u ULID) AppendBinary(b []byte) ([]byte, error) { return append(b, u[:]...), nil }

// MarshalBinary returns the 16 bytes of u. The error is always nil.
func (u ULID) MarshalBinary() ([]byte, error) { return u.AppendBinary(make([]byte, 0, 16)) }

// UnmarshalBinary sets u to the 16 bytes of data, even if [ULID.Scan] would reject them as
// truncated text. After an error, u is unchanged.
func (u *ULID) UnmarshalBinary(data []byte) error {
	if len(data) != len(u) {
		return parseError(ulidBinary, wrongLength, len(data))
	}
	copy(u[:], data)
	return nil
}

// ULIDFromBytes returns the ULID with the 16 bytes of b, even if [ULID.Scan] would reject them as
// truncated text. If b has any other length, the error is a *[ParseError] that matches [ErrLength].
// (The conversion ULID(b) would take the first 16 bytes of a longer slice.)
func ULIDFromBytes(b []byte) (u ULID, err error) {
	err = u.UnmarshalBinary(b)
	return u, err
}

// ParseULID reads the 26 characters of a ULID in Crockford's Base32, in upper or lower case, up to
// 7ZZZZZZZZZZZZZZZZZZZZZZZZZ. The letters I, L, O and U are not accepted. The error is a
// *[ParseError].
func ParseULID(s string) (u ULID, err error) {
	err = u.parse(s)
	return u, err
}

// parse sets u to the ULID in s. It is separate so that ParseULID is inlined, which saves a copy of
// the ULID. After an error, u is unchanged.
func (u *ULID) parse(s string) error {
	if len(s) != base32Len128 {
		return parseError(ulidText, wrongLength, len(s))
	}
	first := base32Values[s[0]]<<5 | base32Values[s[1]]
	a, b, c, d := get30(s[2:8]), get30(s[8:14]), get30(s[14:20]), get30(s[20:26])
	if first|a|b|c|d >= noDigit {
		return parseError(ulidText, notBase32, base32Values.locate(s))
	}
	if first > 0xff {
		return parseError(ulidText, tooLarge, 0)
	}
	put((*[16]byte)(u), first<<56|a<<26|b>>4, b<<60|c<<30|d)
	return nil
}

// MustParseULID is like [ParseULID] but panics if s is invalid. The panic value is an error that
// quotes s.
func MustParseULID(s string) ULID { return mustParse(ParseULID, s) }

// ParseULIDBase58 reads the 22 characters that [ULID.Base58] returns. The error is a *[ParseError].
func ParseULIDBase58(s string) (u ULID, err error) {
	hi, lo, err := decodeBase58to128(s, ulidBase58)
	put((*[16]byte)(&u), hi, lo)
	return u, err
}

// ULID returns a ULID with the 128 bits of u. For a version 7 UUID, the ULID has the same time.
func (u UUID) ULID() ULID { return ULID(u) }
