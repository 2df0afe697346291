package ids

import (
	"bytes"
	"database/sql/driver"
	"encoding"
	"fmt"
)

// Nullable is what a [Null] can hold: an id of this package, a struct that embeds one and nothing else, without
// a tag, or an array of 16 bytes with the methods of a UUID, such as typeid.ID. Give your own array the methods
// Scan and UnmarshalText: without them only an absent Null can be read. Its text has at most 90 bytes, none
// that JSON escapes.
type Nullable interface {
	~[16]byte | Snowflake | Binary[UUID] | Binary[ULID] |
		~struct{ UUID } | ~struct{ ULID } | ~struct{ Snowflake } |
		~struct{ Binary[UUID] } | ~struct{ Binary[ULID] }
	driver.Valuer
	encoding.TextAppender
}

// Null is an id or nothing. The zero value is absent, and so is an ID whose Valid is false. Absent is NULL in a
// database, null in JSON and the empty text elsewhere. An empty string in a database or in JSON is an error.
//
// For a column of 16 bytes use a Null of [Binary]: uuid.NullBinary or ulid.NullBinary. Do not use a Null as the
// key of a map in JSON: before Go 1.27 an absent key is written, and cannot be read.
type Null[T Nullable] struct {
	ID    T
	Valid bool // whether there is an id
}

// decoder is what a pointer to an id has.
type decoder interface {
	Scan(src any) error
	encoding.TextUnmarshaler
}

// decode has read set the id, and marks it present on success. A type that cannot be read is an error. On an
// error nothing changes.
func (n *Null[T]) decode(read func(decoder) error) error {
	d, ok := any(&n.ID).(decoder)
	if !ok {
		return fmt.Errorf("ids: a Null cannot be read: %T has no methods Scan and UnmarshalText", &n.ID)
	}
	before := *n // an own decoder may write part of an id
	return n.set(before, read(d))
}

// Scan reads an id, NULL or a Null from a database. On an error n keeps its value.
func (n *Null[T]) Scan(src any) error {
	switch v := src.(type) {
	case nil:
		*n = Null[T]{}
		return nil
	case Null[T]:
		*n = v
		return nil
	}
	return n.decode(func(d decoder) error { return d.Scan(src) })
}

// set marks the id present, or takes n back to what it was before if err, that of its decoder, is not nil.
func (n *Null[T]) set(before Null[T], err error) error {
	n.Valid = true
	if err != nil {
		*n = before
	}
	return err
}

// Value returns nil if the id is absent, and otherwise what its own Value returns: for the types of
// this package the error is always nil.
func (n Null[T]) Value() (driver.Value, error) {
	if !n.Valid {
		return nil, nil
	}
	return n.ID.Value()
}

// IsZero reports whether the id is absent. The omitzero option of struct tags uses it.
func (n Null[T]) IsZero() bool { return !n.Valid }

// String returns the id as text, or the empty text if it is absent or AppendText fails.
func (n Null[T]) String() string {
	text, err := n.AppendText(nil)
	if err != nil {
		return ""
	}
	return string(text)
}

// AppendText appends the id as text, or nothing if it is absent. The error comes from the id's own AppendText:
// always nil for the types of this package.
func (n Null[T]) AppendText(b []byte) ([]byte, error) {
	if !n.Valid {
		return b, nil
	}
	return n.ID.AppendText(b)
}

// MarshalText returns the id as text, or no bytes if it is absent. The error comes from AppendText.
func (n Null[T]) MarshalText() ([]byte, error) { return n.AppendText([]byte{}) }

// UnmarshalText sets n to the id that text holds; no bytes mean that it is absent. On an error
// n keeps its value.
func (n *Null[T]) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*n = Null[T]{}
		return nil
	}
	return n.decode(func(d decoder) error { return d.UnmarshalText(text) })
}

