package ids_test

// IDs, and types that embed them, in JSON, XML, gob, flags and logs.

import (
	"bytes"
	"database/sql"
	"database/sql/driver"
	"encoding"
	"encoding/gob"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"html/template"
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/typeid"
)

const (
	edgeUUID      = "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"
	edgeULID      = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
	edgeSnowflake = "1541815603606036480"
)

// TestEncodings writes an ID of each type and reads it back, in every way that the standard library
// offers.
func TestEncodings(t *testing.T) {
	u, l, s := ids.MustParseUUID(edgeUUID), ids.MustParseULID(edgeULID), ids.Snowflake(1541815603606036480)
	t.Run("UUID", func(t *testing.T) { checkEncodings(t, u, edgeUUID) })
	t.Run("ULID", func(t *testing.T) { checkEncodings(t, l, edgeULID) })
	t.Run("Snowflake", func(t *testing.T) { checkEncodings(t, s, edgeSnowflake) })
	t.Run("Null of UUID", func(t *testing.T) { checkEncodings(t, ids.Null[ids.UUID]{ID: u, Valid: true}, edgeUUID) })
	t.Run("Null of ULID", func(t *testing.T) { checkEncodings(t, ids.Null[ids.ULID]{ID: l, Valid: true}, edgeULID) })
	t.Run("Null of Snowflake", func(t *testing.T) { checkEncodings(t, ids.Null[ids.Snowflake]{ID: s, Valid: true}, edgeSnowflake) })
	t.Run("Binary of UUID", func(t *testing.T) { checkEncodings(t, ids.Binary[ids.UUID]{ID: u}, edgeUUID) })
	t.Run("Binary of ULID", func(t *testing.T) { checkEncodings(t, ids.Binary[ids.ULID]{ID: l}, edgeULID) })
}

// A jsonVersion is a package for JSON.
type jsonVersion struct {
	name      string
	marshal   func(v any) ([]byte, error)
	unmarshal func(data []byte, into any) error
}

const jsonV2 = "encoding/json/v2"

// jsons contains the available packages. The second, which exists from Go 1.27 on, also exists with
// GOEXPERIMENT=jsonv2, which builds the first package on it.
var jsons = []jsonVersion{{"encoding/json", json.Marshal, json.Unmarshal}}

// The type encoded describes one way to write an ID, or to write and read it.
type encoded[T any] struct {
	name string
	wire string // the written form
	out  func() (string, error)
	in   func(wire string) (T, error) // nil: the ID can only be written
}

// The constraint written permits types that are written and read as text.
type written interface {
	comparable
	encoding.TextMarshaler
	fmt.Stringer
}

// The constraint readable permits pointers to such types.
type readable[T any] interface {
	*T
	encoding.TextUnmarshaler
}

func checkEncodings[T written, P readable[T]](t *testing.T, id T, text string) {
	t.Helper()
	ways := slices.Concat(waysOfGob(id), waysOfText[T, P](id, text), waysOut(id, text))
	for _, j := range jsons {
		ways = append(ways, waysOfJSON(j, id, text)...)
	}
	for _, e := range ways {
		if e.out != nil {
			if wire, err := e.out(); wire != e.wire || err != nil {
				t.Errorf("%s: %q, %v, want %q", e.name, wire, err, e.wire)
			}
		}
		if e.in == nil {
			continue
		}
		if got, err := e.in(e.wire); got != id || err != nil {
			t.Errorf("%s: read %v, %v, want %v", e.name, got, err, id)
		}
		// bad has the same length, so lengths in the encoding stay right.
		bad := strings.ReplaceAll(e.wire, text, text[:len(text)-1]+"!")
		if got, err := e.in(bad); bad != e.wire && (err == nil || got == id) {
			t.Errorf("%s: %q is read as %v, %v", e.name, bad, got, err)
		}
	}
}

