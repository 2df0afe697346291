package ids

import "math/bits"

// Base58 is Bitcoin's: the digits and letters without 0, O, I and l, in ASCII order.
// The width is fixed, so that the texts sort as the numbers do.
const (
	base58Alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
	base58Len64    = 11
	base58Len128   = 22

	pow58to5  = 58 * 58 * 58 * 58 * 58 // fits 32 bits
	pow58to10 = pow58to5 * pow58to5    // fits 64 bits
)

// base58Values is the inverse of base58Alphabet; 0xff marks what is no digit.
var base58Values = inverse(base58Alphabet)

// inverse returns the table that gives each character of alphabet its place,
// and 0xff to all others.
func inverse(alphabet string) (t [256]byte) {
	for i := range t {
		t[i] = 0xff
	}
	for i := range len(alphabet) {
		t[alphabet[i]] = byte(i)
	}
	return t
}

// encodeBase58of64 writes x as 11 digits.
func encodeBase58of64(text *[base58Len64]byte, x uint64) {
	put5(text[6:], uint32(x%pow58to5))
	x /= pow58to5
	put5(text[1:], uint32(x%pow58to5))
	text[0] = base58Alphabet[x/pow58to5]
}

// encodeBase58of128 writes hi<<64 | lo as 22 digits.
func encodeBase58of128(text *[base58Len128]byte, hi, lo uint64) {
	// Two long divisions leave the lower 20 digits as two words, and the upper 2.
	q1 := hi / pow58to10
	q0, low := bits.Div64(hi%pow58to10, lo, pow58to10)
	top, middle := bits.Div64(q1, q0, pow58to10)
	put5(text[17:], uint32(low%pow58to5))
	put5(text[12:], uint32(low/pow58to5))
	put5(text[7:], uint32(middle%pow58to5))
	put5(text[2:], uint32(middle/pow58to5))
	text[1] = base58Alphabet[top%58]
	text[0] = base58Alphabet[top/58]
}

// put5 writes x < 58^5 as five digits.
func put5(text []byte, x uint32) {
	_ = text[4]
	text[4] = base58Alphabet[x%58]
	x /= 58
	text[3] = base58Alphabet[x%58]
	x /= 58
	text[2] = base58Alphabet[x%58]
	x /= 58
	text[1] = base58Alphabet[x%58]
	text[0] = base58Alphabet[x/58]
}

// decodeBase58to64 reads 11 digits. If they are not that, or above 64 bits, it returns
// the fault and its offset.
func decodeBase58to64(s string) (x uint64, f fault, at int) {
	if len(s) != base58Len64 {
		return 0, faultLength, min(len(s), base58Len64)
	}
	high, bad := get58(s[:1])
	low, badLow := get58(s[1:])
	if bad|badLow >= 0x80 {
		return 0, faultDigit, locate(s, &base58Values)
	}
	over, x := bits.Mul64(high, pow58to10)
	x, carry := bits.Add64(x, low, 0)
	if over|carry != 0 {
		return 0, faultRange, 0
	}
	return x, 0, 0
}

// decodeBase58to128 reads 22 digits. If they are not that, or above 128 bits, it returns
// the fault and its offset.
func decodeBase58to128(s string) (hi, lo uint64, f fault, at int) {
	if len(s) != base58Len128 {
		return 0, 0, faultLength, min(len(s), base58Len128)
	}
	top, bad := get58(s[:2])
	middle, badMiddle := get58(s[2:12])
	low, badLow := get58(s[12:])
	if bad|badMiddle|badLow >= 0x80 {
		return 0, 0, faultDigit, locate(s, &base58Values)
	}
	// (top*58^10 + middle)*58^10 + low. The first bracket is below 58^12 < 2^71.
	h, l := bits.Mul64(top, pow58to10)
	l, carry := bits.Add64(l, middle, 0)
	h += carry
	over, upper := bits.Mul64(h, pow58to10)
	hi, lo = bits.Mul64(l, pow58to10)
	lo, carry = bits.Add64(lo, low, 0)
	hi, carry = bits.Add64(hi, upper, carry)
	if over|carry != 0 {
		return 0, 0, faultRange, 0
	}
	return hi, lo, 0, 0
}

// get58 reads up to ten digits. Its second result has bit 7 set if one is none.
func get58(s string) (x uint64, bad byte) {
	for i := range len(s) {
		v := base58Values[s[i]]
		bad |= v
		x = x*58 + uint64(v)
	}
	return x, bad
}

// locate returns the offset of the first character of s that has no value.
func locate(s string, values *[256]byte) int {
	for i := range len(s) {
		if values[s[i]] == 0xff {
			return i
		}
	}
	return len(s)
}
