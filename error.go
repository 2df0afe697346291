package ids

import (
	"errors"
	"fmt"
	"strconv"
)

var (
	// ErrSyntax reports input that is not in a form the scheme accepts. Errors of the Parse
	// functions, of the Unmarshal methods and of Scan match it or ErrRange, except that of a [Null] whose
	// type has no decoders.
	ErrSyntax = errors.New("invalid syntax")

	// ErrLength reports input of a length that no accepted form has. It is an ErrSyntax too.
	ErrLength = fmt.Errorf("%w: wrong length", ErrSyntax)

	// ErrRange reports a value that the scheme cannot hold: too many bits in a text, a time
	// before the first tick or after the last, a node number that does not fit the layout, or a layout that
	// can hold no id.
	ErrRange = errors.New("value out of range")

	// ErrExhausted is returned by [SnowflakeNode.TryNext] if the next id would be more than
	// [ClockOptions].MaxAhead ahead of the wall clock because so many ids were asked for. Next
	// would wait then.
	ErrExhausted = errors.New("ids: no id free within MaxAhead of the wall clock")

	// ErrClockBehind is returned by [SnowflakeNode.TryNext] if the next id would be more than
	// [ClockOptions].MaxAhead ahead of the wall clock because that was set back, or stands still, or
	// because [ClockOptions].After is ahead of it, as after a crash. Next would go on ahead of it, or
	// wait. It is an ErrExhausted too: if the two mean different things to you, ask for ErrClockBehind first.
	// With a tick of 10 ms or longer, one may be returned for the other.
	ErrClockBehind error = exhaustedError("ids: the wall clock is behind the ids: it was set back, or stands still")

	// ErrWithheld is matched by the error of [SnowflakeNode.TryNext] while the [ClockLimit] withholds
	// ids, and of [SnowflakeNode.NextContext] if its context ended meanwhile. The error matches the
	// cause that was given to [ClockLimit.Set] too.
	ErrWithheld = errors.New("ids: withheld by the limit of the clock")

	// ErrEnded is matched by the error of [SnowflakeNode.TryNext] and [SnowflakeNode.NextContext] after
	// the end that [ClockLimit.EndAt] sets, and by what constructors without an error panic with. The
	// error matches the cause that was given to EndAt too.
	ErrEnded = errors.New("ids: the clock has ended")
)

// exhaustedError is an error that matches [ErrExhausted].
type exhaustedError string

func (e exhaustedError) Error() string { return string(e) }
func (exhaustedError) Unwrap() error   { return ErrExhausted }

// A refusal is ErrWithheld or ErrEnded with its cause.
type refusal struct {
	text  string
	match [2]error
}

func (r *refusal) Error() string   { return r.text }
func (r *refusal) Unwrap() []error { return r.match[:] }

// because returns err, ErrWithheld or ErrEnded, with its cause, if there is one. It is made when the limit is
// set, so that a call that is refused allocates nothing.
func because(err, cause error) error {
	switch {
	case cause == nil:
		return err
	case err == ErrEnded:
		return &refusal{"ids: ended: " + cause.Error(), [2]error{err, cause}}
	}
	return &refusal{"ids: withheld: " + cause.Error(), [2]error{err, cause}}
}

// errNoLimit is the cause before the first limit.
var errNoLimit = errors.New("the clock has no limit yet, which ClockLimit.Set gives it")

// ParseError says what is wrong with the text or binary form of an id, and where. The Parse
// functions and Unmarshal methods return a *ParseError. The errors of Scan wrap one, except for a
// value of a type that is not accepted. It does not repeat the input, and costs no allocation.
type ParseError struct {
	problem problem
	offset  uint8 // at most tooLong
}

// Error returns a message that names the scheme, what is wrong, and the offset of a character.
func (e *ParseError) Error() string { return "ids: parsing " + e.describe() }

// Scheme returns what was to be parsed: "UUID", "ULID" or "Snowflake". It is "id" for a fault of the JSON
// around an id of a type of your own that is an array.
func (e *ParseError) Scheme() string { return problems[e.problem].scheme }

// Offset returns the index of the first wrong byte. ok is false if no byte alone is wrong, as with a
// wrong length. In JSON, index 0 is the first byte after the opening quote, and an escape counts as one byte. ok
// is also false for an index above 45.
func (e *ParseError) Offset() (offset int, ok bool) {
	if problems[e.problem].kind != wrongCharacter || int(e.offset) > maxText {
		return 0, false
	}
	return int(e.offset), true
}

// Unwrap returns [ErrSyntax] or [ErrRange].
func (e *ParseError) Unwrap() error {
	if problems[e.problem].kind == outOfRange {
		return ErrRange
	}
	return ErrSyntax
}

// Is reports whether target is [ErrLength] and the length is wrong, for [errors.Is].
func (e *ParseError) Is(target error) bool {
	kind := problems[e.problem].kind
	return target == ErrLength && (kind == wrongLength || kind == tooMuch)
}

