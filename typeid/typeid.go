package typeid

// This file contains the IDs whose prefix is known at compile time, and their encodings.

import (
	"database/sql/driver"
	"fmt"
	"strings"
	"time"

	"github.com/oneclock/ids"
)

// A Kind represents a kind of ID, such as user IDs. The type argument for a Kind must not be an
// interface type. Prefix is called on the zero value of the type and must always return the same
// string. A prefix consists of at most 63 characters from a to z and _. The first and the last
// character must be letters. If the prefix is empty, the text of an ID contains no underscore.
type Kind interface{ Prefix() string }

// ID is an ID of kind K. It has the 16 bytes of a UUID. Its text is the kind's prefix, an
// underscore and 26 lowercase Crockford Base32 digits. To use the other methods of a UUID, call
// [ID.UUID] first. The zero value is the Nil UUID, whose digits are all zeros.
type ID[K Kind] [16]byte // not a struct, because GORM reads lists of structs as field conditions

// Null is an [ID] that may be absent. An absent ID is NULL in a database, null in JSON and empty
// text elsewhere. See [ids.Null].
type Null[K Kind] = ids.Null[ID[K]]

// New returns a new ID whose UUID comes from [ids.NewV7]. It panics if the prefix is invalid.
func New[K Kind]() ID[K] { return From[K](ids.NewV7()) }

// From returns the ID with the bits of u, which may have any version. It panics if the prefix is
// invalid.
func From[K Kind](u ids.UUID) ID[K] {
	if err := CheckPrefix[K](); err != nil {
		panic(err)
	}
	return ID[K](u)
}

// Parse parses the text of an ID of kind K. It accepts only lowercase text. For the errors, see the
// package comment.
func Parse[K Kind](s string) (ID[K], error) { return parse[K](s) }

// MustParse is like [Parse] but panics if s is invalid. The panic value is an error that quotes s.
func MustParse[K Kind](s string) ID[K] {
	id, err := Parse[K](s)
	if err != nil {
		panic(fmt.Errorf("%w: %q", err, s))
	}
	return id
}

// CheckPrefix returns an error if the prefix of K is invalid. In a test, call it once for each
// kind.
func CheckPrefix[K Kind]() error {
	_, err := prefix[K]()
	return err
}

// prefix returns the prefix of K, or an error if it is invalid.
func prefix[K Kind]() (string, error) {
	var kind K
	if any(kind) == nil {
		return "", fmt.Errorf("typeid: a Kind must be a type with a method, not the interface %s", strings.TrimPrefix(fmt.Sprintf("%T", &kind), "*"))
	}
	p := kind.Prefix()
	if err := checkPrefix(p); err != nil {
		return "", fmt.Errorf("%v: %q of %T", err, p, kind) // it does not match ids.ErrSyntax
	}
	return p, nil
}

// parse returns the ID whose text is s.
func parse[K Kind, T string | []byte](s T) (ID[K], error) {
	p, err := prefix[K]()
	if err != nil {
		return ID[K]{}, err
	}
	start := 0 // offset of the digits
	if p != "" {
		start = len(p) + 1
		if len(s) < start || string(s[:len(p)]) != p || s[len(p)] != '_' {
			return ID[K]{}, wrongPrefix[K](s, p)
		}
	}
	u, err := parseDigits(s, start)
	return ID[K](u), err
}

// set sets id to parsed if err is nil. It returns err.
func (id *ID[K]) set(parsed ID[K], err error) error {
	if err == nil {
		*id = parsed
	}
	return err
}

// UUID returns the UUID with the bits of id.
func (id ID[K]) UUID() ids.UUID { return ids.UUID(id) }

// Version returns the version of the UUID, like [ids.UUID.Version]. It is 7 for IDs from [New].
func (id ID[K]) Version() int { return ids.UUID(id).Version() }

// Time returns the time of the UUID, like [ids.UUID.Time]. ok reports whether the UUID's version
// contains a time.
func (id ID[K]) Time() (t time.Time, ok bool) { return ids.UUID(id).Time() }

// IsZero reports whether all bits of id are zero. The omitzero option of struct tags uses it.
func (id ID[K]) IsZero() bool { return id == ID[K]{} }

// Compare returns -1 if id < other, 0 if they are equal and +1 if id > other, in byte order. Their
// text forms sort in the same order.
func (id ID[K]) Compare(other ID[K]) int { return ids.UUID(id).Compare(ids.UUID(other)) }

