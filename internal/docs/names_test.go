package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	listed    = regexp.MustCompile(`(?m)^(\w+): (?:func|type|const|var) (\w+)`)
	qualified = regexp.MustCompile(`\b(ids|uuid|ulid|snowflake|clockfile|typeid)\.([A-Z]\w*)`)
)

// foreign returns the names of this library in code on a page that it does not export. In a table
// with a column "here", the columns before it are about other libraries.
func foreign(text string, exported map[string]bool) (names []string) {
	here := 0
	for line := range strings.Lines(fenced.ReplaceAllString(text, "")) {
		cells := strings.Split(line, "|")
		if len(cells) < 3 {
			here = 0
		} else if i := slices.Index(cells, " here "); i > 0 {
			here = i
		}
		for _, span := range code.FindAllString(strings.Join(cells[min(here, len(cells)):], "|"), -1) {
			for _, m := range qualified.FindAllStringSubmatch(span, -1) {
				if !exported[m[0]] {
					names = append(names, m[0])
				}
			}
		}
	}
	return names
}

// TestNames checks that the pages name functions and types that there are.
func TestNames(t *testing.T) {
	root := Root(t)
	api, err := os.ReadFile(filepath.Join(root, "api.txt"))
	if err != nil {
		t.Fatal(err)
	}
	exported := map[string]bool{}
	for _, m := range listed.FindAllStringSubmatch(string(api), -1) {
		exported[m[1]+"."+m[2]] = true
	}
	all := texts(t, root)
	names, err := pages(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range names {
		for _, name := range foreign(all[page], exported) {
			t.Errorf("%s names %s, which is not exported", page, name)
		}
	}
	for text, want := range map[string]int{
		"`uuid.NewV7()` or `uuid.NewV9`":                                1,
		"| there | here |\n| --- | --- |\n| `uuid.Must` | `uuid.New` |": 0,
		"| there | here |\n| --- | --- |\n| `uuid.Must` | `uuid.Now` |": 1,
	} {
		if got := foreign(text, exported); len(got) != want {
			t.Errorf("%q has %q, want %d names", text, got, want)
		}
	}
}