// waysOfJSON returns the ways of a package for JSON.
func waysOfJSON[T written](j jsonVersion, id T, text string) []encoded[T] {
	type inJSON struct {
		ID    T `json:"id,omitzero"`
		Empty T `json:"empty,omitzero"`
	}
	type inAny struct {
		ID any `json:"id"`
	}
	return []encoded[T]{
		{j.name + ", value", `"` + text + `"`, j.to(id), fromJSON(j, func(v T) T { return v })},
		{j.name + ", pointer", `"` + text + `"`, j.to(&id), fromJSON(j, func(v *T) T { return *v })},
		{j.name + ", pointer to a pointer", `"` + text + `"`, j.to(&[]*T{&id}[0]), fromJSON(j, func(v **T) T { return **v })},
		{j.name + ", array", `["` + text + `"]`, j.to([1]T{id}), fromJSON(j, func(v [1]T) T { return v[0] })},
		{j.name + ", slice of pointers", `["` + text + `",null]`, j.to([]*T{&id, nil}), fromJSON(j, func(v []*T) T { return *v[0] })},
		{j.name + ", key of a map", `{"` + text + `":1}`, j.to(map[T]int{id: 1}), fromJSON(j, onlyKey[T])},
		{j.name + ", omitzero", `{"id":"` + text + `"}`, j.to(inJSON{ID: id}), fromJSON(j, func(v inJSON) T { return v.ID })},
		{j.name + ", any", `{"id":{"id":"` + text + `"}}`, j.to(inAny{inAny{id}}), nil},
		{j.name + ", any that holds a pointer", `{"id":"` + text + `"}`, j.to(inAny{&id}), func(wire string) (T, error) {
			var got T
			err := j.unmarshal([]byte(wire), &inAny{&got})
			return got, err
		}},
	}
}

// waysOfGob returns the way of encoding/gob.
func waysOfGob[T written](id T) []encoded[T] {
	return []encoded[T]{
		{"encoding/gob", "", nil, func(string) (got T, err error) {
			type message struct {
				ID  T
				Map map[T]T
			}
			var buf bytes.Buffer
			if err := gob.NewEncoder(&buf).Encode(message{id, map[T]T{id: id}}); err != nil {
				return got, err
			}
			var m message
			err = gob.NewDecoder(&buf).Decode(&m)
			if m.Map[m.ID] != m.ID {
				return got, fmt.Errorf("the map is %v", m.Map)
			}
			return m.ID, err
		}},
	}
}

// waysOfText returns the ways of other packages that use text.
func waysOfText[T written, P readable[T]](id T, text string) []encoded[T] {
	type inXML struct {
		XMLName xml.Name `xml:"row"`
		Attr    T        `xml:"id,attr"`
		Element T        `xml:"id"`
		Pointer *T       `xml:"next"`
		Absent  *T       `xml:"last"`
		// Without omitempty, encoding/xml calls MarshalText on the nil pointer.
		AbsentA *T `xml:"last,attr,omitempty"`
	}
	return []encoded[T]{
		{"encoding/xml", `<row id="` + text + `"><id>` + text + `</id><next>` + text + `</next></row>`,
			func() (string, error) {
				b, err := xml.Marshal(inXML{Attr: id, Element: id, Pointer: &id})
				return string(b), err
			},
			func(wire string) (T, error) {
				var got inXML
				if err := xml.Unmarshal([]byte(wire), &got); err != nil {
					return got.Element, err
				}
				if got.Attr != got.Element || *got.Pointer != got.Element || got.Absent != nil || got.AbsentA != nil {
					return got.Element, fmt.Errorf("fields differ: %+v", got)
				}
				return got.Element, nil
			}},
		{"flag.TextVar", "-id=" + text,
			func() (string, error) {
				fs := flag.NewFlagSet("", flag.ContinueOnError)
				fs.TextVar(P(new(T)), "id", any(id).(encoding.TextMarshaler), "an id")
				return "-id=" + fs.Lookup("id").Value.String(), nil
			},
			func(wire string) (got T, err error) {
				fs := flag.NewFlagSet("", flag.ContinueOnError)
				fs.SetOutput(io.Discard)
				fs.TextVar(P(&got), "id", any(got).(encoding.TextMarshaler), "an id")
				return got, fs.Parse([]string{wire})
			}},
	}
}

// waysOut returns ways to print an ID.
func waysOut[T written](id T, text string) []encoded[T] {
	return []encoded[T]{
		{"log/slog, text", "level=INFO msg=made id=" + text + "\n", logged(textLog, id), nil},
		{"log/slog, JSON", `{"level":"INFO","msg":"made","id":"` + text + `"}` + "\n", logged(jsonLog, id), nil},
		{"fmt, verbs of text", fmt.Sprintf("%s %s %q %x %X %40s", text, text, text, text, text, text),
			func() (string, error) { return fmt.Sprintf("%[1]v %[1]s %[1]q %[1]x %[1]X %40[1]v", any(id)), nil }, nil},
		{"fmt, pointer", text, func() (string, error) { return fmt.Sprint(&id), nil }, nil},
		{"html/template", `<a href="/` + text + `" onclick='f("` + text + `")'>` + text + `</a>`, func() (string, error) {
			var b strings.Builder
			err := template.Must(template.New("").Parse(`<a href="/{{.}}" onclick='f({{.}})'>{{.}}</a>`)).Execute(&b, id)
			return strings.ReplaceAll(b.String(), "&#34;", `"`), err
		}, nil},
	}
}

