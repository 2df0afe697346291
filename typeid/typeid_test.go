package typeid_test

// Tests of the text form, codecs, errors and prefixes.

import (
	"bytes"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"os"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/typeid"
)

// vector is a kind whose prefix a test can set.
type vector struct{}

var vectorPrefix string

func (vector) Prefix() string { return vectorPrefix }

type (
	user    struct{}
	pre     struct{}
	preFix  struct{}
	nothing struct{}
)

func (user) Prefix() string    { return "user" }
func (pre) Prefix() string     { return "pre" }
func (preFix) Prefix() string  { return "pre_fix" }
func (nothing) Prefix() string { return "" }

const (
	sample = "01890a5d-ac96-774b-bcce-b302099a8057"
	digits = "01h455vb4pex5vsknk084sn02q" // the digits of sample
)

// specified matches the prefixes that the specification allows.
var specified = regexp.MustCompile(`^([a-z]([a-z_]{0,61}[a-z])?)?$`)

func panics(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}

// TestErrors checks the error for each kind of invalid text.
func TestErrors(t *testing.T) {
	const (
		other  = "not a Crockford Base32 digit in lower case at byte "
		letter = "neither a letter a to z of a prefix nor an underscore within one at byte "
	)
	for _, c := range []struct {
		parse         func(string) error
		text, message string
		offset        int // -1 if the error is not an invalid byte
		kind          error
	}{
		{failing[user], "invoice_" + digits, `prefix is not "user_"`, 0, ids.ErrSyntax},
		{failing[user], "usher_" + digits, `prefix is not "user_"`, 2, ids.ErrSyntax},
		{failing[user], "users_" + digits, `prefix is not "user_"`, 4, ids.ErrSyntax},
		{failing[user], "user", `prefix is not "user_"`, -1, ids.ErrSyntax},
		{failing[preFix], "pre_" + digits, `prefix is not "pre_fix_"`, 4, ids.ErrSyntax},
		{scanning[user], sample[:35] + "x", `prefix is not "user_"`, 0, ids.ErrSyntax},
		{scanning[user], "user_0", "length 1, want 26 after the prefix", -1, ids.ErrLength},
		{failing[pre], "pre_fix_" + digits, "length 30, want 26 after the prefix", -1, ids.ErrLength},
		{failing[user], "user_", "length 0, want 26 after the prefix", -1, ids.ErrLength},
		{failing[user], "user_" + strings.Repeat("0", 90), "length 90, want 26 after the prefix", -1, ids.ErrLength},
		{failing[user], "user_" + strings.Repeat("0", 91), "length 91 or more, want 26 after the prefix", -1, ids.ErrLength},
		{failing[nothing], "_" + digits, "length 27, want 26 after the prefix", -1, ids.ErrLength},
		{failing[user], "user_" + digits[:25] + "u", other + "30", 30, ids.ErrSyntax},
		{failing[user], "user_8" + digits[1:25] + "Q", other + "30", 30, ids.ErrSyntax},
		{failing[nothing], "_" + digits[1:], other + "0", 0, ids.ErrSyntax},
		{failing[user], "user_8" + strings.Repeat("0", 25), "digits above 7zzzzzzzzzzzzzzzzzzzzzzzzz", -1, ids.ErrRange},
		{decoding, sample[:15], "length 15, want 16 bytes", -1, ids.ErrLength},
		{splitting, "_" + digits, letter + "0", 0, ids.ErrSyntax},
		{splitting, "user__" + digits, letter + "4", 4, ids.ErrSyntax},
		{splitting, "{ser_" + digits, letter + "0", 0, ids.ErrSyntax},
		{splitting, "`ser_" + digits, letter + "0", 0, ids.ErrSyntax},
		{splitting, "usé_" + digits, letter + "2", 2, ids.ErrSyntax},
		{splitting, strings.Repeat("x", 64) + "_" + digits, "more than 90 characters", -1, ids.ErrLength},
		{splitting, strings.Repeat("x", 64) + "_" + digits[1:], "prefix of more than 63 characters", -1, ids.ErrLength},
		{splitting, "", "length 0, want 26 after the prefix", -1, ids.ErrLength},
		{splitting, "user_" + digits[1:], "length 25, want 26 after the prefix", -1, ids.ErrLength},
		{splitting, "user_8" + digits[1:], "digits above 7zzzzzzzzzzzzzzzzzzzzzzzzz", -1, ids.ErrRange},
		{joining, "User", letter + "0", 0, ids.ErrSyntax},
		{joining, "user_", letter + "4", 4, ids.ErrSyntax},
		{joining, strings.Repeat("x", 64), "prefix of more than 63 characters", -1, ids.ErrLength},
	} {
		err := c.parse(c.text)
		text := c.text[:min(len(c.text), 60)]
		if err == nil || err.Error() != "typeid: "+c.message {
			t.Errorf("%s: error %v, want typeid: %s", text, err, c.message)
			continue
		}
		for _, kind := range []error{ids.ErrSyntax, ids.ErrLength, ids.ErrRange} {
			if got, want := errors.Is(err, kind), kind == c.kind || kind == ids.ErrSyntax && c.kind == ids.ErrLength; got != want {
				t.Errorf("%s: matches %q: %t, want %t", text, kind, got, want)
			}
		}
		var own interface {
			Scheme() string
			Offset() (int, bool)
		}
		if !errors.As(fmt.Errorf("in JSON: %w", err), &own) || own.Scheme() != "TypeID" {
			t.Errorf("%s: error %v of another scheme", text, err)
			continue
		}
		if offset, ok := own.Offset(); ok != (c.offset >= 0) || offset != max(c.offset, 0) {
			t.Errorf("%s: offset %d, %t, want %d", text, offset, ok, c.offset)
		}
		if bad := new(ids.ParseError); errors.As(err, &bad) {
			t.Errorf("%s: wraps %v of scheme %s", text, bad, bad.Scheme())
		}
	}
	got := panics(func() { typeid.MustParse[user]("x") })
	if err, ok := got.(error); !ok || !errors.Is(err, ids.ErrSyntax) || err.Error() != `typeid: prefix is not "user_": "x"` {
		t.Errorf("MustParse panics with %v", got)
	}
}

