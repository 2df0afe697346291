package ids_test

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
	"io"
	"log/slog"
	"reflect"
	"strings"
	"testing"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/typeid"
)

// The types of your own that tests use beside those of the examples.
type (
	batchID  struct{ ids.ULID }
	tweetID  struct{ ids.Snowflake }
	barerID  ids.UUID // has no methods
	wholeRow struct { // embeds an id beside other fields: a mistake
		UserID
		Total int
	}
)

// The kinds of ids with a prefix, which is at most 63 characters long.
type (
	person  struct{}
	longest struct{}
)

func (person) Prefix() string  { return "person" }
func (longest) Prefix() string { return strings.Repeat("abcdefg", 9) }

const sample = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"

// TestOwnType writes and reads types of your own in many ways: each must do as the embedded id does.
func TestOwnType(t *testing.T) {
	u := ids.MustParseUUID(sample)
	ownType(t, UserID{u}, u)
	ownType(t, ID[Customer]{u}, u)
	ownType(t, batchID{u.ULID()}, u.ULID())
	ownType(t, tweetID{1541815603606036480}, ids.Snowflake(1541815603606036480))
}

func textHandler(w io.Writer, o *slog.HandlerOptions) slog.Handler { return slog.NewTextHandler(w, o) }

func jsonHandler(w io.Writer, o *slog.HandlerOptions) slog.Handler { return slog.NewJSONHandler(w, o) }

// asKey returns the JSON of a map with one key.
func asKey[T comparable](id T) ([]byte, error) { return json.Marshal(map[T]int{id: 1}) }

// ownType compares a type of your own with the id that it embeds.
func ownType[Own, T comparable](t *testing.T, own Own, id T) {
	t.Run(fmt.Sprintf("%T", own), func(t *testing.T) {
		for how, write := range map[string]func(v any) (any, error){
			"%v %s %q":    func(v any) (any, error) { return fmt.Sprintf("%v %s %q", v, v, v), nil },
			"fmt, within": func(v any) (any, error) { return fmt.Sprint([]any{v}), nil },
			"JSON":        func(v any) (any, error) { b, err := json.Marshal(v); return string(b), err },
			"XML": func(v any) (any, error) {
				var b strings.Builder
				err := xml.NewEncoder(&b).EncodeElement(v, xml.StartElement{Name: xml.Name{Local: "v"}})
				return b.String(), err
			},
			"SQL":       func(v any) (any, error) { return driver.DefaultParameterConverter.ConvertValue(v) },
			"slog text": func(v any) (any, error) { return logged(textHandler, v)() },
			"slog JSON": func(v any) (any, error) { return logged(jsonHandler, v)() },
		} {
			want, err := write(id)
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range []any{own, &own} {
				if got, err := write(v); got != want || err != nil {
					t.Errorf("%s: %T is %v, error %v, want %v", how, v, got, err, want)
				}
			}
		}

		text := fmt.Sprint(id)
		null := new(*Own)
		for how, read := range map[string]func(p *Own) error{
			"JSON":     func(p *Own) error { return json.Unmarshal([]byte(`"`+text+`"`), p) },
			"XML":      func(p *Own) error { return xml.Unmarshal([]byte("<v>"+text+"</v>"), p) },
			"a column": func(p *Own) (err error) { *p, _, err = column[Own](text); return err },
			"a column that may be NULL": func(p *Own) error {
				found, _, err := column[*Own]([]byte(text))
				if err == nil {
					*p = *found
				}
				return err
			},
			"JSON that may be null": func(p *Own) error {
				err := json.Unmarshal([]byte(`"`+text+`"`), null)
				*p = **null
				return err
			},
			"gob": func(p *Own) error {
				var b bytes.Buffer
				if err := gob.NewEncoder(&b).Encode(own); err != nil {
					return err
				}
				return gob.NewDecoder(&b).Decode(p)
			},
			"flag": func(p *Own) error {
				flags := flag.NewFlagSet("", flag.ContinueOnError)
				flags.TextVar(any(p).(encoding.TextUnmarshaler), "id", any(own).(encoding.TextMarshaler), "")
				return flags.Parse([]string{"-id", text})
			},
		} {
			var got Own
			if err := read(&got); err != nil || got != own {
				t.Errorf("from %s: %v, error %v, want %v", how, got, err, own)
			}
		}

		kept := own
		if err := any(&kept).(sql.Scanner).Scan(nil); !errors.Is(err, ids.ErrSyntax) || kept != own {
			t.Errorf("NULL: %v, error %v", kept, err)
		}
		if found, _, err := column[*Own](nil); found != nil || err != nil {
			t.Errorf("NULL into a pointer: %v, error %v", found, err)
		}
		if err := json.Unmarshal([]byte("null"), null); *null != nil || err != nil {
			t.Errorf("JSON null into a pointer: %v, error %v", *null, err)
		}
		if v, err := driver.DefaultParameterConverter.ConvertValue((*Own)(nil)); v != nil || err != nil {
			t.Errorf("a nil pointer is the value %v, error %v", v, err)
		}
		b, err := asKey(own)
		var back map[Own]int
		if err := errors.Join(err, json.Unmarshal(b, &back)); err != nil || string(b) != `{"`+text+`":1}` || back[own] != 1 {
			t.Errorf("keys: %s, %v, error %v", b, back, err)
		}
		b, err = json.Marshal(struct {
			Zero, Set Own `json:",omitzero"`
		}{Set: own})
		if want := `{"Set":"` + text + `"}`; string(b) != want || err != nil {
			t.Errorf("omitzero: %s, error %v, want %s", b, err, want)
		}
	})
}

