package ids_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/big"
	"strings"
	"testing"

	"github.com/oneclock/ids"
)

// Each parser, beside its oracle. The seed corpus is in testdata/fuzz.

func FuzzParseUUID(f *testing.F)            { fuzzForm(f, "UUID") }
func FuzzParseUUIDBase58(f *testing.F)      { fuzzForm(f, "UUID Base58") }
func FuzzParseULID(f *testing.F)            { fuzzForm(f, "ULID") }
func FuzzParseULIDBase58(f *testing.F)      { fuzzForm(f, "ULID Base58") }
func FuzzParseSnowflake(f *testing.F)       { fuzzForm(f, "Snowflake") }
func FuzzParseSnowflakeBase32(f *testing.F) { fuzzForm(f, "Snowflake Base32") }
func FuzzParseSnowflakeBase58(f *testing.F) { fuzzForm(f, "Snowflake Base58") }

func fuzzForm(f *testing.F, name string) {
	var form *textForm
	for i := range textForms {
		if textForms[i].name == name {
			form = &textForms[i]
		}
	}
	for _, s := range spellings(form) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		form.judge(t, s)
		if n, err := form.parse(s); err == nil && form.format(n) != form.spell(n) {
			t.Errorf("%q is written %q, want %q", s, form.format(n), form.spell(n))
		}
	})
}

// FuzzJSON reads anything as the JSON of each type, beside encoding/json and the oracles.
func FuzzJSON(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		// encoding/json hands over values without space around them.
		if len(bytes.TrimSpace(data)) != len(data) {
			return
		}
		held := struct {
			s  ids.Snowflake
			n  ids.Null[ids.Snowflake]
			u  ids.Null[ids.UUID]
			l  ids.Null[ids.ULID]
			ok bool
		}{s: 42, n: ids.Null[ids.Snowflake]{ID: 42, Valid: true}}
		before := held
		given := bytes.Clone(data)
		errs := []error{held.s.UnmarshalJSON(data), held.n.UnmarshalJSON(data), held.u.UnmarshalJSON(data), held.l.UnmarshalJSON(data)}
		if !bytes.Equal(given, data) {
			t.Fatalf("%q: the input was changed to %q", given, data)
		}
		if !json.Valid(data) {
			if errs[0] != nil && held.s != before.s || errs[1] != nil && held.n != before.n || errs[2] != nil && held.u != before.u || errs[3] != nil && held.l != before.l {
				t.Fatalf("%q: an error left a receiver at %+v", data, held)
			}
			return
		}
		text, isText, isNull := jsonText(data)
		verdicts := []verdict{oracleSnowflake(text), oracleSnowflake(text), oracleUUID(text), textForms[formULID].oracle(text)}
		for i, want := range verdicts {
			quoted := data[0] == '"'
			accept := isNull || isText && want.err == nil && (quoted || i < 2)
			if accept != (errs[i] == nil) {
				t.Fatalf("%q as type %d: error %v, oracle %+v", data, i, errs[i], want)
			}
		}
		if isNull {
			if held.s != 42 || held.n.Valid || held.u.Valid || held.l.Valid {
				t.Fatalf("null leaves %+v", held)
			}
			return
		}
		if errs[0] == nil && (int64(held.s) != verdicts[0].n.Int64() || held.n.ID != held.s || !held.n.Valid) {
			t.Fatalf("%q is %+v", data, held)
		}
		if errs[2] == nil && (number(held.u.ID).Cmp(verdicts[2].n) != 0 || !held.u.Valid) {
			t.Fatalf("%q is %+v", data, held)
		}
		if errs[3] == nil && (number(held.l.ID).Cmp(verdicts[3].n) != 0 || !held.l.Valid) {
			t.Fatalf("%q is %+v", data, held)
		}
	})
}

// jsonText returns the text of a valid JSON string or number, whether it is one, and whether it
// is null.
func jsonText(data []byte) (text string, ok, null bool) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		panic(err)
	}
	switch v := v.(type) {
	case string:
		return v, true, false
	case json.Number:
		return v.String(), true, false
	}
	return strings.Repeat("x", 3), false, v == nil
}

