package ids

import (
	"errors"
	"strconv"
	"sync"
)

var (
	// ErrSyntax reports input that is not in a form the scheme accepts.
	// Errors of the Parse functions, of the Unmarshal methods and of Scan match it
	// by [errors.Is].
	ErrSyntax = errors.New("invalid syntax")

	// ErrRange reports a well-formed value outside what the scheme can hold:
	// a text that encodes more bits than the id has, a time before the epoch or
	// after the last tick, a node number or a layout that does not fit.
	ErrRange = errors.New("value out of range")

	// ErrClockBackward is returned by [SnowflakeNode.TryNext] while the clock is
	// behind what the node has issued already, because it was set back.
	ErrClockBackward = errors.New("ids: clock went backward")

	// ErrExhausted is returned by [SnowflakeNode.TryNext] where
	// [SnowflakeNode.Next] would wait for a free tick.
	ErrExhausted = errors.New("ids: no id free in this tick")

	// ErrSuspended is returned by [SnowflakeNode.TryNext] while the limit of its
	// clock withholds ids: see [Clock.Limit].
	ErrSuspended = errors.New("ids: suspended by the limit of the clock")
)

// ParseError says why and where the text or binary form of an id was refused. Every error of a
// Parse function or an Unmarshal method is a *ParseError. It does not repeat the input, and it
// is shared: do not modify it.
type ParseError struct {
	Scheme  string // "UUID", "ULID" or "Snowflake", or "JSON" for the quotes around one
	Problem string // what is wrong, as a phrase
	Offset  int    // index of the first offending byte, or the length of the input where it ends too early; at most 45
	Err     error  // ErrSyntax or ErrRange
}

// Error returns a message that names the scheme, the offset and the problem.
func (e *ParseError) Error() string {
	return "ids: parsing " + e.Scheme + ": " + e.Problem + " at byte " + strconv.Itoa(e.Offset)
}

// Unwrap returns Err.
func (e *ParseError) Unwrap() error { return e.Err }

// rangeError is an error that matches [ErrRange].
type rangeError string

func (e rangeError) Error() string { return string(e) }

// Unwrap returns ErrRange.
func (rangeError) Unwrap() error { return ErrRange }

// errSpent is what a constructor panics with, and TryNext returns, past the last tick of a format.
const errSpent = rangeError("ids: the last tick of the format is used up")

// A problem is a kind of parse error. The zero problem is none.
type problem uint8

const (
	_ problem = iota
	uuidLength
	uuidBinaryLength
	uuidDigit
	uuidHyphen
	uuidURN
	uuidBrace
	uuidBase58Length
	uuidBase58Digit
	uuidBase58Range
	ulidLength
	ulidDigit
	ulidRange
	ulidBinaryLength
	ulidBase58Length
	ulidBase58Digit
	ulidBase58Range
	snowflakeEmpty
	snowflakeBinaryLength
	snowflakeDigit
	snowflakeRange
	jsonQuote
	snowflakeBase32Length
	snowflakeBase32Digit
	snowflakeBase32Range
	snowflakeBase58Length
	snowflakeBase58Digit
	snowflakeBase58Range
	problems
)

// maxOffset is the largest offset that an error states: the longest accepted
// text, so that a longer input is wrong there at the latest.
const maxOffset = len("urn:uuid:") + 36

// parseErrors builds, once, an error for each problem at each offset: bad input
// from a client then costs no allocation.
var parseErrors = sync.OnceValue(func() *[problems][maxOffset + 1]ParseError {
	kinds := [problems]ParseError{
		uuidLength:            {"UUID", "length is not 36, 32, 38 (in braces) or 45 (urn:uuid:)", 0, ErrSyntax},
		uuidBinaryLength:      {"UUID", "binary length is not 16", 0, ErrSyntax},
		uuidDigit:             {"UUID", "not a hexadecimal digit", 0, ErrSyntax},
		uuidHyphen:            {"UUID", "not a hyphen", 0, ErrSyntax},
		uuidURN:               {"UUID", "prefix is not urn:uuid:", 0, ErrSyntax},
		uuidBrace:             {"UUID", "not a brace", 0, ErrSyntax},
		uuidBase58Length:      {"UUID", "length is not 22", 0, ErrSyntax},
		uuidBase58Digit:       {"UUID", "not a Base58 digit", 0, ErrSyntax},
		uuidBase58Range:       {"UUID", "Base58 above 128 bits", 0, ErrRange},
		ulidLength:            {"ULID", "length is not 26", 0, ErrSyntax},
		ulidBinaryLength:      {"ULID", "binary length is not 16", 0, ErrSyntax},
		ulidDigit:             {"ULID", "not a Crockford Base32 digit", 0, ErrSyntax},
		ulidRange:             {"ULID", "above 7ZZZZZZZZZZZZZZZZZZZZZZZZZ", 0, ErrRange},
		ulidBase58Length:      {"ULID", "length is not 22", 0, ErrSyntax},
		ulidBase58Digit:       {"ULID", "not a Base58 digit", 0, ErrSyntax},
		ulidBase58Range:       {"ULID", "Base58 above 128 bits", 0, ErrRange},
		snowflakeEmpty:        {"Snowflake", "no digits", 0, ErrSyntax},
		snowflakeBinaryLength: {"Snowflake", "binary length is not 8", 0, ErrSyntax},
		snowflakeDigit:        {"Snowflake", "not a decimal digit", 0, ErrSyntax},
		snowflakeRange:        {"Snowflake", "not within 0 to 9223372036854775807, in at most 19 digits", 0, ErrRange},
		jsonQuote:             {"JSON", "not a string in quotes", 0, ErrSyntax},
		snowflakeBase32Length: {"Snowflake", "length is not 13", 0, ErrSyntax},
		snowflakeBase32Digit:  {"Snowflake", "not a Crockford Base32 digit", 0, ErrSyntax},
		snowflakeBase32Range:  {"Snowflake", "Base32 above 63 bits", 0, ErrRange},
		snowflakeBase58Length: {"Snowflake", "length is not 11", 0, ErrSyntax},
		snowflakeBase58Digit:  {"Snowflake", "not a Base58 digit", 0, ErrSyntax},
		snowflakeBase58Range:  {"Snowflake", "Base58 above 63 bits", 0, ErrRange},
	}
	table := new([problems][maxOffset + 1]ParseError)
	for p, kind := range kinds {
		for offset := range table[p] {
			kind.Offset = offset
			table[p][offset] = kind
		}
	}
	return table
})

// parseError returns the error for problem p at offset, which is brought into
// the range that an error can state.
func parseError(p problem, offset int) error {
	return &parseErrors()[p][min(offset, maxOffset)]
}

// A fault is why a text is not a number of some width in some base: the same
// three reasons for each, in the order in which the problems list them.
type fault uint8

const (
	faultLength fault = iota + 1
	faultDigit
	faultRange
)

// of returns the error for the fault at offset, where length is its scheme's problem for a
// wrong length.
func (f fault) of(length problem, offset int) error {
	return parseError(length+problem(f-faultLength), offset)
}
