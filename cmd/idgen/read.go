package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/typeid"
)

// A reading is a way to read a text as an id.
type reading struct {
	kind, form string
	fits       func(s string) bool // by length, prefix and digits alone
	parse      func(s string) (ident, error)
}

// ways are all readings. The first that fits is taken.
var ways = []reading{
	{"typeid", "text", func(s string) bool { return strings.Contains(s, "_") }, parser(parseTypeID)},
	{"snowflake", "unknown", isThirteenDigits, refuseThirteenDigits}, // unless -as names a form
	{"snowflake", "text", isDecimal, parser(ids.ParseSnowflake)},
	{"snowflake", "base32", hasLength(13), parser(ids.ParseSnowflakeBase32)},
	{"snowflake", "hex", isPrefixedHex, parser(parseSnowflakeHex)},
	{"uuid", "text", hasLength(36), parser(ids.ParseUUID)},
	{"uuid", "hex", hasLength(32), parser(ids.ParseUUID)},
	{"uuid", "hex", isDatabaseHex, parser(parseDatabaseHex)},
	{"uuid", "urn", hasLength(45), parser(ids.ParseUUID)},
	{"uuid", "braces", hasLength(38), parser(ids.ParseUUID)},
	{"uuid", "base58", hasLength(22), parser(ids.ParseUUIDBase58)},
	{"ulid", "text", hasLength(26), parser(ids.ParseULID)},
	{"ulid", "base32", hasLength(26), parser(ids.ParseULID)},
	{"ulid", "base58", hasLength(22), parser(ids.ParseULIDBase58)},
	{"ulid", "hex", hasLength(32), parser(asULID(ids.ParseUUID))},
	{"ulid", "hex", isDatabaseHex, parser(asULID(parseDatabaseHex))},
	{"uuid", "base32", hasLength(26), parser(func(s string) (ids.UUID, error) {
		u, err := ids.ParseULID(s)
		return u.UUID(), err
	})},
	{"typeid", "text", hasLength(26), parser(parseTypeID)},
}

// parser returns parse with its result as an ident.
func parser[T ident](parse func(string) (T, error)) func(string) (ident, error) {
	return func(s string) (ident, error) {
		id, err := parse(s)
		return id, err
	}
}

// asULID returns parse with its result as a ULID.
func asULID(parse func(string) (ids.UUID, error)) func(string) (ids.ULID, error) {
	return func(s string) (ids.ULID, error) {
		u, err := parse(s)
		return u.ULID(), err
	}
}

func hasLength(n int) func(string) bool { return func(s string) bool { return len(s) == n } }

// isDecimal reports whether s is a decimal number. It may be negative or too large: the refusal
// then names a Snowflake. A number as long as another kind of id is left to that kind, as it is too
// long for a Snowflake.
func isDecimal(s string) bool {
	digits := strings.TrimPrefix(s, "-")
	return digits != "" && strings.Trim(digits, "0123456789") == "" && !slices.Contains([]int{22, 26, 32}, len(s))
}

// isThirteenDigits reports whether s is one Snowflake in decimal and another one in Base32.
func isThirteenDigits(s string) bool { return len(s) == 13 && strings.Trim(s, "0123456789") == "" }

func refuseThirteenDigits(string) (ident, error) {
	return nil, &refusal{-1, "one Snowflake", "13 digits may be decimal or Base32; -as text or -as base32 says which"}
}

func isPrefixedHex(s string) bool { return len(s) == 18 && (s[:2] == "0x" || s[:2] == "0X") }

// isDatabaseHex reports whether s is as long as 16 bytes in PostgreSQL's psql, or in SQL Server and in tools for MySQL.
func isDatabaseHex(s string) bool {
	return len(s) == 34 && (s[:2] == bytea || s[:2] == "0x" || s[:2] == "0X")
}

// bytea begins bytes in psql. No other text of an id has a backslash.
const bytea = `\x`

func parseDatabaseHex(s string) (ids.UUID, error) {
	u, err := ids.ParseUUID(s[2:])
	if err != nil {
		return u, refused(err, "a UUID", 2)
	}
	return u, nil
}

// parseSnowflakeHex reads 0x and 16 hexadecimal digits, as the last ones of a UUID.
func parseSnowflakeHex(s string) (ids.Snowflake, error) {
	const zeros, what = "0000000000000000", "a Snowflake"
	u, err := ids.ParseUUID(zeros + s[len("0x"):])
	if err != nil {
		return 0, refused(err, what, len("0x")-len(zeros))
	}
	v := binary.BigEndian.Uint64(u[8:])
	if v>>63 != 0 {
		return 0, &refusal{-1, what, "above 7fffffffffffffff"}
	}
	return ids.Snowflake(v), nil
}