func failing[K typeid.Kind](s string) error {
	_, err := typeid.Parse[K](s)
	return err
}

func scanning[K typeid.Kind](s string) error { return new(typeid.ID[K]).Scan(s) }

func decoding(s string) error { return new(typeid.ID[user]).UnmarshalBinary([]byte(s)) }

func splitting(s string) error {
	prefix, u, err := typeid.Split(s)
	if prefix != "" || u != ids.NilUUID() {
		return fmt.Errorf("%w with results %q, %v", err, prefix, u)
	}
	return err
}

func joining(prefix string) error {
	text, err := typeid.Join(prefix, ids.MaxUUID())
	if text != "" {
		return fmt.Errorf("%w with result %q", err, text)
	}
	return err
}

// TestScan scans values that databases return. If a value is not an ID, the receiver is unchanged.
func TestScan(t *testing.T) {
	u := ids.MustParseUUID(sample)
	want := typeid.From[user](u)
	raw := u
	raw[9] = '_' // so that these bytes are not treated as text
	for _, c := range []struct {
		src  any
		want typeid.ID[user]
	}{
		{"user_" + digits, want}, {[]byte("user_" + digits), want}, {want, want}, {sample, want}, {[]byte(sample), want}, {u, want},
		{[16]byte(u), want}, {u[:], want}, {u.URN(), want}, {"{" + sample + "}", want}, {raw[:], typeid.From[user](raw)},
	} {
		var id typeid.ID[user]
		if err := id.Scan(c.src); err != nil || id != c.want {
			t.Errorf("%T %[1]v: %v, error %v, want %v", c.src, id, err, c.want)
		}
	}
	for _, src := range []any{
		nil, "", "user_", "user", digits, "invoice_" + digits, []byte("invoice_" + digits), "USER_" + digits, "user_" + strings.ToUpper(digits),
		[]byte(sample[:16]), []byte("user_" + digits)[:16], sample[1:], 7, true, typeid.From[pre](u), strings.Repeat("_", 1e7), strings.Repeat("0", 1e7), u[1:], "user_00000000000",
	} {
		id := want
		if err := id.Scan(src); !errors.Is(err, ids.ErrSyntax) || id != want {
			t.Errorf("%T: %v, error %v", src, id, err)
		}
	}
	for src, says := range map[any]string{42: "type int, want string, []byte, [16]byte, ids.UUID or", nil: "NULL"} {
		if err := new(typeid.ID[user]).Scan(src); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%T: error %v, want %s", src, err, says)
		}
	}
	for _, p := range []string{"", "a", "abcdefghijklmn", "abcdefghijklmno", "abcdefghijklmnop", strings.Repeat("abcdefg", 9)} {
		vectorPrefix = p
		b := []byte(typeid.From[vector](u).String())[:16]
		id := typeid.From[vector](u)
		if err := id.Scan(b); !errors.Is(err, ids.ErrSyntax) || !strings.Contains(err.Error(), "column of 16 bytes") || id.UUID() != u {
			t.Errorf("%s: %v, error %v", b, id, err)
		}
	}
	for _, text := range []string{
		sample, "invoice_" + digits, "a_b_" + digits, digits, strings.ToUpper(sample), u.URN(), "{" + sample + "}", u.Base58(), "USER_" + digits, "AZ_az-09:{zzzzzz",
	} { // text of a UUID, and of IDs of other kinds
		id := want
		if err := id.Scan([]byte(text)[:16]); err == nil || !strings.Contains(err.Error(), "column of 16 bytes") || id != want {
			t.Errorf("%s: %v, error %v", text[:16], id, err)
		}
	}
	for i := range 16 { // not the beginning of text
		for _, c := range []byte(" ,./;@[^`|\x1a\x00\x80\xdf\xff") {
			raw := []byte("user_00000000000")
			raw[i] = c
			if id := want; id.Scan(raw) != nil || id != typeid.ID[user](raw) {
				t.Errorf("%q: %v", raw, id)
			}
		}
	}
	vectorPrefix = strings.Repeat("abcdefg", 9)
	longest := typeid.From[vector](u)
	var back ids.Null[typeid.ID[vector]]
	if err := back.ID.Scan(longest.String()); err != nil || back.ID != longest {
		t.Errorf("with the longest prefix: %v, error %v", back.ID, err)
	}
	escaped := `\u00` + strings.ReplaceAll(fmt.Sprintf("% x", longest.String()), " ", `\u00`)
	if err := json.Unmarshal([]byte(`"`+escaped+`"`), &back); err != nil || !back.Valid || back.ID != longest {
		t.Errorf("JSON with the longest prefix: %v, error %v", back, err)
	}
	var bare typeid.ID[nothing]
	if err := bare.Scan(digits); err != nil || bare.UUID() != u || bare.Scan([]byte(sample)) != nil || bare.Scan(u[:]) != nil || bare.UUID() != u {
		t.Errorf("without a prefix: %v, error %v", bare, err)
	}
}

