package typeid

// The code in this file encodes and decodes the text of TypeIDs with any valid prefix.

import (
	"slices"
	"strings"

	"github.com/oneclock/ids"
)

// isDigit reports for each byte whether it is a digit of Crockford's Base32 in lower case.
var isDigit = func() (is [256]bool) {
	for _, c := range "0123456789abcdefghjkmnpqrstvwxyz" {
		is[c] = true
	}
	return is
}()

// Join returns the text of the ID with the given prefix and UUID. Use it for prefixes that are
// known only at run time. For other prefixes, use [ID]. [Kind] describes the valid prefixes. For
// the errors, see the package comment.
func Join(prefix string, u ids.UUID) (string, error) {
	if err := checkPrefix(prefix); err != nil {
		return "", err
	}
	var buf [maxText]byte
	return string(appendText(buf[:0], prefix, u)), nil
}

// Split splits the text of an ID into its prefix and its UUID. It accepts only lowercase text. It
// accepts every prefix that [Kind] allows, so check that the prefix is one that you expect. For the
// errors, see the package comment.
func Split(text string) (prefix string, u ids.UUID, err error) {
	if len(text) > maxText {
		return "", ids.UUID{}, fault(longText, 0)
	}
	end := strings.LastIndexByte(text, '_') // -1 if there is no prefix
	switch {
	case end == 0:
		err = fault(wrongLetter, 0) // an empty prefix is not followed by an underscore
	case end > 0:
		prefix = text[:end]
		err = checkPrefix(prefix)
	}
	if err == nil {
		u, err = parseDigits(text, end+1)
	}
	if err != nil {
		return "", ids.UUID{}, err
	}
	return prefix, u, nil
}

// checkPrefix returns an error if p is not a valid prefix.
func checkPrefix(p string) error {
	if len(p) > maxPrefix {
		return fault(longPrefix, 0)
	}
	for i := range len(p) {
		inner := p[i] == '_' && i > 0 && i < len(p)-1
		if !inner && (p[i] < 'a' || p[i] > 'z') {
			return fault(wrongLetter, i)
		}
	}
	return nil
}

// appendText appends the text of the ID with the given UUID and prefix, which must be valid.
func appendText(b []byte, prefix string, u ids.UUID) []byte {
	b = slices.Grow(b, len(prefix)+1+numDigits)
	if prefix != "" {
		b = append(append(b, prefix...), '_')
	}
	start := len(b)
	b, _ = u.ULID().AppendText(b) // its error is always nil
	for i := start; i < len(b); i++ {
		b[i] |= 'a' - 'A' // this bit is already set in the digits 0 to 9
	}
	return b
}

// isText reports whether b consists only of bytes that occur in the text of a UUID or of an ID of
// any kind. b is then treated as the beginning of such text. A UUID of the RFC's variant never
// consists only of such bytes, because they are all ASCII.
func isText(b []byte) bool {
	for _, c := range b {
		letter := 'a' <= c|' ' && c|' ' <= 'z'
		if !letter && (c < '0' || ':' < c) && c != '-' && c != '{' && c != '_' {
			return false
		}
	}
	return true
}

// parseDigits returns the UUID whose digits are s[start:].
func parseDigits[T string | []byte](s T, start int) (ids.UUID, error) {
	digits := s[start:]
	if len(digits) != numDigits {
		return ids.UUID{}, fault(wrongCount, len(digits))
	}
	for i := range len(digits) {
		if !isDigit[digits[i]] {
			return ids.UUID{}, fault(wrongDigit, start+i)
		}
	}
	if digits[0] > '7' {
		return ids.UUID{}, fault(tooLarge, 0)
	}
	u, err := ids.ParseULID(string(digits)) // the error is always nil here
	return u.UUID(), err
}
