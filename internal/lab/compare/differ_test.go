package compare

import (
	"database/sql"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	bwmarrin "github.com/bwmarrin/snowflake"
	gofrs "github.com/gofrs/uuid/v5"
	google "github.com/google/uuid"
	oklog "github.com/oklog/ulid/v2"
	"github.com/oneclock/ids"
)

// The decoders of other libraries get the same input as those here. What they make of it may differ
// only where testdata/differences.txt says so.

// An outcome is what a call made of an input.
type outcome struct {
	verdict string // "accepts", "keeps", "refuses", "refuses and changes" or "panics"
	id      string // that it read
}

// reads returns a call that lets read set a receiver that holds another value.
func reads[T comparable](held T, read func(p *T, in string) error) func(string) outcome {
	return func(in string) (o outcome) {
		defer func() {
			if recover() != nil {
				o = outcome{verdict: "panics"}
			}
		}()
		v := held
		switch err := read(&v, in); {
		case err != nil && v != held:
			return outcome{verdict: "refuses and changes"}
		case err != nil:
			return outcome{verdict: "refuses"}
		case v == held:
			return outcome{verdict: "keeps"}
		}
		return outcome{"accepts", spell(reflect.ValueOf(v))}
	}
}

// spell returns an id of any library, or one that may be absent, in one way.
func spell(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Array:
		text := ""
		for i := range v.Len() {
			text += fmt.Sprintf("%02x", v.Index(i).Uint())
		}
		return text
	case reflect.Struct: // an id, and whether there is one
		if !v.Field(1).Bool() {
			return "absent"
		}
		return spell(v.Field(0))
	}
	return fmt.Sprint(v.Int())
}

// parses returns a call of a function that returns an id.
func parses[T comparable](parse func(string) (T, error)) func(string) outcome {
	type box struct {
		id     T
		filled bool
	}
	return reads(box{}, func(p *box, in string) (err error) {
		id, err := parse(in)
		if err == nil {
			*p = box{id, true}
		}
		return err
	})
}

// tells returns a call that writes what 16 bytes hold.
func tells(tell func(b [16]byte) (string, bool)) func(string) outcome {
	return func(in string) outcome {
		if len(in) != 16 {
			return outcome{}
		}
		if text, ok := tell([16]byte([]byte(in))); ok {
			return outcome{"accepts", text}
		}
		return outcome{verdict: "refuses"}
	}
}

// always is tells for what every id has.
func always[T ~[16]byte](tell func(T) string) func(string) outcome {
	return tells(func(b [16]byte) (string, bool) { return tell(T(b)), true })
}

// A pair is a call of another library and the one here that stands for it.
type pair struct {
	library, call string
	there, here   func(in string) outcome
}

// A way is one in which a type reads an id, by its name with the type's.
type way struct {
	name string
	read func(p any, in string) error
}

var (
	unmarshalText   = way{"%s.UnmarshalText", func(p any, in string) error { return p.(encoding.TextUnmarshaler).UnmarshalText([]byte(in)) }}
	unmarshalBinary = way{"%s.UnmarshalBinary", func(p any, in string) error {
		return p.(encoding.BinaryUnmarshaler).UnmarshalBinary([]byte(in))
	}}
	inJSON     = way{"%s in json.Unmarshal", func(p any, in string) error { return json.Unmarshal([]byte(in), p) }}
	scanString = way{"%s.Scan of a string", func(p any, in string) error { return p.(sql.Scanner).Scan(in) }}
	scanBytes  = way{"%s.Scan of bytes", func(p any, in string) error { return p.(sql.Scanner).Scan([]byte(in)) }}

	// The method for JSON gets what encoding/json may call it with.
	unmarshalJSON = way{"%s.UnmarshalJSON", func(p any, in string) error {
		if !json.Valid([]byte(in)) || strings.TrimSpace(in) != in {
			return nil
		}
		return p.(json.Unmarshaler).UnmarshalJSON([]byte(in))
	}}
)

// both returns the pairs of two types, for each way in which they read.
func both[A, B comparable](library, name string, there A, here B, ways ...way) (all []pair) {
	for _, w := range ways {
		all = append(all, pair{library, fmt.Sprintf(w.name, name),
			reads(there, func(p *A, in string) error { return w.read(p, in) }), reads(here, func(p *B, in string) error { return w.read(p, in) })})
	}
	return all
}

// heldID is what receivers hold.
var heldID = [16]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}

