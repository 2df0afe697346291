package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var unit = regexp.MustCompile("(?ms)^```ini\n(.*?)^```$")

// TestUnit has systemd-analyze verify the unit of docs/operations.md, with a program that is here.
func TestUnit(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("only systemd can verify a unit: ", err)
	}
	found := unit.FindAllStringSubmatch(read(t, Root(t), "docs", "operations.md"), -1)
	if len(found) != 1 {
		t.Fatalf("docs/operations.md has %d units, want one", len(found))
	}
	here, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(found[0][1], "/usr/local/bin/orders", here, 1)
	verify := func(text string) string {
		path := filepath.Join(t.TempDir(), "orders.service")
		write(t, path, text)
		out, err := exec.CommandContext(t.Context(), analyze, "verify", "--man=no", path).CombinedOutput()
		var warnings []string
		for line := range strings.Lines(string(out)) { // others are of units that the machine has
			if strings.Contains(line, "orders.service") {
				warnings = append(warnings, line)
			}
		}
		if err != nil && len(warnings) == 0 {
			t.Skipf("systemd-analyze cannot verify here: %v, %s", err, out)
		}
		return strings.Join(warnings, "")
	}
	if got := verify(text); got != "" {
		t.Errorf("systemd-analyze says:\n%s", got)
	}
	for _, line := range []string{"Restart=on-failure", "RestartSec=1", "StartLimitIntervalSec=0"} {
		name, value, _ := strings.Cut(line, "=")
		if !strings.Contains(text, "\n"+line+"\n") || verify(strings.Replace(text, line, name+"s="+value, 1)) == "" {
			t.Errorf("the unit lacks %s, or systemd-analyze does not see it misspelled", line)
		}
	}
}

// TestAlarms checks that docs/kubernetes.md has an alarm for each gauge of the program that its pods run, and for no other.
func TestAlarms(t *testing.T) {
	root := Root(t)
	names := func(pattern, text string) (all []string) {
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
			all = append(all, m[1])
		}
		slices.Sort(all)
		return all
	}
	want := names(`m\.Set\("(\w+)"`, read(t, root, "examples", "recipes", "watch", "main.go"))
	got := names(`expr: 'ids\{gauge="(\w+)"\} > \d+'`, read(t, root, "docs", "kubernetes.md"))
	if len(want) == 0 || !slices.Equal(got, want) {
		t.Errorf("the page has alarms for %q, want %q", got, want)
	}
}