// parseTypeID reads a TypeID of any prefix, or of none.
func parseTypeID(s string) (typeID, error) {
	prefix, u, err := typeid.Split(s)
	return typeID{u, prefix}, err
}

// readings are the ways in which a text may be read.
type readings struct {
	what string // "a UUID"
	ways []reading
}

// everyKind has all ways.
var everyKind = readings{"an id", ways}

// addAs adds the option -as.
func (fs *flags) addAs() *string {
	return fs.choice("as", "", slices.Concat([]string{"uuid", "ulid", "snowflake"}, formNames))
}

// readingsAs returns the readings as a kind or a form; all if as is empty.
func readingsAs(as string) readings {
	if as == "" {
		return everyKind
	}
	some := readings{what: kinds[as]}
	if some.what == "" {
		some.what = "an id of form " + as
	}
	if as == "json" { // quotes are taken off before a text is read
		as = "text"
	}
	for _, r := range ways {
		if r.kind == as || r.form == as {
			some.ways = append(some.ways, r)
		}
	}
	return some
}

// kinds are the kinds by name, as a message has them.
var kinds = map[string]string{"uuid": "a UUID", "ulid": "a ULID", "snowflake": "a Snowflake", "typeid": "a TypeID"}

// read returns the id in a text, which may have blanks around it and quotes, by the first
// reading that fits.
func (rs readings) read(text string) (ident, reading, error) {
	s, offset := trim(text)
	var bad error
	for _, r := range rs.ways {
		if !r.fits(s) {
			continue
		}
		id, err := r.parse(s)
		if err == nil {
			return id, r, nil
		}
		bad = refused(err, kinds[r.kind], offset)
		break
	}
	return nil, reading{}, rs.refuse(s, offset, bad)
}

// trim returns s without blanks and one pair of quotes around it, and where in s that begins.
func trim(s string) (trimmed string, offset int) {
	trimmed = strings.TrimLeft(s, " \t")
	offset = len(s) - len(trimmed)
	trimmed = strings.TrimRight(trimmed, " \t")
	if n := len(trimmed); n > 2 && trimmed[0] == '"' && trimmed[n-1] == '"' {
		return trimmed[1 : n-1], offset + 1
	}
	return trimmed, offset
}

// A refusal says that an input is not an id, and why.
type refusal struct {
	at   int    // the byte that is wrong, or -1 if none alone is
	what string // "a UUID"
	why  string
}

func (r *refusal) Error() string { return "not " + r.what + ": " + r.why }

// A parseError is an error of a function that parses an id: of package ids or typeid.
type parseError interface {
	error
	Scheme() string
	Offset() (offset int, ok bool)
}

// refused returns the refusal for an error of a way to read what, such as "a UUID", in a text that
// begins at offset in the input.
func refused(err error, what string, offset int) error {
	var own *refusal
	if errors.As(err, &own) {
		return own.moved(offset)
	}
	var bad parseError
	errors.As(err, &bad)
	why := strings.TrimPrefix(strings.TrimPrefix(bad.Error(), "ids: parsing "+bad.Scheme()+": "), "typeid: ")
	why, _, _ = strings.Cut(why, " at byte ")
	why = strings.TrimSuffix(why, ", want 36") // uuid8 takes other lengths too
	at, ok := bad.Offset()
	if !ok {
		at = -1
	}
	return (&refusal{at, what, why}).moved(offset)
}

// moved returns r for a text that begins at offset in another.
func (r *refusal) moved(offset int) *refusal {
	if r.at < 0 {
		return r
	}
	return &refusal{offset + r.at, r.what, r.why}
}

// refuse returns the refusal of s, which begins at offset in the input. Bad is the refusal by the
// reading that fits s, or nil if none fits. A character that no id has comes before it: it says
// more, as the reading is a guess.
func (rs readings) refuse(s string, offset int, bad error) error {
	for i, r := range s {
		if i == 0 && strings.HasPrefix(s, bytea) {
			continue
		}
		if r >= utf8.RuneSelf || !(r|0x20 >= 'a' && r|0x20 <= 'z' || r >= '0' && r <= '9' || strings.ContainsRune("-{}:_", r)) {
			_, size := utf8.DecodeRuneInString(s[i:])
			return &refusal{offset + i, rs.what, fmt.Sprintf("%+q cannot occur in one", s[i:i+size])}
		}
	}
	if bad != nil {
		return bad
	}
	why := fmt.Sprintf("no known form, length %d", len(s))
	if other := map[int]string{20: "an xid", 24: "an ObjectId", 27: "a KSUID"}[len(s)]; other != "" {
		why += ", as of " + other + ", which idgen does not read"
	}
	return &refusal{-1, rs.what, why}
}

