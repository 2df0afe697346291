// Package uuid generates, parses and stores UUIDs of versions 1 to 8. For a database key, use
// [NewV7]. For an ID that must not reveal when it was generated, use [NewV4].
//
// Programs that use the standard library's package uuid compile unchanged with this package. For
// the differences at run time, see [what differs]. Type the import path by hand. If an editor adds
// the import, it usually chooses the standard library's package uuid, even with Go 1.26, which does
// not have that package.
//
// The types are aliases for types in package [ids], which documents their methods. The
// documentation of [UUID] lists its methods. To read about a method in a terminal, run: go doc
// github.com/oneclock/ids.UUID.Time. Package ids also documents the promises, clocks and
// generators.
//
// [what differs]: https://github.com/oneclock/ids/blob/main/docs/from/std.md#differs-without-an-error
package uuid

import (
	"time"

	"github.com/oneclock/ids"
)

// UUID is the 16 bytes of a UUID, in the order that [RFC 9562] defines. UUIDs can be compared with
// == and used as map keys. A UUID can be converted to and from any other type whose underlying type
// is [16]byte. The zero value is the Nil UUID.
//
// As a query argument, a UUID is sent as text. For a column of 16 bytes, use [ids.UUID.Binary]. To
// define your own type, embed a UUID and nothing else: type ID struct{ uuid.UUID }. If you declare
// type ID uuid.UUID instead, ID has no methods. A second field in the struct would be lost in JSON.
//
// UUID is an alias for [ids.UUID], which has these fields and methods:
//
//   - Fields: [ids.UUID.Time], [ids.UUID.Version], [ids.UUID.Variant], [ids.UUID.NodeID],
//     [ids.UUID.ClockSequence], [ids.UUID.Domain], [ids.UUID.LocalID]
//   - Text: [ids.UUID.String], [ids.UUID.Base58], [ids.UUID.URN], [ids.UUID.GoString]
//   - Comparison: [ids.UUID.Compare], [ids.UUID.IsZero]
//   - Other IDs: [ids.UUID.ULID], [ids.UUID.ToV1], [ids.UUID.ToV6]
//   - Databases: [ids.UUID.Binary], [ids.UUID.Value], [ids.UUID.Scan]
//   - Encodings: [ids.UUID.AppendText], [ids.UUID.MarshalText], [ids.UUID.UnmarshalText],
//     [ids.UUID.AppendBinary], [ids.UUID.MarshalBinary], [ids.UUID.UnmarshalBinary]
//
// [RFC 9562]: https://www.rfc-editor.org/rfc/rfc9562
type UUID = ids.UUID

// Null is an ID that may be absent. It is absent if Valid is false, as in the zero value. An absent
// ID is NULL in a database, null in JSON and an empty string in other text. An empty string in a
// database or in JSON is an error.
//
// For a column of 16 bytes, use uuid.NullBinary or ulid.NullBinary, which combine Null and
// [Binary]. Do not use a Null as a map key in JSON, because before Go 1.27, an absent key can be
// marshaled but not unmarshaled.
//
// For its fields and methods, see [ids.Null].
type Null = ids.Null[ids.UUID]

// Binary is an ID that a database stores as 16 bytes, in a column of type BINARY(16), BLOB or
// bytea. Its text and JSON forms are the same as the ID's. If the column can be NULL, use
// [NullBinary].
//
// For its fields and methods, see [ids.Binary].
type Binary = ids.Binary[ids.UUID]

// NullBinary is a [Binary] that may be absent. It is absent if Valid is false, as in the zero
// value. An absent Binary is NULL in a database, null in JSON and an empty string in other text. An
// empty string in a database or in JSON is an error.
//
// For its fields and methods, see [ids.Null].
type NullBinary = ids.Null[ids.Binary[ids.UUID]]

// ParseError describes an error in the text or bytes of an ID. It contains the offset of the
// invalid byte, if there is one, but not the input. Parse functions and Unmarshal methods return a
// *ParseError. Errors from Scan methods wrap a *ParseError, unless Scan does not accept the type of
// the value.
//
// For its fields and methods, see [ids.ParseError].
type ParseError = ids.ParseError

