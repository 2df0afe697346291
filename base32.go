package ids

import "encoding/binary"

// Base32 is Crockford's: the digits and letters without I, L, O and U. The width
// is fixed: 26 characters for 128 bits, the first at most 7, and 13 for 64 bits, the first at most
// F. Encoders write upper case, and decoders accept both.
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

// decodeBase32to64 reads 13 digits. The form is for errors.
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

// get30 reads six digits. Its result is noDigit or more if one is not a digit.
func get30(s string) uint64 {
	return base32Values[s[0]]<<25 | base32Values[s[1]]<<20 | base32Values[s[2]]<<15 |
		base32Values[s[3]]<<10 | base32Values[s[4]]<<5 | base32Values[s[5]]
}
