package typeid

import (
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"github.com/oneclock/ids"
)

const (
	maxPrefix = 63
	numDigits = 26
	maxText   = maxPrefix + 1 + numDigits
)

// Kind is a kind of things with ids. Prefix is called on the zero value, and always returns the same
// text: at most 63 characters of a to z and _, of which the first and the last are letters. The empty
// prefix has no underscore after it.
type Kind interface{ Prefix() string }

// ID is the id of a thing of one kind. Its text is the kind's prefix, an underscore and 26 digits of
// Crockford's Base32 in lower case. It has the methods of the [ids.UUID] that it embeds, of which
// Value, URN, Base58 and those for binary forms write no prefix. The zero value is the Nil UUID,
// whose digits are zeros.
type ID[K Kind] struct{ ids.UUID }

// New returns an id of version 7, as [ids.NewV7] does. It panics if the prefix is invalid.
func New[K Kind]() ID[K] { return From[K](ids.NewV7()) }

// From returns the id with the bits of u, whose version may be any. It panics if the prefix is invalid.
func From[K Kind](u ids.UUID) ID[K] {
	if err := Valid[K](); err != nil {
		panic(err)
	}
	return ID[K]{u}
}

// Parse returns the id that s holds. Upper case is refused, as the specification has it. The package
// comment says what the errors match.
func Parse[K Kind](s string) (id ID[K], err error) {
	err = id.set(s)
	return id, err
}

// MustParse is like [Parse] but panics if s is invalid. The panic value is an error that quotes s.
func MustParse[K Kind](s string) ID[K] {
	id, err := Parse[K](s)
	if err != nil {
		panic(fmt.Errorf("%w: %q", err, s))
	}
	return id
}

// Valid returns an error if the prefix of a kind is invalid. Call it in a test of each kind.
func Valid[K Kind]() error {
	_, err := prefix[K]()
	return err
}

// prefix returns the prefix of a kind, and an error if it is invalid.
func prefix[K Kind]() (string, error) {
	var kind K
	p := kind.Prefix()
	ok := len(p) <= maxPrefix && strings.Trim(p, "_") == p
	for i := 0; ok && i < len(p); i++ {
		ok = 'a' <= p[i] && p[i] <= 'z' || p[i] == '_'
	}
	if !ok {
		return p, fmt.Errorf("typeid: the prefix %q of %T is not of at most 63 characters a to z and _, letters first and last", p, kind)
	}
	return p, nil
}

// set sets id to the id that s holds. On an error id keeps its value.
func (id *ID[K]) set(s string) error {
	p, err := prefix[K]()
	if err != nil {
		return err
	}
	if p != "" {
		digits, found := strings.CutPrefix(s, p)
		if !found || digits == "" || digits[0] != '_' {
			return wrongPrefix[K]()
		}
		s = digits[1:]
	}
	if len(s) == numDigits {
		var digits [numDigits]byte
		for i := range digits {
			digits[i] = s[i]
			if 'A' <= s[i] && s[i] <= 'Z' {
				digits[i] = '_' // which ParseULID refuses
			}
		}
		s = string(digits[:])
	}
	u, err := ids.ParseULID(s)
	if err != nil {
		return parseError[K]{err.(*ids.ParseError)}
	}
	id.UUID = u.UUID()
	return nil
}

// Compare returns -1, 0 or +1 as id sorts before other, is other or sorts after other. Their texts sort
// in the same order.
func (id ID[K]) Compare(other ID[K]) int { return id.UUID.Compare(other.UUID) }

// String returns the text of id. It panics if the prefix is invalid.
func (id ID[K]) String() string {
	var buf [maxText]byte
	text, err := id.AppendText(buf[:0])
	if err != nil {
		panic(err)
	}
	return string(text)
}

// GoString returns Go code that makes id, for the verb %#v. It panics if the prefix is invalid.
func (id ID[K]) GoString() string {
	return fmt.Sprintf("typeid.MustParse[%T](%q)", *new(K), id.String())
}

// AppendText appends what String returns. The error is that of [Valid].
func (id ID[K]) AppendText(b []byte) ([]byte, error) {
	p, err := prefix[K]()
	if err != nil {
		return b, err
	}
	b = slices.Grow(b, len(p)+1+numDigits)
	if p != "" {
		b = append(append(b, p...), '_')
	}
	start := len(b)
	b, err = id.ULID().AppendText(b)
	for i := start; i < len(b); i++ {
		b[i] |= 'a' - 'A' // a bit that 0 to 9 have set
	}
	return b, err
}

// MarshalText returns what String returns. The error is that of [Valid].
func (id ID[K]) MarshalText() ([]byte, error) { return id.AppendText(nil) }

// UnmarshalText sets id as [Parse] does. On an error id keeps its value.
func (id *ID[K]) UnmarshalText(text []byte) error { return id.set(view(text)) }

// Scan sets id to a value from a database: text that [Parse] accepts, as string or []byte, an ID of the
// same kind, or what Scan of [ids.UUID] accepts. On an error id keeps its value.
func (id *ID[K]) Scan(src any) error {
	var s string
	switch v := src.(type) {
	case ID[K]:
		*id = v
		return nil
	case string:
		s = v
	case []byte:
		s = view(v)
	}
	hasPrefix := strings.Contains(s[:min(len(s), maxPrefix+1)], "_") // no text of a UUID has an underscore
	if len(s) == len(id.UUID) || len(s) != numDigits && !hasPrefix {
		return id.UUID.Scan(src)
	}
	return id.set(s)
}

// view returns b as a string without a copy, for calls that keep no part of it.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
