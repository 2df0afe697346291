//go:build linux && (amd64 || arm64)

package realclock_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/oneclock/ids/internal/lab/realclock"
)

// TestMonotonicClock mints ids in processes whose monotonic clock, unlike the wall clock, is
// not this machine's: a machine that has just booted, and one that has been up for 50 years.
func TestMonotonicClock(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("only differences of this clock reach the library")
	}
	const years50 = 50 * 365 * 24 * time.Hour
	for name, shift := range map[string]time.Duration{"just booted": time.Second - realclock.Monotonic(), "up for 50 years": years50} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			seconds := fmt.Sprint(int64(shift / time.Second))
			args := []string{"--time", "--monotonic", seconds, "--boottime", seconds}
			if os.Geteuid() != 0 {
				args = append(args, "--user", "--map-root-user")
			}
			cmd := exec.Command("unshare", append(args, executable(t))...)
			var finish func() report
			cmd.Env, finish = startChild(t, "namespace")
			before := realclock.Monotonic()
			if text, err := cmd.CombinedOutput(); errors.Is(err, exec.ErrNotFound) || strings.HasPrefix(string(text), "unshare: ") {
				t.Skipf("time namespaces are not permitted here: %v: %s", err, text)
			} else if err != nil {
				t.Fatalf("child: %v, output %q", err, text)
			}
			r := finish()
			shift = shift.Truncate(time.Second)
			if r.Monotonic < before+shift || r.Monotonic > realclock.Monotonic()+shift {
				t.Errorf("the child's monotonic clock was at %v, want %v or a little later", r.Monotonic, before+shift)
			}
			t.Logf("monotonic clock %v", r.Monotonic)
			judge(t, r)
		})
	}
}

// TestFaketime shows that the program faketime, which answers for the C library, does not move
// the clock of a Go program.
func TestFaketime(t *testing.T) {
	cmd := exec.Command("faketime", "2001-02-03 04:05:06", executable(t))
	var finish func() report
	cmd.Env, finish = startChild(t, "clock")
	if text, err := cmd.CombinedOutput(); errors.Is(err, exec.ErrNotFound) {
		t.Skip("faketime is not installed")
	} else if err != nil {
		t.Fatalf("child: %v, output %q", err, text)
	}
	if r := finish(); time.Since(r.Wall).Abs() > time.Minute {
		t.Errorf("the child's wall clock was at %v: faketime does move it", r.Wall)
	}
}
