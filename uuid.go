package ids

// This file contains the type UUID, its version, variant and other fields, and its text and binary
// forms.

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"
	"time"
)

// UUID is the 16 bytes of a UUID, in the order that [RFC 9562] defines. UUIDs can be compared with
// == and used as map keys. A UUID can be converted to and from any other type whose underlying type
// is [16]byte. The zero value is the Nil UUID.
//
// As a query argument, a UUID is sent as text. For a column of 16 bytes, use [UUID.Binary]. To
// define your own type, embed a UUID and nothing else: type ID struct{ uuid.UUID }. If you declare
// type ID uuid.UUID instead, ID has no methods. A second field in the struct would be lost in JSON.
//
// [RFC 9562]: https://www.rfc-editor.org/rfc/rfc9562
type UUID [16]byte

// Variant identifies the layout of a UUID. It is stored in the upper bits of the UUID's ninth byte.
// See [Section 4.1 of RFC 9562].
//
// [Section 4.1 of RFC 9562]: https://www.rfc-editor.org/rfc/rfc9562#section-4.1
type Variant uint8

// These are the variants. Every new UUID has VariantRFC9562.
const (
	VariantNCS       Variant = iota // 0xxx: Apollo NCS, also the Nil UUID
	VariantRFC9562                  // 10xx: RFC 9562 and its predecessors
	VariantMicrosoft                // 110x: legacy Microsoft GUIDs
	VariantFuture                   // 111x: reserved, also the Max UUID
)

// String returns "NCS", "RFC 9562", "Microsoft" or "Future".
func (v Variant) String() string {
	return [...]string{"NCS", "RFC 9562", "Microsoft", "Future"}[min(v, VariantFuture)]
}

// NilUUID returns the Nil UUID, 00000000-0000-0000-0000-000000000000.
func NilUUID() UUID { return UUID{} }

// MaxUUID returns the Max UUID, ffffffff-ffff-ffff-ffff-ffffffffffff.
func MaxUUID() (u UUID) {
	put((*[16]byte)(&u), 1<<64-1, 1<<64-1)
	return u
}

// set stores hi and lo in u, with the version in the upper four bits of byte 6 and the variant in
// the upper two bits of byte 8.
func (u *UUID) set(version, hi, lo uint64) {
	put((*[16]byte)(u), hi&^0xf000|version<<12, lo&^(3<<62)|1<<63)
}

// put stores hi and lo in b, big-endian. It takes a pointer to the destination, because a copy of
// 16 bytes that were just written as two halves would have to wait for both writes.
func put(b *[16]byte, hi, lo uint64) {
	binary.BigEndian.PutUint64(b[:8], hi)
	binary.BigEndian.PutUint64(b[8:], lo)
}

// split is the inverse of put.
func split(b [16]byte) (hi, lo uint64) {
	return binary.BigEndian.Uint64(b[:8]), binary.BigEndian.Uint64(b[8:])
}

// Version returns the version, from 0 to 15. It is meaningful only if u.Variant() is
// [VariantRFC9562].
func (u UUID) Version() int { return int(u[6] >> 4) }

// Variant returns the variant, which is the number of leading one bits in byte 8, up to 3.
func (u UUID) Variant() Variant { return Variant(min(bits.LeadingZeros8(^u[8]), 3)) }

// is reports whether u has the RFC's variant and the given version.
func (u UUID) is(version int) bool { return u[8]>>6 == 2 && u.Version() == version }

// Time returns the time in u, in UTC. ok reports whether u is version 1, 2, 6 or 7. The time has a
// precision of 100 ns in versions 1 and 6, 1 ms in version 7, and 429.4967296 s (about 7 minutes)
// in version 2.
func (u UUID) Time() (t time.Time, ok bool) {
	if u.is(7) {
		hi, _ := split(u)
		return time.UnixMilli(int64(hi >> 16)).UTC(), true
	}
	tick, ok := u.gregorian()
	if ok {
		t = gregorianScale.Time(int64(tick))
	}
	return t, ok
}

// gregorian returns the tick in u. For version 2, it is the first tick of the time span that u
// contains. ok reports whether u is version 1, 2 or 6.
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

// Compare returns -1 if u < v, 0 if they are equal and +1 if u > v, in byte order.
func (u UUID) Compare(v UUID) int { return bytes.Compare(u[:], v[:]) }

// IsZero reports whether u is the Nil UUID. The omitzero option of package encoding/json uses it.
func (u UUID) IsZero() bool { return u == UUID{} }

// String returns the 36 characters of u, in lower case.
func (u UUID) String() string {
	var text [36]byte
	encodeHex(&text, (*[16]byte)(&u))
	return string(text[:])
}

