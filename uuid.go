package ids

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"
	"time"
)

// UUID is the 16 bytes of [RFC 9562], the first byte first. UUIDs can be compared with == and be keys of a map.
// UUID converts to and from any other type whose underlying type is [16]byte. The zero value is the Nil UUID.
//
// As an argument of a query it is text: for a column of 16 bytes pass [UUID.Binary]. For a type of your own,
// embed it alone: type ID struct{ uuid.UUID }. The type ID uuid.UUID has no methods, and a second field is lost
// in JSON.
//
// [RFC 9562]: https://www.rfc-editor.org/rfc/rfc9562
type UUID [16]byte

// Variant is the layout of a UUID, in the upper bits of its ninth byte: see [Section 4.1 of RFC 9562].
//
// [Section 4.1 of RFC 9562]: https://www.rfc-editor.org/rfc/rfc9562#section-4.1
type Variant uint8

// The variants. Every new UUID is of VariantRFC9562.
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

// set makes u the UUID of two halves, in which it sets the version, the upper four bits of byte 6,
// and the variant, the upper two of byte 8.
func (u *UUID) set(version, hi, lo uint64) {
	put((*[16]byte)(u), hi&^0xf000|version<<12, lo&^(3<<62)|1<<63)
}

// put makes b the 16 bytes of two halves. It writes where the result is wanted, since copying
// 16 bytes that were just written as two halves makes the processor wait for both.
func put(b *[16]byte, hi, lo uint64) {
	binary.BigEndian.PutUint64(b[:8], hi)
	binary.BigEndian.PutUint64(b[8:], lo)
}

// split is the inverse of put.
func split(b [16]byte) (hi, lo uint64) {
	return binary.BigEndian.Uint64(b[:8]), binary.BigEndian.Uint64(b[8:])
}

// Version returns the version, 0 to 15. It means something only if u.Variant() is [VariantRFC9562].
func (u UUID) Version() int { return int(u[6] >> 4) }

// Variant returns the variant: the number of ones that byte 8 begins with, up to 3.
func (u UUID) Variant() Variant { return Variant(min(bits.LeadingZeros8(^u[8]), 3)) }

// is reports whether u is of the given version of RFC 9562.
func (u UUID) is(version int) bool { return u[8]>>6 == 2 && u.Version() == version }

// Time returns the time in u, in UTC. ok is false unless u is of version 1, 2, 6 or 7. The time is exact to 100 ns in
// versions 1 and 6, to 1 ms in version 7, and to 429.4967296 s, some 7 minutes, in version 2.
func (u UUID) Time() (t time.Time, ok bool) {
	if u.is(7) {
		hi, _ := split(u)
		return time.UnixMilli(int64(hi >> 16)).UTC(), true
	}
	tick, ok := u.gregorian()
	if ok {
		t = gregorianScale.time(int64(tick))
	}
	return t, ok
}

// Compare returns -1 if u < v, 0 if they are equal and +1 if u > v, in byte order.
func (u UUID) Compare(v UUID) int { return bytes.Compare(u[:], v[:]) }

// IsZero reports whether u is the Nil UUID. The omitzero option of struct tags uses it.
func (u UUID) IsZero() bool { return u == UUID{} }

// ULID returns the same 128 bits as a ULID. For a version 7 UUID its time is the same.
func (u UUID) ULID() ULID { return ULID(u) }

// Binary returns u as an argument for a column of 16 bytes. Use it in INSERT and in WHERE.
func (u UUID) Binary() Binary[UUID] { return Binary[UUID]{u} }

// String returns the 36 characters of u, in lower case.
func (u UUID) String() string {
	var text [36]byte
	u.encode(&text)
	return string(text[:])
}

// URN returns "urn:uuid:" and the 36 characters of u.
func (u UUID) URN() string {
	text := [45]byte{'u', 'r', 'n', ':', 'u', 'u', 'i', 'd', ':'}
	u.encode((*[36]byte)(text[9:]))
	return string(text[:])
}

// Base58 returns u as 22 characters of Bitcoin's Base58 alphabet. Compared byte by byte, they sort like the UUIDs.
func (u UUID) Base58() string {
	var text [base58Len128]byte
	hi, lo := split(u)
	encodeBase58of128(&text, hi, lo)
	return string(text[:])
}

// GoString returns Go code that makes u, for the verb %#v. A type that embeds a UUID prints so too.
func (u UUID) GoString() string { return `ids.MustParseUUID("` + u.String() + `")` }

// AppendText appends what String returns. The error is always nil.
func (u UUID) AppendText(b []byte) ([]byte, error) {
	n := len(b)
	b = slices.Grow(b, 36)[:n+36]
	u.encode((*[36]byte)(b[n:]))
	return b, nil
}

// MarshalText returns what String returns. The error is always nil.
func (u UUID) MarshalText() ([]byte, error) { return u.AppendText(make([]byte, 0, 36)) }

// UnmarshalText sets u to the UUID that text holds, in any form that [ParseUUID] accepts. On an
// error u keeps its value.
func (u *UUID) UnmarshalText(text []byte) error { return parse(u, view(text)) }