// TestCodecs checks all forms and fields of an ID. TestOwnTypes of package ids tests IDs in JSON,
// XML, gob, logs and databases.
func TestCodecs(t *testing.T) {
	id, text := typeid.MustParse[preFix]("pre_fix_"+digits), "pre_fix_"+digits
	for how, want := range map[string]string{
		"%v": text, "%s": text, "%q": `"` + text + `"`, "%#v": `typeid.MustParse[typeid_test.preFix]("` + text + `")`,
	} {
		if got := fmt.Sprintf(how, id); got != want {
			t.Errorf("%s is %s, want %s", how, got, want)
		}
	}
	if v, err := driver.DefaultParameterConverter.ConvertValue(id); v != sample || err != nil {
		t.Errorf("a database gets %v, error %v", v, err)
	}
	if b, err := id.MarshalBinary(); !bytes.Equal(b, id[:]) || err != nil {
		t.Errorf("binary: %x, error %v", b, err)
	}
	var back typeid.ID[preFix]
	if err := back.UnmarshalBinary(id[:]); err != nil || back != id {
		t.Errorf("from binary: %v, error %v", back, err)
	}
	if b, err := id.AppendBinary([]byte("x")); string(b) != "x"+string(id[:]) || err != nil {
		t.Errorf("binary: %x, error %v", b, err)
	}
	u := ids.MustParseUUID(sample)
	at, ok := id.Time()
	if want, _ := u.Time(); id.UUID() != u || ids.UUID(id) != u || id.Version() != 7 || !ok || !at.Equal(want) {
		t.Errorf("%v, version %d, of %v, %t", id.UUID(), id.Version(), at, ok)
	}
	if zero := (typeid.ID[preFix]{}); id.Compare(zero) != 1 || zero.Compare(id) != -1 || id.Compare(typeid.ID[preFix](id.UUID())) != 0 {
		t.Errorf("%v and %v compare as %d and %d", id, zero, id.Compare(zero), zero.Compare(id))
	}
	if old := typeid.From[user](ids.MustParseUUID("f81d4fae-7dec-41d0-a765-00a0c91e6bf6")); old.Version() != 4 || old.IsZero() || !(typeid.ID[user]{}).IsZero() {
		t.Errorf("%v: version %d, zero %t", old, old.Version(), old.IsZero())
	} else if at, ok := old.Time(); ok {
		t.Errorf("version 4 of %v", at)
	}
}