// URN returns "urn:uuid:" and the 36 characters of u.
func (u UUID) URN() string {
	text := [45]byte{'u', 'r', 'n', ':', 'u', 'u', 'i', 'd', ':'}
	encodeHex((*[36]byte)(text[9:]), (*[16]byte)(&u))
	return string(text[:])
}

// Base58 returns u as 22 characters from Bitcoin's Base58 alphabet. Compared byte by byte, these
// strings sort in the same order as the UUIDs.
func (u UUID) Base58() string {
	var text [base58Len128]byte
	hi, lo := split(u)
	encodeBase58of128(&text, hi, lo)
	return string(text[:])
}

// GoString returns a Go expression for u, which the verb %#v prints. If a UUID is the only embedded
// field of a struct, the struct prints the same way.
func (u UUID) GoString() string { return `ids.MustParseUUID("` + u.String() + `")` }

// AppendText appends u.String(). The error is always nil.
func (u UUID) AppendText(b []byte) ([]byte, error) {
	n := len(b)
	b = slices.Grow(b, 36)[:n+36]
	encodeHex((*[36]byte)(b[n:]), (*[16]byte)(&u))
	return b, nil
}

// textForm returns the form to report in errors about a UUID's text.
func (UUID) textForm() form { return uuidText }

// MarshalText returns u.String(). The error is always nil.
func (u UUID) MarshalText() ([]byte, error) { return u.AppendText(make([]byte, 0, 36)) }

// UnmarshalText sets u to the UUID in text, in any form that [ParseUUID] accepts. After an error, u
// is unchanged.
func (u *UUID) UnmarshalText(text []byte) error { return u.parse(view(text)) }

// AppendBinary appends the 16 bytes of u. The error is always nil.
func (u UUID) AppendBinary(b []byte) ([]byte, error) { return append(b, u[:]...), nil }

// MarshalBinary returns the 16 bytes of u. The error is always nil.
func (u UUID) MarshalBinary() ([]byte, error) { return u.AppendBinary(make([]byte, 0, 16)) }

// UnmarshalBinary sets u to the 16 bytes of data, even if [UUID.Scan] would reject them as
// truncated text. After an error, u is unchanged.
func (u *UUID) UnmarshalBinary(data []byte) error {
	if len(data) != len(u) {
		return parseError(uuidBinary, wrongLength, len(data))
	}
	copy(u[:], data)
	return nil
}

// UUIDFromBytes returns the UUID with the 16 bytes of b, even if [UUID.Scan] would reject them as
// truncated text. If b has any other length, the error is a *[ParseError] that matches [ErrLength].
// (The conversion UUID(b) would take the first 16 bytes of a longer slice.)
func UUIDFromBytes(b []byte) (u UUID, err error) {
	err = u.UnmarshalBinary(b)
	return u, err
}

// ParseUUID reads a UUID in one of these forms, in upper or lower case:
//
//	f81d4fae-7dec-11d0-a765-00a0c91e6bf6
//	urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6
//	{f81d4fae-7dec-11d0-a765-00a0c91e6bf6}
//	f81d4fae7dec11d0a76500a0c91e6bf6
//
// Every version and variant is accepted. The error is a *[ParseError].
func ParseUUID(s string) (u UUID, err error) {
	err = u.parse(s)
	return u, err
}

// parse sets u to the UUID in s. It is separate so that ParseUUID is inlined, which saves a copy of
// the UUID. After an error, u is unchanged.
func (u *UUID) parse(s string) error {
	digits, start := s, 0 // digits begins at s[start]
	switch len(s) {
	case 36, 32:
	case 45:
		if at := mismatchURN(s); at >= 0 {
			return parseError(uuidText, notURN, at)
		}
		digits, start = s[9:], 9
	case 38:
		if s[0] != '{' {
			return parseError(uuidText, notBrace, 0)
		}
		digits, start = s[1:37], 1
	default:
		return parseError(uuidText, wrongLength, len(s))
	}
	hi, lo, ok := decodeHex(digits)
	if !ok {
		fault, at := locateHex(digits)
		return parseError(uuidText, fault, start+at)
	}
	if len(s) == 38 && s[37] != '}' {
		return parseError(uuidText, notBrace, 37)
	}
	put((*[16]byte)(u), hi, lo)
	return nil
}

// MustParseUUID is like [ParseUUID] but panics if s is invalid. The panic value is an error that
// quotes s.
func MustParseUUID(s string) UUID { return mustParse(ParseUUID, s) }

// ParseUUIDBase58 reads the 22 characters that [UUID.Base58] returns. Base58 is case-sensitive, so
// text that was changed to lower case can be read as a different UUID, without an error. The error
// is a *[ParseError].
func ParseUUIDBase58(s string) (u UUID, err error) {
	hi, lo, err := decodeBase58to128(s, uuidBase58)
	put((*[16]byte)(&u), hi, lo)
	return u, err
}
