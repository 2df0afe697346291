//go:build linux && (amd64 || arm64)

package compare

import (
	"errors"
	"os"
	"testing"
	"time"

	"github.com/oneclock/ids/internal/lab/realclock"
)

const moved = "IDS_COMPARE_MOVED"

func init() {
	setBackTheirs = func(t *testing.T) bool {
		code, err := realclock.Run([]string{os.Args[0], "-test.run=^TestSetBackTheirs$"}, append(os.Environ(), moved+"=1"), os.Stderr)
		if err != nil && !errors.Is(err, os.ErrPermission) { // no child can be traced here
			t.Error(err)
		}
		return code == 0
	}
}

// TestSetBackTheirs is for a process whose clock it can move.
func TestSetBackTheirs(t *testing.T) {
	if os.Getenv(moved) == "" {
		return
	}
	began, last := time.Now().Round(0), usualTheirs.Generate()
	realclock.Move(-backBy)
	if !time.Now().Round(0).Before(began) {
		t.Fatal("the clock is not set back")
	}
	for range 10_000 {
		id := usualTheirs.Generate()
		if id <= last {
			t.Fatalf("%d after %d", id, last)
		}
		last = id
	}
}
