//go:build linux && (amd64 || arm64)

package compare

// A feature of bwmarrin/snowflake, checked in a process whose clock is moved.

import (
	"errors"
	"os"
	"testing"
	"time"

	"github.com/oneclock/ids/internal/lab/realclock"
)

// TestFeaturesMoved makes Snowflakes of bwmarrin in a process whose clock is set back. They ascend,
// as the table of features claims. They use the monotonic clock, which is also set back from one
// bubble to the next.
func TestFeaturesMoved(t *testing.T) {
	const child = "IDS_COMPARE_MOVED"
	if os.Getenv(child) == "" {
		code, err := realclock.Run([]string{os.Args[0], "-test.run=^TestFeaturesMoved$"}, append(os.Environ(), child+"=1"), os.Stderr)
		switch {
		case errors.Is(err, os.ErrPermission):
			t.Skip("no child can be traced here: ", err)
		case err != nil || code != 0:
			t.Errorf("status %d, %v", code, err)
		}
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
