// Package uuid mints, parses and stores UUIDs of versions 1 to 8. If in doubt, use [NewV7].
// Programs written for Go's own package uuid compile with this one unchanged. See [what differs] when they run.
//
// The types are aliases of types in package [ids], under shorter names. Their methods are
// documented there: see [ids.UUID], [ids.Null], [ids.Binary] and [ids.ParseError]. Package ids also
// documents what is promised about uniqueness, order and time, and has the options: see
// [ids.NewGenerator] and [ids.NewClock]. In a terminal: go doc github.com/oneclock/ids.UUID.Time.
// The module needs Go 1.25 or later.
//
// [what differs]: https://github.com/oneclock/ids/blob/main/docs/from/std.md#differs-without-an-error
package uuid

import (
	"time"

	"github.com/oneclock/ids"
)

// UUID is a universally unique identifier as RFC 9562 defines it: 128 bits, in network byte order. It
// is comparable, and converts freely to and from any other type whose underlying type is [16]byte. For
// a type of your own, embed it alone: type ID uuid.UUID has no methods, and a second field is lost in JSON.
// A query's argument is text: for a column of 16 bytes see [ids.UUID.Binary]. The zero value is the Nil UUID.
//
// For its fields and methods see [ids.UUID].
type UUID = ids.UUID

// Null is an id that may be absent: NULL in a database, null in JSON, the empty text elsewhere. An
// empty string in a database or in JSON is an error. The zero value is absent, and so is an ID whose Valid
// is not set. For columns of 16 bytes see [Binary]. Do not use a Null as the key of a map in JSON: Go 1.26 and
// earlier write an absent one, and do not read it back.
//
// For its fields and methods see [ids.Null].
type Null = ids.Null[ids.UUID]

// Binary is an id that a database stores as its 16 bytes, for columns of type BINARY(16), BLOB
// or bytea. Its text and JSON are the id's. For a column that may be NULL see [NullBinary].
//
// For its fields and methods see [ids.Binary].
type Binary = ids.Binary[ids.UUID]

// NullBinary is a [Binary] that may be absent: a database stores 16 bytes or NULL. Absent, it is null in
// JSON, and the empty text elsewhere. An empty string in a database or in JSON is an error. The zero value
// is absent.
//
// For its fields and methods see [ids.Null].
type NullBinary = ids.Null[ids.Binary[ids.UUID]]

// ParseError says what is wrong with the text or binary form of an id, and where. The Parse
// functions and Unmarshal methods return a *ParseError. The errors of Scan wrap one, except for
// NULL and for a value of a type that is not accepted. It does not repeat the input, and costs no allocation.
//
// For its fields and methods see [ids.ParseError].
type ParseError = ids.ParseError

// Variant is the layout that the upper bits of a UUID's ninth byte select: see [Section 4.1 of RFC 9562].
//
// For its fields and methods see [ids.Variant].
//
// [Section 4.1 of RFC 9562]: https://www.rfc-editor.org/rfc/rfc9562#section-4.1
type Variant = ids.Variant

// Domain says what the local id of a version 2 UUID identifies.
//
// For its fields and methods see [ids.Domain].
type Domain = ids.Domain

// The values of a [Variant].
const (
	VariantNCS       = ids.VariantNCS
	VariantRFC9562   = ids.VariantRFC9562
	VariantMicrosoft = ids.VariantMicrosoft
	VariantFuture    = ids.VariantFuture
)

// The values of a [Domain], for [NewV2].
const (
	DomainPerson = ids.DomainPerson
	DomainGroup  = ids.DomainGroup
	DomainOrg    = ids.DomainOrg
)

// The errors of [Parse] match ErrSyntax or ErrRange by [errors.Is], and ErrLength if the length is
// wrong. Errors for times out of range match ErrRange.
var (
	ErrSyntax = ids.ErrSyntax
	ErrLength = ids.ErrLength
	ErrRange  = ids.ErrRange
)

// New returns a version 4 UUID: 122 random bits.
func New() UUID { return ids.NewV4() }

// NewV1 returns a version 1 UUID: the time to 100 ns, a clock sequence and a random node. It does not sort by
// time: [NewV6] does. For clocks with a limit or an end (the default clock has neither), see [ids.Generator.NewV1].
func NewV1() UUID { return ids.NewV1() }

// NewV2 returns a version 2 UUID of DCE Security: a local id of a domain, a time and a random
// node. The promises do not cover it: after 64 ids within some 7 minutes, ids repeat.
func NewV2(domain Domain, localID uint32) UUID { return ids.NewV2(domain, localID) }

// NewV3 returns the version 3 UUID of a name in a namespace: 122 bits of their MD5. The same namespace and
// name always give the same UUID. New programs should prefer [NewV5]. With Go 1.26 or later both also work
// with GODEBUG=fips140=only, which forbids these hashes: here they only name something. With Go 1.25 they panic there.
func NewV3(namespace UUID, name string) UUID { return ids.NewV3(namespace, name) }

// NewV4 returns a version 4 UUID: 122 random bits.
func NewV4() UUID { return ids.NewV4() }

