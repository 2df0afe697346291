package ids

// This file contains the errors of clocks and constructors, and ParseError, which decoders return.

import (
	"errors"
	"fmt"
	"strconv"
)

var (
	// ErrSyntax means that the input is not the text or the bytes of an ID, or is probably
	// truncated text; see [UUID.Scan]. Every error from a decoder of this package matches ErrSyntax
	// or ErrRange. The exception is the error from a [Null] whose type has no decoder methods. If
	// JSON contains a number, an object, an array or a boolean instead of a UUID or a ULID, package
	// encoding/json returns its own error.
	ErrSyntax = errors.New("invalid syntax")

	// ErrLength means that the length of the input is wrong for every accepted form. It also
	// matches ErrSyntax.
	ErrLength = fmt.Errorf("%w: wrong length", ErrSyntax)

	// ErrRange means that a value is out of range: a number that is too large or negative, a time
	// outside the format's range, a node number outside the layout's range, or a layout that has no
	// room for an ID.
	ErrRange = errors.New("value out of range")

	// ErrExhausted means that all IDs for the current time are taken. See [SnowflakeNode.TryNext].
	ErrExhausted = errors.New("ids: all IDs of this moment are taken: try again")

	// ErrClockBehind means that the wall clock is behind the IDs, because it was set back, has
	// stopped or is before [ClockOptions].After. See [SnowflakeNode.TryNext]. It also matches
	// [ErrExhausted], so test for ErrClockBehind first.
	ErrClockBehind error = exhaustedError("ids: the wall clock is behind the IDs: it was set back or stands still")

	// ErrWithheld means that the [ClockLimit] withholds IDs. The error also matches the cause
	// passed to [ClockLimit.Set].
	ErrWithheld = errors.New("ids: withheld by the limit of the clock")

	// ErrEnded means that the clock was permanently ended by [ClockLimit.EndAt]. The error also
	// matches the cause passed to EndAt. Constructors without an error result panic with an error
	// that matches ErrEnded.
	ErrEnded = errors.New("ids: the clock has ended")
)

// exhaustedError is an error that matches [ErrExhausted].
type exhaustedError string

func (e exhaustedError) Error() string { return string(e) }
func (exhaustedError) Unwrap() error   { return ErrExhausted }

// A causedError is ErrWithheld or ErrEnded with its cause.
type causedError struct {
	text  string
	match [2]error
}

func (r *causedError) Error() string   { return r.text }
func (r *causedError) Unwrap() []error { return r.match[:] }

// withCause returns err, which is ErrWithheld or ErrEnded, together with its cause, if there is
// one. It is called when the limit is set, so that later calls can return the error without
// allocating memory.
func withCause(err, cause error) error {
	switch {
	case cause == nil:
		return err
	case err == ErrEnded:
		return &causedError{"ids: ended: " + cause.Error(), [2]error{err, cause}}
	}
	return &causedError{"ids: withheld: " + cause.Error(), [2]error{err, cause}}
}

// errNoLimit is the cause that errors report before the first call to [ClockLimit.Set].
var errNoLimit = errors.New("the clock has no limit yet: call ClockLimit.Set")

// ParseError describes an error in the text or bytes of an ID. It contains the offset of the
// invalid byte, if there is one, but not the input. Parse functions and Unmarshal methods return a
// *ParseError. Errors from Scan methods wrap a *ParseError, unless Scan does not accept the type of
// the value.
type ParseError struct {
	form   form
	fault  fault
	offset uint8 // offset of the invalid byte, or the length if it is wrong; capped at tooLong
}

// Error returns a message with the kind of ID, a description of the error and, if a byte is
// invalid, its offset.
func (e *ParseError) Error() string { return "ids: parsing " + e.describe() }

// Scheme returns the kind of ID: "UUID", "ULID" or "Snowflake". For your own array type, it is "id"
// if a [Null] rejects the JSON without calling your UnmarshalText method.
func (e *ParseError) Scheme() string { return forms[e.form].scheme }

// Offset returns the index of the first invalid byte. ok is false if the error does not concern a
// single byte, for example because the length is wrong, or if the index is above 45. In JSON, index
// 0 is the first byte after the opening quote, and an escape counts as one byte.
func (e *ParseError) Offset() (offset int, ok bool) {
	if e.fault < firstWithOffset || int(e.offset) > maxText {
		return 0, false
	}
	return int(e.offset), true
}

// Unwrap returns [ErrSyntax] or [ErrRange].
func (e *ParseError) Unwrap() error {
	if e.fault == negative || e.fault == tooLarge {
		return ErrRange
	}
	return ErrSyntax
}

// Is supports [errors.Is]. It reports whether target is [ErrLength] and the length is wrong.
func (e *ParseError) Is(target error) bool {
	return target == ErrLength && (e.fault == wrongLength || e.fault == longJSON)
}

