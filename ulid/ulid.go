// Package ulid mints, parses and stores ULIDs: see [Make].
//
// The types are aliases of types in package [ids], under shorter names. Their methods are
// documented there: see [ids.ULID], [ids.Null], [ids.Binary] and [ids.ParseError]. Package ids also
// documents what is promised about uniqueness, order and time, and has the options: see
// [ids.NewGenerator] and [ids.NewClock]. In a terminal: go doc github.com/oneclock/ids.ULID.Time.
// The module needs Go 1.25 or later.
package ulid

import (
	"time"

	"github.com/oneclock/ids"
)

// ULID is a universally unique lexicographically sortable identifier: 48 bits of
// milliseconds since 1970 and 80 random bits, in network byte order. The first ULID of a
// millisecond has 79 random bits: the top one is clear, so that later ones fit above it. ULID is
// comparable, and converts freely to and from any other type whose underlying type is [16]byte.
// See the [specification].
//
// For its fields and methods see [ids.ULID].
//
// [specification]: https://github.com/ulid/spec
type ULID = ids.ULID

// Null is an id that may be absent: NULL in a database, null in JSON, the empty text elsewhere. An
// empty string in a database or in JSON is an error. The zero value is absent, and so is an ID whose Valid
// is not set. For columns of 16 bytes see [Binary]. Do not use a Null as the key of a map in JSON: Go 1.26 and
// earlier write an absent one, and do not read it back.
//
// For its fields and methods see [ids.Null].
type Null = ids.Null[ids.ULID]

// Binary is an id that a database stores as its 16 bytes, for columns of type BINARY(16), BLOB
// or bytea. Its text and JSON are the id's. For a column that may be NULL see [NullBinary].
//
// For its fields and methods see [ids.Binary].
type Binary = ids.Binary[ids.ULID]

// NullBinary is a [Binary] that may be absent: a database stores 16 bytes or NULL. Absent, it is null in
// JSON, and the empty text elsewhere. An empty string in a database or in JSON is an error. The zero value
// is absent.
//
// For its fields and methods see [ids.Null].
type NullBinary = ids.Null[ids.Binary[ids.ULID]]

// ParseError says what is wrong with the text or binary form of an id, and where. The Parse
// functions and Unmarshal methods return a *ParseError. The errors of Scan wrap one, except for
// NULL and for a value of a type that is not accepted. It does not repeat the input, and costs no allocation.
//
// For its fields and methods see [ids.ParseError].
type ParseError = ids.ParseError

// The errors of [Parse] match ErrSyntax or ErrRange by [errors.Is], and ErrLength if the length is
// wrong. The errors of [MakeAt] match ErrRange.
var (
	ErrSyntax = ids.ErrSyntax
	ErrLength = ids.ErrLength
	ErrRange  = ids.ErrRange
)

// Make returns a ULID of the current time. Successive ULIDs strictly increase unless the wall
// clock is set back by more than 10 s.
func Make() ULID { return ids.NewULID() }

// MakeAt returns a ULID of time t, to the millisecond, with 80 fresh random bits. Ids of one time are in no
// order; ids of a clock that shows this time ascend: see [ids.ClockOptions]. The error matches [ErrRange] if t is
// before 1970 or after 10889-08-02T05:31:50.655Z.
func MakeAt(t time.Time) (ULID, error) { return ids.NewULIDAt(t) }

// MinAt returns the least ULID of t's millisecond. Use it like [ids.MinV7At]. Times out of range are
// clamped.
func MinAt(t time.Time) ULID { return ids.MinULIDAt(t) }

// MaxAt returns the greatest ULID of t's millisecond, for spans that include both ends.
// Times out of range are clamped.
func MaxAt(t time.Time) ULID { return ids.MaxULIDAt(t) }

// Append appends n ULIDs to dst, in increasing order, with one reading of the clock for all
// of them. It panics if n is negative, or more than a slice can hold.
func Append(dst []ULID, n int) []ULID { return ids.AppendULID(dst, n) }

// Parse returns the ULID that s holds: 26 characters of Crockford's Base32 in
// either case, up to 7ZZZZZZZZZZZZZZZZZZZZZZZZZ. The letters I, L, O and U are refused.
// The error is a *[ParseError].
func Parse(s string) (ULID, error) { return ids.ParseULID(s) }

// MustParse is like [Parse] but panics if s is invalid. The panic value is an error that
// quotes s.
func MustParse(s string) ULID { return ids.MustParseULID(s) }

// ParseBase58 returns the ULID that s holds in the 22 characters that
// [ids.ULID.Base58] writes. The error is a *[ParseError].
func ParseBase58(s string) (ULID, error) { return ids.ParseULIDBase58(s) }

// FromBytes returns the ULID of the 16 bytes in b, also of those that [ids.ULID.Scan] takes for text. For any other
// length it returns a *[ParseError] that matches [ErrLength], where the conversion ULID(b) of more bytes takes the
// first 16.
func FromBytes(b []byte) (ULID, error) { return ids.ULIDFromBytes(b) }