// AppendBinary appends the 16 bytes of u. The error is always nil.
func (u UUID) AppendBinary(b []byte) ([]byte, error) { return append(b, u[:]...), nil }

// MarshalBinary returns the 16 bytes of u. The error is always nil.
func (u UUID) MarshalBinary() ([]byte, error) { return u.AppendBinary(make([]byte, 0, 16)) }

// UnmarshalBinary sets u to the 16 bytes of data, also to those that [UUID.Scan] refuses as cut text. On an
// error u keeps its value.
func (u *UUID) UnmarshalBinary(data []byte) error {
	if len(data) != len(u) {
		return parseError(uuidBinary, wrongLength, len(data))
	}
	copy(u[:], data)
	return nil
}

// UUIDFromBytes returns the UUID of the 16 bytes in b, also of those that [UUID.Scan] refuses as cut text. For
// any other length the error is a *[ParseError] that matches [ErrLength]; the conversion UUID(b) takes the
// first 16 bytes of more.
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

// parse is ParseUUID, which is inlined: that spares a copy of the id. On an error u keeps its value.
func (u *UUID) parse(s string) error {
	digits, start := s, 0 // digits begins at offset start of s
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

// ParseUUIDBase58 reads the 22 characters that [UUID.Base58] returns. The error is a *[ParseError].
func ParseUUIDBase58(s string) (u UUID, err error) {
	hi, lo, err := decodeBase58to128(s, uuidBase58)
	put((*[16]byte)(&u), hi, lo)
	return u, err
}

// The hexadecimal digits of UUIDs come out in lower case, and are read in either.
var (
	hexPairs  = [256]uint16(pairs("0123456789abcdef"))
	hexValues = inverse("0123456789abcdef", "0123456789ABCDEF")
)

// encode writes the 36 characters of u.
func (u *UUID) encode(text *[36]byte) {
	le := binary.LittleEndian
	le.PutUint16(text[0:], hexPairs[u[0]])
	le.PutUint16(text[2:], hexPairs[u[1]])
	le.PutUint16(text[4:], hexPairs[u[2]])
	le.PutUint16(text[6:], hexPairs[u[3]])
	text[8] = '-'
	le.PutUint16(text[9:], hexPairs[u[4]])
	le.PutUint16(text[11:], hexPairs[u[5]])
	text[13] = '-'
	le.PutUint16(text[14:], hexPairs[u[6]])
	le.PutUint16(text[16:], hexPairs[u[7]])
	text[18] = '-'
	le.PutUint16(text[19:], hexPairs[u[8]])
	le.PutUint16(text[21:], hexPairs[u[9]])
	text[23] = '-'
	le.PutUint16(text[24:], hexPairs[u[10]])
	le.PutUint16(text[26:], hexPairs[u[11]])
	le.PutUint16(text[28:], hexPairs[u[12]])
	le.PutUint16(text[30:], hexPairs[u[13]])
	le.PutUint16(text[32:], hexPairs[u[14]])
	le.PutUint16(text[34:], hexPairs[u[15]])
}

// decodeHex reads 32 digits, or 36 characters with hyphens. ok is false if s is neither.
func decodeHex(s string) (hi, lo uint64, ok bool) {
	var a, b, c, d, e, f, g, h uint64
	if len(s) == 36 {
		if s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
			return 0, 0, false
		}
		a, b = get16(s[0:4]), get16(s[4:8])
		c, d = get16(s[9:13]), get16(s[14:18])
		e, f = get16(s[19:23]), get16(s[24:28])
		g, h = get16(s[28:32]), get16(s[32:36])
	} else {
		s = s[:32]
		a, b = get16(s[0:4]), get16(s[4:8])
		c, d = get16(s[8:12]), get16(s[12:16])
		e, f = get16(s[16:20]), get16(s[20:24])
		g, h = get16(s[24:28]), get16(s[28:32])
	}
	return a<<48 | b<<32 | c<<16 | d, e<<48 | f<<32 | g<<16 | h, a|b|c|d|e|f|g|h < noDigit
}

// get16 reads four digits. Its result is noDigit or more if one is not a digit.
func get16(s string) uint64 {
	return hexValues[s[0]]<<12 | hexValues[s[1]]<<8 | hexValues[s[2]]<<4 | hexValues[s[3]]
}

// locateHex returns the fault and the offset of the first bad character.
func locateHex(s string) (fault, int) {
	start := 0
	if len(s) == 36 {
		for _, hyphen := range [...]int{8, 13, 18, 23} {
			if at := start + hexValues.locate(s[start:hyphen]); at < hyphen {
				return notHex, at
			}
			if s[hyphen] != '-' {
				return notHyphen, hyphen
			}
			start = hyphen + 1
		}
	}
	return notHex, start + hexValues.locate(s[start:])
}

// mismatchURN returns the offset of the first character of "urn:uuid:" that s does not
// begin with, in any case, or -1.
func mismatchURN(s string) int {
	const prefix = "urn:uuid:"
	for i := range len(prefix) {
		// Folding by 0x20 leaves ':' as it is, but would take 0x1a for it.
		if c := s[i]; c != prefix[i] && (c|0x20 != prefix[i] || prefix[i] == ':') {
			return i
		}
	}
	return -1
}