// FuzzScan scans anything as a column of each type, of a Null and of a Binary, as bytes, as a string
// and as a number, beside the oracles.
func FuzzScan(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte, n int64) {
		text := string(data)
		uuid, ulid, snowflake := oracleUUID(text), textForms[formULID].oracle(text), oracleSnowflake(text)
		checkScan[ids.UUID](t, text, uuid)
		checkScan[ids.ULID](t, text, ulid)
		checkScan[ids.Snowflake](t, text, snowflake)
		// As bytes, the size of a UUID or ULID means the id itself.
		if len(data) == 16 {
			raw := verdict{n: new(big.Int).SetBytes(data)}
			uuid, ulid = raw, raw
		}
		checkScan[ids.UUID](t, data, uuid)
		checkScan[ids.ULID](t, data, ulid)
		checkScan[ids.Snowflake](t, data, snowflake)
		checkScanBinary[ids.UUID](t, data, uuid)
		checkScanBinary[ids.ULID](t, data, ulid)
		if string(data) != text {
			t.Fatalf("%q was changed to %q", text, data)
		}
		number := verdict{n: big.NewInt(n)}
		if n < 0 {
			number = refuse(ids.ErrRange, 0)
		}
		checkScan[ids.Snowflake](t, n, number)
		checkScan[ids.Snowflake](t, uint64(n), number)
	})
}

// checkScan scans src, of which want is the verdict, into an id and into a Null.
func checkScan[T coded, P interface {
	*T
	Scan(any) error
}](t *testing.T, src any, want verdict) {
	t.Helper()
	held := other[T]()
	checkRead(t, "Scan", src, P(&held).Scan(src), held, want)
	null := ids.Null[T]{ID: other[T](), Valid: true}
	checkRead(t, "Scan of a Null", src, null.Scan(src), null.ID, want)
	null.Valid = false
	if err := null.Scan(src); null.Valid != (err == nil) {
		t.Fatalf("%q: a Null that was absent has Valid %v beside the error %v", src, null.Valid, err)
	}
}

// checkScanBinary scans src into a Binary.
func checkScanBinary[T interface {
	ids.UUID | ids.ULID
	coded
}](t *testing.T, src any, want verdict) {
	t.Helper()
	held := ids.Binary[T]{ID: other[T]()}
	checkRead(t, "Scan of a Binary", src, held.Scan(src), held.ID, want)
}

// checkRead checks what a decoder made of src: the receiver, which held other[T](), holds the number
// of the verdict, or is as it was beside an error of the verdict's kind.
func checkRead[T anyID](t *testing.T, what string, src any, err error, held T, want verdict) {
	t.Helper()
	wantHeld := other[T]()
	if want.err == nil {
		wantHeld = toID[T](want.n)
	}
	if held != wantHeld || !errors.Is(err, want.err) {
		t.Fatalf("%s into a %T from %q: %v, %v, want %v, %v", what, held, src, held, err, wantHeld, want.err)
	}
}

// FuzzText reads anything as the text of a Null and of a Binary of each type, beside the oracles.
func FuzzText(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		text := string(data)
		uuid, ulid := oracleUUID(text), textForms[formULID].oracle(text)
		checkNullText[ids.UUID](t, data, uuid)
		checkNullText[ids.ULID](t, data, ulid)
		checkNullText[ids.Snowflake](t, data, oracleSnowflake(text))
		u, l := ids.Binary[ids.UUID]{ID: other[ids.UUID]()}, ids.Binary[ids.ULID]{ID: other[ids.ULID]()}
		checkRead(t, "text of a Binary", text, u.UnmarshalText(data), u.ID, uuid)
		checkRead(t, "text of a Binary", text, l.UnmarshalText(data), l.ID, ulid)
		if string(data) != text {
			t.Fatalf("%q was changed to %q", text, data)
		}
	})
}

func checkNullText[T coded](t *testing.T, data []byte, want verdict) {
	t.Helper()
	null := ids.Null[T]{ID: other[T](), Valid: true}
	err := null.UnmarshalText(data)
	if len(data) == 0 {
		if err != nil || null != (ids.Null[T]{}) {
			t.Fatalf("no text leaves %+v, %v", null, err)
		}
		return
	}
	checkRead(t, "text of a Null", data, err, null.ID, want)
	if !null.Valid {
		t.Fatalf("%q makes a Null absent", data)
	}
}

// FuzzBinary reads anything as the bytes of each type, beside math/big, and writes what it has read.
func FuzzBinary(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		n := new(big.Int).SetBytes(data)
		of16, of8 := verdict{n: n}, verdict{n: n}
		if len(data) != 16 {
			of16 = refuse(ids.ErrLength, len(data))
		}
		switch {
		case len(data) != 8:
			of8 = refuse(ids.ErrLength, len(data))
		case n.BitLen() > 63:
			of8 = refuse(ids.ErrRange, 0)
		}
		checkBytes[ids.UUID](t, data, "UUID", of16)
		checkBytes[ids.ULID](t, data, "ULID", of16)
		checkBytes[ids.Snowflake](t, data, "Snowflake", of8)
	})
}

