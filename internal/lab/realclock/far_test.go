package realclock_test

// The test of steps of centuries.

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestFarSteps runs testdata/far, whose clock steps by centuries, with a package time whose clock
// is Shift seconds ahead. Linux refuses to set its own clock so far; Windows does not.
func TestFarSteps(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the standard library with another package time")
	}
	t.Parallel()
	root, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	source := filepath.Join(strings.TrimSpace(string(root)), "src", "time", "time.go")
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	const reads = "\tsec, nsec, mono := runtimeNow()\n" // in Now
	if strings.Count(string(text), reads) != 1 {
		t.Fatalf("%s does not read the clock as it did", source)
	}
	shifted, overlay := filepath.Join(t.TempDir(), "time.go"), filepath.Join(t.TempDir(), "overlay.json")
	text = []byte(strings.Replace(string(text), reads, reads+"\tsec += Shift\n", 1) + "\nvar Shift int64\n")
	replace := fmt.Appendf(nil, `{"Replace": {%q: %q}}`, source, shifted)
	if err := errors.Join(os.WriteFile(shifted, text, 0o600), os.WriteFile(overlay, replace, 0o600)); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "go", "run", "-overlay", overlay, "./testdata/far").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