// TestAllocs counts allocations. Only calls that return new text allocate, and only that text.
func TestAllocs(t *testing.T) {
	if info, _ := debug.ReadBuildInfo(); slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		t.Skip("the race detector drops pooled objects, which are then allocated anew")
	}
	vectorPrefix = strings.Repeat("long", 15)
	id := typeid.From[vector](ids.MustParseUUID(sample))
	text, buf := []byte(id.String()), make([]byte, 0, 100)
	long := append(slices.Clip(text), bytes.Repeat([]byte("0"), 1e7)...)
	bad := [][]byte{text[:60], text[:70], text[1:], bytes.ToUpper(text), bytes.Repeat([]byte("_"), 1e7), long}
	badTexts := []string{sample, "user_", "User_" + digits, "_" + digits, "user_8" + digits[1:], "user_" + digits[1:] + "U", string(bad[4]), string(long)}
	srcs := []any{id, text, string(text), sample, []byte(sample), bad[0]}
	var sink any
	for name, c := range map[string]struct {
		want float64
		run  func()
	}{
		"Parse":         {0, func() { _, _ = typeid.Parse[vector](srcs[2].(string)) }},
		"UnmarshalText": {0, func() { _ = id.UnmarshalText(text) }},
		"bad text": {0, func() {
			for _, b := range bad {
				if err := id.UnmarshalText(b); err == nil {
					t.Errorf("%.90s is accepted", b)
				}
			}
		}},
		"Scan": {0, func() {
			for _, src := range srcs {
				_ = id.Scan(src)
			}
		}},
		"From":       {0, func() { id = typeid.From[vector](id.UUID()) }},
		"AppendText": {0, func() { buf, _ = id.AppendText(buf[:0]) }},
		"Join":       {1, func() { s, _ := typeid.Join(vectorPrefix, id.UUID()); text[0] = s[0] }},
		"Split":      {0, func() { _, _, _ = typeid.Split(srcs[2].(string)) }},
		"bad text to Split": {0, func() {
			for _, b := range badTexts {
				if _, _, err := typeid.Split(b); err == nil {
					t.Errorf("%.90s is split", b)
				}
			}
		}},
		"bad prefixes to Join": {0, func() {
			for _, p := range badTexts {
				if _, err := typeid.Join(p, ids.NilUUID()); err == nil {
					t.Errorf("%.90s is joined", p)
				}
			}
		}},
		"MarshalText": {1, func() { b, _ := id.MarshalText(); sink = &b[0] }},
		"String":      {1, func() { s := id.String(); text[0] = s[0] }},
	} {
		if got := testing.AllocsPerRun(20, c.run); got != c.want {
			t.Errorf("%s: %v allocations, want %v", name, got, c.want)
		}
	}
	_ = sink
}