func checkBytes[T coded, P decoding[T]](t *testing.T, data []byte, scheme string, want verdict) {
	t.Helper()
	held, given := other[T](), string(data)
	err := P(&held).UnmarshalBinary(data)
	checkRead(t, "UnmarshalBinary", data, err, held, want)
	if string(data) != given {
		t.Fatalf("%q was changed to %q", given, data)
	}
	if want.err != nil {
		checkRefusal(t, "UnmarshalBinary", given, err, scheme, want)
		return
	}
	written, err := held.MarshalBinary()
	if string(written) != given || err != nil {
		t.Fatalf("%q is written as %q, %v", given, written, err)
	}
	if written, err = held.AppendBinary([]byte("before")); string(written) != "before"+given || err != nil {
		t.Fatalf("%q is appended as %q, %v", given, written, err)
	}
}

// FuzzJSONArray reads anything, by encoding/json, as an array of each type and as an object whose
// keys are ids. Encoding/json takes the elements apart for the oracles.
func FuzzJSONArray(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		checkArray[ids.UUID](t, data, false, oracleUUID)
		checkArray[ids.Null[ids.UUID]](t, data, false, oracleUUID)
		checkArray[ids.ULID](t, data, false, textForms[formULID].oracle)
		checkArray[ids.Null[ids.ULID]](t, data, false, textForms[formULID].oracle)
		checkArray[ids.Snowflake](t, data, true, oracleSnowflake)
		checkArray[ids.Null[ids.Snowflake]](t, data, true, oracleSnowflake)
		checkKeys[ids.UUID](t, data, oracleUUID)
		checkKeys[ids.ULID](t, data, textForms[formULID].oracle)
		checkKeys[ids.Snowflake](t, data, oracleSnowflake)
	})
}

// checkArray reads data as an array of T, an id or a Null. Bare says that a number is one too.
func checkArray[T comparable](t *testing.T, data []byte, bare bool, oracle func(string) verdict) {
	t.Helper()
	var elements []json.RawMessage
	var got []T
	bad, err := json.Unmarshal(data, &elements), json.Unmarshal(data, &got)
	var want []string
	for _, e := range elements {
		text, ok, null := jsonText(e)
		v := oracle(text)
		switch {
		case null:
			want = append(want, string(quoteOf(*new(T))))
		case ok && v.err == nil && (bare || e[0] == '"'):
			want = append(want, `"`+textOf[T](v.n)+`"`)
		default:
			bad = v.err
			if bad == nil {
				bad = ids.ErrSyntax
			}
		}
	}
	if (bad != nil) != (err != nil) || err == nil && len(got) != len(want) {
		t.Fatalf("%q as %T: %v, %v, want %q, %v", data, got, got, err, want, bad)
	}
	if err != nil {
		return
	}
	for i, id := range got {
		if string(quoteOf(id)) != want[i] {
			t.Fatalf("%q as %T: element %d is %v, want %s", data, got, i, id, want[i])
		}
	}
}

// quoteOf returns an id as JSON.
func quoteOf(id any) []byte {
	b, err := json.Marshal(id)
	if err != nil {
		panic(err)
	}
	return b
}

// textOf returns the oracle's text of the number of an id of type T or of a Null of it.
func textOf[T any](n *big.Int) string {
	switch any(*new(T)).(type) {
	case ids.UUID, ids.Null[ids.UUID]:
		return formatUUID(n)
	case ids.ULID, ids.Null[ids.ULID]:
		return formatBase(crockfordAlphabet, 26)(n)
	}
	return n.String()
}

// checkKeys reads data as an object whose keys are ids.
func checkKeys[T coded](t *testing.T, data []byte, oracle func(string) verdict) {
	t.Helper()
	var members map[string]json.RawMessage
	var got map[T]json.RawMessage
	bad, err := json.Unmarshal(data, &members), json.Unmarshal(data, &got)
	want := map[string]bool{}
	for key := range members {
		v := oracle(key)
		if v.err != nil {
			bad = v.err
			continue
		}
		want[textOf[T](v.n)] = true
	}
	if (bad != nil) != (err != nil) || err == nil && len(got) != len(want) {
		t.Fatalf("%q as %T: %v, %v, want %v, %v", data, got, got, err, want, bad)
	}
	for key := range got {
		if err == nil && !want[key.String()] {
			t.Fatalf("%q as %T: key %v, want %v", data, got, key, want)
		}
	}
}