// Variant identifies the layout of a UUID. It is stored in the upper bits of the UUID's ninth byte.
// See [Section 4.1 of RFC 9562].
//
// For its fields and methods, see [ids.Variant].
//
// [Section 4.1 of RFC 9562]: https://www.rfc-editor.org/rfc/rfc9562#section-4.1
type Variant = ids.Variant

// Domain is the kind of entity that the local ID of a version 2 UUID identifies.
//
// For its fields and methods, see [ids.Domain].
type Domain = ids.Domain

// These are the values of a [Variant].
const (
	VariantNCS       = ids.VariantNCS
	VariantRFC9562   = ids.VariantRFC9562
	VariantMicrosoft = ids.VariantMicrosoft
	VariantFuture    = ids.VariantFuture
)

// These are the values of a [Domain], which [NewV2] takes.
const (
	DomainPerson = ids.DomainPerson
	DomainGroup  = ids.DomainGroup
	DomainOrg    = ids.DomainOrg
)

// Errors from [Parse] match ErrSyntax or ErrRange when tested with [errors.Is]. If the length is
// wrong, they also match ErrLength. Errors for times out of range match ErrRange.
var (
	ErrSyntax = ids.ErrSyntax
	ErrLength = ids.ErrLength
	ErrRange  = ids.ErrRange
)

// New returns a new version 4 UUID, which has 122 random bits.
func New() UUID { return ids.NewV4() }

// NewV1 returns a new version 1 UUID. It consists of a time in units of 100 ns, a clock sequence
// and a random node ID. Version 1 UUIDs do not sort by time, but version 6 UUIDs do; see [NewV6].
func NewV1() UUID { return ids.NewV1() }

// NewV2 returns a version 2 UUID as defined by DCE Security. It consists of a domain, a local ID in
// this domain, a time and a random node ID. It is for legacy systems and is not unique. After 64
// UUIDs within about 7 minutes, UUIDs can repeat.
func NewV2(domain Domain, localID uint32) UUID { return ids.NewV2(domain, localID) }

// NewV3 returns the version 3 UUID of a name in a namespace. It contains 122 bits of their MD5
// hash. The same namespace and name always give the same UUID. New programs should use [NewV5].
// With GODEBUG=fips140=only, NewV3 works in Go 1.26 and later; in Go 1.25, it panics.
func NewV3(namespace UUID, name string) UUID { return ids.NewV3(namespace, name) }

// NewV4 returns a new version 4 UUID, which has 122 random bits.
func NewV4() UUID { return ids.NewV4() }

// NewV5 returns the version 5 UUID of a name in a namespace. It contains 122 bits of their SHA-1
// hash. The same namespace and name always give the same UUID. For GODEBUG=fips140=only, see
// [NewV3].
func NewV5(namespace UUID, name string) UUID { return ids.NewV5(namespace, name) }

// NamespaceDNS returns the namespace of fully qualified domain names, for use with [NewV3] and
// [NewV5]. See [Section 6.6 of RFC 9562].
//
// [Section 6.6 of RFC 9562]: https://www.rfc-editor.org/rfc/rfc9562#section-6.6
func NamespaceDNS() UUID { return ids.NamespaceDNS() }

// NamespaceURL returns the namespace of URLs. See [NamespaceDNS].
func NamespaceURL() UUID { return ids.NamespaceURL() }

// NamespaceOID returns the namespace of ISO object identifiers. See [NamespaceDNS].
func NamespaceOID() UUID { return ids.NamespaceOID() }

// NamespaceX500 returns the namespace of X.500 distinguished names. See [NamespaceDNS].
func NamespaceX500() UUID { return ids.NamespaceX500() }

// NewV6 returns a new version 6 UUID. It has the fields of version 1 in an order that sorts by
// time. Each UUID is greater than the previous one, across all goroutines. If the wall clock is set
// back by more than 10 s, UUIDs restart at the earlier time.
func NewV6() UUID { return ids.NewV6() }

// NewV7 returns a new version 7 UUID. It consists of a time in units of 1/4096 ms and random bits.
// Each UUID is greater than the previous one, across all goroutines. If the wall clock is set back
// by more than 10 s, UUIDs restart at the earlier time.
func NewV7() UUID { return ids.NewV7() }

// NewV8 returns a version 8 UUID with your data. It sets the version and the variant, and keeps the
// other 122 bits of data.
func NewV8(data [16]byte) UUID { return ids.NewV8(data) }

