package main

// Tests with deliberate cycles.

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// module writes a module with one package to a new directory, from the source of its files.
func module(t *testing.T, path string, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	files["go.mod"] = "module " + path + "\n\ngo 1.25\n"
	for name, text := range files {
		if strings.HasSuffix(name, ".go") {
			text = "package p\n\n" + text
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestCycle reads files that use each other in a cycle, and files that do not.
func TestCycle(t *testing.T) {
	const from = "github.com/oneclock/ids/cmd/idsvet/internal/from"
	for name, test := range map[string]struct {
		path  string
		files map[string]string
		cycle string // in the error; empty if there is no cycle
		order string
	}{
		"functions": {"example.com/p", map[string]string{"a.go": "func A() { B() }", "b.go": "func B() { C() }", "c.go": "func C() { A() }"},
			"example.com/p: a cycle of 3 files\n\ta.go uses b.go: B\n\tb.go uses c.go: C\n\tc.go uses a.go: A", "a.go b.go c.go"},
		"a field and a type": {"example.com/p", map[string]string{"a.go": "type A struct{ n B }", "b.go": "type B int\n\nfunc f(a A) B { return a.n }"},
			"a.go uses b.go: B\n\tb.go uses a.go: A n", "a.go b.go"},
		"a field alone": {"example.com/p", map[string]string{"a.go": "type A struct{ n B }\n\nfunc a() A { return A{} }", "b.go": "type B int", "c.go": "var c = a().n"},
			"", "c.go\n\ta.go\n\tb.go"},
		"a receiver": {"example.com/p", map[string]string{"a.go": "type A struct{}\n\nfunc a(a A) { a.b() }", "b.go": "func (A) b() {}"},
			"", "a.go\n\tb.go"},
		"two cycles below a file": {"example.com/p", map[string]string{"a.go": "func A() { B(); D() }", "b.go": "func B() { C() }", "c.go": "func C() { B(); E() }",
			"d.go": "func D() { E() }", "e.go": "func E() { D() }"}, "example.com/p: a cycle of 2 files\n\td.go uses e.go: E", "a.go\n\tb.go c.go\n\td.go e.go"},
		"a generic type": {"example.com/p", map[string]string{"a.go": "type A[T any] struct{ t T }\n\nfunc (A[T]) m() { b() }", "b.go": "func b() { A[int]{}.m() }"},
			"a.go uses b.go: b\n\tb.go uses a.go: A m", "a.go b.go"},
		"the one that is meant":    {from, map[string]string{"convert.go": "func A() { B() }", "template.go": "func B() { A() }"}, "", "convert.go template.go"},
		"one file more":            {from, map[string]string{"convert.go": "func A() { B() }", "template.go": "func B() { C() }", "c.go": "func C() { A() }"}, "a cycle of 3 files", "c.go convert.go template.go"},
		"the same, elsewhere":      {"example.com/p", map[string]string{"convert.go": "func A() { B() }", "template.go": "func B() { A() }"}, "a cycle of 2 files", "convert.go template.go"},
		"a test, which is not one": {"example.com/p", map[string]string{"a.go": "func A() {}", "b.go": "func B() { A() }", "a_test.go": "func C() { B() }"}, "", "b.go\n\ta.go"},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			err := run(&out, []string{module(t, test.path, test.files)}, nil)
			if (err != nil) != (test.cycle != "") || err != nil && !strings.Contains(err.Error(), test.cycle) {
				t.Errorf("the error is %v, want one with %q", err, test.cycle)
			}
			if !strings.HasSuffix(out.String(), " arrows\n\t"+test.order+"\n") {
				t.Errorf("the order is %s, want %s", &out, test.order)
			}
		})
	}
}

// TestAll reads two modules, the second of which has a cycle in a package below a package without
// one.
func TestAll(t *testing.T) {
	good := module(t, "example.com/good", map[string]string{"a.go": "func A() {}"})
	bad := module(t, "example.com/bad", map[string]string{"a.go": "func A() {}"})
	if err := os.Mkdir(filepath.Join(bad, "below"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"a.go": "package below\n\nfunc a() { b() }", "b.go": "package below\n\nfunc b() { a() }"} {
		if err := os.WriteFile(filepath.Join(bad, "below", name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, dirs := range [][]string{{good, bad}, {good + "/...", bad}} {
		if err := run(&strings.Builder{}, dirs, nil); err != nil {
			t.Error(err)
		}
	}
	if err := run(&strings.Builder{}, []string{good + "/...", bad + "/..."}, nil); err == nil || !strings.HasPrefix(err.Error(), "example.com/bad/below: a cycle of 2 files\n") {
		t.Errorf("the error is %v, want a cycle", err)
	}
}

// TestReader counts the code that a reader of a function meets.
func TestReader(t *testing.T) {
	dir := module(t, "example.com/p", map[string]string{
		"a.go": "func A() {\n\tvar t T\n\tt.m()\n}", "b.go": "type T struct{ n int }\n\nfunc (t T) m() { t.n++ }", "c.go": "func C() {}",
	})
	var out strings.Builder
	if err := run(&out, []string{dir}, []string{"A", "T.m"}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\nA: 2 functions, 2 files, 6 lines, 2 private names: a.go b.go\n", "\nT.m: 1 functions, 1 files, 2 lines, 2 private names: b.go\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s has no line %s", &out, want)
		}
	}
	if err := run(&out, []string{dir}, []string{"B"}); err == nil {
		t.Error("a function that there is not was found")
	}
}