// written matches the text of an ID according to the specification, if the prefix is valid.
var written = regexp.MustCompile(`^(?:([a-z_]*)_)?([0-7][0-9a-hjkmnp-tv-z]{25})$`)

// number returns the value of digits.
func number(digits string) *big.Int {
	n := new(big.Int)
	for _, c := range digits {
		n.Add(n.Lsh(n, 5), big.NewInt(int64(strings.IndexRune("0123456789abcdefghjkmnpqrstvwxyz", c))))
	}
	return n
}

// specification returns the examples of TypeID 0.3.0, from its files spec/valid.yml and
// spec/invalid.yml. TestVectors of internal/docs checks them.
func specification(t testing.TB) (good []struct{ Prefix, UUID, Text string }, bad []string) {
	t.Helper()
	var vectors struct {
		TypeID []struct{ Prefix, UUID, Text string }
		Bad    []struct{ Form, Input string }
	}
	file, err := os.ReadFile("../testdata/vectors.json")
	if err := errors.Join(err, json.Unmarshal(file, &vectors)); err != nil {
		t.Fatal(err)
	}
	for _, c := range vectors.Bad {
		if c.Form == "TypeID" {
			bad = append(bad, c.Input)
		}
	}
	if len(vectors.TypeID) < 8 || len(bad) < 19 {
		t.Fatalf("%d valid and %d invalid examples, want 8 and 19 at least", len(vectors.TypeID), len(bad))
	}
	return vectors.TypeID, bad
}

// seeds returns the seed corpus for fuzzing.
func seeds(f *testing.F) []string {
	good, texts := specification(f)
	for _, c := range good {
		texts = append(texts, c.Text)
	}
	for _, c := range "ABCDEFGHJKMNPQRSTVWXYZ" {
		texts = append(texts, digits[:25]+string(c))
	}
	long := strings.Repeat("abcdefg", 9)
	return append(texts, digits, strings.Repeat("z", 26), "8"+digits[1:], "user_"+digits, "_"+digits, "", "_",
		"a__b_"+digits, "user__"+digits, long+"_"+digits, long+"a_"+digits, long+"a_"+digits[1:])
}

// FuzzParse compares UnmarshalText with the rules of the specification.
func FuzzParse(f *testing.F) {
	long := strings.Repeat("abcdefg", 9)
	for _, p := range []string{"ab", "z", "a_b", "a__b", long, long[1:] + "z", // valid; the others are not
		"_", "_a", "a_", "_a_", long + "z", "A", "uSer", "user1", "1", "a-b", "a b", "a.b", "é", "a\x00", "a\n", "`", "{", `a"b`, "a\xff"} {
		f.Add(p, p+"_"+digits)
	}
	for _, text := range seeds(f) {
		first, _, _ := strings.Cut(text, "_")
		for _, p := range []string{"", "prefix", "pre_fix", "user", "user_", "U", first, text[:max(0, strings.LastIndex(text, "_"))]} {
			f.Add(p, text)
			f.Add(p, p+"_"+text)
		}
	}
	f.Fuzz(func(t *testing.T, p, s string) {
		vectorPrefix = p
		if err := typeid.CheckPrefix[vector](); (err == nil) != specified.MatchString(p) {
			t.Errorf("the prefix %q has the error %v", p, err)
		}
		m := written.FindStringSubmatch(s)
		valid := m != nil && m[1] == p && specified.MatchString(p) && (p != "" || s[0] != '_')
		id := typeid.ID[vector](ids.MaxUUID())
		if err := id.UnmarshalText([]byte(s)); (err == nil) != valid || !valid && id.UUID() != ids.MaxUUID() {
			t.Fatalf("%q under %q: %x, error %v", s, p, id[:], err)
		}
		if !valid {
			return
		}
		if got, want := new(big.Int).SetBytes(id[:]), number(m[2]); got.Cmp(want) != 0 || id.String() != s {
			t.Errorf("%q holds %x, want %x, and is written %s", s, got, want, id)
		}
	})
}

