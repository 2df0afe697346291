//go:build go1.27

package uuid_test

import (
	"go/importer"
	"go/token"
	"go/types"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	std "uuid"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/uuid"
)

// TestStdSurface checks that package uuid exports each name that Go's package exports, with the
// same type.
func TestStdSurface(t *testing.T) {
	source := importer.ForCompiler(token.NewFileSet(), "source", nil)
	theirs, err := source.Import("uuid")
	if err != nil {
		t.Fatal(err)
	}
	ours, err := source.Import("github.com/oneclock/ids/uuid")
	if err != nil {
		t.Fatal(err)
	}
	same := func(what string, got, want types.Object) {
		if got == nil || unnamed(got.Type()) != unnamed(want.Type()) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	seen := 0
	for _, name := range theirs.Scope().Names() {
		want, got := theirs.Scope().Lookup(name), ours.Scope().Lookup(name)
		if !want.Exported() {
			continue
		}
		seen++
		named, ok := want.Type().(*types.Named)
		if !ok {
			same(name, got, want)
			continue
		}
		if got == nil || !types.Identical(got.Type().Underlying(), named.Underlying()) {
			t.Errorf("type %s: %v, want %v", name, got, named.Underlying())
			continue
		}
		methods := types.NewMethodSet(types.NewPointer(got.Type()))
		values := types.NewMethodSet(got.Type())
		for m := range named.Methods() {
			if !m.Exported() {
				continue
			}
			seen++
			s := methods.Lookup(ours, m.Name())
			if s == nil {
				t.Errorf("method %s.%s is missing", name, m.Name())
				continue
			}
			same("method "+name+"."+m.Name(), s.Obj(), m)
			_, pointer := m.Signature().Recv().Type().(*types.Pointer)
			if !pointer && values.Lookup(ours, m.Name()) == nil {
				t.Errorf("method %s.%s has a pointer receiver", name, m.Name())
			}
		}
	}
	if seen < 13 { // as many as Go 1.27 has
		t.Errorf("only %d names", seen)
	}
}

// unnamed returns a type as text, without the names of packages, parameters and results.
func unnamed(t types.Type) string {
	bare := func(*types.Package) string { return "" }
	sig, ok := t.(*types.Signature)
	if !ok {
		return types.TypeString(t, bare)
	}
	strip := func(tuple *types.Tuple) *types.Tuple {
		var vars []*types.Var
		for v := range tuple.Variables() {
			vars = append(vars, types.NewParam(token.NoPos, nil, "", v.Type()))
		}
		return types.NewTuple(vars...)
	}
	return types.TypeString(types.NewSignatureType(nil, nil, nil, strip(sig.Params()), strip(sig.Results()), sig.Variadic()), bare)
}

// TestStdConversion converts between the two types.
func TestStdConversion(t *testing.T) {
	u := uuid.NewV7()
	if s := std.UUID(u); uuid.UUID(s) != u || s.String() != u.String() {
		t.Errorf("%v converts to %v", u, s)
	}
	if s := std.New(); ids.UUID(s).String() != s.String() || ids.UUID(s).Version() != 4 {
		t.Errorf("%v converts to %v", s, ids.UUID(s))
	}
	if u := ids.UUID(std.NewV7()); u.Version() != 7 || u.Variant() != ids.VariantRFC9562 {
		t.Errorf("%v has version %d", u, u.Version())
	}
	for range 1000 {
		a, b := uuid.NewV4(), uuid.NewV4()
		b[0] = a[0] // so that more than the first byte counts
		if got, want := a.Compare(b), std.UUID(a).Compare(std.UUID(b)); got != want {
			t.Fatalf("%v.Compare(%v) = %d, want %d", a, b, got, want)
		}
	}
}

// TestStdDifferential parses strings with both packages. They differ in one way. This package
// accepts "urn:uuid:" in upper or lower case, because URNs are compared without regard to the case
// of this prefix.
func TestStdDifferential(t *testing.T) {
	compare := func(s string) {
		want, wantErr := std.Parse(s)
		got, err := uuid.Parse(s)
		if const9 := "urn:uuid:"; len(s) == 45 && strings.EqualFold(s[:9], const9) && s[:9] != const9 {
			want, wantErr = std.Parse(const9 + s[9:])
		}
		if (err == nil) != (wantErr == nil) || got != uuid.UUID(want) {
			t.Fatalf("%q: %v, %v, and by Go's package %v, %v", s, got, err, want, wantErr)
		}
	}
	var texts []string // each form, in upper, lower and mixed case
	for _, s := range []string{stdText, uuid.Nil().String(), uuid.Max().String(), uuid.NewV5(uuid.Nil(), "").String()} {
		for _, s := range []string{s, strings.ToUpper(s), strings.ToUpper(s[:18]) + s[18:]} {
			texts = append(texts, s, "urn:uuid:"+s, "URN:UUID:"+s, "Urn:uUid:"+s, "{"+s+"}", strings.ReplaceAll(s, "-", ""))
		}
	}
	for _, s := range texts {
		for i := range len(s) {
			text := []byte(s)
			for b := range 256 {
				text[i] = byte(b)
				compare(string(text))
			}
			compare(s[:i])
			compare(s[i:])
			compare(s[:i] + s[i+1:])
			compare(s[:i+1] + s[i:])
		}
	}
	// Several changes at a time.
	r := rand.New(rand.NewPCG(1, 27))
	for range 200_000 {
		text := []byte(texts[r.IntN(len(texts))])
		for range 1 + r.IntN(3) {
			text[r.IntN(len(text))] = "0123456789abcdefABCDEF-{}:urnid gG"[r.IntN(34)]
		}
		compare(string(text))
	}
}

// TestStdProgram runs std_test.go with Go's own package in place of this one.
func TestStdProgram(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	src, err := os.ReadFile("std_test.go")
	if err != nil {
		t.Fatal(err)
	}
	program := strings.Replace(string(src), `"github.com/oneclock/ids/uuid"`, `"uuid"`, 1)
	if program == string(src) {
		t.Fatal("std_test.go does not import the door")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"std_test.go": program, "go.mod": "module program\n\ngo 1.27\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "test", "-v", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Count(string(out), "--- PASS: TestStd") < 6 {
		t.Errorf("%v\n%s", err, out)
	}
}