func (j jsonVersion) to(v any) func() (string, error) {
	return func() (string, error) {
		b, err := j.marshal(v)
		return string(b), err
	}
}

func fromJSON[V, T any](j jsonVersion, id func(V) T) func(string) (T, error) {
	return func(wire string) (got T, err error) {
		var v V
		if err := j.unmarshal([]byte(wire), &v); err != nil {
			return got, err
		}
		return id(v), nil
	}
}

func onlyKey[T comparable](m map[T]int) (key T) {
	for key = range m {
	}
	return key
}

func textLog(w io.Writer, o *slog.HandlerOptions) slog.Handler { return slog.NewTextHandler(w, o) }

func jsonLog(w io.Writer, o *slog.HandlerOptions) slog.Handler { return slog.NewJSONHandler(w, o) }

func logged(handler func(io.Writer, *slog.HandlerOptions) slog.Handler, id any) func() (string, error) {
	return func() (string, error) {
		var b strings.Builder
		slog.New(handler(&b, &slog.HandlerOptions{ReplaceAttr: withoutTime})).Info("made", "id", id)
		return b.String(), nil
	}
}

func withoutTime(groups []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey && groups == nil {
		return slog.Attr{}
	}
	return a
}

type nullKind struct{}

func (nullKind) Prefix() string { return "null" }

// TestJSONNull reads null into IDs of all kinds. If an ID has no UnmarshalJSON, only
// encoding/json/v2 sets it to zero. Both versions make pointers nil and each Null absent, as the
// PATCH in docs/storing.md expects.
func TestJSONNull(t *testing.T) {
	type row struct {
		U ids.UUID
		L ids.ULID
		B ids.Binary[ids.UUID]
		C ids.Binary[ids.ULID]
		T typeid.ID[nullKind]
		O struct{ ids.UUID }
		S ids.Snowflake
	}
	type patch struct {
		U *ids.UUID
		L *ids.ULID
		B *ids.Binary[ids.UUID]
		T *typeid.ID[nullKind]
		S *ids.Snowflake
		C ids.Null[ids.Binary[ids.ULID]]
		O ids.Null[struct{ ids.UUID }]
	}
	const null = `{"U":null,"L":null,"B":null,"C":null,"T":null,"O":null,"S":null}`
	u, l := ids.MaxUUID(), ids.MustParseULID(edgeULID)
	full := row{u, l, ids.Binary[ids.UUID]{ID: u}, ids.Binary[ids.ULID]{ID: l}, typeid.ID[nullKind](u), struct{ ids.UUID }{u}, 7}
	stored := patch{C: ids.Null[ids.Binary[ids.ULID]]{ID: full.C, Valid: true}, O: ids.Null[struct{ ids.UUID }]{ID: full.O, Valid: true}}
	for _, j := range jsons {
		want := full
		if j.name == jsonV2 {
			want = row{S: full.S}
		}
		got, missing, nulls := full, stored, stored
		err := errors.Join(j.unmarshal([]byte(null), &got), j.unmarshal([]byte(`{}`), &missing), j.unmarshal([]byte(null), &nulls))
		if got != want || missing != stored || nulls != (patch{}) || err != nil {
			t.Errorf("%s: null makes of ids %+v, want %+v; of a patch %+v; without it %+v: %v", j.name, got, want, nulls, missing, err)
		}
		var bare ids.Snowflake
		if err := j.unmarshal([]byte(edgeSnowflake), &bare); bare.String() != edgeSnowflake || err != nil {
			t.Errorf("%s: a bare number is read as %v, %v", j.name, bare, err)
		}
		if b, err := j.marshal(ids.Null[ids.UUID]{}); string(b) != "null" || err != nil {
			t.Errorf("%s: an absent id is written %s, %v", j.name, b, err)
		}
	}
}

// ID types that embed an ID, in addition to the types in the examples.
type (
	batchID  struct{ ids.ULID }
	tweetID  struct{ ids.Snowflake }
	taggedID struct{ ids.UUID } // has its own text
)

var tag = "User" // prefix of a taggedID

func (id taggedID) String() string                      { return tag + id.UUID.String() }
func (id taggedID) AppendText(b []byte) ([]byte, error) { return append(b, id.String()...), nil }
func (id taggedID) MarshalText() ([]byte, error)        { return id.AppendText([]byte{}) }
func (id *taggedID) UnmarshalText(text []byte) (err error) {
	digits, ok := strings.CutPrefix(string(text), tag)
	if !ok {
		return ids.ErrSyntax
	}
	return id.UUID.UnmarshalText([]byte(digits))
}