// FuzzSplit compares Split and Join with the rules of the specification.
func FuzzSplit(f *testing.F) {
	for _, text := range seeds(f) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, s string) {
		m := written.FindStringSubmatch(s)
		valid := m != nil && specified.MatchString(m[1]) && s[0] != '_'
		prefix, u, err := typeid.Split(s)
		if !valid {
			if err == nil || prefix != "" || u != ids.NilUUID() {
				t.Errorf("Split(%q) = %q, %v, error %v", s, prefix, u, err)
			}
			if _, err := typeid.Join(s, u); (err == nil) != specified.MatchString(s) {
				t.Errorf("Join(%q) has the error %v", s, err)
			}
			return
		}
		if got, want := new(big.Int).SetBytes(u[:]), number(m[2]); err != nil || prefix != m[1] || got.Cmp(want) != 0 {
			t.Errorf("Split(%q) = %q, %x, %v, want %q, %x", s, prefix, got, err, m[1], want)
		}
		if text, err := typeid.Join(prefix, u); text != s || err != nil {
			t.Errorf("Join(%q, %v) = %q, %v, want %q", prefix, u, text, err, s)
		}
	})
}

// A wider interface is not a valid type argument, either.
type wider interface {
	typeid.Kind
	fmt.Stringer
}

// TestBadKind uses an interface as a kind, and a kind with an invalid prefix, with every function
// that takes a kind. Only functions that return no error panic.
func TestBadKind(t *testing.T) {
	checkBad[typeid.Kind](t, "typeid: a Kind must be a type with a method, not the interface typeid.Kind")
	checkBad[wider](t, "typeid: a Kind must be a type with a method, not the interface typeid_test.wider")
	vectorPrefix = "User"
	checkBad[vector](t, `typeid: neither a letter a to z of a prefix nor an underscore within one at byte 0: "User" of typeid_test.vector`)
}

func checkBad[K typeid.Kind](t *testing.T, message string) {
	t.Helper()
	check := func(what string, err error) {
		t.Helper()
		if err == nil || err.Error() != message || errors.Is(err, ids.ErrSyntax) || errors.Is(err, ids.ErrRange) {
			t.Errorf("%s: %v, want %s", what, err, message)
		}
	}
	check("CheckPrefix", typeid.CheckPrefix[K]())
	var id typeid.ID[K]
	for _, text := range []string{"user_" + digits, digits, ""} {
		got, err := typeid.Parse[K](text)
		check("Parse", err)
		if got != id {
			t.Errorf("Parse gives %v beside the error", ids.UUID(got))
		}
		check("UnmarshalText", id.UnmarshalText([]byte(text)))
		check("Scan", id.Scan(text))
	}
	_, err := id.MarshalText()
	check("MarshalText", err)
	_, err = id.AppendText(nil)
	check("AppendText", err)
	for what, call := range map[string]func(){
		"New": func() { typeid.New[K]() }, "From": func() { typeid.From[K](ids.MustParseUUID(sample)) }, "String": func() { _ = id.String() },
		"GoString": func() { _ = id.GoString() },
	} {
		func() {
			defer func() {
				err, _ := recover().(error)
				check(what, err)
			}()
			call()
		}()
	}
}
