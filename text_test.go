package ids_test

// Text and binary forms, compared with slow oracles.

import (
	"bytes"
	"database/sql"
	"database/sql/driver"
	"encoding"
	"encoding/base64"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/ulid"
	"github.com/oneclock/ids/uuid"
)

// TestTextForms writes and reads numbers in each text form and compares the results with the
// oracle.
func TestTextForms(t *testing.T) {
	for _, f := range textForms {
		t.Run(f.name, func(t *testing.T) {
			for _, n := range samples(f.bits, 2000) {
				text := f.format(n)
				if want := f.spell(n); text != want {
					t.Fatalf("%x is written %q, want %q", n, text, want)
				}
				f.judge(t, text)
			}
		})
	}
}

// spellings returns valid strings of f in each case and each form, and some strings in which only
// the case is wrong.
func spellings(f *textForm) (texts []string) {
	last := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), f.bits), big.NewInt(1))
	ns := samples(f.bits, 1)
	for _, n := range []*big.Int{new(big.Int), last, ns[len(ns)-1]} {
		s := f.spell(n)
		texts = append(texts, s, strings.ToUpper(s), strings.ToLower(s), strings.ToUpper(s[:len(s)/2])+strings.ToLower(s[len(s)/2:]))
	}
	if f.name == "UUID" {
		s := texts[len(texts)-1]
		texts = append(texts, "urn:uuid:"+s, "URN:UUID:"+s, "Urn:uUid:"+s, "{"+s+"}", strings.ReplaceAll(s, "-", ""))
	}
	slices.Sort(texts)
	return slices.Compact(texts)
}

// TestMutations puts each byte at each position of strings in each form, leaves each byte out and
// doubles each byte.
func TestMutations(t *testing.T) {
	for _, f := range textForms {
		t.Run(f.name, func(t *testing.T) {
			for _, s := range spellings(&f) {
				for i := range len(s) {
					text := []byte(s)
					for b := range 256 {
						text[i] = byte(b)
						f.judge(t, string(text))
					}
					f.judge(t, s[:i])
					f.judge(t, s[:i]+s[i+1:])
					f.judge(t, s[:i+1]+s[i:])
				}
			}
		})
	}
}

// TestMistakenBase58 checks claims about Base58 on the pages: after a change to lower case, about 7
// out of 10 Base58 strings of version 7 UUIDs decode to a different UUID. So does every Base58
// string that is decoded as base64.
func TestMistakenBase58(t *testing.T) {
	const days, each = 365, 10
	lowered, decoded := 0, 0
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range days * each {
		u, _ := ids.NewV7At(at.Add(time.Duration(i) * 24 * time.Hour / each))
		if v, err := ids.ParseUUIDBase58(strings.ToLower(u.Base58())); err == nil && v != u {
			lowered++
		}
		b, _ := base64.RawURLEncoding.DecodeString(u.Base58())
		if v, err := ids.UUIDFromBytes(b); err == nil && v != u {
			decoded++
		}
	}
	if share := float64(lowered) / (days * each); share < 0.65 || share > 0.79 {
		t.Errorf("%.2f of the texts in lower case are another UUID", share)
	}
	if decoded != days*each {
		t.Errorf("%d of %d texts are another UUID as base64", decoded, days*each)
	}
}

// TestCompare compares IDs, and checks the results with the IDs' numbers.
func TestCompare(t *testing.T) {
	sign := func(bits uint, compare func(a, b *big.Int) int) {
		t.Helper()
		ns := samples(bits, 20)
		for _, a := range ns[len(ns)-60:] {
			for _, b := range ns {
				if got, want := compare(a, b), a.Cmp(b); got != want {
					t.Fatalf("%x and %x compare as %d, want %d", a, b, got, want)
				}
			}
		}
	}
	sign(128, func(a, b *big.Int) int { return toID[ids.UUID](a).Compare(toID[ids.UUID](b)) })
	sign(128, func(a, b *big.Int) int { return toID[ids.ULID](a).Compare(toID[ids.ULID](b)) })
	sign(63, func(a, b *big.Int) int { return toID[ids.Snowflake](a).Compare(toID[ids.Snowflake](b)) })
	// The distance from the smallest number to 1 overflows an int64.
	for _, negative := range []ids.Snowflake{-1, math.MinInt64} {
		for _, other := range []ids.Snowflake{0, 1, math.MaxInt64} {
			if a, b := negative.Compare(other), other.Compare(negative); a != -1 || b != 1 {
				t.Errorf("%d and %d compare as %d, and as %d in turn, want -1 and 1", negative, other, a, b)
			}
		}
	}
}

// The oracles below decide slowly and readably, with math/big, which value a string in each form
// has.

