package ids

import (
	"bytes"
	"database/sql/driver"
	"encoding"
	"fmt"
	"strconv"
)

// Value returns u as text, which every database can store: for columns of 16 bytes, see
// [Binary]. The error is always nil.
func (u UUID) Value() (driver.Value, error) { return u.String(), nil }

// Scan sets u to a value from a database: text in any form that [ParseUUID] accepts, as string
// or []byte, or a []byte of the 16 bytes themselves. On an error u keeps its value.
func (u *UUID) Scan(src any) error { return scan("UUID", "string or []byte", src, len(u), u) }

// Value returns u as text, which every database can store: for columns of 16 bytes, see
// [Binary]. The error is always nil.
func (u ULID) Value() (driver.Value, error) { return u.String(), nil }

// Scan sets u to a value from a database: text that [ParseULID] accepts, as string or []byte, or
// a []byte of the 16 bytes themselves. On an error u keeps its value.
func (u *ULID) Scan(src any) error { return scan("ULID", "string or []byte", src, len(u), u) }

// Value returns s as an int64. The error is always nil.
func (s Snowflake) Value() (driver.Value, error) { return int64(s), nil }

// Scan sets s to a value from a database: an int64, text that [ParseSnowflake] accepts, as
// string or []byte, or a []byte of 8 bytes, big-endian, that are not all digits. On an error s
// keeps its value.
func (s *Snowflake) Scan(src any) error {
	if v, ok := src.(int64); ok {
		if v < 0 {
			return fmt.Errorf("ids: scanning Snowflake: %w", parseError(snowflakeRange, 0))
		}
		*s = Snowflake(v)
		return nil
	}
	size := 8
	if b, ok := src.([]byte); ok && len(b) == size && allDigits(b) {
		size = -1 // text of eight digits
	}
	return scan("Snowflake", "int64, string or []byte", src, size, s)
}

// allDigits reports whether b is decimal digits throughout. Read as eight bytes, digits would be a
// time of centuries hence in any layout in use.
func allDigits(b []byte) bool {
	for _, c := range b {
		if c-'0' > 9 {
			return false
		}
	}
	return true
}

// decoder is what scan needs of an id.
type decoder interface {
	encoding.TextUnmarshaler
	encoding.BinaryUnmarshaler
}

// scan sets dst, of the named scheme and the given size in bytes, to src, which should be of
// one of the accepted types.
func scan(scheme, accepted string, src any, size int, dst decoder) (err error) {
	switch v := src.(type) {
	case []byte:
		if len(v) == size {
			err = dst.UnmarshalBinary(v)
		} else {
			err = dst.UnmarshalText(v)
		}
	case string:
		err = dst.UnmarshalText(viewBytes(v))
	case nil:
		return fmt.Errorf("ids: scanning %s: NULL: scan into an ids.Null[ids.%[1]s] or into a pointer to a *ids.%[1]s: %w", scheme, ErrSyntax)
	default:
		return fmt.Errorf("ids: scanning %s: a value of type %T: want %s: %w", scheme, src, accepted, ErrSyntax)
	}
	if err != nil {
		return fmt.Errorf("ids: scanning %s: %w", scheme, err)
	}
	return nil
}

// An identifier is what the wrappers below need of the id within.
type identifier interface {
	driver.Valuer
	encoding.TextAppender
	comparable
}

// Null is an id that may be absent: NULL in a database, null in JSON and the empty text
// elsewhere. The zero value is absent.
type Null[T interface {
	UUID | ULID | Snowflake
	identifier
}] struct {
	ID    T
	Valid bool // ID is there
}

// Scan sets n to a value from a database, which may be NULL. On an error n keeps its value.
func (n *Null[T]) Scan(src any) error {
	if src == nil {
		*n = Null[T]{}
		return nil
	}
	var id T
	if err := any(&id).(interface{ Scan(any) error }).Scan(src); err != nil {
		return err
	}
	*n = Null[T]{id, true}
	return nil
}

// Value returns nil if the id is absent, and otherwise what its own Value returns. The error is
// always nil.
func (n Null[T]) Value() (driver.Value, error) {
	if !n.Valid {
		return nil, nil
	}
	return n.ID.Value()
}

