package with

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/oneclock/ids/examples/internal/must"
	"github.com/oneclock/ids/internal/docs"
)

// TestDocs compiles and runs what the pages of the repository show of the libraries of this module.
func TestDocs(t *testing.T) { docs.Run(t, "examples/with", nil) }

var declarations = regexp.MustCompile("(?ms)^<!-- go: in examples/with -->\n```go\n(?:import \\(.*?^\\)\n\n)?((?://|func|type|var) .*?)^```$")

// TestBlocksAreTested checks that what the page declares is, to the letter, what the tests test.
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
	equal(t, found, 7)
}
