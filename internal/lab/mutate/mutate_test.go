package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const tiny = "internal/lab/mutate/testdata/tiny"

// newTiny finds the mutants of a tiny package.
func newTiny(t *testing.T) *lab {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	l, err := newLab(root, target{dir: tiny, space: 8})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestVerdicts breaks a tiny package in each way that has a verdict of its own.
func TestVerdicts(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the tests of a package again and again")
	}
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("there is no shell to bound the time of tests")
	}
	l := newTiny(t)
	want := map[string]string{
		"Clamp: if n [> -> <=] 9 {":                                      killed,
		"Clamp: if [n > 9 -> true] {":                                    killed,
		"Clamp: return [max -> min](n, 0)":                               killed,
		"Clamp: if n [> -> >=] 9 {":                                      equivalent, // 9 is 9 either way
		"top: const width = [4 -> 4-1]":                                  killed,     // on a build of its own
		"Masked: func Masked(n uint) uint { return n & [7 -> 7+1] & 3 }": killed,
		"Same: func Same(n int) int { return n [* -> /] 1 }":             identicals,
		"Unseen: func Unseen(a, b int) int { return a [- -> +] b }":      survived,
		"Loop: for i := 0; i < n; i[++ -> --] {":                         killed, // by running too long
		"Loop: [sum += i -> ]":                                           killed,
		"Share.Add: s.even += n[ -> ; s.even += n]":                      killed,
		"Share.Add: [s.mu.Lock() ... -> no lock]":                        killed, // by the race detector
	}
	var tried []*mutant
	for _, m := range l.code.files[0].mutants {
		name := strings.TrimPrefix(m.name, tiny+"/tiny.go ")
		if want[name] != "" {
			tried = append(tried, m)
		}
	}
	r := &record{of: make(map[string]string)}
	known := map[string]string{tiny + "/tiny.go Clamp: if n [> -> >=] 9 {": "9 is 9"}
	if err := l.try(tried, known, r); err != nil {
		t.Fatal(err)
	}
	got := make(map[string]string)
	for name, verdict := range r.of {
		got[strings.TrimPrefix(name, tiny+"/tiny.go ")] = verdict
	}
	if !maps.Equal(got, want) {
		t.Errorf("verdicts %v\nwant %v", got, want)
	}
}

// TestOperators lists the mutants of two functions by all operators but token.
func TestOperators(t *testing.T) {
	want := map[string][]string{
		"name": {
			"Share.Add: s.[even -> odd] += n",
			"Share.Add: s.[odd -> even]++",
			"Share.Release: sum := s.[odd -> even] + min(a, b)",
			"Share.Release: sum := s.odd + min([a -> b], b)",
			"Share.Release: sum := s.odd + min(a, [b -> a])",
		},
		"narrow": {"Share.Release: sum := [s.odd + min(a, b) -> int32(s.odd + min(a, b))]"},
		"operand": {
			"Share.Release: sum := s.odd + [min(a, b) -> min(b)]",
			"Share.Release: sum := s.odd + [min(a, b) -> min(a)]",
		},
		"statement": {
			"Share.Add: s.mu.Lock()[ -> ; s.mu.Lock()]",
			"Share.Add: [case 0: ... -> ]",
			"Share.Add: s.even += n[ -> ; s.even += n]",
			"Share.Add: [default: ... -> ]",
			"Share.Add: s.odd++[ -> ; s.odd++]",
			"Share.Release: s.mu.Unlock()[ -> ; s.mu.Unlock()]",
		},
		"lock": {
			"Share.Add: [s.mu.Lock() ... -> no lock]",
			"Share.Release: [sum := s.odd + min(a, b) ... -> s.mu.Unlock(); sum := s.odd + min(a, b)]",
		},
	}
	got := make(map[string][]string)
	for _, m := range newTiny(t).code.files[0].mutants {
		if name := strings.TrimPrefix(m.name, tiny+"/tiny.go "); m.operator != "token" && strings.HasPrefix(name, "Share.") {
			got[m.operator] = append(got[m.operator], name)
		}
	}
	for _, o := range operators {
		if !slices.Equal(got[o.name], want[o.name]) {
			t.Errorf("%s makes %q\nwant %q", o.name, got[o.name], want[o.name])
		}
	}
}

// TestList reads a list with two names that no mutant has, one of them because its line has changed.
func TestList(t *testing.T) {
	path := filepath.Join(t.TempDir(), "list.txt")
	const fresh = tiny + "/tiny.go Clamp: if n [> -> >=] 9 {"
	changed, unknown := strings.Replace(fresh, "9", "8", 1), strings.Replace(fresh, "Clamp", "Cramp", 1)
	read := func(lines ...string) (map[string]string, error) {
		if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return readEquivalents(path)
	}
	known, err := read("# A reason", "# in two lines.", fresh, unknown, "", "# Another.", changed)
	want := map[string]string{fresh: "A reason in two lines.", unknown: "A reason in two lines.", changed: "Another."}
	if err != nil || !maps.Equal(known, want) {
		t.Errorf("the list is %q, error %v, want %q", known, err, want)
	}
	if got := stale(known, newTiny(t).code.files[0].mutants); !slices.Equal(got, []string{changed, unknown}) {
		t.Errorf("stale are %q", got)
	}
	for _, bad := range [][]string{{fresh}, {"# A reason.", fresh, fresh}} {
		if known, err := read(bad...); err == nil {
			t.Errorf("%q is %q, and no error", bad, known)
		}
	}
	if _, err := readEquivalents("equivalent.txt"); err != nil {
		t.Error(err)
	}
}
