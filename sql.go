package ids

import (
	"database/sql/driver"
	"fmt"
)

// Value returns u as text. For a column of 16 bytes pass [UUID.Binary]. The error is always nil.
func (u UUID) Value() (driver.Value, error) { return u.String(), nil }

// Scan reads a string, a []byte, a [16]byte or a UUID from a database. A []byte of length 16 is the id itself;
// any other, and a string, is text as [ParseUUID] reads it. NULL is an error: use [Null]. On an error u keeps
// its value.
//
// A []byte of the first 16 characters that [UUID.String] returns is an error, too: MySQL and MariaDB cut text
// to a BINARY(16), with INSERT IGNORE or an empty sql_mode. No UUID of [VariantRFC9562] has such bytes.
func (u *UUID) Scan(src any) error {
	if b, ok := src.([]byte); ok && len(b) == 16 && b[8] == '-' && startsUUID(b) {
		return scanError{parseError(uuidText, cutText, 0)}
	}
	if scanBytes(u, src) {
		return nil
	}
	return scan(u, src, uuidText, "string, []byte, [16]byte or UUID")
}

// Value returns u as text. For a column of 16 bytes pass [ULID.Binary]. The error is always nil.
func (u ULID) Value() (driver.Value, error) { return u.String(), nil }

// Scan reads a string, a []byte, a [16]byte or a ULID from a database. A []byte of length 16 is the id itself;
// any other, and a string, is text as [ParseULID] reads it. NULL is an error: use [Null]. On an error u keeps
// its value.
//
// A []byte of the first 16 characters that [ULID.String] returns is an error, too, as for [UUID.Scan]. No ULID
// of a time before the year 3600 has such bytes.
func (u *ULID) Scan(src any) error {
	if b, ok := src.([]byte); ok && len(b) == 16 && b[0] == '0' && startsULID(b) {
		return scanError{parseError(ulidText, cutText, 0)}
	}
	if scanBytes(u, src) {
		return nil
	}
	return scan(u, src, ulidText, "string, []byte, [16]byte or ULID")
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

// scanBytes sets dst to the 16 bytes that src is, if it is such.
func scanBytes[T UUID | ULID](dst *T, src any) bool {
	switch v := src.(type) {
	case T:
		*dst = v
		return true
	case [16]byte:
		*dst = T(v)
		return true
	case []byte:
		if len(v) == 16 {
			*dst = T(v)
			return true
		}
	}
	return false
}

// startsUUID reports whether 16 bytes are the first characters that String writes of some UUID. As an id they would
// be of VariantNCS, since the hyphen at 8 is 0x2d. Of random bytes one in 4 × 10^21 is such.
func startsUUID(b []byte) bool {
	for i, c := range b {
		hyphen := i == 8 || i == 13
		digit := '0' <= c && c <= '9' || 'a' <= c && c <= 'f'
		if hyphen && c != '-' || !hyphen && !digit {
			return false
		}
	}
	return true
}

// startsULID is the same for a ULID, if the first byte is 0, as in the text of times before the year 3084. As an id they
// would be of a time after the year 3600. Of random bytes one in 10^16 is such.
func startsULID(b []byte) bool {
	for _, c := range b {
		if 'a' <= c || base32Values[c] == noDigit { // String writes upper case
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
