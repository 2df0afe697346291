package ids

// This file contains Null, an ID that may be absent in databases, JSON and text.

import (
	"bytes"
	"database/sql/driver"
	"encoding"
	"fmt"
)

// Nullable is the type constraint for the ID in a [Null]. It permits an ID type of this package, a
// struct that embeds such a type without a tag and has no other field, and an array of 16 bytes
// with the methods of a UUID, such as typeid.ID. Give your own array type the methods Scan and
// UnmarshalText; without them, only an absent Null can be read. The text of such a type must have
// at most 90 bytes and need no escaping in JSON.
type Nullable interface {
	~[16]byte | Snowflake | Binary[UUID] | Binary[ULID] |
		~struct{ UUID } | ~struct{ ULID } | ~struct{ Snowflake } |
		~struct{ Binary[UUID] } | ~struct{ Binary[ULID] }
	driver.Valuer
	encoding.TextAppender
}

// Null is an ID that may be absent. It is absent if Valid is false, as in the zero value. An absent
// ID is NULL in a database, null in JSON and an empty string in other text. An empty string in a
// database or in JSON is an error.
//
// For a column of 16 bytes, use uuid.NullBinary or ulid.NullBinary, which combine Null and
// [Binary]. Do not use a Null as a map key in JSON, because before Go 1.27, an absent key can be
// marshaled but not unmarshaled.
type Null[T Nullable] struct {
	ID    T
	Valid bool // whether ID is present
}

// decode calls read to set the ID, and marks the ID as present. It returns an error if the type has
// no decoder methods. After an error, n is unchanged.
func (n *Null[T]) decode(read func(decoder) error) error {
	d, ok := any(&n.ID).(decoder)
	if !ok {
		return fmt.Errorf("ids: a Null cannot be read: %T has no methods Scan and UnmarshalText", &n.ID)
	}
	before := *n // a custom decoder may write part of an ID
	return n.set(before, read(d))
}

// Scan reads an ID, NULL or a Null from a database. After an error, n is unchanged.
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

// set marks the ID as present if err, the error from the ID's decoder, is nil. Otherwise, it
// restores the earlier value of n, which is in before.
func (n *Null[T]) set(before Null[T], err error) error {
	n.Valid = true
	if err != nil {
		*n = before
	}
	return err
}

// Value returns nil if the ID is absent. Otherwise, it calls the ID's Value method. The error is
// always nil for the types of this package.
func (n Null[T]) Value() (driver.Value, error) {
	if !n.Valid {
		return nil, nil
	}
	return n.ID.Value()
}

// IsZero reports whether the ID is absent. The omitzero option of package encoding/json uses it.
func (n Null[T]) IsZero() bool { return !n.Valid }

// String returns the ID as text, or an empty string if the ID is absent or AppendText fails.
func (n Null[T]) String() string {
	text, err := n.AppendText(nil)
	if err != nil {
		return ""
	}
	return string(text)
}

// AppendText appends the ID as text, or nothing if it is absent. The error comes from the ID's
// AppendText method. It is always nil for the types of this package.
func (n Null[T]) AppendText(b []byte) ([]byte, error) {
	if !n.Valid {
		return b, nil
	}
	return n.ID.AppendText(b)
}

// MarshalText returns the ID as text, or no bytes if it is absent. The error comes from AppendText.
func (n Null[T]) MarshalText() ([]byte, error) { return n.AppendText([]byte{}) }

// UnmarshalText sets n to the ID in text, or makes it absent if text is empty. After an error, n is
// unchanged.
func (n *Null[T]) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*n = Null[T]{}
		return nil
	}
	return n.decode(func(d decoder) error { return d.UnmarshalText(text) })
}

// MarshalJSON returns null if the ID is absent. Otherwise, it calls the ID's MarshalJSON method or,
// if there is none, returns the ID's text as a JSON string. The error comes from the ID's
// MarshalJSON or AppendText method. It is also an error if the ID's method returns null for an ID
// that is present.
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
				err = fmt.Errorf("ids: an ID of type %T is present but null in JSON", id)
			}
			return b, err
		}
	}
	b, err := n.ID.AppendText([]byte{'"'})
	return append(b, '"'), err
}

// UnmarshalJSON sets n to the ID in a JSON string, or makes it absent if data is null. A Snowflake
// may also be a number without quotes. After an error, n is unchanged.
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
	var buf [maxCustomText * escape]byte
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
