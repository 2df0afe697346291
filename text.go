package ids

// This file encodes and decodes hexadecimal digits, reads JSON strings and detects text that a
// column has truncated.

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"unsafe"
)

const (
	escape        = len(`\u00XX`) // the only JSON escape that is accepted in an ID
	maxCustomText = 90            // maximum for custom types, and length of the longest TypeID
)

// unquote returns the contents of a JSON string. If the contents fit in buf, unquote unescapes them
// into buf where necessary. Contents that do not fit are longer than any text that the caller
// accepts, so unquote returns them without unescaping. Errors report the form in the parameter f.
func unquote(data, buf []byte, f form) ([]byte, error) {
	if len(data) < 2 || data[0] != '"' || data[len(data)-1] != '"' {
		return nil, parseError(f, noQuotes, 0)
	}
	text := data[1 : len(data)-1]
	if len(text) > len(buf) || bytes.IndexByte(text, '\\') < 0 {
		return text, nil
	}
	n := 0
	for ; len(text) > 0; n++ {
		if text[0] != '\\' {
			buf[n], text = text[0], text[1:]
			continue
		}
		if len(text) < escape || string(text[:4]) != `\u00` || hexValues[text[4]]|hexValues[text[5]] >= noDigit {
			return nil, parseError(f, badEscape, n)
		}
		buf[n], text = byte(hexValues[text[4]]<<4|hexValues[text[5]]), text[escape:]
	}
	return buf[:n], nil
}

// view returns b as a string without copying it, for calls that do not retain the string.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// mustParse returns the ID in s. It panics if parse fails.
func mustParse[T any](parse func(s string) (T, error), s string) T {
	v, err := parse(s)
	if err != nil {
		panic(fmt.Errorf("%w: %q", err, s))
	}
	return v
}

// The hexadecimal digits of UUIDs are written in lower case and read in either case.
var (
	hexPairs  = [256]uint16(pairs("0123456789abcdef"))
	hexValues = inverse("0123456789abcdef", "0123456789ABCDEF")
)

// encodeHex writes the 36 characters of u: 32 digits and four hyphens.
func encodeHex(text *[36]byte, u *[16]byte) {
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

// decodeHex reads 32 digits, or 36 characters with hyphens. ok is false if a character is wrong.
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

// get16 reads four digits. Its result is noDigit or greater if a character is not a digit.
func get16(s string) uint64 {
	return hexValues[s[0]]<<12 | hexValues[s[1]]<<8 | hexValues[s[2]]<<4 | hexValues[s[3]]
}

// locateHex finds the first invalid character. It returns notHex or notHyphen, and the character's
// offset.
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

// mismatchURN returns the offset of the first character of s that differs from the prefix
// "urn:uuid:", ignoring case, or -1 if s has that prefix.
func mismatchURN(s string) int {
	const prefix = "urn:uuid:"
	for i := range len(prefix) {
		// Setting the bit 0x20 keeps ':' unchanged, but would also turn 0x1a into ':'.
		if c := s[i]; c != prefix[i] && (c|0x20 != prefix[i] || prefix[i] == ':') {
			return i
		}
	}
	return -1
}

// isASCII reports whether no byte has its highest bit set. That bit is set in byte 8 of each UUID
// with the RFC's variant. isASCII is separate from isText so that it is inlined.
func isASCII(b *[16]byte) bool {
	const highest = 0x8080808080808080
	return (binary.LittleEndian.Uint64(b[:8])|binary.LittleEndian.Uint64(b[8:]))&highest == 0
}

// isText reports whether all bytes can occur in the text of an ID, which means that b may be
// truncated text. This is true of about one in 3 × 10^9 strings of 16 random bytes. It is true of
// no UUID with the RFC's variant and, for the next 1,500 years, of no ULID, because the first byte
// of a ULID is less than a hyphen until then.
func isText(b []byte) bool {
	for _, c := range b {
		letter := 'a' <= c|' ' && c|' ' <= 'z'
		if !letter && (c < '0' || ':' < c) && c != '-' && c != '{' {
			return false
		}
	}
	return true
}
