package ids

// Errors: those of clocks and constructors, and ParseError of every decoder.

import (
	"errors"
	"fmt"
	"strconv"
)

var (
	// ErrSyntax means that the input is not the text or the bytes of an id. Every error of a decoder of this
	// package matches ErrSyntax or ErrRange, except that of a [Null] whose type has no decoders. Package
	// encoding/json has an error of its own for a number, an object, an array or a boolean in place of a UUID or
	// a ULID.
	ErrSyntax = errors.New("invalid syntax")

	// ErrLength means that no accepted form has the length of the input. It is an ErrSyntax too.
	ErrLength = fmt.Errorf("%w: wrong length", ErrSyntax)

	// ErrRange means that a value does not fit: a number that is too large or negative, a time outside the
	// format, a node number outside the layout, or a layout that can hold no id.
	ErrRange = errors.New("value out of range")

	// ErrExhausted means that all ids of this moment are taken: see [SnowflakeNode.TryNext].
	ErrExhausted = errors.New("ids: all ids of this moment are taken: try again")

	// ErrClockBehind means that the wall clock is behind the ids: see [SnowflakeNode.TryNext]. It is an
	// [ErrExhausted] too: test for ErrClockBehind first.
	ErrClockBehind error = exhaustedError("ids: the wall clock is behind the ids: it was set back, or stands still")

	// ErrWithheld means that the [ClockLimit] withholds ids. The error also matches the cause given to
	// [ClockLimit.Set].
	ErrWithheld = errors.New("ids: withheld by the limit of the clock")

	// ErrEnded means that the clock has ended for good, by [ClockLimit.EndAt]. The error also matches the cause
	// given to EndAt. Constructors that return no error panic with it.
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

// withCause returns err, ErrWithheld or ErrEnded, with its cause, if there is one. It is made when the limit is
// set, so that a call that is refused allocates nothing.
func withCause(err, cause error) error {
	switch {
	case cause == nil:
		return err
	case err == ErrEnded:
		return &causedError{"ids: ended: " + cause.Error(), [2]error{err, cause}}
	}
	return &causedError{"ids: withheld: " + cause.Error(), [2]error{err, cause}}
}

// errNoLimit is the cause before the first limit.
var errNoLimit = errors.New("the clock has no limit yet, which ClockLimit.Set gives it")

// ParseError says what is wrong with the text or bytes of an id, and at which byte. It does not contain the
// input. Parse functions and Unmarshal methods return a *ParseError. Errors of Scan wrap one, except for a
// value of a type that Scan does not read.
type ParseError struct {
	form   form
	fault  fault
	offset uint8 // or the wrong length: at most tooLong
}

// Error returns a message that names the kind of id, what is wrong, and at which byte.
func (e *ParseError) Error() string { return "ids: parsing " + e.describe() }

// Scheme returns what was to be parsed: "UUID", "ULID" or "Snowflake". For an array type of your own it is
// "id", if the fault is in the JSON around the id.
func (e *ParseError) Scheme() string { return forms[e.form].scheme }

// Offset returns the index of the first wrong byte. ok is false if no single byte is wrong, for example if the
// length is, or if the index is above 45. In JSON, index 0 is the first byte after the opening quote, and an
// escape counts as one byte.
func (e *ParseError) Offset() (offset int, ok bool) {
	if e.fault < firstCharacter || int(e.offset) > maxText {
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

// Is reports whether target is [ErrLength] and the length is wrong, for [errors.Is].
func (e *ParseError) Is(target error) bool {
	return target == ErrLength && (e.fault == wrongLength || e.fault == longJSON)
}

// describe returns the scheme and what is wrong.
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
	case e.fault >= firstCharacter:
		return text + " at byte " + n
	default:
		return text
	}
}

// A scanError is a ParseError from Scan.
type scanError struct{ *ParseError }

func (e scanError) Error() string { return "ids: scanning " + e.describe() }
func (e scanError) Unwrap() error { return e.ParseError }

// rangeError is an error that matches [ErrRange].
type rangeError string

func (e rangeError) Error() string { return string(e) }
func (rangeError) Unwrap() error   { return ErrRange }

const (
	// errEnd is what a constructor panics with, and TryNext returns, after the last id of a format.
	errEnd = rangeError("ids: the last tick of the format is exhausted")
	// errPast is the same for a clock that has never shown a time of the format.
	errPast = rangeError("ids: the wall clock is past the last tick of the format: set it right, or use a format that ends later")
)

// A form is a way to write an id of some scheme.
type form uint8

const (
	uuidText form = iota // JSON and NULL too
	uuidBinary
	uuidBase58
	ulidText
	ulidBinary
	ulidBase58
	snowflakeText
	snowflakeBinary
	snowflakeBase32
	otherText // of an id of a type of one's own
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

// A fault is what may be wrong with a form.
type fault uint8

const (
	wrongLength fault = iota
	tooLarge
	negative
	isNull
	cutText
	noQuotes
	longJSON
	badEscape // this fault and those after it are of a character
	notHex
	notHyphen
	notURN
	notBrace
	notDecimal
	notBase32
	notBase58

	firstCharacter = badEscape
)

var faults = [...]string{
	wrongLength: "length ",
	tooLarge:    "",
	negative:    "negative",
	isNull:      "NULL: scan into a Null or a pointer, such as ",
	cutText:     "a column of 16 bytes holds the beginning of a text: write id.Binary() to it, or read it by FromBytes if its keys have such characters",
	noQuotes:    "JSON is not a string in quotes",
	longJSON:    "more than 90 characters in JSON",
	badEscape:   `an escape in JSON other than \u00 and two hexadecimal digits`,
	notHex:      "not a hexadecimal digit",
	notHyphen:   "not a hyphen",
	notURN:      "prefix is not urn:uuid:",
	notBrace:    "not a brace",
	notDecimal:  "not a decimal digit",
	notBase32:   "not a Crockford Base32 digit",
	notBase58:   "not a Base58 digit",
}

const (
	maxText = len("urn:uuid:") + 36 // the longest accepted text
	tooLong = maxText + 1           // stands for all lengths above it
)

// parseErrors has each error that there can be, and more, so that to return one costs no allocation.
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

// parseError returns the error for a fault of a form, at an offset or of a length.
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