// TestOwnNull checks Null of types of your own in JSON, text and databases.
func TestOwnNull(t *testing.T) {
	u := ids.MustParseUUID(sample)
	ownNull(t, UserID{u}, sample, sample)
	ownNull(t, ID[Order]{u}, sample, sample)
	ownNull(t, batchID{u.ULID()}, u.ULID().String(), u.ULID().String())
	ownNull(t, tweetID{1541815603606036480}, "1541815603606036480", int64(1541815603606036480))
	ownNull(t, typeid.From[person](u), "person_"+strings.ToLower(u.ULID().String()), sample)
	ownNull(t, typeid.From[longest](u), longest{}.Prefix()+"_"+strings.ToLower(u.ULID().String()), sample)

	var tweet ids.Null[tweetID]
	if err := json.Unmarshal([]byte("1541815603606036480"), &tweet); err != nil || tweet.ID.Snowflake != 1541815603606036480 {
		t.Errorf("a bare number: %v, error %v", tweet, err)
	}
	var id ids.Null[UserID]
	if err := json.Unmarshal([]byte("1541815603606036480"), &id); !errors.Is(err, ids.ErrSyntax) {
		t.Errorf("a bare number for a UUID: %v, error %v", id, err)
	}
}

// ownNull checks a Null of id, whose text and value for a database are given.
func ownNull[T interface {
	comparable
	ids.ID
}](t *testing.T, id T, text string, value driver.Value) {
	t.Run(fmt.Sprintf("%T", id), func(t *testing.T) {
		present := ids.Null[T]{ID: id, Valid: true}
		var escaped strings.Builder
		for _, c := range text {
			fmt.Fprintf(&escaped, `\u%04x`, c)
		}
		if b, err := json.Marshal(present); string(b) != `"`+text+`"` || err != nil {
			t.Errorf("JSON: %s, error %v", b, err)
		}
		if b, err := present.MarshalText(); string(b) != text || err != nil {
			t.Errorf("text: %s, error %v", b, err)
		}
		if v, err := driver.DefaultParameterConverter.ConvertValue(present); v != value || err != nil {
			t.Errorf("value: %v, error %v", v, err)
		}
		reads := map[string]func(n *ids.Null[T]) error{
			"JSON":     func(n *ids.Null[T]) error { return json.Unmarshal([]byte(`"`+text+`"`), n) },
			"text":     func(n *ids.Null[T]) error { return n.UnmarshalText([]byte(text)) },
			"a column": func(n *ids.Null[T]) error { return n.Scan(value) },
			"JSON with an escape": func(n *ids.Null[T]) error {
				return n.UnmarshalJSON(fmt.Appendf(nil, `"\u%04x%s"`, text[0], text[1:]))
			},
			"escaped JSON": func(n *ids.Null[T]) error { return n.UnmarshalJSON([]byte(`"` + escaped.String() + `"`)) },
		}
		if len(text) > len("urn:uuid:")+36 {
			delete(reads, "escaped JSON") // the longest text of an id that may have escapes
		}
		for how, read := range reads {
			var got ids.Null[T]
			if err := read(&got); got != present || err != nil {
				t.Errorf("from %s: %v, error %v", how, got, err)
			}
		}
		for how, read := range map[string]func(n *ids.Null[T]) error{
			"JSON null":  func(n *ids.Null[T]) error { return json.Unmarshal([]byte("null"), n) },
			"empty text": func(n *ids.Null[T]) error { return n.UnmarshalText(nil) },
			"NULL":       func(n *ids.Null[T]) error { return n.Scan(nil) },
		} {
			got := present
			if err := read(&got); got != (ids.Null[T]{}) || err != nil {
				t.Errorf("from %s: %v, error %v", how, got, err)
			}
		}
		long := strings.Repeat("x", 10_000_000)
		for how, read := range map[string]func(n *ids.Null[T]) error{
			"empty JSON string":          func(n *ids.Null[T]) error { return json.Unmarshal([]byte(`""`), n) },
			"empty column":               func(n *ids.Null[T]) error { return n.Scan("") },
			"text that is too long":      func(n *ids.Null[T]) error { return n.UnmarshalText([]byte(text + "0")) },
			"JSON that is too long":      func(n *ids.Null[T]) error { return json.Unmarshal([]byte(`"`+text+`0"`), n) },
			"escapes that are too many":  func(n *ids.Null[T]) error { return n.UnmarshalJSON([]byte(`"` + text + `\u0030"`)) },
			"10 MB":                      func(n *ids.Null[T]) error { return n.UnmarshalJSON([]byte(`"` + long + `"`)) },
			"JSON without quotes":        func(n *ids.Null[T]) error { return n.UnmarshalJSON([]byte("x" + text)) },
			"JSON with a quote too few":  func(n *ids.Null[T]) error { return n.UnmarshalJSON([]byte(`"` + text)) },
			"no JSON at all":             func(n *ids.Null[T]) error { return n.UnmarshalJSON(nil) },
			"an escape that is no digit": func(n *ids.Null[T]) error { return n.UnmarshalJSON([]byte(`"` + text + `\u00"`)) },
		} {
			got := present
			if err := read(&got); !errors.Is(err, ids.ErrSyntax) && !errors.Is(err, ids.ErrRange) || got != present {
				t.Errorf("%s: %v, error %v", how, got, err)
			}
		}
		var b bytes.Buffer
		var back ids.Null[T]
		err := errors.Join(gob.NewEncoder(&b).Encode(present), gob.NewDecoder(&b).Decode(&back))
		if back != present || err != nil {
			t.Errorf("gob: %v, error %v", back, err)
		}
		if n := (sql.Null[T]{V: id, Valid: true}); n.Scan(nil) != nil || n.Valid || n.Scan(value) != nil || n.V != id {
			t.Errorf("sql.Null: %v", n)
		}
	})
}