// describe returns the scheme and what is wrong.
func (e *ParseError) describe() string {
	p, n := &problems[e.problem], strconv.Itoa(int(e.offset))
	if int(e.offset) == tooLong {
		n = "over " + strconv.Itoa(maxText)
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

// A problem is something that may be wrong with a form of an id.
type problem uint8

// A kind of problem says how its text makes a message.
type kind uint8

const (
	malformed      kind = iota
	wrongCharacter      // the offset follows the text
	wrongLength         // the text is the length that is wanted
	tooMuch             // a length that is only known to be too large
	outOfRange
)

const (
	maxText = len("urn:uuid:") + 36 // the longest accepted text
	tooLong = maxText + 1           // stands for all lengths above it
)

const (
	uuidLength problem = iota
	uuidBinary
	uuidDigit
	uuidHyphen
	uuidURN
	uuidBrace
	uuidNull
	ulidBinary
	ulidNull
	snowflakeLength
	snowflakeBinary
	snowflakeDigit
	snowflakeNegative
	snowflakeRange
	snowflakeNull
	inThrees // the first of the problems that come in threes
)

const (
	uuidBase58 = inThrees + 3*iota // a wrong length, to which badDigit or badRange is added
	ulidBase32
	ulidBase58
	snowflakeBase32
	uuidJSON // no quotes, to which badEscape or longJSON is added
	ulidJSON
	snowflakeJSON
	otherJSON

	badDigit  problem = 1
	badRange  problem = 2
	badEscape problem = 1
	longJSON  problem = 2

	noQuotes    = "JSON is not a string in quotes"
	wrongEscape = `an escape in JSON other than \u00 and two hexadecimal digits`
	tooLongJSON = "more than 90 characters in JSON"
)

var problems = [...]struct {
	scheme string
	kind   kind
	text   string
}{
	uuidLength: {"UUID", wrongLength, "36"},
	uuidBinary: {"UUID", wrongLength, "16 bytes"},
	uuidDigit:  {"UUID", wrongCharacter, "not a hexadecimal digit"},
	uuidHyphen: {"UUID", wrongCharacter, "not a hyphen"},
	uuidURN:    {"UUID", wrongCharacter, "prefix is not urn:uuid:"},
	uuidBrace:  {"UUID", wrongCharacter, "not a brace"},
	uuidNull:   {"UUID", malformed, "NULL: scan into a Null or a pointer, such as uuid.Null, uuid.NullBinary or *uuid.UUID"},

	ulidBinary: {"ULID", wrongLength, "16 bytes"},
	ulidNull:   {"ULID", malformed, "NULL: scan into a Null or a pointer, such as ulid.Null, ulid.NullBinary or *ulid.ULID"},

	snowflakeLength:   {"Snowflake", wrongLength, "1 to 19"},
	snowflakeBinary:   {"Snowflake", wrongLength, "8 bytes"},
	snowflakeDigit:    {"Snowflake", wrongCharacter, "not a decimal digit"},
	snowflakeNegative: {"Snowflake", outOfRange, "negative"},
	snowflakeRange:    {"Snowflake", outOfRange, "above 9223372036854775807"},
	snowflakeNull:     {"Snowflake", malformed, "NULL: scan into a Null or a pointer, such as snowflake.Null or *snowflake.ID"},

	uuidBase58:                 {"UUID", wrongLength, "22"},
	uuidBase58 + badDigit:      {"UUID", wrongCharacter, "not a Base58 digit"},
	uuidBase58 + badRange:      {"UUID", outOfRange, "Base58 above 128 bits"},
	ulidBase32:                 {"ULID", wrongLength, "26"},
	ulidBase32 + badDigit:      {"ULID", wrongCharacter, "not a Crockford Base32 digit"},
	ulidBase32 + badRange:      {"ULID", outOfRange, "above 7ZZZZZZZZZZZZZZZZZZZZZZZZZ"},
	ulidBase58:                 {"ULID", wrongLength, "22"},
	ulidBase58 + badDigit:      {"ULID", wrongCharacter, "not a Base58 digit"},
	ulidBase58 + badRange:      {"ULID", outOfRange, "Base58 above 128 bits"},
	snowflakeBase32:            {"Snowflake", wrongLength, "13"},
	snowflakeBase32 + badDigit: {"Snowflake", wrongCharacter, "not a Crockford Base32 digit"},
	snowflakeBase32 + badRange: {"Snowflake", outOfRange, "Base32 above 63 bits"},

	uuidJSON:                  {"UUID", malformed, noQuotes},
	uuidJSON + badEscape:      {"UUID", wrongCharacter, wrongEscape},
	uuidJSON + longJSON:       {"UUID", tooMuch, tooLongJSON},
	ulidJSON:                  {"ULID", malformed, noQuotes},
	ulidJSON + badEscape:      {"ULID", wrongCharacter, wrongEscape},
	ulidJSON + longJSON:       {"ULID", tooMuch, tooLongJSON},
	snowflakeJSON:             {"Snowflake", malformed, noQuotes},
	snowflakeJSON + badEscape: {"Snowflake", wrongCharacter, wrongEscape},
	snowflakeJSON + longJSON:  {"Snowflake", tooMuch, tooLongJSON},
	otherJSON:                 {"id", malformed, noQuotes},
	otherJSON + badEscape:     {"id", wrongCharacter, wrongEscape},
	otherJSON + longJSON:      {"id", tooMuch, tooLongJSON},
}

// parseErrors has each problem at each offset, so that an error costs no allocation.
var parseErrors = func() (all [len(problems)][tooLong + 1]ParseError) {
	for p := range all {
		for offset := range all[p] {
			all[p][offset] = ParseError{problem(p), uint8(offset)}
		}
	}
	return all
}()

// parseError returns the error for problem p at offset.
func parseError(p problem, offset int) *ParseError { return &parseErrors[p][min(offset, tooLong)] }
