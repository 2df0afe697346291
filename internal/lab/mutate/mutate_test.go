package main

import (
	"cmp"
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
		"Clamp: if n [> -> <=] 9 {":                                 killed,
		"Clamp: if [n > 9 -> true] {":                               killed,
		"Clamp: return [max -> min](n, 0)":                          killed,
		"Clamp: if n [> -> >=] 9 {":                                 equivalent, // 9 is 9 either way
		"top: const width = [4 -> 4-1]":                             killed,     // on a build of its own
		"Same: func Same(n int) int { return n [* -> /] 1 }":        identicals,
		"Unseen: func Unseen(a, b int) int { return a [- -> +] b }": survived,
		"Loop: for i := 0; i < n; i[++ -> --] {":                    killed, // by running too long
		"Loop: [sum += i -> ]":                                      killed,
		"Share.Add: s.even += n[ -> ; s.even += n]":                 killed,
		"Share.Add: [s.mu.Lock() ... -> no lock]":                   killed, // by the race detector
	}
	var tried []*mutant
	for _, m := range l.code.files[0].mutants {
		name := strings.TrimPrefix(m.name, tiny+"/tiny.go ")
		if want[name] != "" {
			tried = append(tried, m)
		}
	}
	r := &record{of: make(map[string]string)}
	known := map[string]bool{tiny + "/tiny.go Clamp: if n [> -> >=] 9 {": true}
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

// TestOperators lists the mutants of two methods by the operators on syntax but token, and those of two by the others.
func TestOperators(t *testing.T) {
	want := []string{
		"lock Add: [s.mu.Lock() ... -> no lock]",
		"statement Add: s.mu.Lock()[ -> ; s.mu.Lock()]",
		"statement Add: [case 0: ... -> ]",
		"name Add: s.[even -> odd] += n",
		"statement Add: s.even += n[ -> ; s.even += n]",
		"statement Add: [default: ... -> ]",
		"name Add: s.[odd -> even]++",
		"statement Add: s.odd++[ -> ; s.odd++]",
		"name Release: [sum -> a] = s.odd + min(a, 9)",
		"lock Release: [sum = s.odd + min(a, 9) ... -> s.mu.Unlock(); sum = s.odd + min(a, 9)]",
		"narrow Release: sum = [s.odd + min(a, 9) -> int32(s.odd + min(a, 9))]",
		"name Release: sum = s.[odd -> even] + min(a, 9)",
		"operand Release: sum = s.odd + [min(a, 9) -> min(9)]",
		"operand Release: sum = s.odd + [min(a, 9) -> min(a)]",
		"name Release: sum = s.odd + min([a -> sum], 9)",
		"statement Release: s.mu.Unlock()[ -> ; s.mu.Unlock()]",
		"name Release: return [sum -> a]",
		"unit New: func (l Log) New() Log { return Log{l.at.[UTC -> Local](), l.report} }",
		"field New: func (l Log) New() Log { return Log{l.at.UTC(), [l.report -> nil]} }",
		`slice Append: const letters = ["abcdefghijklmnopqrstuvwxyz" -> "abcdefghijklmnopqrstuvwxzy"]`,
		"order Append: [l.at = l.at.Add(time.Second) ... -> l.report(l.at); l.at = l.at.Add(time.Second)]",
		"unit Append: l.at = l.at.Add([time.Second -> time.Millisecond])",
		"order Append: [l.report(l.at) ... -> if at > uint32(len(letters)) { return nil, fmt.Errorf(\"at %d: %w\", int(at), errRest) }; l.report(l.at)]",
		"when Append: [ -> go ]l.report(l.at)",
		"signed Append: if [at > uint32(len(letters)) -> int32(at) > int32(uint32(len(letters)))] {",
		"error Append: return nil, [fmt.Errorf(\"at %d: %w\", int(at), errRest) -> nil]",
		"error Append: return nil, fmt.Errorf([\"at %d: %w\" -> \"at %d: %v\"], int(at), errRest)",
		"error Append: return nil, fmt.Errorf(\"at %d: %w\", [int(at) -> int(at)+1], errRest)",
		"error Append: return nil, fmt.Errorf(\"at %d: %w\", [int(at) -> int(at)-1], errRest)",
		"when Append: [defer -> ]Fill()",
		"slice Append: return append([slices.Clone(dst) -> dst], letters[at:]...), nil",
	}
	of := map[string]string{"name": " Share.", "narrow": " Share.", "operand": " Share.", "statement": " Share.", lock: " Share.", "token": "none"}
	var got []string
	for _, m := range newTiny(t).code.files[0].mutants {
		if _, name, ok := strings.Cut(m.name, cmp.Or(of[m.operator], " Log.")); ok {
			got = append(got, m.operator+" "+name)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("the mutants are %q\nwant %q", got, want)
	}
}

// TestList reads a list with two names that no mutant has, one of them because its line has changed.
func TestList(t *testing.T) {
	path := filepath.Join(t.TempDir(), "list.txt")
	const fresh = tiny + "/tiny.go Clamp: if n [> -> >=] 9 {"
	changed, unknown := strings.Replace(fresh, "9", "8", 1), strings.Replace(fresh, "Clamp", "Cramp", 1)
	read := func(lines ...string) (map[string]bool, error) {
		if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return readEquivalents(path)
	}
	known, err := read("# A reason", "# in two lines.", fresh, unknown, "", "# Another.", changed)
	if want := (map[string]bool{fresh: true, unknown: true, changed: true}); err != nil || !maps.Equal(known, want) {
		t.Errorf("the list is %v, error %v, want %v", known, err, want)
	}
	if got := stale(known, newTiny(t).code.files[0].mutants); !slices.Equal(got, []string{changed, unknown}) {
		t.Errorf("stale are %q", got)
	}
	for _, bad := range [][]string{{fresh}, {"# A reason.", fresh, "", changed}, {"# A reason.", fresh, fresh}} {
		if known, err := read(bad...); err == nil {
			t.Errorf("%q is %v, and no error", bad, known)
		}
	}
	if _, err := readEquivalents("equivalent.txt"); err != nil {
		t.Error(err)
	}
}
