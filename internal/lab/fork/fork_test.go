// Package fork loads the library into a program that is not Go, and forks: do the children repeat each other's ids?
//
//	go -C internal/lab test -v ./fork
//
// Go supports no fork without exec: threads of its runtime are missing in a child. What fails for that reason is not tried.
package fork

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestFork shows that children make the ids of each other, and that they do not if they call Reseed, or if the library
// imports nostock, since each id then asks the kernel.
func TestFork(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles Go's runtime anew")
	}
	for _, program := range []string{"gcc", "python3"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("it needs gcc and python3: ", err)
		}
	}
	library := build(t)
	if n := repeated(t, library); n != 9 {
		t.Errorf("without Reseed, %d of 12 ids repeat those of another child, want 9", n)
	}
	if n := repeated(t, library, "reseed"); n != 0 {
		t.Errorf("with Reseed, %d of 12 ids repeat those of another child", n)
	}
	if n := repeated(t, build(t, "github.com/oneclock/ids/nostock")); n != 0 {
		t.Errorf("with nostock and without Reseed, %d of 12 ids repeat those of another child", n)
	}
}

// build builds the library, with packages that it imports for their effect, and returns its file.
func build(t *testing.T, imports ...string) string {
	t.Helper()
	source, err := os.ReadFile("testdata/library.go.in")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	library := filepath.Join(dir, "library.so")
	args := []string{"build", "-buildmode=c-shared", "-o", library, write("main.go", string(source))}
	for i, path := range imports {
		args = append(args, write(fmt.Sprintf("import%d.go", i), fmt.Sprintf("package main\n\nimport _ %q\n", path)))
	}
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return library
}

// repeated returns how many ids of children are those of another one.
func repeated(t *testing.T, args ...string) int {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "python3", append([]string{"testdata/fork.py"}, args...)...)
	// With one processor, all children take the same bytes. No collection begins, which would wait for threads.
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1", "GOGC=off")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	made := strings.Fields(string(out))
	seen := map[string]bool{}
	for _, id := range made {
		seen[id] = true
	}
	if len(made) != 12 {
		t.Fatalf("the children made %d ids, want 12:\n%s", len(made), out)
	}
	return len(made) - len(seen)
}
