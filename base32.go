package ids

// This file encodes and decodes Base32 and Base58. It also contains helpers for digits of any base.
// Hexadecimal digits are in text.go, and decimal digits are in snowflake.go.

import (
	"encoding/binary"
	"math/bits"
)

// pairs returns a table of all two-digit numbers. Each entry has the first digit in its low byte.
// Writing two digits at a time halves the work.
func pairs(alphabet string) []uint16 {
	n := len(alphabet)
	t := make([]uint16, n*n)
	for i := range t {
		t[i] = uint16(alphabet[i/n]) | uint16(alphabet[i%n])<<8
	}
	return t
}

// values maps a character to its value as a digit, or to noDigit if it is not a digit.
type values [256]uint64

// noDigit is greater than any number that a group of digits can form. A noDigit shifted left by
// fewer than 32 bits is also greater, so one comparison checks that all characters were digits.
const noDigit = 1 << 32

// inverse returns a table that maps each digit of an alphabet to its value. To accept both cases,
// pass the alphabet in upper and in lower case.
func inverse(alphabets ...string) (t values) {
	for i := range t {
		t[i] = noDigit
	}
	for _, alphabet := range alphabets {
		for i := range len(alphabet) {
			t[alphabet[i]] = uint64(i)
		}
	}
	return t
}

// locate returns the offset of the first character of s that is not a digit, or len(s) if there is
// none.
func (t *values) locate(s string) int {
	for i := range len(s) {
		if t[s[i]] == noDigit {
			return i
		}
	}
	return len(s)
}

// Base32 uses Crockford's alphabet: the digits and letters without I, L, O and U. The width is
// fixed. 128 bits take 26 characters, the first of which is at most 7, and 64 bits take 13
// characters, the first of which is at most F. Encoders write upper case, and decoders accept both
// cases.
const (
	base32Alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
	base32Len64    = 13
	base32Len128   = 26
)

var (
	base32Pairs  = [1 << 10]uint16(pairs(base32Alphabet))
	base32Values = inverse(base32Alphabet, "0123456789abcdefghjkmnpqrstvwxyz")
)

// encodeBase32of64 writes x as 13 digits.
func encodeBase32of64(text *[base32Len64]byte, x uint64) {
	text[0] = base32Alphabet[x>>60]
	putBase32((*[12]byte)(text[1:]), x)
}

// encodeBase32of128 writes hi<<64 | lo as 26 digits.
func encodeBase32of128(text *[base32Len128]byte, hi, lo uint64) {
	binary.LittleEndian.PutUint16(text[0:], base32Pairs[hi>>56])
	putBase32((*[12]byte)(text[2:]), hi<<4|lo>>60)
	putBase32((*[12]byte)(text[14:]), lo)
}

// putBase32 writes the lower 60 bits of x as twelve digits.
func putBase32(text *[12]byte, x uint64) {
	le := binary.LittleEndian
	le.PutUint16(text[0:], base32Pairs[x>>50&(1<<10-1)])
	le.PutUint16(text[2:], base32Pairs[x>>40&(1<<10-1)])
	le.PutUint16(text[4:], base32Pairs[x>>30&(1<<10-1)])
	le.PutUint16(text[6:], base32Pairs[x>>20&(1<<10-1)])
	le.PutUint16(text[8:], base32Pairs[x>>10&(1<<10-1)])
	le.PutUint16(text[10:], base32Pairs[x&(1<<10-1)])
}

// decodeBase32to64 reads 13 digits. f is the form to report in errors.
func decodeBase32to64(s string, f form) (x uint64, err error) {
	if len(s) != base32Len64 {
		return 0, parseError(f, wrongLength, len(s))
	}
	first, upper, lower := base32Values[s[0]], get30(s[1:7]), get30(s[7:13])
	switch {
	case first|upper|lower >= noDigit:
		return 0, parseError(f, notBase32, base32Values.locate(s))
	case first > 15:
		return 0, parseError(f, tooLarge, 0)
	}
	return first<<60 | upper<<30 | lower, nil
}

