package ids_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"regexp"
	"strings"
	"testing"

	"github.com/oneclock/ids"
)

// Each parser, compared with its oracle. An input that found a fault remains as a seed.

func FuzzParseUUID(f *testing.F) {
	fuzzForm(f, "UUID",
		// The forms of the same UUID.
		edgeUUID, "F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6", "f81d4fae7dec11d0a76500a0c91e6bf6", "{"+edgeUUID+"}", "urn:uuid:"+edgeUUID,
		"URN:UUID:F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6",
		// The same forms cut, misspelled and with a misplaced hyphen or brace. 0x1a is a colon
		// without the bit that distinguishes upper from lower case.
		edgeUUID[:32], edgeUUID[:35], edgeUUID+"6", "f81d4faee-7dc-11d0-a765-00a0c91e6bf6", "urn:uuld:"+edgeUUID, "urn:uuid\x1a"+edgeUUID,
		"{"+edgeUUID+" ", "{x"+edgeUUID[1:]+" ", " "+edgeUUID+"}",
		// Not a digit at the end: a byte with the high bit set, a zero byte, and a full-width 6,
		// which has three bytes.
		edgeUUID[:35]+"\xb6", edgeUUID[:35]+"\x00", edgeUUID[:32]+"\uff16f")
}

func FuzzParseUUIDBase58(f *testing.F) {
	fuzzForm(f, "UUID Base58",
		// A letter outside the alphabet, and all digits at their maximum.
		"1111111111111111111110", strings.Repeat("z", 22))
}

func FuzzParseULID(f *testing.F) {
	fuzzForm(f, "ULID",
		edgeULID, strings.ToLower(edgeULID), strings.Repeat("Z", 26),
		// Not a digit at the end: letters outside the alphabet, a zero byte, and a full-width 6. A
		// wrong digit is reported before a number that is too large.
		edgeULID[:25]+"I", edgeULID[:25]+"l", edgeULID[:25]+"O", edgeULID[:25]+"u", edgeULID[:25]+"\x00", edgeULID[:23]+"\uff16",
		"8000000000000000000000000U")
}

func FuzzParseULIDBase58(f *testing.F) {
	fuzzForm(f, "ULID Base58",
		strings.Repeat("l", 22)) // a letter outside the alphabet
}

func FuzzParseSnowflake(f *testing.F) {
	fuzzForm(f, "Snowflake",
		edgeSnowflake, strings.Repeat("9", 19),
		// Leading zeros make a number as long as the longest number, and longer.
		"0000000000000000007", "00000000000000000007",
		// Signs, spaces and digits that other number parsers accept.
		"-1", "-0", "-", "-1234x", "+1", " 1", "1 ", "1\x00", "0x1", "\uff11",
		// Long strings with an invalid character at a position that no parser needs to read.
		strings.Repeat("1", 60), strings.Repeat("1", 60)+"x")
}

func FuzzParseSnowflakeBase32(f *testing.F) {
	fuzzForm(f, "Snowflake Base32",
		"000000000000U") // a letter outside the alphabet
}

// fuzzForm fuzzes the parser of a form. Its seeds are the given strings, valid strings, and strings
// that are too short, too long or above the largest number.
func fuzzForm(f *testing.F, name string, texts ...string) {
	var form *textForm
	for i := range textForms {
		if textForms[i].name == name {
			form = &textForms[i]
		}
	}
	one, zero := big.NewInt(1), form.spell(new(big.Int))
	end, end64 := new(big.Int).Lsh(one, form.bits), new(big.Int).Lsh(one, 64)
	for _, n := range []*big.Int{end, new(big.Int).Add(end, one), new(big.Int).Sub(end64, one), end64, new(big.Int).Add(end64, one)} {
		texts = append(texts, form.spell(n))
	}
	for _, digit := range "9Zz" { // the highest digit of each alphabet
		texts = append(texts, strings.Repeat(string(digit), len(zero)))
	}
	seed[string](f, append(texts, "", zero[1:], zero+zero[:1]))
	seed[string](f, spellings(form))
	f.Fuzz(func(t *testing.T, s string) {
		form.judge(t, s)
		if n, err := form.parse(s); err == nil && form.format(n) != form.spell(n) {
			t.Errorf("%q is written %q, want %q", s, form.format(n), form.spell(n))
		}
	})
}

// seed adds values to the seeds of f, whose input is a string or bytes.
func seed[T string | []byte](f *testing.F, texts []string) {
	for _, s := range texts {
		f.Add(T(s))
	}
}

