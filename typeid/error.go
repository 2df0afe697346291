package typeid

import (
	"errors"
	"fmt"

	"github.com/oneclock/ids"
)

// A parseError says what is wrong with a text. It has an error of the root, since that costs no
// allocation: the one of the digits as a ULID or, for a wrong prefix, one of a UUID.
type parseError[K Kind] struct{ *ids.ParseError }

func wrongPrefix[K Kind]() error {
	_, err := ids.ParseUUID("________________________________") // 32 characters, wrong from the first on
	return parseError[K]{err.(*ids.ParseError)}
}

// Scheme returns "TypeID".
func (parseError[K]) Scheme() string { return "TypeID" }

// Offset returns the index of the first wrong digit, or the length if that is wrong, at most 45 more
// than what precedes the digits, or 0 for a wrong prefix.
func (e parseError[K]) Offset() int {
	if e.ParseError.Scheme() == "UUID" {
		return 0
	}
	return len(before[K]()) + e.ParseError.Offset()
}

// Unwrap returns the error of the root.
func (e parseError[K]) Unwrap() error { return e.ParseError }

func (e parseError[K]) Error() string {
	start, most := before[K](), ""
	if e.ParseError.Offset() == 45 {
		most = " or more"
	}
	switch {
	case e.ParseError.Scheme() == "UUID":
		return fmt.Sprintf("typeid: prefix is not %q", start)
	case errors.Is(e, ids.ErrLength):
		return fmt.Sprintf("typeid: length %d%s, want %d", e.Offset(), most, len(start)+numDigits)
	case errors.Is(e, ids.ErrRange):
		return "typeid: above " + start + "7zzzzzzzzzzzzzzzzzzzzzzzzz"
	}
	return fmt.Sprintf("typeid: not a Crockford Base32 digit in lower case at byte %d", e.Offset())
}

// before returns what precedes the digits.
func before[K Kind]() string {
	p, _ := prefix[K]()
	if p != "" {
		p += "_"
	}
	return p
}