var (
	hereUUID = ids.UUID(heldID)
	hereNull = ids.Null[ids.UUID]{ID: hereUUID, Valid: true}
	hereULID = ids.ULID(heldID)

	googleUUID, googleNull = google.UUID(heldID), google.NullUUID{UUID: heldID, Valid: true}
	gofrsUUID, gofrsNull   = gofrs.UUID(heldID), gofrs.NullUUID{UUID: heldID, Valid: true}
	oklogULID              = oklog.ULID(heldID)
)

const heldNumber = 987654321

var pairs = slices.Concat([]pair{
	{"google/uuid", "Parse", parses(google.Parse), parses(ids.ParseUUID)},
	{"google/uuid", "UUID.String and URN",
		always(func(u google.UUID) string { return u.String() + u.URN() }), always(func(u ids.UUID) string { return u.String() + u.URN() })},
	{"google/uuid", "UUID.Time",
		always(func(u google.UUID) string { return time.Unix(u.Time().UnixTime()).UTC().String() }),
		tells(func(b [16]byte) (string, bool) { t, ok := ids.UUID(b).Time(); return t.String(), ok })},
	{"google/uuid", "UUID.ClockSequence and NodeID",
		always(func(u google.UUID) string { return fmt.Sprint(u.ClockSequence(), u.NodeID()) }),
		tells(func(b [16]byte) (string, bool) {
			u := ids.UUID(b)
			seq, ok := u.ClockSequence()
			node, _ := u.NodeID()
			return fmt.Sprint(seq, node), ok
		})},

	{"gofrs/uuid", "FromString", parses(gofrs.FromString), parses(ids.ParseUUID)},
	{"gofrs/uuid", "TimestampFromV1, V6 and V7", tells(gofrsTime),
		tells(func(b [16]byte) (string, bool) {
			u := ids.UUID(b)
			t, ok := u.Time()
			return t.String(), ok && u.Version() != 2
		})},

	{"oklog/ulid", "ParseStrict", parses(oklog.ParseStrict), parses(ids.ParseULID)},
	{"oklog/ulid", "ULID.String, Time and Entropy",
		always(func(u oklog.ULID) string { return fmt.Sprint(u, u.Timestamp().UTC(), u.Entropy()) }),
		always(func(u ids.ULID) string { return fmt.Sprint(u, u.Time(), u.Entropy()) })},

	{"bwmarrin/snowflake", "ParseString", parses(bwmarrin.ParseString), parses(ids.ParseSnowflake)},
	{"bwmarrin/snowflake", "ParseBytes", parses(func(s string) (bwmarrin.ID, error) { return bwmarrin.ParseBytes([]byte(s)) }),
		parses(ids.ParseSnowflake)},
	{"bwmarrin/snowflake", "ParseIntBytes",
		parses(func(s string) (id bwmarrin.ID, err error) {
			if len(s) != 8 {
				return id, ids.ErrLength // its argument is an array
			}
			return bwmarrin.ParseIntBytes([8]byte([]byte(s))), nil
		}),
		parses(func(in string) (id ids.Snowflake, err error) { err = id.UnmarshalBinary([]byte(in)); return id, err })},
	{"bwmarrin/snowflake", "ID.String, Time, Node and Step",
		tells(func(b [16]byte) (string, bool) {
			id := bwmarrin.ParseIntBytes([8]byte(b[:8]))
			return fmt.Sprint(id, id.Time(), id.Node(), id.Step()), true
		}),
		tells(func(b [16]byte) (string, bool) {
			id := ids.Snowflake(bwmarrin.ParseIntBytes([8]byte(b[:8])))
			p := ids.TwitterLayout().Split(id)
			return fmt.Sprint(id, p.Time.UnixMilli(), p.Node, p.Sequence), true
		})},
},
	both("google/uuid", "UUID", googleUUID, hereUUID, unmarshalText, unmarshalBinary, inJSON, scanString, scanBytes),
	both("google/uuid", "NullUUID", googleNull, hereNull, unmarshalText, unmarshalJSON, scanString, scanBytes),
	both("gofrs/uuid", "UUID", gofrsUUID, hereUUID, unmarshalText, unmarshalBinary, inJSON, scanString, scanBytes),
	both("gofrs/uuid", "NullUUID", gofrsNull, hereNull, unmarshalJSON, scanString),
	both("oklog/ulid", "ULID", oklogULID, hereULID, unmarshalText, unmarshalBinary, inJSON, scanString, scanBytes),
	both("bwmarrin/snowflake", "ID", bwmarrin.ID(heldNumber), ids.Snowflake(heldNumber), unmarshalJSON),
)