// String returns the text of id. It panics if the prefix is invalid.
func (id ID[K]) String() string {
	var buf [maxText]byte
	text, err := id.AppendText(buf[:0])
	if err != nil {
		panic(err)
	}
	return string(text)
}

// GoString returns a Go expression for id, for the verb %#v. It panics if the prefix is invalid.
func (id ID[K]) GoString() string {
	return fmt.Sprintf("typeid.MustParse[%T](%q)", *new(K), id.String())
}

// AppendText appends the text form of id to b. It returns an error only if [CheckPrefix] does.
func (id ID[K]) AppendText(b []byte) ([]byte, error) {
	p, err := prefix[K]()
	if err != nil {
		return b, err
	}
	return appendText(b, p, ids.UUID(id)), nil
}

// MarshalText returns the text of id. It returns an error only if [CheckPrefix] does.
func (id ID[K]) MarshalText() ([]byte, error) { return id.AppendText(nil) }

// UnmarshalText sets id to the result of [Parse]. After an error, id is unchanged.
func (id *ID[K]) UnmarshalText(text []byte) error { return id.set(parse[K](text)) }

// AppendBinary appends the 16 bytes of id. The error is always nil.
func (id ID[K]) AppendBinary(b []byte) ([]byte, error) { return append(b, id[:]...), nil }

// MarshalBinary returns the 16 bytes of id. The error is always nil.
func (id ID[K]) MarshalBinary() ([]byte, error) { return id[:], nil }

// UnmarshalBinary sets id to the 16 bytes of data. After an error, id is unchanged.
func (id *ID[K]) UnmarshalBinary(data []byte) error {
	if len(data) != len(id) {
		return fault(wrongBinary, len(data))
	}
	*id = ID[K](data)
	return nil
}

// Value returns the UUID as text, without the prefix. The error is always nil.
func (id ID[K]) Value() (driver.Value, error) { return ids.UUID(id).Value() }

// Scan reads a string or []byte whose text [Parse] accepts, an ID of the same kind, or any value
// that [ids.UUID.Scan] accepts. It returns an error for a []byte of 16 letters, digits,
// underscores, hyphens, colons or opening braces, which is probably text that was truncated to fit
// a column of 16 bytes. NULL is an error; for a column that can be NULL, use [Null]. After an
// error, id is unchanged.
func (id *ID[K]) Scan(src any) error {
	var read ID[K]
	var err error
	switch v := src.(type) {
	case string:
		read, err = parse[K](v)
	case []byte:
		switch {
		case len(v) != len(id):
			read, err = parse[K](v)
		case isText(v):
			return fault(cut, 0)
		default:
			read = ID[K](v)
		}
	case ID[K]:
		read = v
	case ids.UUID:
		read = ID[K](v)
	case [16]byte:
		read = v
	case nil:
		return fault(null, 0)
	default:
		err = fmt.Errorf("typeid: scanning a value of type %T, want string, []byte, [16]byte, ids.UUID or %T: %w", src, *id, ids.ErrSyntax)
	}
	if err != nil && (*ids.UUID)(id).Scan(src) == nil { // the text of a UUID
		return nil
	}
	return id.set(read, err)
}

// A prefixError means that text does not begin with the kind's prefix and an underscore. Its value
// is the index of the first byte that differs, or noByte if the text ends before such a byte. A
// prefixError is a single byte because converting a single-byte value to an interface does not
// allocate.
type prefixError[K Kind] uint8

const noByte = 255

// wrongPrefix returns the error for text that does not begin with p and an underscore.
func wrongPrefix[K Kind, T string | []byte](text T, p string) error {
	at := 0
	for at < len(text) && at < len(p) && text[at] == p[at] {
		at++
	}
	if at == len(text) {
		at = noByte
	}
	return prefixError[K](at)
}

func (prefixError[K]) Error() string {
	var kind K
	return fmt.Sprintf("typeid: prefix is not %q", kind.Prefix()+"_")
}

// Scheme returns "TypeID".
func (prefixError[K]) Scheme() string { return "TypeID" }

// Offset returns the index of the first byte that differs from the prefix. ok is false if the text
// ends before such a byte.
func (e prefixError[K]) Offset() (offset int, ok bool) {
	if e == noByte {
		return 0, false
	}
	return int(e), true
}

// Unwrap returns [ids.ErrSyntax].
func (prefixError[K]) Unwrap() error { return ids.ErrSyntax }