// IsZero reports whether the id is absent. The omitzero option of struct tags uses it.
func (n Null[T]) IsZero() bool { return !n.Valid }

// AppendText appends the id as text, or nothing if it is absent. The error is always nil.
func (n Null[T]) AppendText(b []byte) ([]byte, error) {
	if !n.Valid {
		return b, nil
	}
	return n.ID.AppendText(b)
}

// MarshalText returns the id as text, or no bytes if it is absent. The error is always nil.
func (n Null[T]) MarshalText() ([]byte, error) { return n.AppendText([]byte{}) }

// UnmarshalText sets n to the id that text holds; no bytes mean that it is absent. On an error
// n keeps its value.
func (n *Null[T]) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*n = Null[T]{}
		return nil
	}
	var id T
	if err := any(&id).(encoding.TextUnmarshaler).UnmarshalText(text); err != nil {
		return err
	}
	*n = Null[T]{id, true}
	return nil
}

// MarshalJSON returns null if the id is absent, and otherwise the id as a JSON string. The
// error is always nil.
func (n Null[T]) MarshalJSON() ([]byte, error) {
	if !n.Valid {
		return []byte("null"), nil
	}
	b, err := n.ID.AppendText([]byte{'"'})
	return append(b, '"'), err
}

// UnmarshalJSON sets n to the id in a JSON string, or makes it absent if data is null. A
// Snowflake may also be a bare number. On an error n keeps its value.
func (n *Null[T]) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		*n = Null[T]{}
		return nil
	}
	var id T
	if s, ok := any(&id).(*Snowflake); ok {
		if err := s.UnmarshalJSON(data); err != nil {
			return err
		}
	} else {
		text, quoted, err := unquote(data)
		if err != nil {
			return err
		}
		if !quoted {
			return parseError(jsonQuote, 0)
		}
		if err := any(&id).(encoding.TextUnmarshaler).UnmarshalText(text); err != nil {
			return err
		}
	}
	*n = Null[T]{id, true}
	return nil
}

// unquote returns the text of a JSON string, or data itself if there is no quote.
func unquote(data []byte) (text []byte, quoted bool, err error) {
	if len(data) == 0 || data[0] != '"' {
		return data, false, nil
	}
	if len(data) < 2 || data[len(data)-1] != '"' {
		return nil, true, parseError(jsonQuote, len(data))
	}
	escape := bytes.IndexByte(data, '\\')
	if escape < 0 {
		return data[1 : len(data)-1], true, nil
	}
	// Of the escapes of JSON, those that can stand for a character of an id are Go's too.
	s, err := strconv.Unquote(string(data))
	if err != nil {
		return nil, true, parseError(jsonQuote, escape)
	}
	return []byte(s), true, nil
}

// Binary is an id that a database stores as its 16 bytes, for columns of type BINARY(16), BLOB
// or bytea. In JSON and other text it is as the id alone. For a column that may be NULL use a
// *Binary.
type Binary[T interface {
	UUID | ULID
	identifier
}] struct{ ID T }

// Value returns the 16 bytes of the id. The error is always nil.
func (b Binary[T]) Value() (driver.Value, error) {
	id := [16]byte(b.ID)
	return id[:], nil
}

// Scan sets b to a value from a database: the 16 bytes or text. On an error b keeps its value.
func (b *Binary[T]) Scan(src any) error {
	return any(&b.ID).(interface{ Scan(any) error }).Scan(src)
}

// String returns the id as text.
func (b Binary[T]) String() string {
	text, _ := b.AppendText(make([]byte, 0, 36))
	return string(text)
}

// AppendText appends the id as text. The error is always nil.
func (b Binary[T]) AppendText(text []byte) ([]byte, error) { return b.ID.AppendText(text) }

// MarshalText returns the id as text. The error is always nil.
func (b Binary[T]) MarshalText() ([]byte, error) { return b.AppendText(make([]byte, 0, 36)) }

// UnmarshalText sets b to the id that text holds. On an error b keeps its value.
func (b *Binary[T]) UnmarshalText(text []byte) error {
	return any(&b.ID).(encoding.TextUnmarshaler).UnmarshalText(text)
}

// IsZero reports whether all bits of the id are zero. The omitzero option of struct tags uses it.
func (b Binary[T]) IsZero() bool { return b.ID == *new(T) }