// TestTypesThatLose shows what the pages warn of: a type that is defined by a UUID, not by embedding
// one, has no methods, and a struct that embeds an id beside other fields is written as the id alone.
func TestTypesThatLose(t *testing.T) {
	id := barerID(ids.MustParseUUID(sample))
	if n := reflect.TypeFor[*barerID]().NumMethod(); n != 0 {
		t.Errorf("it has %d methods", n)
	}
	const numbers = "1 127 34 226 121 176 124 195 152 196 220 12 12 7 57 143"
	if got := fmt.Sprint(id); got != "["+numbers+"]" {
		t.Errorf("fmt prints %s", got)
	}
	if b, err := json.Marshal(id); string(b) != "["+strings.ReplaceAll(numbers, " ", ",")+"]" || err != nil {
		t.Errorf("JSON: %s, error %v", b, err)
	}
	if err := json.Unmarshal([]byte(`"`+sample+`"`), &id); err == nil {
		t.Error("it is read from a JSON string")
	}
	if _, err := asKey(id); err == nil {
		t.Error("it is a key in JSON")
	}
	if v, err := driver.DefaultParameterConverter.ConvertValue(id); err == nil {
		t.Errorf("database/sql writes it as %v", v)
	}
	if _, _, err := column[barerID](sample); err == nil {
		t.Error("database/sql reads it")
	}

	row := wholeRow{UserID{ids.UUID(id)}, 5}
	if b, err := json.Marshal(row); string(b) != `"`+sample+`"` || err != nil {
		t.Errorf("a struct that embeds an id is %s, error %v", b, err)
	}
}