const (
	crockfordAlphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
	bitcoinAlphabet   = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

	// statedOffset is the largest offset in an error, the length of the longest accepted string.
	statedOffset = 45
)

// A verdict is an oracle's result for a string: a number, or an error and its position.
type verdict struct {
	n   *big.Int
	err error // nil, ids.ErrLength, ids.ErrSyntax for a character, or ids.ErrRange
	at  int
}

func refuse(err error, at int) verdict { return verdict{err: err, at: min(at, statedOffset)} }

// uuidTemplates contains the accepted forms of a UUID by length. x is any hexadecimal digit; other
// letters are case-insensitive.
var uuidTemplates = map[int]string{
	36: "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx",
	45: "urn:uuid:xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx",
	38: "{xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx}",
	32: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
}

func oracleUUID(s string) verdict {
	template, ok := uuidTemplates[len(s)]
	if !ok {
		return refuse(ids.ErrLength, len(s))
	}
	var digits []byte
	for i := range len(s) {
		switch c, want := s[i], template[i]; {
		case want == 'x' && strings.IndexByte("0123456789abcdefABCDEF", c) >= 0:
			digits = append(digits, c)
		case want == 'x':
			return refuse(ids.ErrSyntax, i)
		case want >= 'a' && want <= 'z' && c == want-'a'+'A':
		case c != want:
			return refuse(ids.ErrSyntax, i)
		}
	}
	n, _ := new(big.Int).SetString(string(digits), 16)
	return verdict{n: n}
}

// oracleOfBase returns the oracle of a fixed-width form whose digits are in alphabet.
func oracleOfBase(alphabet string, anyCase bool, width int, bits uint) func(string) verdict {
	return func(s string) verdict {
		if len(s) != width {
			return refuse(ids.ErrLength, len(s))
		}
		n, base := new(big.Int), big.NewInt(int64(len(alphabet)))
		for i := range len(s) {
			c := s[i]
			if anyCase && c >= 'a' && c <= 'z' {
				c = c - 'a' + 'A'
			}
			digit := strings.IndexByte(alphabet, c)
			if digit < 0 {
				return refuse(ids.ErrSyntax, i)
			}
			n.Add(n.Mul(n, base), big.NewInt(int64(digit)))
		}
		if n.BitLen() > int(bits) {
			return refuse(ids.ErrRange, 0)
		}
		return verdict{n: n}
	}
}

// formatBase returns the inverse of a base's oracle.
func formatBase(alphabet string, width int) func(*big.Int) string {
	return func(n *big.Int) string {
		text := make([]byte, width)
		rest, digit, base := new(big.Int).Set(n), new(big.Int), big.NewInt(int64(len(alphabet)))
		for i := width - 1; i >= 0; i-- {
			rest.DivMod(rest, base, digit)
			text[i] = alphabet[digit.Int64()]
		}
		if rest.Sign() != 0 {
			panic("number does not fit the width")
		}
		return string(text)
	}
}

func oracleSnowflake(s string) verdict {
	digits := s
	if len(s) > 1 {
		digits = strings.TrimPrefix(s, "-")
	}
	const width = 19 // length of the largest Snowflake
	if s == "" || len(digits) > width {
		return refuse(ids.ErrLength, len(s))
	}
	if other := func(r rune) bool { return r < '0' || r > '9' }; strings.ContainsFunc(digits, other) {
		return refuse(ids.ErrSyntax, strings.IndexFunc(s, other))
	}
	n, _ := new(big.Int).SetString(s, 10)
	if len(digits) < len(s) || n.BitLen() > 63 {
		return refuse(ids.ErrRange, 0)
	}
	return verdict{n: n}
}

func formatUUID(n *big.Int) string {
	s := fmt.Sprintf("%032x", n)
	return strings.Join([]string{s[:8], s[8:12], s[12:16], s[16:20], s[20:]}, "-")
}

// A textForm is a way to write IDs of one type as text, with its oracle.
type textForm struct {
	name, scheme string
	bits         uint
	parse        func(string) (*big.Int, error)
	// unmarshal, if there is one, unmarshals the text into a receiver that contains the first
	// number. It returns the number in the receiver afterwards.
	unmarshal func(*big.Int, []byte) (*big.Int, error)
	format    func(*big.Int) string // the format in this package
	oracle    func(string) verdict
	spell     func(*big.Int) string // the oracle's format
}

// The forms that tests name, as indices of textForms.
const (
	formUUID      = 0
	formULID      = 2
	formSnowflake = 4
)

