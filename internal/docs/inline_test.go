package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// notInlined are the functions of the doors that the compiler does not inline. It has inlined
// the root's into them instead, so that they cost one call all the same.
var notInlined = []string{"uuid.NewV7At", "ulid.MakeAt", "snowflake.Sonyflake"}

// TestInlined reads what the compiler says of the doors: a call through a door is a call of the
// root.
func TestInlined(t *testing.T) {
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("there is no go command to ask: ", err)
	}
	if strings.Contains(runtime.Version(), "newinliner") {
		t.Skip("GOEXPERIMENT=newinliner inlines more than is listed")
	}
	says := regexp.MustCompile(`(?m)^(\w+)[/\\]\S+: can inline (\w+)$`)
	declares := regexp.MustCompile(`(?m)^func ([A-Z]\w*)`)
	dir := Root(t)
	cmd := exec.CommandContext(t.Context(), goTool, "build", "-gcflags=-m", "./uuid", "./ulid", "./snowflake")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	inlined := map[string]bool{}
	for _, m := range says.FindAllSubmatch(out, -1) {
		inlined[string(m[1])+"."+string(m[2])] = true
	}
	for _, door := range []string{"uuid", "ulid", "snowflake"} {
		src, err := os.ReadFile(filepath.Join(dir, door, door+".go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range declares.FindAllSubmatch(src, -1) {
			name := door + "." + string(m[1])
			if listed := slices.Contains(notInlined, name); inlined[name] == listed {
				t.Errorf("%s: inlined: %v, but listed in notInlined: %v", name, inlined[name], listed)
			}
		}
	}
}
