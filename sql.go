package ids

import (
	"bytes"
	"database/sql/driver"
	"encoding"
	"fmt"
)

// ID is the constraint of [Null]: a type of ids, or a struct of your own that only embeds one. The
// text of such a type has at most 90 bytes.
type ID interface {
	UUID | ULID | Snowflake | Binary[UUID] | Binary[ULID] |
		~struct{ UUID } | ~struct{ ULID } | ~struct{ Snowflake } | ~struct{ Binary[UUID] } | ~struct{ Binary[ULID] }
	driver.Valuer
	encoding.TextAppender
}

// Value returns u as text, which every database can store: for columns of 16 bytes, see
// [Binary]. The error is always nil.
func (u UUID) Value() (driver.Value, error) { return u.String(), nil }

// Scan sets u to a value from a database: text in any form that [ParseUUID] accepts, as string
// or []byte, or the 16 bytes themselves, as []byte, [16]byte or UUID. On an error u keeps its value.
func (u *UUID) Scan(src any) error {
	if scanBytes(u, src) {
		return nil
	}
	return scan(u, src, uuidNull, "string, []byte, [16]byte or UUID")
}

// Value returns u as text, which every database can store: for columns of 16 bytes, see
// [Binary]. The error is always nil.
func (u ULID) Value() (driver.Value, error) { return u.String(), nil }

// Scan sets u to a value from a database: text that [ParseULID] accepts, as string or []byte, or
// the 16 bytes themselves, as []byte, [16]byte or ULID. On an error u keeps its value.
func (u *ULID) Scan(src any) error {
	if scanBytes(u, src) {
		return nil
	}
	return scan(u, src, ulidNull, "string, []byte, [16]byte or ULID")
}

// Value returns s as an int64. The error is always nil.
func (s Snowflake) Value() (driver.Value, error) { return int64(s), nil }

// Scan sets s to a value from a database: an int64, a uint64, a Snowflake, or text that [ParseSnowflake]
// accepts, as string or []byte. Eight bytes are text too, never the id itself, since an id may have
// eight digits. On an error s keeps its value.
func (s *Snowflake) Scan(src any) error {
	switch v := src.(type) {
	case int64:
		if v < 0 {
			return scanError{parseError(snowflakeNegative, 0)}
		}
		*s = Snowflake(v)
	case uint64:
		if v>>63 != 0 {
			return scanError{parseError(snowflakeRange, 0)}
		}
		*s = Snowflake(v)
	case Snowflake:
		return s.Scan(int64(v))
	default:
		return scan(s, src, snowflakeNull, "int64, uint64, string, []byte or Snowflake")
	}
	return nil
}

// scanBytes sets dst to the 16 bytes that src is, if it is such.
func scanBytes[T UUID | ULID](dst *T, src any) bool {
	switch v := src.(type) {
	case []byte:
		if len(v) != 16 {
			return false
		}
		*dst = T(v)
	case [16]byte:
		*dst = T(v)
	case T:
		*dst = v
	default:
		return false
	}
	return true
}

// scan sets dst to the id that src holds as text. accepted names the types that src may have, and
// null is the problem if it is nil.
func scan(dst, src any, null problem, accepted string) error {
	var err error
	switch v := src.(type) {
	case []byte:
		err = parse(dst, view(v))
	case string:
		err = parse(dst, v)
	case nil:
		err = parseError(null, 0)
	default:
		return fmt.Errorf("ids: scanning %s: a value of type %T, want %s: %w", problems[null].scheme, src, accepted, ErrSyntax)
	}
	if err != nil {
		return scanError{err.(*ParseError)}
	}
	return nil
}