// NewV1At returns a version 1 UUID with time t, rounded down to a multiple of 100 ns. It can be
// equal to a UUID that [NewV1] returns at that time. The error matches [ErrRange] if t is before
// 1582-10-15 or after 5236-03-31T21:21:00.6846975Z.
func NewV1At(t time.Time) (UUID, error) { return ids.NewV1At(t) }

// NewV6At is like [NewV1At], but returns a version 6 UUID.
func NewV6At(t time.Time) (UUID, error) { return ids.NewV6At(t) }

// NewV7At returns a version 7 UUID with time t. Use it for records from the past. UUIDs with the
// same time are in no particular order. For ascending UUIDs, use a clock whose
// [ids.ClockOptions.Now] returns t. The error matches [ErrRange] if t is before 1970 or after
// 10889-08-02T05:31:50.655Z.
func NewV7At(t time.Time) (UUID, error) { return ids.NewV7At(t) }

// MinV6At returns the smallest version 6 UUID in the 100 ns tick that contains t. Use it like
// [MinV7At]. A time out of range is treated as the nearest time in range.
func MinV6At(t time.Time) UUID { return ids.MinV6At(t) }

// MaxV6At returns the greatest version 6 UUID in the 100 ns tick that contains t. Use it as the
// upper bound of a time range that includes its end. A time out of range is treated as the nearest
// time in range.
func MaxV6At(t time.Time) UUID { return ids.MaxV6At(t) }

// MinV7At returns the smallest version 7 UUID in t's millisecond. To select IDs with times from a
// (inclusive) to b (exclusive), both with a precision of 1 ms, use the condition id >= MinV7At(a)
// AND id < MinV7At(b). For a column of 16 bytes, pass MinV7At(a).Binary(). A time out of range is
// treated as the nearest time in range.
func MinV7At(t time.Time) UUID { return ids.MinV7At(t) }

// MaxV7At returns the greatest version 7 UUID in t's millisecond. Use it as the upper bound of a
// time range that includes its end. A time out of range is treated as the nearest time in range.
func MaxV7At(t time.Time) UUID { return ids.MaxV7At(t) }

// AppendV4 appends n version 4 UUIDs to dst. It panics if n is negative or more than a slice can
// hold.
func AppendV4(dst []UUID, n int) []UUID { return ids.AppendV4(dst, n) }

// AppendV7 appends n version 7 UUIDs to dst, in increasing order. For 3 or more UUIDs, it is faster
// than calling NewV7 repeatedly. It panics if n is negative or more than a slice can hold.
func AppendV7(dst []UUID, n int) []UUID { return ids.AppendV7(dst, n) }

// Parse reads a UUID in one of these forms, in upper or lower case:
//
//	f81d4fae-7dec-11d0-a765-00a0c91e6bf6
//	urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6
//	{f81d4fae-7dec-11d0-a765-00a0c91e6bf6}
//	f81d4fae7dec11d0a76500a0c91e6bf6
//
// Every version and variant is accepted. The error is a *[ParseError].
func Parse(s string) (UUID, error) { return ids.ParseUUID(s) }

// MustParse is like [Parse] but panics if s is invalid. The panic value is an error that
// quotes s.
func MustParse(s string) UUID { return ids.MustParseUUID(s) }

// ParseBase58 reads the 22 characters that [ids.UUID.Base58] returns. Base58 is case-sensitive, so
// text that was changed to lower case can be read as a different UUID, without an error. The error
// is a *[ParseError].
func ParseBase58(s string) (UUID, error) { return ids.ParseUUIDBase58(s) }

// FromBytes returns the UUID with the 16 bytes of b, even if [ids.UUID.Scan] would reject them as
// truncated text. If b has any other length, the error is a *[ParseError] that matches [ErrLength].
// (The conversion UUID(b) would take the first 16 bytes of a longer slice.)
func FromBytes(b []byte) (UUID, error) { return ids.UUIDFromBytes(b) }

// Nil returns the Nil UUID, 00000000-0000-0000-0000-000000000000.
func Nil() UUID { return ids.NilUUID() }

// Max returns the Max UUID, ffffffff-ffff-ffff-ffff-ffffffffffff.
func Max() UUID { return ids.MaxUUID() }