// get30 reads six digits. Its result is noDigit or greater if a character is not a digit.
func get30(s string) uint64 {
	return base32Values[s[0]]<<25 | base32Values[s[1]]<<20 | base32Values[s[2]]<<15 |
		base32Values[s[3]]<<10 | base32Values[s[4]]<<5 | base32Values[s[5]]
}

// Base58 uses Bitcoin's alphabet: the digits and letters without 0, O, I and l, in ASCII order. The
// width is fixed, so that the strings sort in numeric order.
const (
	base58Alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
	base58Len128   = 22

	pow58to5  = 58 * 58 * 58 * 58 * 58
	pow58to10 = pow58to5 * pow58to5 // fits in 64 bits
)

var (
	base58Pairs  = [58 * 58]uint16(pairs(base58Alphabet))
	base58Values = inverse(base58Alphabet)
)

// encodeBase58of128 writes hi<<64 | lo as 22 digits.
func encodeBase58of128(text *[base58Len128]byte, hi, lo uint64) {
	// Two long divisions split the number into the upper 2 digits and two words of 10 digits each.
	q1 := hi / pow58to10
	q0, low := bits.Div64(hi%pow58to10, lo, pow58to10)
	top, middle := bits.Div64(q1, q0, pow58to10)
	binary.LittleEndian.PutUint16(text[0:], base58Pairs[top])
	putBase58((*[10]byte)(text[2:]), middle)
	putBase58((*[10]byte)(text[12:]), low)
}

// putBase58 writes x < 58^10 as ten digits.
func putBase58(text *[10]byte, x uint64) {
	const two, four = 58 * 58, 58 * 58 * 58 * 58
	le := binary.LittleEndian
	lower, x := uint32(x%four), x/four
	le.PutUint16(text[8:], base58Pairs[lower%two])
	le.PutUint16(text[6:], base58Pairs[lower/two])
	lower, upper := uint32(x%four), x/four
	le.PutUint16(text[4:], base58Pairs[lower%two])
	le.PutUint16(text[2:], base58Pairs[lower/two])
	le.PutUint16(text[0:], base58Pairs[upper])
}

// decodeBase58to128 reads 22 digits. f is the form to report in errors.
func decodeBase58to128(s string, f form) (hi, lo uint64, err error) {
	if len(s) != base58Len128 {
		return 0, 0, parseError(f, wrongLength, len(s))
	}
	upper, lower := base58Values[s[0]], base58Values[s[1]]
	middle, bad := get58(s[2:12])
	low, badLow := get58(s[12:])
	if upper|lower|bad|badLow >= noDigit {
		return 0, 0, parseError(f, notBase58, base58Values.locate(s))
	}
	// The result is ((upper*58 + lower)*58^10 + middle)*58^10 + low. The value in the outer
	// parentheses is below 58^12, and thus below 2^71.
	h, l := bits.Mul64(upper*58+lower, pow58to10)
	l, carry := bits.Add64(l, middle, 0)
	h += carry
	over, upper := bits.Mul64(h, pow58to10)
	hi, lo = bits.Mul64(l, pow58to10)
	lo, carry = bits.Add64(lo, low, 0)
	hi, carry = bits.Add64(hi, upper, carry)
	if over|carry != 0 {
		return 0, 0, parseError(f, tooLarge, 0)
	}
	return hi, lo, nil
}

// get58 reads ten digits. If a character is not a digit, the result bad is noDigit or greater.
func get58(s string) (x, bad uint64) {
	upper, bad := getFive58(s[:5])
	lower, badLower := getFive58(s[5:10])
	return upper*pow58to5 + lower, bad | badLower
}

// getFive58 is like get58, but reads five digits.
func getFive58(s string) (x, bad uint64) {
	a, b, c, d, e := base58Values[s[0]], base58Values[s[1]], base58Values[s[2]], base58Values[s[3]], base58Values[s[4]]
	return (a*58+b)*58*58*58 + (c*58+d)*58 + e, a | b | c | d | e
}