// longest is how many bytes a line has at most, without its end.
const longest = 64 << 10

// An input is what a command works on: an argument or a line of standard input.
type input struct {
	text string
	line int // of standard input, from 1; 0 for an argument
}

// inputs calls do for each argument or, if there is none or only "-", for each line of standard
// input, without its end, that is not empty. It reports what do refuses and goes on.
func (t *tool) inputs(args []string, do func(input) error) error {
	if slices.Contains(args, "-") {
		if len(args) > 1 {
			return usageError("- stands for standard input: no other argument can be beside it")
		}
		args = nil
	}
	return t.names(args, do)
}

// names is inputs for names: "-" is one.
func (t *tool) names(args []string, do func(input) error) error {
	if len(args) == 0 {
		return t.lines(do)
	}
	for _, arg := range args {
		if err := t.take(input{text: unmarked(arg)}, do); err != nil {
			return err
		}
	}
	t.tally("arguments")
	return nil
}

// unmarked returns s without the byte order mark of an editor or a spreadsheet. Where files were put together, any line
// may have one, or several.
func unmarked(s string) string { return strings.TrimLeft(s, "\ufeff") }

// lines is inputs for standard input.
func (t *tool) lines(do func(input) error) error {
	r := bufio.NewReaderSize(t.in, longest+len("\r\n"))
	for n := 1; ; n++ {
		if r.Buffered() == 0 {
			// Whoever types the lines, or pipes them in one by one, waits for an answer.
			if err := t.out.Flush(); err != nil {
				return err
			}
		}
		line, long, err := nextLine(r)
		if errors.Is(err, io.EOF) {
			t.tally("lines")
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading standard input: %w", err)
		}
		work := do
		if long {
			work = tooLong
		}
		bad := t.bad
		if long || line != "" {
			if stopped := t.take(input{line, n}, work); stopped != nil {
				return stopped
			}
		}
		if t.aligned && (line == "" || t.bad > bad) {
			fmt.Fprintln(t.out)
		}
	}
}

// tooLong refuses a line that is too long.
func tooLong(input) error { return fmt.Errorf("too long (the limit is %d bytes)", longest) }

// nextLine returns the next line without its end and without a mark. It skips a line that is too long, and long is true.
// The last line may lack its end, unless reading it has failed: it may then be cut.
func nextLine(r *bufio.Reader) (line string, long bool, err error) {
	b, err := r.ReadSlice('\n')
	some := len(b) > 0
	b = bytes.TrimSuffix(bytes.TrimSuffix(b, []byte("\n")), []byte("\r"))
	long = len(b) > longest
	if !long {
		line = unmarked(string(b))
	}
	for errors.Is(err, bufio.ErrBufferFull) {
		_, err = r.ReadSlice('\n')
	}
	if errors.Is(err, io.EOF) && some {
		err = nil
	}
	return line, long, err
}

// take calls do for one input and reports what it refuses: where the input is and what is wrong with it. It
// repeats an argument, and not a line, whose number is enough to find it. Its error is that of the output.
func (t *tool) take(in input, do func(input) error) error {
	err := do(in)
	if stopped := t.stopped(); stopped != nil {
		return stopped
	}
	t.total++
	if err == nil {
		return nil
	}
	t.bad++
	where, what := fmt.Sprintf("line %d", in.line), ""
	if in.line == 0 {
		where, what = fmt.Sprintf("argument %d", t.total), quoted(in.text)+" is "
	}
	var bad *refusal
	if !errors.As(err, &bad) {
		what = ""
	} else if bad.at >= 0 {
		where += fmt.Sprintf(", column %d", utf8.RuneCountInString(in.text[:bad.at])+1)
	}
	t.out.Flush() // so that output and reports come in the order of the input; stopped returns its error later
	fmt.Fprintf(t.errs, "idgen: %s: %s%v\n", where, what, err)
	return nil
}

// tally reports how many of several inputs were bad, unless all were good.
func (t *tool) tally(what string) {
	if t.bad == 0 || t.total == 1 {
		return
	}
	were := "were"
	if t.bad == 1 {
		were = "was"
	}
	t.out.Flush() // as take does
	fmt.Fprintf(t.errs, "idgen: %d of %d %s %s bad\n", t.bad, t.total, what, were)
}