// gofrsTime returns the time in a UUID, by the function for its version.
func gofrsTime(b [16]byte) (string, bool) {
	u := gofrs.UUID(b)
	from := map[byte]func(gofrs.UUID) (gofrs.Timestamp, error){
		1: gofrs.TimestampFromV1, 6: gofrs.TimestampFromV6, 7: gofrs.TimestampFromV7,
	}[u.Version()]
	if from == nil {
		return "", false
	}
	stamp, err := from(u)
	t, errTime := stamp.Time()
	return t.UTC().String(), err == nil && errTime == nil
}

// A difference is an entry of the list.
type difference struct {
	line   int
	fields map[string]string // by name
	input  *regexp.Regexp    // of the bytes, each as the character of that number
}

// matches reports whether a pair with these outcomes for an input is in the entry.
func (d *difference) matches(p *pair, in string, there, here outcome) bool {
	known := d.fields["library"] == p.library && slices.Contains(strings.Split(d.fields["call"], "; "), p.call)
	if strings.Contains(p.call, "JSON") || strings.Contains(p.call, "json") {
		var text string
		if json.Unmarshal([]byte(in), &text) == nil && in != "null" {
			in = text
		}
	}
	return known && d.fields["there"] == there.words(here) && d.fields["here"] == here.verdict && d.input.MatchString(latin1(in))
}

// words returns the verdict as the list has it.
func (o outcome) words(here outcome) string {
	if o.verdict == "accepts" && here.verdict == "accepts" && o.id != here.id {
		return "accepts another id"
	}
	return o.verdict
}

// latin1 returns the characters of the numbers of bytes.
func latin1(s string) string {
	r := make([]rune, len(s))
	for i := range len(s) {
		r[i] = rune(s[i])
	}
	return string(r)
}

// macros are the words that an input may have.
var macros = strings.NewReplacer("HEX", "[0-9a-fA-F]", "UUID", "[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")

// differences reads the list.
func differences(t testing.TB) (all []*difference) {
	t.Helper()
	file, err := os.ReadFile("testdata/differences.txt")
	if err != nil {
		t.Fatal(err)
	}
	var d *difference
	n := 0
	for line := range strings.Lines(string(file)) {
		n++
		line = strings.TrimSuffix(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			d = nil
			continue
		}
		if d == nil {
			d = &difference{line: n, fields: map[string]string{}}
			all = append(all, d)
		}
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "input":
			d.input, err = regexp.Compile(`^(?s:` + macros.Replace(value) + `)$`)
		case "example":
			value, err = strconv.Unquote(value)
		case "library", "call", "there", "here", "because":
		default:
			err = errors.New("there is no such field")
		}
		if err != nil {
			t.Fatalf("line %d of the list is %q: %v", n, line, err)
		}
		d.fields[name] = value
	}
	return all
}

// compareOn gives an input to the pairs of a library, or of all.
func compareOn(t *testing.T, list []*difference, library, in string) {
	t.Helper()
	for i := range pairs {
		p := &pairs[i]
		if library != "" && p.library != library {
			continue
		}
		there, here := p.there(in), p.here(in)
		if there == here || there.verdict != "accepts" && there.verdict == here.verdict {
			continue
		}
		if !slices.ContainsFunc(list, func(d *difference) bool { return d.matches(p, in, there, here) }) {
			t.Errorf("%s %s: %q: there %+v, here %+v", p.library, p.call, in, there, here)
		}
	}
}

// TestDifferences checks that each entry of the list holds still, for each of its calls.
func TestDifferences(t *testing.T) {
	for _, d := range differences(t) {
		library, example := d.fields["library"], d.fields["example"]
		if len(d.fields) != 7 {
			t.Errorf("line %d: the entry has the fields %q, want all seven", d.line, d.fields)
			continue
		}
		for call := range strings.SplitSeq(d.fields["call"], "; ") {
			i := slices.IndexFunc(pairs, func(p pair) bool { return p.library == library && p.call == call })
			if i < 0 {
				t.Errorf("line %d: there is no %s %s", d.line, library, call)
				continue
			}
			there, here := pairs[i].there(example), pairs[i].here(example)
			if there == here || !d.matches(&pairs[i], example, there, here) {
				t.Errorf("line %d: %s %s of %q is %+v there and %+v here: the entry does not hold", d.line, library, call, example, there, here)
			}
		}
	}
}

