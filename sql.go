package ids

// This file contains the database methods Scan and Value, and the type Binary. It also contains the
// functions parse and textForm, which Null and Binary use for all types of ID.

import (
	"database/sql/driver"
	"encoding"
	"fmt"
)

// Value returns u as text. For a column of 16 bytes, use [UUID.Binary]. The error is always nil.
func (u UUID) Value() (driver.Value, error) { return u.String(), nil }

// Scan reads a string, a []byte, a [16]byte or a UUID from a database. A []byte of length 16
// contains the bytes of the UUID. Any other []byte, and any string, must be text that [ParseUUID]
// accepts. NULL is an error; for a column that can be NULL, use [Null]. After an error, u is
// unchanged.
//
// A []byte that consists of 16 letters, digits, hyphens, colons or opening braces is also an error,
// because it is probably truncated text. With INSERT IGNORE or an empty sql_mode, MySQL and MariaDB
// truncate text to fit into a BINARY(16) column. No UUID of [VariantRFC9562] consists of such
// bytes. If your column contains keys that consist of such characters, scan into a []byte and call
// [UUIDFromBytes].
func (u *UUID) Scan(src any) error {
	return scanBytes(u, src, uuidText, "string, []byte, [16]byte or UUID")
}

// Value returns u as text. For a column of 16 bytes, use [ULID.Binary]. The error is always nil.
func (u ULID) Value() (driver.Value, error) { return u.String(), nil }

// Scan reads a string, a []byte, a [16]byte or a ULID from a database. A []byte of length 16
// contains the bytes of the ULID. Any other []byte, and any string, must be text that [ParseULID]
// accepts. NULL is an error; for a column that can be NULL, use [Null]. After an error, u is
// unchanged.
//
// A []byte that consists of 16 letters, digits, hyphens, colons or opening braces is also an error,
// as it is for [UUID.Scan]. No ULID with a time before the year 3544 consists of such bytes.
func (u *ULID) Scan(src any) error {
	return scanBytes(u, src, ulidText, "string, []byte, [16]byte or ULID")
}

// Value returns s as an int64. The error is always nil.
func (s Snowflake) Value() (driver.Value, error) { return int64(s), nil }

// Scan reads an int64, a uint64, a string, a []byte or a Snowflake from a database. A []byte is
// always treated as decimal text and must have the form that [ParseSnowflake] accepts. NULL is an
// error; for a column that can be NULL, use [Null]. After an error, s is unchanged.
func (s *Snowflake) Scan(src any) error {
	switch v := src.(type) {
	case int64:
		if v < 0 {
			return scanError{parseError(snowflakeText, negative, 0)}
		}
		*s = Snowflake(v)
	case uint64:
		if v>>63 != 0 {
			return scanError{parseError(snowflakeText, tooLarge, 0)}
		}
		*s = Snowflake(v)
	case Snowflake:
		return s.Scan(int64(v))
	default:
		return scan(s, src, snowflakeText, "int64, uint64, string, []byte or Snowflake")
	}
	return nil
}

// scanBytes is like scan, but for an ID that a database may store as 16 bytes.
func scanBytes[T UUID | ULID](dst *T, src any, form form, accepted string) error {
	switch v := src.(type) {
	case T:
		*dst = v
		return nil
	case [16]byte:
		*dst = T(v)
		return nil
	case []byte:
		if len(v) == 16 {
			if isASCII((*[16]byte)(v)) && isText(v) {
				return scanError{parseError(form, truncatedText, 0)}
			}
			*dst = T(v)
			return nil
		}
	}
	return scan(dst, src, form, accepted)
}

// scan sets dst to the ID whose text is src. accepted lists the types that src may have.
func scan(dst, src any, form form, accepted string) error {
	var err error
	switch v := src.(type) {
	case []byte:
		err = parse(dst, view(v))
	case string:
		err = parse(dst, v)
	case nil:
		err = parseError(form, isNull, 0)
	default:
		return fmt.Errorf("ids: scanning %s: a value of type %T, want %s: %w", forms[form].scheme, src, accepted, ErrSyntax)
	}
	if err != nil {
		return scanError{err.(*ParseError)}
	}
	return nil
}

// decoder is the interface that a pointer to an ID implements for decoding.
type decoder interface {
	Scan(src any) error
	encoding.TextUnmarshaler
}

// Binary is an ID that a database stores as 16 bytes, in a column of type BINARY(16), BLOB or
// bytea. Its text and JSON forms are the same as the ID's. If the column can be NULL, use
// uuid.NullBinary or ulid.NullBinary, which combine [Null] and Binary.
type Binary[T interface {
	UUID | ULID
	encoding.TextAppender
}] struct{ ID T }

// Value returns the 16 bytes of the ID. The error is always nil.
func (b Binary[T]) Value() (driver.Value, error) {
	id := [16]byte(b.ID)
	return id[:], nil
}

// Scan reads a Binary or any value that the ID's Scan method reads. After an error, b is unchanged.
func (b *Binary[T]) Scan(src any) error {
	if v, ok := src.(Binary[T]); ok {
		*b = v
		return nil
	}
	return any(&b.ID).(decoder).Scan(src)
}

// String returns the ID as text.
func (b Binary[T]) String() string {
	text, _ := b.AppendText(make([]byte, 0, 36))
	return string(text)
}

// AppendText appends the ID as text. The error is always nil.
func (b Binary[T]) AppendText(text []byte) ([]byte, error) { return b.ID.AppendText(text) }

// MarshalText returns the ID as text. The error is always nil.
func (b Binary[T]) MarshalText() ([]byte, error) { return b.AppendText(make([]byte, 0, 36)) }

// UnmarshalText sets b to the ID in text. After an error, b is unchanged.
func (b *Binary[T]) UnmarshalText(text []byte) error { return parse(&b.ID, view(text)) }

// IsZero reports whether all bits of the ID are zero. The omitzero option of package encoding/json
// uses it.
func (b Binary[T]) IsZero() bool { return b.ID == *new(T) }

// parse sets dst to the ID whose text is s. After an error, dst is unchanged. Each case writes
// directly to dst. The ID in a separate variable would have to be copied, and the processor has to
// wait if it copies an ID that was just written as two halves.
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

// textForm returns the form of the ID's text. UUID, ULID and Snowflake have this method too, and so
// do structs that embed one of these types.
func (Binary[T]) textForm() form {
	if _, ok := any((*T)(nil)).(*UUID); ok {
		return uuidText
	}
	return ulidText
}

// formOf returns the form of id's text, for an ID of any type.
func formOf(id any) form {
	if id, ok := id.(interface{ textForm() form }); ok {
		return id.textForm()
	}
	return otherText
}

// Binary returns u as a query argument for a column of 16 bytes. Use it in INSERT statements and in
// WHERE clauses.
func (u UUID) Binary() Binary[UUID] { return Binary[UUID]{u} }

// Binary returns u as a query argument for a column of 16 bytes. Use it in INSERT statements and in
// WHERE clauses.
func (u ULID) Binary() Binary[ULID] { return Binary[ULID]{u} }
