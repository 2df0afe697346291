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

// Offset returns the index of the first wrong byte: 0 for a wrong prefix. ok is false if no byte alone
// is wrong.
func (e parseError[K]) Offset() (offset int, ok bool) {
	offset, ok = e.ParseError.Offset()
	if ok && e.ParseError.Scheme() != "UUID" {
		offset += len(before[K]())
	}
	return offset, ok
}

// Unwrap returns the error of the root.
func (e parseError[K]) Unwrap() error { return e.ParseError }

func (e parseError[K]) Error() string {
	start := before[K]()
	switch {
	case e.ParseError.Scheme() == "UUID":
		return fmt.Sprintf("typeid: prefix is not %q", start)
	case errors.Is(e, ids.ErrLength):
		return fmt.Sprintf("typeid: length is not %d", len(start)+numDigits)
	case errors.Is(e, ids.ErrRange):
		return "typeid: above " + start + "7zzzzzzzzzzzzzzzzzzzzzzzzz"
	}
	offset, _ := e.Offset()
	return fmt.Sprintf("typeid: not a Crockford Base32 digit in lower case at byte %d", offset)
}

// before returns what precedes the digits.
func before[K Kind]() string {
	p, _ := prefix[K]()
	if p != "" {
		p += "_"
	}
	return p
}