// inputs are texts and bytes that some decoder accepts.
var inputs = []string{
	"", "null", sampleUUIDText, "urn:uuid:" + sampleUUIDText, "URN:UUID:" + strings.ToUpper(sampleUUIDText), "{" + sampleUUIDText + "}",
	strings.ReplaceAll(sampleUUIDText, "-", ""), "{" + strings.ReplaceAll(sampleUUIDText, "-", "") + "}",
	"urn:uuid:" + strings.ReplaceAll(sampleUUIDText, "-", ""),
	sampleULIDText, strings.ToLower(sampleULIDText), "7ZZZZZZZZZZZZZZZZZZZZZZZZZ", "80000000000000000000000000", "ZZZZZZZZZZZZZZZZZZZZZZZZZZ",
	"0", "1", sampleSnowflakeText, "9223372036854775807", "9223372036854775808", "-1", "-9223372036854775808",
	"+1", "00000000000000000001", "1_000", "0x1",
	"11111111111", "111111111112", "2",
	string(sampleUUID[:]), "\x01\x02\x03\x04\x05\x06\x07\x08", "\xff\xff\xff\xff\xff\xff\xff\xff",
	strings.Repeat("\xff", 16), strings.Repeat("\x00", 16),
	"\xf8\x1d\x4f\xae\x7d\xec\x11\xd0\xa7\x65\x00\xa0\xc9\x1e\x6b\xf6", "\x00\x00\x03\xe8\x94\x14\x21\xec\x85\x01\x02\x11\x22\x33\x44\x55",
	"\x1e\xc9\x41\x4c\x23\x2a\x6b\x00\xb3\xc8\x9f\x6b\xde\xce\xd8\x46",
}

// TestMutated gives each decoder accepted inputs, with and without quotes, and those with another byte
// at each position, with a byte left out and with one doubled.
func TestMutated(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long with the race detector, and has one goroutine")
	}
	list := differences(t)
	for _, text := range inputs {
		for _, s := range []string{text, `"` + text + `"`} {
			compareOn(t, list, "", s)
			for i := range len(s) {
				mutated := []byte(s)
				for _, b := range []byte("\x00\n \"+-./019:@AFGIOUZ_`afgiloruz{}\x7f\x80\xc3\xff") {
					mutated[i] = b
					compareOn(t, list, "", string(mutated))
				}
				compareOn(t, list, "", s[:i])
				compareOn(t, list, "", s[:i]+s[i+1:])
				compareOn(t, list, "", s[:i+1]+s[i:])
			}
		}
	}
}

// Anything else, beside each library.

func FuzzGoogle(f *testing.F) {
	fuzzBeside(f, "google/uuid", " ", "0\"", "[[]]", "{\r\f", `"\""`, `"\ua0a0"`, "000000a0\xce0000000",
		`"(f81d4fae-7dec-11d0-aaa5-00a0c91e6bf6]"`)
}

func FuzzGofrs(f *testing.F) {
	fuzzBeside(f, "gofrs/uuid", " ", "\v", "{\"", "\"\" ", "0.00000A", "\"\xe50000\"", "{017f22e279b07cc398c4dc0c0c07398\xcc}",
		"04a10de1ea0c{fq75c1{f\x006\x10a7fd86e\xed")
}

func FuzzOklog(f *testing.F) {
	fuzzBeside(f, "oklog/ulid", " ", "\v", "\n0", "[0 ]", "[\n\n", "0E00000", "\"\xcb\xfd\"", `"\u000x`)
}

func FuzzBwmarrin(f *testing.F) {
	fuzzBeside(f, "bwmarrin/snowflake", " ", "[[", "0E0A", `"10"`, "[0   ", "[       ", "0\"", "11110000000")
}

// fuzzBeside fuzzes the decoders of a library. It begins with what some decoder accepts, and with what the fuzzer found to reach more.
func fuzzBeside(f *testing.F, library string, found ...string) {
	list := differences(f)
	for _, d := range list {
		f.Add([]byte(d.fields["example"]))
	}
	for _, s := range found {
		f.Add([]byte(s))
	}
	for _, s := range inputs {
		f.Add([]byte(s))
		f.Add([]byte(`"` + s + `"`))
	}
	f.Fuzz(func(t *testing.T, data []byte) { compareOn(t, list, library, string(data)) })
}
