package compare

// Inputs that other libraries read as a different ID.

import (
	"database/sql"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	bwmarrin "github.com/bwmarrin/snowflake"
	gofrs "github.com/gofrs/uuid/v5"
	google "github.com/google/uuid"
	oklog "github.com/oklog/ulid/v2"
	"github.com/oneclock/ids"
)

// The decoders of other libraries get the same input as this library's. Their results may differ
// only where testdata/differences.txt lists the difference.

// An outcome is the result of a call for an input.
type outcome struct {
	verdict string // "accepts", "keeps", "refuses" or "refuses and changes"
	id      string // the ID that it read
}

// reads returns a call that passes read a receiver with another value.
func reads[T comparable](held T, read func(p *T, in string) error) func(string) outcome {
	return func(in string) outcome {
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

// spell formats an ID of any library, or one that may be absent, in one way.
func spell(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Array:
		text := ""
		for i := range v.Len() {
			text += fmt.Sprintf("%02x", v.Index(i).Uint())
		}
		return text
	case reflect.Struct: // an ID, and whether it is present
		if !v.Field(1).Bool() {
			return "absent"
		}
		return spell(v.Field(0))
	}
	return fmt.Sprint(v.Int())
}

// parses returns a call of a function that returns an ID.
func parses[T any](parse func(string) (T, error)) func(string) outcome {
	return func(in string) outcome {
		id, err := parse(in)
		if err != nil {
			return outcome{verdict: "refuses"}
		}
		return outcome{"accepts", spell(reflect.ValueOf(id))}
	}
}

// A pair is a call of another library and the corresponding call of this one.
type pair struct {
	library, call string
	there, here   func(in string) outcome
}

// A way is a way in which a type reads an ID. Its name is completed with the type's name.
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
	scanNull   = way{"%s.Scan of NULL", func(p any, _ string) error { return p.(sql.Scanner).Scan(nil) }}
)

// both returns the pairs of two types, for each way in which they read.
func both[A, B comparable](library, name string, there A, here B, ways ...way) (all []pair) {
	for _, w := range ways {
		all = append(all, pair{library, fmt.Sprintf(w.name, name),
			reads(there, func(p *A, in string) error { return w.read(p, in) }), reads(here, func(p *B, in string) error { return w.read(p, in) })})
	}
	return all
}

// heldID is the ID in receivers before a call.
var heldID = [16]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}

var heldNull = ids.Null[ids.UUID]{ID: heldID, Valid: true}

const heldNumber = 987654321

var pairs = slices.Concat([]pair{
	{"google/uuid", "Parse", parses(google.Parse), parses(ids.ParseUUID)},
	{"gofrs/uuid", "FromString", parses(gofrs.FromString), parses(ids.ParseUUID)},
	{"oklog/ulid", "ParseStrict", parses(oklog.ParseStrict), parses(ids.ParseULID)},
	{"bwmarrin/snowflake", "ParseString", parses(bwmarrin.ParseString), parses(ids.ParseSnowflake)},
	{"bwmarrin/snowflake", "ParseBytes", parses(func(s string) (bwmarrin.ID, error) { return bwmarrin.ParseBytes([]byte(s)) }),
		parses(ids.ParseSnowflake)},
	{"bwmarrin/snowflake", "ParseIntBytes",
		parses(func(s string) (id bwmarrin.ID, err error) {
			if len(s) != 8 {
				return id, ids.ErrLength // the argument is an array
			}
			return bwmarrin.ParseIntBytes([8]byte([]byte(s))), nil
		}),
		parses(func(in string) (id ids.Snowflake, err error) { err = id.UnmarshalBinary([]byte(in)); return id, err })},
},
	both("google/uuid", "UUID", google.UUID(heldID), ids.UUID(heldID), unmarshalText, unmarshalBinary, inJSON, scanString, scanBytes, scanNull),
	both("google/uuid", "NullUUID", google.NullUUID{UUID: heldID, Valid: true}, heldNull, unmarshalText, inJSON, scanString, scanBytes, scanNull),
	both("gofrs/uuid", "UUID", gofrs.UUID(heldID), ids.UUID(heldID), unmarshalText, unmarshalBinary, inJSON, scanString, scanBytes, scanNull),
	both("gofrs/uuid", "NullUUID", gofrs.NullUUID{UUID: heldID, Valid: true}, heldNull, inJSON, scanString),
	both("oklog/ulid", "ULID", oklog.ULID(heldID), ids.ULID(heldID), unmarshalText, unmarshalBinary, inJSON, scanString, scanBytes, scanNull),
	both("bwmarrin/snowflake", "ID", bwmarrin.ID(heldNumber), ids.Snowflake(heldNumber), inJSON),
)

// A difference is an entry of the list.
type difference struct {
	fields map[string]string // by name
	input  *regexp.Regexp    // matches the bytes, each as the character with that number
}

// matches reports whether the entry includes a pair with these outcomes, which differ, for the
// input.
func (d *difference) matches(p pair, in string, there, here outcome) bool {
	known := d.fields["library"] == p.library && slices.Contains(strings.Split(d.fields["call"], "; "), p.call)
	if strings.Contains(p.call, "json") {
		var text string
		in = strings.TrimSpace(in)
		if json.Unmarshal([]byte(in), &text) == nil && in != "null" {
			in = text
		}
	}
	if there.verdict == "accepts" && here.verdict == "accepts" {
		there.verdict = "accepts another id"
	}
	return known && d.fields["there"] == there.verdict && d.fields["here"] == here.verdict && d.input.MatchString(latin1(in))
}

