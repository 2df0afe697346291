package docs

// Tests that compile and run the Go code on the pages.

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	// The go command compiles these packages for TestBlocks and TestAPI. If they change, the tests
	// must run again.
	_ "github.com/oneclock/ids/clockfile"
	_ "github.com/oneclock/ids/snowflake"
	_ "github.com/oneclock/ids/ulid"
	_ "github.com/oneclock/ids/uuid"
)

// TestMain runs nothing in a module as downloaded, which lacks the modules next to the root.
func TestMain(m *testing.M) {
	if _, err := os.Stat("../../nodelease"); err != nil {
		fmt.Println("the other modules are not here:", err)
		return
	}
	m.Run()
}

// TestBlocks compiles and runs the Go code on the pages that needs only the root module.
func TestBlocks(t *testing.T) {
	Run(t, Module, nil)
}

// TestModules checks that each module with blocks runs them.
func TestModules(t *testing.T) {
	root := Root(t)
	run := map[string]bool{Module: true}
	for _, m := range running.FindAllStringSubmatch(tests(t, root), -1) {
		run[m[1]] = true
	}
	for _, b := range blocks(t, root) {
		if !run[b.module] {
			t.Errorf("%s is a block of module %s, none of whose tests calls docs.Run", b, b.module)
		}
	}
}

var running = regexp.MustCompile(`\bdocs\.Run\(t, "(.+?)"`)

// ends matches code whose effect shows when a program starts or ends.
var ends = regexp.MustCompile(`clockfile\.Open|\.Close\(|FromEnv\(|signal\.`)

// TestPrograms checks that blocks declared to be part of a program are part of it. It also checks
// that code whose effect shows only in its own process is in a program, whose tests start it and
// check how it ends.
func TestPrograms(t *testing.T) {
	root := Root(t)
	for _, b := range blocks(t, root) {
		found, tested := b.inProgram(t, root)
		switch {
		case b.folder == "" && b.module == Module && ends.MatchString(b.code):
			t.Errorf("%s opens, closes or ends something: make it part of a program, and say which", b)
		case b.folder != "" && (!found || !tested):
			t.Errorf("%s is in %s: %v; which has a test: %v", b, b.folder, found, tested)
		}
	}
}

var (
	short = regexp.MustCompile(`\b(uuid|ulid|snowflake|typeid)\.([A-Z]\w*)`)
	// inGo contains the names in Go 1.27's own package uuid.
	inGo = []string{"UUID", "New", "NewV4", "NewV7", "Parse", "MustParse", "Nil", "Max"}
)

// TestImports checks that README shows an import where a reader needs it: in the first block that
// uses a short package, and in each block that uses uuid but only names that Go's own package has,
// too. In such a block, an editor that adds imports takes Go's own package, even in a module that
// requires this one. By any other name, it finds the right package.
func TestImports(t *testing.T) {
	shown := map[string]bool{}
	for _, b := range blocks(t, Root(t)) {
		if b.page != "README.md" {
			continue
		}
		// Packages, and whether an editor would use another package instead.
		needed := map[string]bool{}
		for _, name := range short.FindAllStringSubmatch(b.code, -1) {
			known, seen := needed[name[1]]
			needed[name[1]] = name[1] == "uuid" && slices.Contains(inGo, name[2]) && (known || !seen)
		}
		for name, mistaken := range needed {
			if strings.Contains(importing.FindString(b.code), `"github.com/oneclock/ids/`+name+`"`) {
				shown[name] = true
			} else if !shown[name] || mistaken {
				t.Errorf("%s uses %s, and does not import it", b, name)
			}
		}
	}
	if !shown["uuid"] || !shown["typeid"] {
		t.Errorf("README.md shows the imports of %v alone", shown)
	}
}