// FuzzJSON reads any bytes as the JSON of each type and compares the results with encoding/json and
// the oracles.
func FuzzJSON(f *testing.F) {
	seed[[]byte](f, []string{
		// Each type, and values of no type.
		`42`, `"42"`, `"` + edgeUUID + `"`, `"` + edgeULID + `"`, `null`, `true`, `[1]`, `{}`, ``, `""`,
		// Numbers that are not written like Snowflakes, or could be another type.
		`-1`, `1e3`, `1.0`, `18144123743511402765002059136616`, `9223372036854775808`, `"9223372036854775808"`, `"-1"`, `" 1"`, `"+1"`, `"0x1"`, `"null"`,
		// Escapes of characters that need none, of halves of a character, and some that Go has and
		// JSON lacks; a line break.
		`"\u0034\u0032"`, `"\u007b` + edgeUUID + `}"`, `"1\/"`, `"\ud83d\ude00"`, `"\ud800"`, `"\061"`, `"\x31"`, "\"1\n\"",
		// Misplaced quotes.
		`"`, `"42`, `"42\"`,
	})
	f.Fuzz(func(t *testing.T, data []byte) {
		// encoding/json passes values without surrounding space.
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
			if accept != (errs[i] == nil) || !accept && !stated.MatchString(errs[i].Error()) || isText && (quoted || i < 2) && errors.Is(errs[i], ids.ErrRange) != (want.err == ids.ErrRange) {
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

// jsonText returns the text of a valid JSON string or number, whether it is one, and whether it is
// null.
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

// FuzzScan scans any input as a column of each type, of a Null and of a Binary, as bytes, as a
// string and as a number, and compares the results with the oracles.
func FuzzScan(f *testing.F) {
	for _, s := range []string{
		// The text of each type, and of no type.
		edgeUUID, "f81d4fae7dec11d0a76500a0c91e6bf6", edgeULID, "",
		// As many bytes as an ID has, one fewer and one more. 16 digits can be the bytes of a UUID
		// and the text of a Snowflake.
		strings.Repeat("\x00", 15), "\xf0\xf1\xf2\xf3\xf4\xf5\xf6\xf7\xf8\xf9\xfa\xfb\xfc\xfd\xfe\xff", strings.Repeat("\x00", 17),
		strings.Repeat("\x00", 7), "\x00\x00\x01\x02\x03\x04\x05\x06", "\x80\x00\x01\x02\x03\x04\x05\x06", "0123456789012345", "12345678",
		// Text truncated to 16 bytes, as a column of 16 bytes stores it, and bytes that only look
		// like such text.
		edgeUUID[:16], edgeULID[:16], "71ARZ3NDEKTSV4RR", "01arz3ndektsv4rr", "0123456789abcdef", "F81D4FAE-7DEC-11", "f81d4fae-7dec-1-",
	} {
		f.Add([]byte(s), int64(0))
	}
	f.Add([]byte(edgeSnowflake), int64(1541815603606036480))
	f.Add([]byte("-1"), int64(-1))
	f.Add([]byte("9223372036854775807"), int64(math.MaxInt64))
	f.Add([]byte("9223372036854775808"), int64(math.MinInt64))
	f.Fuzz(func(t *testing.T, data []byte, n int64) {
		text := string(data)
		uuid, ulid, snowflake := oracleUUID(text), textForms[formULID].oracle(text), oracleSnowflake(text)
		checkScan[ids.UUID](t, text, uuid)
		checkScan[ids.ULID](t, text, ulid)
		checkScan[ids.Snowflake](t, text, snowflake)
		// As bytes, the size of a UUID or ULID means the ID itself, unless it is truncated text.
		if len(data) == 16 {
			raw := verdict{n: new(big.Int).SetBytes(data)}
			uuid, ulid = raw, raw
			if cutText.Match(data) {
				uuid, ulid = refuse(ids.ErrSyntax, 0), refuse(ids.ErrSyntax, 0)
			}
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

// cutText matches 16 characters with which the text of an ID may begin.
var cutText = regexp.MustCompile(`^[A-Za-z0-9:{-]{16}\z`)

// checkScan scans src, whose verdict is want, into an ID and into a Null.
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

// checkRead checks a decoder's result for src. The receiver, which contained other[T](), contains
// the number of the verdict. If there is an error of the verdict's kind, which must not echo src,
// the receiver is unchanged.
func checkRead[T anyID](t *testing.T, what string, src any, err error, held T, want verdict) {
	t.Helper()
	wantHeld := other[T]()
	if want.err == nil {
		wantHeld = toID[T](want.n)
	}
	if held != wantHeld || !errors.Is(err, want.err) || err != nil && !stated.MatchString(err.Error()) {
		t.Fatalf("%s into a %T from %q: %v, %v, want %v, %v", what, held, src, held, err, wantHeld, want.err)
	}
}

// FuzzText reads any bytes as the text of a Null and of a Binary of each type and compares the
// results with the oracles.
func FuzzText(f *testing.F) {
	seed[[]byte](f, []string{
		// The text of each type, and of no type.
		edgeUUID, "urn:uuid:" + edgeUUID, "f81d4fae7dec11d0a76500a0c91e6bf6", edgeULID, edgeSnowflake,
		"8ZZZZZZZZZZZZZZZZZZZZZZZZZ", "-1", "null", "", "\xff",
	})
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

// FuzzBinary reads any bytes as the binary form of each type, compares the results with math/big,
// and writes the IDs that it has read.
func FuzzBinary(f *testing.F) {
	seed[[]byte](f, []string{
		// As many bytes as an ID has, some more, and none.
		"\x01\x02\x03\x04\x05\x06\x07\x08", "\x7f\xff\xff\xff\xff\xff\xff\xff", strings.Repeat("\xff", 8), "\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f",
		strings.Repeat("\xff", 16), strings.Repeat("\x00", 9), strings.Repeat("\x00", 17), "",
	})
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