// describe returns the scheme and a description of the fault.
func (e *ParseError) describe() string {
	f, n := &forms[e.form], strconv.Itoa(int(e.offset))
	if int(e.offset) == tooLong {
		n = "over " + strconv.Itoa(maxText)
	}
	switch text := f.scheme + ": " + faults[e.fault]; {
	case e.fault == wrongLength:
		return text + n + ", want " + f.length
	case e.fault == tooLarge:
		return text + f.most
	case e.fault == isNull:
		return text + f.nullable
	case e.fault >= firstWithOffset:
		return text + " at byte " + n
	default:
		return text
	}
}

// A scanError is a ParseError from a Scan method.
type scanError struct{ *ParseError }

func (e scanError) Error() string { return "ids: scanning " + e.describe() }
func (e scanError) Unwrap() error { return e.ParseError }

// rangeError is an error that matches [ErrRange].
type rangeError string

func (e rangeError) Error() string { return string(e) }
func (rangeError) Unwrap() error   { return ErrRange }

const (
	// errEnd is the error for calls after the last ID of a format. Constructors panic with it, and
	// TryNext returns it.
	errEnd = rangeError("ids: the last tick of the format is exhausted")
	// errPast is like errEnd, but for a wall clock that has never shown a time within the format's
	// range.
	errPast = rangeError("ids: the wall clock is past the last tick of the format: set it right, or use a format that ends later")
)

// A form is a text or binary encoding of one kind of ID.
type form uint8

const (
	uuidText form = iota // also used for JSON and NULL
	uuidBinary
	uuidBase58
	ulidText
	ulidBinary
	ulidBase58
	snowflakeText
	snowflakeBinary
	snowflakeBase32
	otherText // text of a custom ID type
)

var forms = [...]struct{ scheme, length, most, nullable string }{
	uuidText:        {"UUID", "36 (or 32, 38, 45)", "", "uuid.Null, uuid.NullBinary or *uuid.UUID"},
	uuidBinary:      {"UUID", "16 bytes", "", ""},
	uuidBase58:      {"UUID", "22", "Base58 above 128 bits", ""},
	ulidText:        {"ULID", "26", "above 7ZZZZZZZZZZZZZZZZZZZZZZZZZ", "ulid.Null, ulid.NullBinary or *ulid.ULID"},
	ulidBinary:      {"ULID", "16 bytes", "", ""},
	ulidBase58:      {"ULID", "22", "Base58 above 128 bits", ""},
	snowflakeText:   {"Snowflake", "1 to 19", "above 9223372036854775807", "snowflake.Null or *snowflake.ID"},
	snowflakeBinary: {"Snowflake", "8 bytes", "", ""},
	snowflakeBase32: {"Snowflake", "13", "Base32 above 63 bits", ""},
	otherText:       {"id", "", "", ""},
}

// A fault is a kind of error in the encoding of an ID.
type fault uint8

const (
	wrongLength fault = iota
	tooLarge
	negative
	isNull
	truncatedText
	noQuotes
	longJSON
	badEscape // this and the following faults are reported with a byte offset
	notHex
	notHyphen
	notURN
	notBrace
	notDecimal
	notBase32
	notBase58

	firstWithOffset = badEscape
)

var faults = [...]string{
	wrongLength:   "length ",
	tooLarge:      "",
	negative:      "negative",
	isNull:        "NULL: scan into a Null or a pointer, such as ",
	truncatedText: "a column of 16 bytes has truncated a text: write id.Binary(), or use FromBytes if its keys have such characters",
	noQuotes:      "JSON is not a string in quotes",
	longJSON:      "more than 90 characters in JSON",
	badEscape:     `an escape in JSON other than \u00 and two hexadecimal digits`,
	notHex:        "not a hexadecimal digit",
	notHyphen:     "not a hyphen",
	notURN:        "prefix is not urn:uuid:",
	notBrace:      "not a brace",
	notDecimal:    "not a decimal digit",
	notBase32:     "not a Crockford Base32 digit",
	notBase58:     "not a Base58 digit",
}

const (
	maxText = len("urn:uuid:") + 36 // length of the longest accepted string
	tooLong = maxText + 1           // represents this and all greater lengths
)

// parseErrors contains every possible error, and also some impossible ones, so that returning an
// error does not allocate memory.
var parseErrors = func() (all [len(forms)][len(faults)][tooLong + 1]ParseError) {
	for i := range all {
		for j := range all[i] {
			for offset := range all[i][j] {
				all[i][j][offset] = ParseError{form(i), fault(j), uint8(offset)}
			}
		}
	}
	return all
}()

// parseError returns the error for the given form and fault. The parameter offset is the position
// of the invalid byte or, if the length is wrong, the length.
func parseError(form form, fault fault, offset int) *ParseError {
	return &parseErrors[form][fault][min(offset, tooLong)]
}

// must returns v, or panics with err.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