// TestOwnTypes writes and reads types that embed an ID in many ways. Each must behave like the
// embedded ID.
func TestOwnTypes(t *testing.T) {
	u := ids.MustParseUUID(edgeUUID)
	checkOwn(t, UserID{u}, edgeUUID, edgeUUID)
	checkOwn(t, ID[Customer]{u}, edgeUUID, edgeUUID)
	checkOwn(t, batchID{ids.MustParseULID(edgeULID)}, edgeULID, edgeULID)
	checkOwn(t, tweetID{1541815603606036480}, edgeSnowflake, int64(1541815603606036480))
	checkOwn(t, typeid.ID[nullKind](u), "null_7r3n7twzfc278aes80m34hwtzp", edgeUUID)
	checkNull(t, taggedID{u}, taggedID{}, tag+edgeUUID, edgeUUID)
}

// checkOwn checks the encodings of a type that embeds an ID, given the ID's text and database
// value.
func checkOwn[Own interface {
	ids.Nullable
	written
}, P readable[Own]](t *testing.T, own Own, text string, value driver.Value) {
	t.Run(fmt.Sprintf("%T", own), func(t *testing.T) {
		checkEncodings[Own, P](t, own, text)
		checkNull(t, own, *new(Own), text, value)
		for _, v := range []any{own, &own} {
			if got, err := driver.DefaultParameterConverter.ConvertValue(v); got != value || err != nil {
				t.Errorf("a %T is the parameter %v, %v, want %v", v, got, err, value)
			}
		}
		if v, err := driver.DefaultParameterConverter.ConvertValue((*Own)(nil)); v != nil || err != nil {
			t.Errorf("a nil pointer is the parameter %v, %v", v, err)
		}
		if got, _, err := column[Own](value); got != own || err != nil {
			t.Errorf("from a column: %v, %v", got, err)
		}
		if got, _, err := column[*Own]([]byte(text)); err != nil || *got != own {
			t.Errorf("from a column that may be NULL: %v, %v", got, err)
		}
		if got, _, err := column[*Own](nil); got != nil || err != nil {
			t.Errorf("NULL into a pointer: %v, %v", got, err)
		}
		kept := own
		if err := any(&kept).(sql.Scanner).Scan(nil); !errors.Is(err, ids.ErrSyntax) || kept != own {
			t.Errorf("NULL: %v, %v", kept, err)
		}
	})
}

// TestOwnNullJSON reads JSON into a Null of types that embed an ID and whose text has at most 90
// bytes.
func TestOwnNullJSON(t *testing.T) {
	defer func(before string) { tag = before }(tag)
	u := ids.MustParseUUID(edgeUUID)
	for _, tag = range []string{"", "User", strings.Repeat("long", 13) + "er"} {
		present := ids.Null[taggedID]{ID: taggedID{u}, Valid: true}
		text := present.String()
		var escaped strings.Builder
		for _, c := range text {
			fmt.Fprintf(&escaped, `\u%04x`, c)
		}
		for how, data := range map[string]string{
			"text": text, "an escape": fmt.Sprintf(`\u%04x`, text[0]) + text[1:], "escapes": escaped.String(),
		} {
			var got ids.Null[taggedID]
			if err := got.UnmarshalJSON([]byte(`"` + data + `"`)); got != present || err != nil {
				t.Errorf("from %s of %d bytes: %v, %v", how, len(text), got, err)
			}
		}
		for how, data := range map[string]string{
			"the empty string": `""`, "text that is too long": `"` + text + `0"`, "escapes that are too many": `"` + text + `\u0030"`,
			"10 MB": `"` + strings.Repeat("x", 10_000_000) + `"`, "no quotes": "x" + text, "a quote too few": `"` + text,
			"no JSON at all": "", "an escape that is no digit": `"` + text + `\u00"`, "a number": "1541815603606036480",
		} {
			got := present
			if err := got.UnmarshalJSON([]byte(data)); !errors.Is(err, ids.ErrSyntax) || got != present {
				t.Errorf("%s: %v, %v", how, got, err)
			}
		}
	}
	var tweet ids.Null[tweetID]
	if err := json.Unmarshal([]byte(edgeSnowflake), &tweet); err != nil || tweet.ID.Snowflake != 1541815603606036480 {
		t.Errorf("a bare number: %v, %v", tweet, err)
	}
}
