package docs

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	// The go command compiles these for TestBlocks and TestAPI: their changes must make the tests run anew.
	_ "github.com/oneclock/ids/clockfile"
	_ "github.com/oneclock/ids/snowflake"
	_ "github.com/oneclock/ids/ulid"
	_ "github.com/oneclock/ids/uuid"
)

// TestMain runs nothing in a module zip, which has neither the pages nor the modules beside the root.
func TestMain(m *testing.M) {
	if _, err := os.Stat("../../docs"); err != nil {
		fmt.Println("the pages are not here:", err)
		return
	}
	m.Run()
}

// TestBlocks compiles and runs the Go on the pages that needs the root module alone.
func TestBlocks(t *testing.T) {
	Run(t, Module, map[string]string{
		"text":     `"01a1fd08-2896-705a-8951-8da4890e28dc"`,
		"received": "[]byte(`{\"id\": \"01a1fd08-2896-705a-8951-8da4890e28dc\", \"parent\": null}`)",
	})
}

// TestModules checks that each module that has blocks runs them.
func TestModules(t *testing.T) {
	root := Root(t)
	seen := map[string]bool{Module: true}
	for _, b := range blocks(t, root) {
		if seen[b.module] || b.skip != "" {
			continue
		}
		seen[b.module] = true
		t.Run(strings.ReplaceAll(b.module, "/", "_"), func(t *testing.T) {
			dir := filepath.Join(root, filepath.FromSlash(b.module))
			tests, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
			if err != nil {
				t.Fatal(err)
			}
			for _, path := range tests {
				if text, err := os.ReadFile(path); err == nil && strings.Contains(string(text), fmt.Sprintf("docs.Run(t, %q", b.module)) {
					return
				}
			}
			t.Errorf("%s is a block of module %s, none of whose tests calls docs.Run", b, b.module)
		})
	}
}

// ends finds code whose effect is seen when a program starts or ends.
var ends = regexp.MustCompile(`clockfile\.Open|\.Close\(|FromEnv\(|signal\.`)

// TestPrograms checks that blocks which are said to be part of a program are, and that what must be seen in a
// process of its own is in a program: its tests start it, and see how it ends.
func TestPrograms(t *testing.T) {
	root := Root(t)
	n := 0
	for _, b := range blocks(t, root) {
		found, tested := b.inProgram(root)
		switch {
		case b.folder == "" && b.module == Module && b.skip == "" && ends.MatchString(b.code):
			t.Errorf("%s opens, closes or ends something: make it part of a program, and say which", b)
		case b.folder != "" && (!found || !tested):
			t.Errorf("%s is in %s: %v; which has a test: %v", b, b.folder, found, tested)
		case b.folder != "":
			n++
		}
	}
	if n < 4 {
		t.Errorf("only %d blocks are part of a program", n)
	}
	const code = "func main() {\n\tif err := run(os.Stdout); err != nil {\n"
	for folder, want := range map[string]bool{"examples/quickstart": true, "examples/orm": false, "examples/none": false} {
		if found, tested := (&block{folder: folder, code: code}).inProgram(root); found != want || tested != want {
			t.Errorf("%s has the code: %v, and a test: %v; want %v", folder, found, tested, want)
		}
	}
}

// TestErrors shows that a block which declares an error returns it, and that one which ends early is an error.
func TestErrors(t *testing.T) {
	if got, err := (&block{line: 1, code: "u, err := uuid.Parse(s)\n"}).source("", nil); err != nil || !strings.Contains(got, "return err\n") {
		t.Errorf("the block became, with the error %v,\n%s", err, got)
	}
	if got, err := (&block{code: "u := \n"}).source("", nil); err == nil {
		t.Errorf("code that ends early became %q", got)
	}
}