// MarshalJSON returns null if the id is absent, and otherwise the id as its own MarshalJSON writes it, or as a
// JSON string if it has none. The error comes from MarshalJSON or AppendText. An id that is present must not write
// null: that is an error.
func (n Null[T]) MarshalJSON() ([]byte, error) {
	if !n.Valid {
		return []byte("null"), nil
	}
	switch any(&n.ID).(type) {
	case *UUID, *ULID, *Binary[UUID], *Binary[ULID]:
	default:
		id := n.ID
		if m, ok := any(&id).(interface{ MarshalJSON() ([]byte, error) }); ok {
			b, err := m.MarshalJSON()
			if err == nil && string(bytes.TrimSpace(b)) == "null" {
				err = fmt.Errorf("ids: an id of type %T that is present is null in JSON, as if it were absent", id)
			}
			return b, err
		}
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
	before := *n
	switch id := any(&n.ID).(type) {
	case interface{ UnmarshalJSON([]byte) error }:
		return n.set(before, id.UnmarshalJSON(data))
	case *UUID, *ULID, *Binary[UUID], *Binary[ULID]:
		var buf [maxText * escape]byte
		text, err := unquote(data, buf[:], formOf(id))
		if err == nil {
			err = parse(id, view(text))
		}
		return n.set(before, err)
	}
	var buf [maxOwnText * escape]byte
	form := formOf(&n.ID)
	text, err := unquote(data, buf[:], form)
	switch {
	case err != nil:
		return err
	case len(text) > len(buf):
		return parseError(form, longJSON, 0)
	}
	kept := bytes.Clone(text) // so that buf stays on the stack
	return n.decode(func(d decoder) error { return d.UnmarshalText(kept) })
}

// Binary is an id that a database stores as 16 bytes, in a column of type BINARY(16), BLOB or bytea. Its text
// and JSON are those of the id. If the column can be NULL, use a [Null] of it, which packages uuid and ulid
// call NullBinary.
type Binary[T interface {
	UUID | ULID
	encoding.TextAppender
}] struct{ ID T }

// Value returns the 16 bytes of the id. The error is always nil.
func (b Binary[T]) Value() (driver.Value, error) {
	id := [16]byte(b.ID)
	return id[:], nil
}

// Scan reads what Scan of the id does, or a Binary. On an error b keeps its value.
func (b *Binary[T]) Scan(src any) error {
	if v, ok := src.(Binary[T]); ok {
		*b = v
		return nil
	}
	return any(&b.ID).(decoder).Scan(src)
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

// parse sets dst to the id that s holds as text. On an error dst keeps its value. Each case writes
// to dst itself: to copy an id that was just written as two halves makes the processor wait.
func parse(dst any, s string) (err error) {
	switch p := dst.(type) {
	case *UUID:
		err = p.parse(s)
	case *ULID:
		err = p.parse(s)
	case *Snowflake:
		err = p.parse(s)
	case *Binary[UUID]:
		err = parse(&p.ID, s)
	case *Binary[ULID]:
		err = parse(&p.ID, s)
	}
	return err
}

// textForm returns the form of an id that is text. Structs that embed the id have it too.
func (UUID) textForm() form { return uuidText }

func (ULID) textForm() form { return ulidText }

func (Snowflake) textForm() form { return snowflakeText }

func (Binary[T]) textForm() form {
	if _, ok := any((*T)(nil)).(*UUID); ok {
		return uuidText
	}
	return ulidText
}

// formOf returns the form of any id that is text.
func formOf(id any) form {
	if id, ok := id.(interface{ textForm() form }); ok {
		return id.textForm()
	}
	return otherText
}

// Binary returns u as an argument for a column of 16 bytes. Use it in INSERT and in WHERE.
func (u UUID) Binary() Binary[UUID] { return Binary[UUID]{u} }

// Binary returns u as an argument for a column of 16 bytes. Use it in INSERT and in WHERE.
func (u ULID) Binary() Binary[ULID] { return Binary[ULID]{u} }
