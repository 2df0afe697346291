package ids

import (
	"database/sql/driver"
	"encoding/binary"
	"fmt"
)

// Value returns u as text. For a column of 16 bytes pass [UUID.Binary]. The error is always nil.
func (u UUID) Value() (driver.Value, error) { return u.String(), nil }

// Scan reads a string, a []byte, a [16]byte or a UUID from a database. A []byte of length 16 is the id itself;
// any other, and a string, is text as [ParseUUID] reads it. NULL is an error: use [Null]. On an error u keeps
// its value.
//
// A []byte of 16 letters, digits, hyphens, colons or opening braces is an error, too: MySQL and MariaDB cut text to
// a BINARY(16), with INSERT IGNORE or an empty sql_mode. No UUID of [VariantRFC9562] has such bytes. If a column of
// yours has keys of such characters, read a []byte, and use [UUIDFromBytes].
func (u *UUID) Scan(src any) error {
	return scanBytes(u, src, uuidText, "string, []byte, [16]byte or UUID")
}

// Value returns u as text. For a column of 16 bytes pass [ULID.Binary]. The error is always nil.
func (u ULID) Value() (driver.Value, error) { return u.String(), nil }

// Scan reads a string, a []byte, a [16]byte or a ULID from a database. A []byte of length 16 is the id itself;
// any other, and a string, is text as [ParseULID] reads it. NULL is an error: use [Null]. On an error u keeps
// its value.
//
// A []byte of 16 letters, digits, hyphens, colons or opening braces is an error, too, as for [UUID.Scan]. No ULID
// of a time before the year 3544 has such bytes.
func (u *ULID) Scan(src any) error {
	return scanBytes(u, src, ulidText, "string, []byte, [16]byte or ULID")
}

// Value returns s as an int64. The error is always nil.
func (s Snowflake) Value() (driver.Value, error) { return int64(s), nil }

// Scan reads an int64, a uint64, a string, a []byte or a Snowflake from a database. A []byte is always decimal
// text, as [ParseSnowflake] reads it. NULL is an error: use [Null]. On an error s keeps its value.
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

// scanBytes is scan for an id that a database may store as its 16 bytes.
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
				return scanError{parseError(form, cutText, 0)}
			}
			*dst = T(v)
			return nil
		}
	}
	return scan(dst, src, form, accepted)
}

// isASCII reports whether no byte has its highest bit set, as byte 8 of each UUID of the RFC has. It is apart from isText so
// that it is inlined.
func isASCII(b *[16]byte) bool {
	const highest = 0x8080808080808080
	return (binary.LittleEndian.Uint64(b[:8])|binary.LittleEndian.Uint64(b[8:]))&highest == 0
}

// isText reports whether all bytes are characters that texts of ids have, so that b is the beginning of one. Of 16 random
// bytes one in 3 × 10^9 is such, and no id of a usual kind: the first byte of a ULID is less than a hyphen for 1,500 years.
func isText(b []byte) bool {
	for _, c := range b {
		letter := 'a' <= c|' ' && c|' ' <= 'z'
		if !letter && (c < '0' || ':' < c) && c != '-' && c != '{' {
			return false
		}
	}
	return true
}

// scan sets dst to the id that src holds as text. accepted names the types that src may have.
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
