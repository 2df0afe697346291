package ids

import (
	"errors"
	"fmt"
	"strconv"
)

var (
	// ErrSyntax reports input that is not in a form the scheme accepts. Errors of the Parse
	// functions, of the Unmarshal methods and of Scan match it or ErrRange.
	ErrSyntax = errors.New("invalid syntax")

	// ErrLength reports input whose length no accepted form has. It is an ErrSyntax too.
	ErrLength = fmt.Errorf("%w: wrong length", ErrSyntax)

	// ErrRange reports a value that the scheme cannot hold: too many bits in a text, a time
	// before the first tick or after the last, a node number or a layout that does not fit.
	ErrRange = errors.New("value out of range")

	// ErrClockBackward is returned by [SnowflakeNode.TryNext] while the wall clock, having
	// been set back, is behind the latest id by more than [ClockOptions].MaxAhead.
	ErrClockBackward = errors.New("ids: clock went backward")

	// ErrExhausted is returned by [SnowflakeNode.TryNext] where Next would wait for a tick.
	ErrExhausted = errors.New("ids: no id free in this tick")

	// ErrSuspended is returned by [SnowflakeNode.TryNext] while [Clock.SetLimit] withholds ids.
	ErrSuspended = errors.New("ids: suspended by the limit of the clock")
)

// ParseError says what is wrong with the text or binary form of an id, and where. The Parse
// functions and Unmarshal methods return a *ParseError. The errors of Scan wrap one, except for a
// value of a type that is not accepted. It does not repeat the input, and costs no allocation.
type ParseError struct {
	problem problem
	offset  uint8 // at most tooLong
}

// Error returns a message that names the scheme, what is wrong, and the offset of a character.
func (e *ParseError) Error() string { return "ids: parsing " + e.describe() }

// Scheme returns "UUID", "ULID" or "Snowflake", or "JSON" for quotes and escapes around one.
func (e *ParseError) Scheme() string { return problems[e.problem].scheme }

// Offset returns the index of the first offending byte, or the length if that is wrong, at most
// 45. It is 0 for all else. In JSON it counts within the quotes, an escape as one byte.
func (e *ParseError) Offset() int { return min(int(e.offset), maxText) }

// Unwrap returns [ErrSyntax] or [ErrRange].
func (e *ParseError) Unwrap() error {
	if problems[e.problem].kind == outOfRange {
		return ErrRange
	}
	return ErrSyntax
}

// Is reports whether target is [ErrLength] and the length is wrong, for [errors.Is].
func (e *ParseError) Is(target error) bool {
	return target == ErrLength && problems[e.problem].kind == wrongLength
}

// describe returns the scheme and what is wrong.
func (e *ParseError) describe() string {
	p, n := &problems[e.problem], strconv.Itoa(e.Offset())
	if int(e.offset) == tooLong {
		n = "over " + n
	}
	switch p.kind {
	case wrongCharacter:
		return p.scheme + ": " + p.text + " at byte " + n
	case wrongLength:
		return p.scheme + ": length " + n + ", want " + p.text
	}
	return p.scheme + ": " + p.text
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
	errPast = rangeError("ids: the clock is past the last tick of the format")
)

// A problem is something that may be wrong with a form of an id: an index of problems.
type problem uint8

// A kind of problem says how its text makes a message.
type kind uint8

const (
	malformed      kind = iota
	wrongCharacter      // the offset follows the text
	wrongLength         // the text is the length that is wanted
	outOfRange
)

const (
	maxText    = len("urn:uuid:") + 36 // the longest accepted text
	tooLong    = maxText + 1           // stands for all lengths above it
	escape     = len(`\u00XX`)         // the one form of escape in JSON that a character of an id has
	maxEscaped = maxText * escape      // the longest text in JSON
)

// problems lists every problem, each with one error for each offset.
var problems = make([]struct {
	scheme string
	kind   kind
	text   string
	errs   [tooLong + 1]ParseError
}, 0, 32)

var (
	uuidLength = define("UUID", wrongLength, "36")
	uuidBinary = define("UUID", wrongLength, "16 bytes")
	uuidDigit  = define("UUID", wrongCharacter, "not a hexadecimal digit")
	uuidHyphen = define("UUID", wrongCharacter, "not a hyphen")
	uuidURN    = define("UUID", wrongCharacter, "prefix is not urn:uuid:")
	uuidBrace  = define("UUID", wrongCharacter, "not a brace")
	uuidNull   = define("UUID", malformed, "NULL: scan into an ids.Null[ids.UUID] or a *ids.UUID")
	uuidBase58 = defineBase("UUID", "Base58", "22", "Base58 above 128 bits")

	ulidBase32 = defineBase("ULID", "Crockford Base32", "26", "above 7ZZZZZZZZZZZZZZZZZZZZZZZZZ")
	ulidBinary = define("ULID", wrongLength, "16 bytes")
	ulidNull   = define("ULID", malformed, "NULL: scan into an ids.Null[ids.ULID] or a *ids.ULID")
	ulidBase58 = defineBase("ULID", "Base58", "22", "Base58 above 128 bits")

	snowflakeLength   = define("Snowflake", wrongLength, "1 to 19")
	snowflakeBinary   = define("Snowflake", wrongLength, "8 bytes")
	snowflakeDigit    = define("Snowflake", wrongCharacter, "not a decimal digit")
	snowflakeNegative = define("Snowflake", outOfRange, "negative")
	snowflakeRange    = define("Snowflake", outOfRange, "above 9223372036854775807")
	snowflakeNull     = define("Snowflake", malformed, "NULL: scan into an ids.Null[ids.Snowflake] or a *ids.Snowflake")
	snowflakeBase32   = defineBase("Snowflake", "Crockford Base32", "13", "Base32 above 63 bits")
	snowflakeBase58   = defineBase("Snowflake", "Base58", "11", "Base58 above 63 bits")

	jsonQuotes = define("JSON", malformed, "not a string in quotes")
	jsonEscape = define("JSON", wrongCharacter, `an escape other than \u00 and two hexadecimal digits`)
)

// define adds a problem.
func define(scheme string, k kind, text string) problem {
	p := problem(len(problems))
	problems = problems[:p+1]
	d := &problems[p]
	d.scheme, d.kind, d.text = scheme, k, text
	for offset := range d.errs {
		d.errs[offset] = ParseError{p, uint8(offset)}
	}
	return p
}

// defineBase adds the problems of text in a base, and returns the one of a wrong length. The
// others follow it.
func defineBase(scheme, base, length, above string) problem {
	p := define(scheme, wrongLength, length)
	define(scheme, wrongCharacter, "not a "+base+" digit")
	define(scheme, outOfRange, above)
	return p
}

const (
	badDigit problem = 1
	badRange problem = 2
)

// parseError returns the error for problem p at offset.
func parseError(p problem, offset int) *ParseError { return &problems[p].errs[min(offset, tooLong)] }