// latin1 returns the characters whose numbers are the bytes of s.
func latin1(s string) string {
	var r []rune
	for _, b := range []byte(s) {
		r = append(r, rune(b))
	}
	return string(r)
}

// macros are the words that an input may contain.
var macros = strings.NewReplacer("HEX", "[0-9a-fA-F]", "UUID", "[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")

// differences reads the list, whose entries are separated by an empty line.
func differences(t testing.TB) (all []*difference) {
	t.Helper()
	for entry := range strings.SplitSeq(strings.TrimSpace(readFile("testdata/differences.txt")), "\n\n") {
		if strings.HasPrefix(entry, "#") {
			continue
		}
		d := &difference{fields: map[string]string{}}
		for line := range strings.SplitSeq(entry, "\n") {
			name, value, _ := strings.Cut(line, ":")
			d.fields[name] = strings.TrimPrefix(value, " ")
		}
		var errInput, errExample error
		d.input, errInput = regexp.Compile(`^(?s:` + macros.Replace(d.fields["input"]) + `)$`)
		d.fields["example"], errExample = strconv.Unquote(d.fields["example"])
		names := strings.Join(slices.Sorted(maps.Keys(d.fields)), " ")
		if err := errors.Join(errInput, errExample); err != nil || names != "because call example here input library there" {
			t.Fatalf("an entry has the fields %s: %v\n%s", names, err, entry)
		}
		all = append(all, d)
	}
	return all
}

// compareOn passes an input to all pairs.
func compareOn(t *testing.T, list []*difference, in string) {
	t.Helper()
	for _, p := range pairs {
		there, here := p.there(in), p.here(in)
		if there == here || there.verdict != "accepts" && there.verdict == here.verdict {
			continue
		}
		if !slices.ContainsFunc(list, func(d *difference) bool { return d.matches(p, in, there, here) }) {
			t.Errorf("%s %s: %q: there %+v, here %+v", p.library, p.call, in, there, here)
		}
	}
}

// TestDifferences checks that each entry of the list still holds, for each of its calls.
func TestDifferences(t *testing.T) {
	for _, d := range differences(t) {
		example := d.fields["example"]
		for call := range strings.SplitSeq(d.fields["call"], "; ") {
			i := slices.IndexFunc(pairs, func(p pair) bool { return p.library == d.fields["library"] && p.call == call })
			if i < 0 {
				t.Errorf("there is no %s %s", d.fields["library"], call)
				continue
			}
			there, here := pairs[i].there(example), pairs[i].here(example)
			if there == here || !d.matches(pairs[i], example, there, here) {
				t.Errorf("%s %s of %q is %+v there and %+v here: the entry does not hold", d.fields["library"], call, example, there, here)
			}
		}
	}
}

// inputs contains strings and bytes that at least one decoder accepts.
var inputs = []string{
	"", "null", good.uuid, "urn:uuid:" + good.uuid, "URN:UUID:" + strings.ToUpper(good.uuid), "{" + good.uuid + "}",
	strings.ReplaceAll(good.uuid, "-", ""), "{" + strings.ReplaceAll(good.uuid, "-", "") + "}",
	"urn:uuid:" + strings.ReplaceAll(good.uuid, "-", ""),
	good.ulid, strings.ToLower(good.ulid), "7ZZZZZZZZZZZZZZZZZZZZZZZZZ", "80000000000000000000000000", "ZZZZZZZZZZZZZZZZZZZZZZZZZZ",
	"0", "1", good.snowflake, "9223372036854775807", "9223372036854775808", "-1", "-9223372036854775808",
	"+1", "00000000000000000001", "1_000", "0x1",
	"11111111111", "111111111112", "2",
	string(sampleUUID[:]), "\x01\x02\x03\x04\x05\x06\x07\x08", "\xff\xff\xff\xff\xff\xff\xff\xff",
	strings.Repeat("\xff", 16), strings.Repeat("\x00", 16),
	"\xf8\x1d\x4f\xae\x7d\xec\x11\xd0\xa7\x65\x00\xa0\xc9\x1e\x6b\xf6", "\x00\x00\x03\xe8\x94\x14\x21\xec\x85\x01\x02\x11\x22\x33\x44\x55",
	"\x1e\xc9\x41\x4c\x23\x2a\x6b\x00\xb3\xc8\x9f\x6b\xde\xce\xd8\x46",
	"123456781234567812345678E2345678", "0E00000", "[0 ]", "{\"", // in JSON
}

// TestMutated passes each decoder accepted inputs, with and without quotes. It also passes them
// with a different byte at each position, with a byte left out and with a byte doubled.
func TestMutated(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long with the race detector, and has one goroutine")
	}
	list := differences(t)
	for _, text := range inputs {
		for _, s := range []string{text, `"` + text + `"`} {
			compareOn(t, list, s)
			for i := range len(s) {
				mutated := []byte(s)
				for _, b := range []byte("\x00\n \"+-./019:@AFGIOUZ_`afgiloruz{}\x7f\x80\xc3\xff") {
					mutated[i] = b
					compareOn(t, list, string(mutated))
				}
				compareOn(t, list, s[:i])
				compareOn(t, list, s[:i]+s[i+1:])
				compareOn(t, list, s[:i+1]+s[i:])
			}
		}
	}
}