var textForms = []textForm{
	formUUID: {"UUID", "UUID", 128, parses(ids.ParseUUID), unmarshals[ids.UUID],
		func(n *big.Int) string { return toID[ids.UUID](n).String() }, oracleUUID, formatUUID},
	{"UUID Base58", "UUID", 128, parses(ids.ParseUUIDBase58), nil,
		func(n *big.Int) string { return toID[ids.UUID](n).Base58() },
		oracleOfBase(bitcoinAlphabet, false, 22, 128), formatBase(bitcoinAlphabet, 22)},
	formULID: {"ULID", "ULID", 128, parses(ids.ParseULID), unmarshals[ids.ULID],
		func(n *big.Int) string { return toID[ids.ULID](n).String() },
		oracleOfBase(crockfordAlphabet, true, 26, 128), formatBase(crockfordAlphabet, 26)},
	{"ULID Base58", "ULID", 128, parses(ids.ParseULIDBase58), nil,
		func(n *big.Int) string { return toID[ids.ULID](n).Base58() },
		oracleOfBase(bitcoinAlphabet, false, 22, 128), formatBase(bitcoinAlphabet, 22)},
	formSnowflake: {"Snowflake", "Snowflake", 63, parses(ids.ParseSnowflake), unmarshals[ids.Snowflake],
		func(n *big.Int) string { return toID[ids.Snowflake](n).String() }, oracleSnowflake, (*big.Int).String},
	{"Snowflake Base32", "Snowflake", 63, parses(ids.ParseSnowflakeBase32), nil,
		func(n *big.Int) string { return toID[ids.Snowflake](n).Base32() },
		oracleOfBase(crockfordAlphabet, true, 13, 63), formatBase(crockfordAlphabet, 13)},
}

type anyID interface {
	ids.UUID | ids.ULID | ids.Snowflake
}

// toID returns the ID with the number n.
func toID[T anyID](n *big.Int) (id T) {
	switch id := any(&id).(type) {
	case *ids.UUID:
		n.FillBytes(id[:])
	case *ids.ULID:
		n.FillBytes(id[:])
	case *ids.Snowflake:
		*id = ids.Snowflake(n.Int64())
	}
	return id
}

// number is the inverse of toID.
func number[T anyID](id T) *big.Int {
	switch id := any(id).(type) {
	case ids.UUID:
		return new(big.Int).SetBytes(id[:])
	case ids.ULID:
		return new(big.Int).SetBytes(id[:])
	case ids.Snowflake:
		return big.NewInt(int64(id))
	}
	panic("unreachable")
}

func parses[T anyID](parse func(string) (T, error)) func(string) (*big.Int, error) {
	return func(s string) (*big.Int, error) {
		id, err := parse(s)
		return number(id), err
	}
}

func unmarshals[T anyID](before *big.Int, text []byte) (*big.Int, error) {
	id := toID[T](before)
	err := any(&id).(interface{ UnmarshalText([]byte) error }).UnmarshalText(text)
	return number(id), err
}

// judge compares f's results for s with the oracle's.
func (f *textForm) judge(t *testing.T, s string) {
	t.Helper()
	want := f.oracle(s)
	got, err := f.parse(s)
	shown := shortened(s)
	if want.err == nil {
		if err != nil || got.Cmp(want.n) != 0 {
			t.Fatalf("%s of %s: got %x, error %v; want %x", f.name, shown, got, err, want.n)
		}
	} else {
		checkRefusal(t, f.name, s, err, f.scheme, want)
		if got.Sign() != 0 {
			t.Fatalf("%s of %s: got %x beside the error %v, want zero", f.name, shown, got, err)
		}
	}
	if f.unmarshal == nil {
		return
	}
	before := big.NewInt(987654321)
	text := []byte(s)
	got, errBytes := f.unmarshal(before, text)
	switch {
	case string(text) != s:
		t.Fatalf("%s of %s: UnmarshalText changed its argument", f.name, shown)
	case (errBytes == nil) != (err == nil) || err != nil && errBytes.Error() != err.Error():
		t.Fatalf("%s of %s: error %v of bytes, %v of a string", f.name, shown, errBytes, err)
	case err != nil && got.Cmp(before) != 0:
		t.Fatalf("%s of %s: the receiver was changed to %x beside the error %v", f.name, shown, got, err)
	case err == nil && got.Cmp(want.n) != 0:
		t.Fatalf("%s of %s: got %x of bytes, want %x", f.name, shown, got, want.n)
	}
}

// A shortened string is formatted only when a message needs it.
type shortened string

func (s shortened) String() string {
	if len(s) > 80 {
		s = s[:80] + "…"
	}
	return strconv.Quote(string(s))
}