// NewV5 returns the version 5 UUID of a name in a namespace: 122 bits of their SHA-1. The same two always
// give the same UUID. For GODEBUG=fips140=only see [NewV3].
func NewV5(namespace UUID, name string) UUID { return ids.NewV5(namespace, name) }

// NamespaceDNS returns the namespace of fully qualified domain names, for [NewV3] and [NewV5]:
// see [Section 6.6 of RFC 9562].
//
// [Section 6.6 of RFC 9562]: https://www.rfc-editor.org/rfc/rfc9562#section-6.6
func NamespaceDNS() UUID { return ids.NamespaceDNS() }

// NamespaceURL returns the namespace of URLs: see [NamespaceDNS].
func NamespaceURL() UUID { return ids.NamespaceURL() }

// NamespaceOID returns the namespace of ISO object identifiers: see [NamespaceDNS].
func NamespaceOID() UUID { return ids.NamespaceOID() }

// NamespaceX500 returns the namespace of X.500 distinguished names: see [NamespaceDNS].
func NamespaceX500() UUID { return ids.NamespaceX500() }

// NewV6 returns a version 6 UUID: the fields of version 1, in an order that sorts. Successive UUIDs strictly
// increase unless the wall clock is set back by more than 10 s.
func NewV6() UUID { return ids.NewV6() }

// NewV7 returns a version 7 UUID: the time to 1/4096 ms, then random bits. Successive UUIDs
// strictly increase unless the wall clock is set back by more than 10 s.
func NewV7() UUID { return ids.NewV7() }

// NewV8 returns a version 8 UUID, whose 122 bits besides version and variant are the caller's.
func NewV8(data [16]byte) UUID { return ids.NewV8(data) }

// NewV1At returns a version 1 UUID of time t, to 100 ns. The error matches [ErrRange] if t is
// before 1582-10-15 or after 5236-03-31T21:21:00.6846975Z. See [ids.Generator.NewV1At].
func NewV1At(t time.Time) (UUID, error) { return ids.NewV1At(t) }

// NewV6At is like [NewV1At] for version 6.
func NewV6At(t time.Time) (UUID, error) { return ids.NewV6At(t) }

// NewV7At returns a version 7 UUID of time t with fresh random bits, to fill in ids for records of the past. Ids
// of one time are in no order; ids of a clock that shows this time ascend: see [ids.ClockOptions]. The error matches
// [ErrRange] if t is before 1970 or after 10889-08-02T05:31:50.655Z.
func NewV7At(t time.Time) (UUID, error) { return ids.NewV7At(t) }

// MinV6At returns the least version 6 UUID of t's tick of 100 ns. Use it like [MinV7At]. Times out of range are
// clamped.
func MinV6At(t time.Time) UUID { return ids.MinV6At(t) }

// MaxV6At returns the greatest version 6 UUID of t's tick of 100 ns, for spans that include both ends.
// Times out of range are clamped.
func MaxV6At(t time.Time) UUID { return ids.MaxV6At(t) }

// MinV7At returns the least version 7 UUID of t's millisecond. The ids from time a, inclusive, to time b,
// exclusive, satisfy id >= MinV7At(a) AND id < MinV7At(b). For a column of 16 bytes pass MinV7At(a).Binary().
// Times out of range are clamped.
func MinV7At(t time.Time) UUID { return ids.MinV7At(t) }

// MaxV7At returns the greatest version 7 UUID of t's millisecond, for spans that include both ends.
// Times out of range are clamped.
func MaxV7At(t time.Time) UUID { return ids.MaxV7At(t) }

// AppendV4 appends n version 4 UUIDs to dst. It panics if n is negative, or more than a slice can hold.
// Like every function that draws random bits, it allocates a cipher for each 4 KiB of them.
func AppendV4(dst []UUID, n int) []UUID { return ids.AppendV4(dst, n) }

// AppendV7 appends n version 7 UUIDs to dst, in increasing order, with one reading of the clock
// for all of them: faster than single calls from 3 on. It panics if n is negative, or more than a slice
// can hold.
func AppendV7(dst []UUID, n int) []UUID { return ids.AppendV7(dst, n) }

// Parse returns the UUID that s holds in one of these forms, in any case:
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

// ParseBase58 returns the UUID of the 22 characters that [ids.UUID.Base58] writes. The error is a
// *[ParseError].
func ParseBase58(s string) (UUID, error) { return ids.ParseUUIDBase58(s) }

// FromBytes returns the UUID of the 16 bytes in b, also of those that [ids.UUID.Scan] takes for text. For any other
// length it returns a *[ParseError] that matches [ErrLength], where the conversion UUID(b) of more bytes takes the
// first 16.
func FromBytes(b []byte) (UUID, error) { return ids.UUIDFromBytes(b) }

// Nil returns the Nil UUID, 00000000-0000-0000-0000-000000000000.
func Nil() UUID { return ids.NilUUID() }

// Max returns the Max UUID, ffffffff-ffff-ffff-ffff-ffffffffffff.
func Max() UUID { return ids.MaxUUID() }
