package ids

// pairs returns each two digits of an alphabet by the number that they stand for, the first one
// in the low byte. Writing two at a time halves the work.
func pairs(alphabet string) []uint16 {
	n := len(alphabet)
	t := make([]uint16, n*n)
	for i := range t {
		t[i] = uint16(alphabet[i/n]) | uint16(alphabet[i%n])<<8
	}
	return t
}

// values gives each character the value of the digit that it is, or noDigit.
type values [256]uint64

// noDigit is above all values that are put together from as many digits as one word is read
// from, and stays so when shifted by less than 32 bits. So one comparison finds whether any of
// them was no digit.
const noDigit = 1 << 32

// inverse returns the values of an alphabet.
func inverse(alphabet string) (t values) {
	for i := range t {
		t[i] = noDigit
	}
	for i := range len(alphabet) {
		t[alphabet[i]] = uint64(i)
	}
	return t
}

// foldCase gives small letters the values of the capitals.
func (t values) foldCase() values {
	for c := 'A'; c <= 'Z'; c++ {
		t[c|0x20] = t[c]
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
