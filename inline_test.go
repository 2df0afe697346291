package ids_test

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
	says := regexp.MustCompile(`(?m)^\S+: can inline (\w+)$`)
	declares := regexp.MustCompile(`(?m)^func ([A-Z]\w*)`)
	for _, door := range []string{"uuid", "ulid", "snowflake"} {
		out, err := exec.Command(goTool, "build", "-gcflags=-m", "./"+door).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		var inlined []string
		for _, m := range says.FindAllSubmatch(out, -1) {
			inlined = append(inlined, string(m[1]))
		}
		src, err := os.ReadFile(filepath.Join(door, door+".go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range declares.FindAllSubmatch(src, -1) {
			name := string(m[1])
			listed := slices.Contains(notInlined, door+"."+name)
			if got := slices.Contains(inlined, name); got == listed {
				t.Errorf("%s.%s: inlined: %v, but listed in notInlined: %v", door, name, got, listed)
			}
		}
	}
}
