package ids

import "encoding/binary"

// Base32 is Crockford's: the digits and letters without I, L, O and U. The width
// is fixed: 26 characters for 128 bits, of which the first is at most 7, and 13
// for 64 bits, of which the first is at most F.
const (
	base32Alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
	base32Len64    = 13
	base32Len128   = 26
)

// base32Values is the inverse of base32Alphabet in either case; 0xff marks what is no digit.
var base32Values = func() [256]byte {
	t := inverse(base32Alphabet)
	for c := 'A'; c <= 'Z'; c++ {
		t[c|0x20] = t[c]
	}
	return t
}()

// encodeBase32of64 writes x as 13 digits.
func encodeBase32of64(text *[base32Len64]byte, x uint64) {
	text[0] = base32Alphabet[x>>60]
	binary.BigEndian.PutUint32(text[1:], uint32(crockford(x>>40&0xfffff)))
	binary.BigEndian.PutUint64(text[5:], crockford(x&0xffffffffff))
}

// encodeBase32of128 writes hi<<64 | lo as 26 digits.
func encodeBase32of128(text *[base32Len128]byte, hi, lo uint64) {
	text[0] = base32Alphabet[hi>>61]
	text[1] = base32Alphabet[hi>>56&31]
	binary.BigEndian.PutUint64(text[2:], crockford(hi>>16&0xffffffffff))
	binary.BigEndian.PutUint64(text[10:], crockford(hi&0xffff<<24|lo>>40))
	binary.BigEndian.PutUint64(text[18:], crockford(lo&0xffffffffff))
}

// crockford returns the eight digits of x < 1<<40, the first in the top byte.
func crockford(x uint64) uint64 {
	// Spread the eight groups of five bits over the eight bytes.
	x = x&0xfffff00000<<12 | x&0xfffff
	x = x&0x000ffc00000ffc00<<6 | x&0x000003ff000003ff
	x = x&0x03e003e003e003e0<<3 | x&0x001f001f001f001f
	// The letters begin seven characters after the digits, and after H, K, N and T
	// the alphabet leaves one out. Adding 0x80-n sets the top bit from n on.
	letters := (x + (0x80-10)*each) >> 7 & each
	left := (x+(0x80-18)*each)>>7&each + (x+(0x80-20)*each)>>7&each +
		(x+(0x80-22)*each)>>7&each + (x+(0x80-27)*each)>>7&each
	return x + '0'*each + letters*('A'-'9'-1) + left
}

// decodeBase32to64 reads 13 digits. If they are not that, or above 64 bits, it returns the
// fault and its offset.
func decodeBase32to64(s string) (x uint64, f fault, at int) {
	if len(s) != base32Len64 {
		return 0, faultLength, min(len(s), base32Len64)
	}
	first := base32Values[s[0]]
	high, bad := get32(s[1:5])
	low, badLow := get32(s[5:13])
	switch {
	case (first|bad|badLow)&0x80 != 0:
		return 0, faultDigit, locate(s, &base32Values)
	case first > 15:
		return 0, faultRange, 0
	}
	return uint64(first)<<60 | high<<40 | low, 0, 0
}

// decodeBase32to128 reads 26 digits. If they are not that, or above 128 bits, it returns the
// fault and its offset.
func decodeBase32to128(s string) (hi, lo uint64, f fault, at int) {
	if len(s) != base32Len128 {
		return 0, 0, faultLength, min(len(s), base32Len128)
	}
	first, second := base32Values[s[0]], base32Values[s[1]]
	a, badA := get32(s[2:10])
	b, badB := get32(s[10:18])
	c, badC := get32(s[18:26])
	switch {
	case (first|second|badA|badB|badC)&0x80 != 0:
		return 0, 0, faultDigit, locate(s, &base32Values)
	case first > 7:
		return 0, 0, faultRange, 0
	}
	hi = uint64(first)<<61 | uint64(second)<<56 | a<<16 | b>>24
	return hi, b<<40 | c, 0, 0
}

// get32 reads up to eight digits. Its second result has bit 7 set if one is none.
func get32(s string) (x uint64, bad byte) {
	for i := range len(s) {
		v := base32Values[s[i]]
		bad |= v
		x = x<<5 | uint64(v&31)
	}
	return x, bad
}
