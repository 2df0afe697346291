package ids_test

import (
	"bytes"
	"database/sql"
	"database/sql/driver"
	"encoding"
	"encoding/gob"
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"testing"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/ulid"
	"github.com/oneclock/ids/uuid"
)

// coded is what the codecs of all three types have in common.
type coded interface {
	comparable
	anyID
	fmt.Stringer
	encoding.TextMarshaler
	encoding.TextAppender
	encoding.BinaryMarshaler
	encoding.BinaryAppender
	driver.Valuer
}

// decoding is the same for a receiver.
type decoding[T any] interface {
	*T
	encoding.TextUnmarshaler
	encoding.BinaryUnmarshaler
	sql.Scanner
}

// TestRoundTrips takes many ids through every method that writes or reads one. TestEncodings does the
// same by way of other packages.
func TestRoundTrips(t *testing.T) {
	for _, n := range sparse(samples(128, 100)) {
		checkCodecs(t, toID[ids.UUID](n), formatUUID(n), n.FillBytes(make([]byte, 16)))
		checkCodecs(t, toID[ids.ULID](n), formatBase(crockfordAlphabet, 26)(n), n.FillBytes(make([]byte, 16)))
		checkBinary(t, toID[ids.UUID](n))
		checkBinary(t, toID[ids.ULID](n))
	}
	for _, n := range sparse(samples(63, 100)) {
		checkCodecs(t, toID[ids.Snowflake](n), n.String(), n.FillBytes(make([]byte, 8)))
	}
}

// TestFromBytes reads every length up to twice an id's. What is read is a copy.
func TestFromBytes(t *testing.T) {
	text := []byte("017f22e2-79b0-7cc3-98c4-dc0c0c07398f") // all bytes are taken, also the first 16 of a text
	for n := range len(text) {
		checkFromBytes(t, text[:n], ids.UUIDFromBytes, "UUID")
		checkFromBytes(t, text[:n], uuid.FromBytes, "UUID")
		checkFromBytes(t, text[:n], ids.ULIDFromBytes, "ULID")
		checkFromBytes(t, text[:n], ulid.FromBytes, "ULID")
	}
}

func checkFromBytes[T ids.UUID | ids.ULID](t *testing.T, b []byte, from func([]byte) (T, error), scheme string) {
	t.Helper()
	given := bytes.Clone(b)
	id, err := from(given)
	clear(given)
	if len(b) == 16 {
		if err != nil || id != T(b) {
			t.Errorf("%T of the bytes %q: %v, %v", id, b, id, err)
		}
		return
	}
	want := fmt.Sprintf("ids: parsing %s: length %d, want 16 bytes", scheme, len(b))
	if _, ok := err.(*ids.ParseError); !ok || id != (T{}) || !isOnly(err, ids.ErrLength) || err.Error() != want {
		t.Errorf("%T of %d bytes: %v, %v, want %q", id, len(b), id, err, want)
	}
}

// sparse returns each third number: the codecs share what reads and writes digits, which the
// oracles check with all.
func sparse(ns []*big.Int) (some []*big.Int) {
	for i := 1; i < len(ns); i += 3 {
		some = append(some, ns[i])
	}
	return append(some, ns[0])
}

// checkCodecs checks that id is written as text and as binary, and is read back from each.
func checkCodecs[T coded, P decoding[T]](t *testing.T, id T, text string, binary []byte) {
	t.Helper()
	same := func(how string, got, want any) {
		t.Helper()
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%T %s: %s gives %v, want %v", id, text, how, got, want)
		}
	}
	good := func(how string, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%T %s: %s: %v", id, text, how, err)
		}
	}
	same("String", id.String(), text)
	b, err := id.MarshalText()
	good("MarshalText", err)
	same("MarshalText", string(b), text)
	b, err = id.MarshalBinary()
	good("MarshalBinary", err)
	same("MarshalBinary", b, binary)
	for room := range 40 {
		before := append(make([]byte, 0, 6+room), "before"...)
		b, err = id.AppendText(before)
		good("AppendText", err)
		same("AppendText", string(b), "before"+text)
		b, err = id.AppendBinary(before)
		good("AppendBinary", err)
		same("AppendBinary", string(b), "before"+string(binary))
	}

	value, err := id.Value()
	good("Value", err)
	same("Value is a driver's value", driver.IsValue(value), true)
	for how, read := range map[string]func(P) error{
		"UnmarshalText":   func(p P) error { return p.UnmarshalText([]byte(text)) },
		"UnmarshalBinary": func(p P) error { return p.UnmarshalBinary(binary) },
		"Scan of text":    func(p P) error { return p.Scan(text) },
		"Scan of bytes":   func(p P) error { return p.Scan([]byte(text)) },
		"Scan of Value":   func(p P) error { return p.Scan(value) },
		"json.Unmarshal":  func(p P) error { return json.Unmarshal([]byte(`"`+text+`"`), p) },
	} {
		got := other[T]()
		good(how, read(&got))
		same(how, got, id)
	}
	if got := other[T](); len(binary) == 16 { // 8 bytes of a Snowflake would be text
		good("Scan of binary", P(&got).Scan(binary))
		same("Scan of binary", got, id)
	}

	checkNull(t, id, other[T](), text, value)
}

