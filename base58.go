package ids

import (
	"encoding/binary"
	"math/bits"
)

// Base58 is Bitcoin's: the digits and letters without 0, O, I and l, in ASCII order.
// The width is fixed, so that the texts sort as the numbers do.
const (
	base58Alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
	base58Len128   = 22

	pow58to5  = 58 * 58 * 58 * 58 * 58
	pow58to10 = pow58to5 * pow58to5 // fits 64 bits
)

var (
	base58Pairs  = [58 * 58]uint16(pairs(base58Alphabet))
	base58Values = inverse(base58Alphabet)
)

// encodeBase58of128 writes hi<<64 | lo as 22 digits.
func encodeBase58of128(text *[base58Len128]byte, hi, lo uint64) {
	// Two long divisions leave the lower 20 digits as two words, and the upper 2.
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

// decodeBase58to128 reads 22 digits. The form is for errors.
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
	// ((upper*58 + lower)*58^10 + middle)*58^10 + low. The outer bracket is below 58^12 < 2^71.
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

// get58 reads ten digits. Its second result is noDigit or more if one is not a digit.
func get58(s string) (x, bad uint64) {
	upper, bad := getFive58(s[:5])
	lower, badLower := getFive58(s[5:10])
	return upper*pow58to5 + lower, bad | badLower
}

// getFive58 is get58 for five digits.
func getFive58(s string) (x, bad uint64) {
	a, b, c, d, e := base58Values[s[0]], base58Values[s[1]], base58Values[s[2]], base58Values[s[3]], base58Values[s[4]]
	return (a*58+b)*58*58*58 + (c*58+d)*58 + e, a | b | c | d | e
}
