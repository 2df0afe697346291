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

// FuzzScan scans anything as a column of each type, as bytes, as a string and as a number,
// beside the oracles.
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

// checkScan scans src, of which want is the verdict, into an id.
func checkScan[T anyID, P interface {
	*T
	Scan(any) error
}](t *testing.T, src any, want verdict) {
	t.Helper()
	held := other[T]()
	err := P(&held).Scan(src)
	wantHeld := other[T]()
	if want.err == nil {
		wantHeld = toID[T](want.n)
	}
	if held != wantHeld || !errors.Is(err, want.err) {
		t.Fatalf("%T from %q: %v, %v, want %v, %v", held, src, held, err, wantHeld, want.err)
	}
}
