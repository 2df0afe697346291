package ids

// pairs returns the two digits of each number, the first digit in the low byte. Writing two digits
// at a time halves the work.
func pairs(alphabet string) []uint16 {
	n := len(alphabet)
	t := make([]uint16, n*n)
	for i := range t {
		t[i] = uint16(alphabet[i/n]) | uint16(alphabet[i%n])<<8
	}
	return t
}

// values maps a character to the value of the digit, or to noDigit.
type values [256]uint64

// noDigit is greater than any number that is put together from the digits of one word, also after
// a shift to the left by less than 32 bits. So one comparison tells whether all characters were
// digits.
const noDigit = 1 << 32

// inverse returns the values of the digits of an alphabet, which may be given in two cases.
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

// locate returns the offset of the first character of s that is not a digit, or its length.
func (t *values) locate(s string) int {
	for i := range len(s) {
		if t[s[i]] == noDigit {
			return i
		}
	}
	return len(s)
}
