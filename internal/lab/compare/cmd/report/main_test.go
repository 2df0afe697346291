package main

import (
	"runtime"
	"slices"
	"testing"
)

func TestParse(t *testing.T) {
	t.Chdir("../..") // the folder in which the command is run
	c, err := parse([]string{"-short", "-cpu", "1,4", "-out", "x"})
	if err != nil {
		t.Fatal(err)
	}
	if want := "GOTOOLCHAIN=" + runtime.Version() + " go -C internal/lab/compare run ./cmd/report -short -cpu 1,4 -out x"; c.line != want {
		t.Errorf("the command is %q, want %q", c.line, want)
	}
	if c.Count != 2 || c.some || c.Filter != "." || c.out != "x" || !slices.Equal(c.cpus, []int{1, 4}) {
		t.Errorf("got %+v", c)
	}
	if c, err = parse([]string{"-bench", "New/V7", "-count", "5"}); err != nil || c.Count != 5 || !c.some || c.Filter != "New/V7" {
		t.Errorf("got %+v, %v", c, err)
	}
	for _, bad := range [][]string{{"-count", "0"}, {"-cpu", "1,x"}, {"-cpu", "0"}, {"more"}, {"-none"}} {
		if _, err := parse(bad); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
	t.Chdir("cmd")
	if _, err := parse(nil); err == nil {
		t.Error("in another folder: no error")
	}
}

// TestRunInVain checks that nothing is measured when there is nowhere to write.
func TestRunInVain(t *testing.T) {
	t.Chdir("../..")
	if err := run(t.Context(), []string{"-out", t.TempDir()}); err == nil {
		t.Error("no error")
	}
}