// parse sets dst to the id that s holds as text. On an error dst keeps its value. Each case writes
// to dst itself: to copy an id that was just written as two halves makes the processor wait.
func parse(dst any, s string) (err error) {
	switch p := dst.(type) {
	case *UUID:
		var u UUID
		if u, err = ParseUUID(s); err == nil {
			*p = u
		}
	case *ULID:
		var u ULID
		if u, err = ParseULID(s); err == nil {
			*p = u
		}
	case *Snowflake:
		var v Snowflake
		if v, err = ParseSnowflake(s); err == nil {
			*p = v
		}
	case *Binary[UUID]:
		err = parse(&p.ID, s)
	case *Binary[ULID]:
		err = parse(&p.ID, s)
	}
	return err
}

// unquote returns what is within the quotes of a JSON string, unescaped into buf if that has room
// for all of it. Otherwise it is longer than what the caller accepts.
func unquote(data, buf []byte) ([]byte, error) {
	if len(data) < 2 || data[0] != '"' || data[len(data)-1] != '"' {
		return nil, parseError(jsonQuotes, 0)
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
			return nil, parseError(jsonEscape, n)
		}
		buf[n], text = byte(hexValues[text[4]]<<4|hexValues[text[5]]), text[escape:]
	}
	return buf[:n], nil
}

// Null is an id that may be absent: NULL in a database, null in JSON, the empty text elsewhere. An
// empty string in a database or in JSON is an error. The zero value is absent. For columns of 16 bytes
// see [Binary].
type Null[T ID] struct {
	ID    T
	Valid bool // whether there is an id
}

// Scan sets n to a value from a database, which may be NULL, or to a Null. On an error n keeps its
// value.
func (n *Null[T]) Scan(src any) error {
	switch v := src.(type) {
	case nil:
		*n = Null[T]{}
		return nil
	case Null[T]:
		*n = v
		return nil
	}
	return n.set(any(&n.ID).(interface{ Scan(any) error }).Scan(src))
}

// set makes the id present unless a decoder of it returned an error, which left it as it was.
func (n *Null[T]) set(err error) error {
	n.Valid = n.Valid || err == nil
	return err
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

// String returns the id as text, or the empty text if it is absent.
func (n Null[T]) String() string {
	text, _ := n.AppendText(nil)
	return string(text)
}

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
	return n.set(any(&n.ID).(encoding.TextUnmarshaler).UnmarshalText(text))
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
	switch id := any(&n.ID).(type) {
	case interface{ UnmarshalJSON([]byte) error }:
		return n.set(id.UnmarshalJSON(data))
	case *UUID, *ULID, *Binary[UUID], *Binary[ULID]:
		var buf [maxText * escape]byte
		text, err := unquote(data, buf[:])
		if err == nil {
			err = parse(id, view(text))
		}
		return n.set(err)
	}
	var buf [maxOwnText * escape]byte
	text, err := unquote(data, buf[:])
	switch {
	case err != nil:
		return err
	case len(text) > len(buf):
		return parseError(jsonLength, 0)
	}
	return n.set(any(&n.ID).(encoding.TextUnmarshaler).UnmarshalText(bytes.Clone(text))) // buf stays on the stack
}

// Binary is an id that a database stores as its 16 bytes, for columns of type BINARY(16), BLOB
// or bytea. Its text and JSON are the id's. For a column that may be NULL use a [Null] of it, which
// packages uuid and ulid call NullBinary.
type Binary[T interface {
	UUID | ULID
	encoding.TextAppender
}] struct{ ID T }

// Value returns the 16 bytes of the id. The error is always nil.
func (b Binary[T]) Value() (driver.Value, error) {
	id := [16]byte(b.ID)
	return id[:], nil
}

// Scan sets b to a value from a database, as Scan of the id does, or to a Binary. On an error b keeps
// its value.
func (b *Binary[T]) Scan(src any) error {
	if v, ok := src.(Binary[T]); ok {
		*b = v
		return nil
	}
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
func (b *Binary[T]) UnmarshalText(text []byte) error { return parse(&b.ID, view(text)) }

// IsZero reports whether all bits of the id are zero. The omitzero option of struct tags uses it.
func (b Binary[T]) IsZero() bool { return b.ID == *new(T) }