// checkRefusal checks that err rejects the string s as in want.
func checkRefusal(t *testing.T, what, s string, err error, scheme string, want verdict) {
	t.Helper()
	shown := shortened(s)
	var pe *ids.ParseError
	if !errors.As(err, &pe) {
		t.Fatalf("%s of %s: error %v, want a ParseError", what, shown, err)
	}
	message := "ids: parsing " + scheme + ": "
	suffix := ""
	switch want.err {
	case ids.ErrLength:
		message += "length " + strconv.Itoa(want.at) + ", want "
		if len(s) > statedOffset {
			message = strings.Replace(message, "length", "length over", 1)
		}
	case ids.ErrSyntax:
		suffix = " at byte " + strconv.Itoa(want.at)
	}
	offset, ok := pe.Offset()
	wantOffset, wantOK := 0, want.err == ids.ErrSyntax
	if wantOK {
		wantOffset = want.at
	}
	if pe.Scheme() != scheme || offset != wantOffset || ok != wantOK || !isOnly(err, want.err) {
		t.Fatalf("%s of %s: error %v of scheme %s at %d, %t, want one of scheme %s at %d, %t, %v",
			what, shown, pe, pe.Scheme(), offset, ok, scheme, wantOffset, wantOK, want.err)
	}
	if got := pe.Error(); !stated.MatchString(err.Error()) || !strings.HasPrefix(got, message) || !strings.HasSuffix(got, suffix) || suffix == "" && strings.Contains(got, " at byte ") {
		t.Fatalf("%s of %s: message %q, want %q … %q", what, shown, got, message, suffix)
	}
}

// samples returns numbers of up to the given number of bits: the edges of words and of digits in
// each base, and random numbers that are the same in every run.
func samples(bits uint, random int) (ns []*big.Int) {
	one := big.NewInt(1)
	end := new(big.Int).Lsh(one, bits)
	add := func(n *big.Int) {
		for d := int64(-1); d <= 1; d++ {
			if m := new(big.Int).Add(n, big.NewInt(d)); m.Sign() >= 0 && m.Cmp(end) < 0 {
				ns = append(ns, m)
			}
		}
	}
	for i := range bits + 1 {
		add(new(big.Int).Lsh(one, i))
	}
	for _, base := range []int64{10, 58} {
		for n := big.NewInt(1); n.Cmp(end) < 0; n = new(big.Int).Mul(n, big.NewInt(base)) {
			add(n)
		}
	}
	r := rand.New(rand.NewPCG(1, uint64(bits)))
	for range random {
		n := new(big.Int).SetUint64(r.Uint64())
		n.Lsh(n, 64).Or(n, new(big.Int).SetUint64(r.Uint64()))
		ns = append(ns, n.Rsh(n, 128-bits))
	}
	return ns
}

// coded is implemented by the codecs of all three types.
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

// decoding is the corresponding interface of a receiver.
type decoding[T any] interface {
	*T
	encoding.TextUnmarshaler
	encoding.BinaryUnmarshaler
	sql.Scanner
}

// TestAppends appends IDs to slices with room for all of the ID, for a part of it and for none. The
// existing elements stay. The value of a Binary is a copy.
func TestAppends(t *testing.T) {
	u := ids.MustParseUUID(edgeUUID)
	for _, id := range []interface {
		fmt.Stringer
		encoding.TextAppender
		encoding.BinaryMarshaler
		encoding.BinaryAppender
	}{u, u.ULID(), ids.Snowflake(1541815603606036480)} {
		raw, _ := id.MarshalBinary()
		for room := range 40 {
			before := append(make([]byte, 0, 6+room), "before"...)
			if got, err := id.AppendText(before); string(got) != "before"+id.String() || err != nil {
				t.Errorf("%T: with room for %d, AppendText gives %q, %v", id, room, got, err)
			}
			if got, err := id.AppendBinary(before); string(got) != "before"+string(raw) || err != nil {
				t.Errorf("%T: with room for %d, AppendBinary gives %x, %v", id, room, got, err)
			}
		}
	}
	for _, b := range []*ids.Binary[ids.UUID]{{ID: u}, pointer(u.Binary())} {
		value, err := b.Value()
		if raw, ok := value.([]byte); !ok || !bytes.Equal(raw, u[:]) || err != nil {
			t.Fatalf("the value of %v is %v, %v", b, value, err)
		}
		if clear(value.([]byte)); b.ID != u {
			t.Errorf("the value of %v is not a copy", u)
		}
	}
}

// TestFromBytes reads slices of every length up to twice an ID's. The result is a copy.
func TestFromBytes(t *testing.T) {
	// All bytes are accepted, even the first 16 bytes of text.
	text := []byte("017f22e2-79b0-7cc3-98c4-dc0c0c07398f")
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

// other returns an ID that is not a sample.
func other[T anyID]() T { return toID[T](big.NewInt(987654321)) }

// checkNull checks the codecs of a Null with id, and of the absent Null. The receiver contains
// another ID before.
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
		{ids.Null[T]{ID: id}, "", "null", nil}, // an ID that is not valid does not show
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
				*n = ids.Null[T]{} // gob omits zero values
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
