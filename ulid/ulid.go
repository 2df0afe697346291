// Package ulid generates, parses and stores ULIDs, which are 26-character IDs that sort by time.
// [Make] returns a new ULID.
//
// The types are aliases for types in package [ids], which documents their methods. The
// documentation of [ULID] lists its methods. To read about a method in a terminal, run: go doc
// github.com/oneclock/ids.ULID.Time. Package ids also documents the promises, clocks and
// generators.
package ulid

import (
	"time"

	"github.com/oneclock/ids"
)

// ULID is a 16-byte ID that consists of 48 bits for the milliseconds since 1970, followed by 80
// bits of randomness, as in the [specification]. Its text has 26 characters and sorts in the same
// order as its bytes. ULIDs can be compared with == and used as map keys. A ULID can be converted
// to and from any other type whose underlying type is [16]byte.
//
// ULID is an alias for [ids.ULID], which has these fields and methods:
//
//   - Fields: [ids.ULID.Time], [ids.ULID.Entropy]
//   - Text: [ids.ULID.String], [ids.ULID.Base58], [ids.ULID.GoString]
//   - Comparison: [ids.ULID.Compare], [ids.ULID.IsZero]
//   - Other IDs: [ids.ULID.UUID], [ids.ULID.Increment]
//   - Databases: [ids.ULID.Binary], [ids.ULID.Value], [ids.ULID.Scan]
//   - Encodings: [ids.ULID.AppendText], [ids.ULID.MarshalText], [ids.ULID.UnmarshalText],
//     [ids.ULID.AppendBinary], [ids.ULID.MarshalBinary], [ids.ULID.UnmarshalBinary]
//
// [specification]: https://github.com/ulid/spec
type ULID = ids.ULID

// Null is an ID that may be absent. It is absent if Valid is false, as in the zero value. An absent
// ID is NULL in a database, null in JSON and an empty string in other text. An empty string in a
// database or in JSON is an error.
//
// For a column of 16 bytes, use uuid.NullBinary or ulid.NullBinary, which combine Null and
// [Binary]. Do not use a Null as a map key in JSON, because before Go 1.27, an absent key can be
// marshaled but not unmarshaled.
//
// For its fields and methods, see [ids.Null].
type Null = ids.Null[ids.ULID]

// Binary is an ID that a database stores as 16 bytes, in a column of type BINARY(16), BLOB or
// bytea. Its text and JSON forms are the same as the ID's. If the column can be NULL, use
// [NullBinary].
//
// For its fields and methods, see [ids.Binary].
type Binary = ids.Binary[ids.ULID]

// NullBinary is a [Binary] that may be absent. It is absent if Valid is false, as in the zero
// value. An absent Binary is NULL in a database, null in JSON and an empty string in other text. An
// empty string in a database or in JSON is an error.
//
// For its fields and methods, see [ids.Null].
type NullBinary = ids.Null[ids.Binary[ids.ULID]]

// ParseError describes an error in the text or bytes of an ID. It contains the offset of the
// invalid byte, if there is one, but not the input. Parse functions and Unmarshal methods return a
// *ParseError. Errors from Scan methods wrap a *ParseError, unless Scan does not accept the type of
// the value.
//
// For its fields and methods, see [ids.ParseError].
type ParseError = ids.ParseError

// Errors from [Parse] match ErrSyntax or ErrRange when tested with [errors.Is]. If the length is
// wrong, they also match ErrLength. Errors from [MakeAt] match ErrRange.
var (
	ErrSyntax = ids.ErrSyntax
	ErrLength = ids.ErrLength
	ErrRange  = ids.ErrRange
)

// Make returns a new ULID. Each ULID is greater than the previous one, across all goroutines. If
// the wall clock is set back by more than 10 s, ULIDs restart at the earlier time.
func Make() ULID { return ids.NewULID() }

// MakeAt returns a ULID with time t, which is rounded down to the millisecond. Use it for
// records from the past. ULIDs with the same time are in no particular order. For ascending ULIDs,
// use a clock whose [ids.ClockOptions.Now] returns t. The error matches [ErrRange] if t is before
// 1970 or after 10889-08-02T05:31:50.655Z.
func MakeAt(t time.Time) (ULID, error) { return ids.NewULIDAt(t) }

// MinAt returns the smallest ULID in t's millisecond. Use it like [ids.MinV7At]. A time out of
// range is treated as the nearest time in range.
func MinAt(t time.Time) ULID { return ids.MinULIDAt(t) }

// MaxAt returns the greatest ULID in t's millisecond. Use it as the upper bound of a time range
// that includes its end. A time out of range is treated as the nearest time in range.
func MaxAt(t time.Time) ULID { return ids.MaxULIDAt(t) }

// Append appends n ULIDs to dst, in increasing order. It panics if n is negative or more than a
// slice can hold.
func Append(dst []ULID, n int) []ULID { return ids.AppendULID(dst, n) }

// Parse reads the 26 characters of a ULID in Crockford's Base32, in upper or lower case, up to
// 7ZZZZZZZZZZZZZZZZZZZZZZZZZ. The letters I, L, O and U are not accepted. The error is a
// *[ParseError].
func Parse(s string) (ULID, error) { return ids.ParseULID(s) }

// MustParse is like [Parse] but panics if s is invalid. The panic value is an error that
// quotes s.
func MustParse(s string) ULID { return ids.MustParseULID(s) }

// ParseBase58 reads the 22 characters that [ids.ULID.Base58] returns. The error is a *[ParseError].
func ParseBase58(s string) (ULID, error) { return ids.ParseULIDBase58(s) }

// FromBytes returns the ULID with the 16 bytes of b, even if [ids.ULID.Scan] would reject them as
// truncated text. If b has any other length, the error is a *[ParseError] that matches [ErrLength].
// (The conversion ULID(b) would take the first 16 bytes of a longer slice.)
func FromBytes(b []byte) (ULID, error) { return ids.ULIDFromBytes(b) }
