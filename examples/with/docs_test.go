package with

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/oneclock/ids/examples/internal/must"
	"github.com/oneclock/ids/internal/docs"
)

// TestDocs compiles and runs the pages' code that uses libraries of this module.
func TestDocs(t *testing.T) { docs.Run(t, "examples/with", nil) }

var declarations = regexp.MustCompile("(?ms)^<!-- go: in examples/with -->\n```go\n(?:import \\(.*?^\\)\n\n)?((?://|func|type|var) .*?)^```$")

// TestBlocksAreTested checks that the page's declarations are exactly the tested ones.
func TestBlocksAreTested(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(docs.Root(t), "docs", "with.md"))
	must.Do(t, err)
	files, err := filepath.Glob("*_test.go")
	must.Do(t, err)
	var tests strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		must.Do(t, err)
		tests.Write(text)
	}
	found := 0
	for _, m := range declarations.FindAllStringSubmatch(string(page), -1) {
		found++
		if !strings.Contains(tests.String(), m[1]) {
			t.Errorf("no test has this block of the page:\n%s", m[1])
		}
	}
	equal(t, found, 12)
}

var (
	links    = regexp.MustCompile(`\[([^\]]+)\]\((?:\.\./)+examples/with/(\w+_test\.go)\)`)
	codes    = regexp.MustCompile("`([^`]+)`")
	requires = regexp.MustCompile(`(?m)^\t(\S+) v\S+$`)
	versions = regexp.MustCompile(`(?:/|\.)v[0-9]+$`)
)

// TestRowsAreTested checks rows of tables. Each row of the page names the packages that its linked
// test imports, and contains no code that this test lacks. Each module that go.mod requires is
// named in a row of some page that links to a test of the module.
func TestRowsAreTested(t *testing.T) {
	files := map[string]string{}
	paths, err := filepath.Glob("*_test.go")
	must.Do(t, err)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		must.Do(t, err)
		files[path] = string(text)
	}
	root, named := docs.Root(t), map[string]string{} // by file, the rows that link to it
	var pages []string
	for _, pattern := range []string{"*.md", "from/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, "docs", pattern))
		must.Do(t, err)
		pages = append(pages, found...)
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		must.Do(t, err)
		for row := range strings.Lines(string(text)) {
			linked := links.FindAllStringSubmatch(row, -1)
			if !strings.HasPrefix(row, "|") {
				continue
			}
			var tests string
			for _, link := range linked {
				tests += files[link[2]]
				named[link[2]] += strings.ToLower(row)
				name := strings.Fields(strings.ToLower(link[1]))[0]
				if filepath.Base(page) == "with.md" && !strings.Contains(imported(files[link[2]]), strings.Trim(name, ",")) {
					t.Errorf("%s imports no %s", link[2], link[1])
				}
			}
			if filepath.Base(page) != "with.md" || strings.HasPrefix(row, "| ---") || strings.HasPrefix(row, "| library") {
				continue
			}
			if len(linked) == 0 {
				t.Errorf("no test of the row %s", row)
			}
			for _, code := range codes.FindAllStringSubmatch(row, -1) {
				if !strings.Contains(tests, code[1]) {
					t.Errorf("no test that the row links to has %s", code[0])
				}
			}
		}
	}
	mod, err := os.ReadFile("go.mod")
	must.Do(t, err)
	for _, m := range requires.FindAllStringSubmatch(string(mod), -1) {
		if m[1] == "github.com/oneclock/ids" {
			continue
		}
		names := strings.Split(strings.ToLower(versions.ReplaceAllString(m[1], "")), "/")[1:]
		is := false
		for file, rows := range named {
			is = is || strings.Contains(files[file], `"`+m[1]) && slices.ContainsFunc(names, func(name string) bool { return strings.Contains(rows, name) })
		}
		if !is {
			t.Errorf("no row that links to a test names %s, which go.mod requires", m[1])
		}
	}
}

// imported returns the import paths of a file, in lower case.
func imported(file string) string {
	_, file, _ = strings.Cut(file, "import (")
	file, _, _ = strings.Cut(file, "\n)")
	return strings.ToLower(file)
}