// other returns an id that no sample is.
func other[T anyID]() T { return toID[T](big.NewInt(987654321)) }

// checkNull checks the codecs of a Null of id, and of the absent one. Another id is in the receivers before.
func checkNull[T interface {
	comparable
	ids.Nullable
}](t *testing.T, id, another T, text string, value driver.Value) {
	t.Helper()
	for _, c := range []struct {
		null  ids.Null[T]
		text  string
		json  string
		value driver.Value
	}{
		{ids.Null[T]{ID: id, Valid: true}, text, `"` + text + `"`, value},
		{ids.Null[T]{}, "", "null", nil},
		{ids.Null[T]{ID: id}, "", "null", nil}, // what is not valid does not show
	} {
		null := ids.Null[T]{}
		if c.null.Valid {
			null = c.null
		}
		b, err := c.null.MarshalText()
		if string(b) != c.text || b == nil || err != nil {
			t.Fatalf("%#v as text: %q, %v", c.null, b, err)
		}
		b, err = c.null.AppendText([]byte("x"))
		if string(b) != "x"+c.text || err != nil {
			t.Fatalf("%#v appended: %q, %v", c.null, b, err)
		}
		b, err = c.null.MarshalJSON()
		if string(b) != c.json || err != nil {
			t.Fatalf("%#v as JSON: %q, %v", c.null, b, err)
		}
		v, err := c.null.Value()
		if !reflect.DeepEqual(v, c.value) || err != nil {
			t.Fatalf("%#v as value: %v, %v", c.null, v, err)
		}
		if c.null.IsZero() == c.null.Valid {
			t.Fatalf("%#v: IsZero() = %v", c.null, c.null.IsZero())
		}
		for how, read := range map[string]func(*ids.Null[T]) error{
			"text": func(n *ids.Null[T]) error { return n.UnmarshalText([]byte(c.text)) },
			"JSON": func(n *ids.Null[T]) error { return n.UnmarshalJSON([]byte(c.json)) },
			"Scan": func(n *ids.Null[T]) error { return n.Scan(c.value) },
			"gob": func(n *ids.Null[T]) error {
				var buf bytes.Buffer
				*n = ids.Null[T]{} // gob leaves out zero values
				if err := gob.NewEncoder(&buf).Encode(null); err != nil {
					return err
				}
				return gob.NewDecoder(&buf).Decode(n)
			},
		} {
			got := ids.Null[T]{ID: another, Valid: true}
			if err := read(&got); err != nil || got != null {
				t.Fatalf("%#v from %s: %#v, %v", c.null, how, got, err)
			}
		}
	}
}

// quoteJSON returns s as a JSON string.
func quoteJSON(s string) []byte {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return b
}

// checkBinary checks the codecs of a Binary of id: the bytes for databases, and the text for all else.
func checkBinary[T interface {
	ids.UUID | ids.ULID
	coded
}](t *testing.T, id T) {
	t.Helper()
	b, another := ids.Binary[T]{ID: id}, ids.Binary[T]{ID: other[T]()}
	switch id := any(id).(type) {
	case ids.UUID:
		if got := any(id.Binary()); got != any(b) {
			t.Fatalf("%v.Binary() = %v", id, got)
		}
	case ids.ULID:
		if got := any(id.Binary()); got != any(b) {
			t.Fatalf("%v.Binary() = %v", id, got)
		}
	}
	raw, _ := id.MarshalBinary()
	value, err := b.Value()
	if !reflect.DeepEqual(value, driver.Value(raw)) || err != nil {
		t.Fatalf("Binary %v as value: %v, %v", id, value, err)
	}
	if clear(value.([]byte)); b.ID != id { // must not be the id's own
		t.Fatalf("Binary %v: the value is not a copy", id)
	}
	text, err := b.MarshalText()
	if appended, _ := b.AppendText([]byte("x")); string(text) != id.String() || string(appended) != "x"+id.String() || err != nil {
		t.Fatalf("Binary %v as text: %q, %q, %v", id, text, appended, err)
	}
	if got := another; got.UnmarshalText(text) != nil || got != b {
		t.Fatalf("Binary %v from text: %v", id, got)
	}
	if asJSON, err := json.Marshal(b); string(asJSON) != `"`+id.String()+`"` || b.String() != id.String() || err != nil {
		t.Fatalf("Binary %v as JSON: %s, %v, as text: %s", id, asJSON, err, b)
	}
	if b.IsZero() != (id == *new(T)) {
		t.Fatalf("Binary %v: IsZero() = %v", id, b.IsZero())
	}
	for _, src := range []any{raw, id.String(), []byte(id.String()), b} {
		if got := another; got.Scan(src) != nil || got != b {
			t.Fatalf("Binary %v from %v: %v", id, src, got)
		}
	}
	got := another
	for how, err := range map[string]error{
		"Scan of NULL":             got.Scan(nil),
		"Scan of 15 bytes":         got.Scan(raw[1:]),
		"UnmarshalText of nothing": got.UnmarshalText(nil),
		"JSON":                     json.Unmarshal([]byte("1"), &got),
	} {
		if err == nil || got != another {
			t.Fatalf("Binary, %s: error %v, the receiver holds %v", how, err, got)
		}
	}
}
