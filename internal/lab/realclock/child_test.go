//go:build linux && (amd64 || arm64)

package realclock_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/oneclock/ids/internal/lab/realclock"
)

// Variables that make the test binary a child: what it is to do, and the file for its report.
const (
	roleVariable   = "IDS_REALCLOCK_ROLE"
	reportVariable = "IDS_REALCLOCK_REPORT"
)

func TestMain(m *testing.M) {
	role := os.Getenv(roleVariable)
	if role == "" {
		os.Exit(m.Run())
	}
	data, err := json.Marshal(child(role))
	if err == nil {
		err = os.WriteFile(os.Getenv(reportVariable), data, 0o600)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// child is the process whose clock is moved. The test ends it if it is stuck.
func child(role string) report {
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer cancel()
	ended := func(*report) bool { return ctx.Err() != nil }
	if err := realclock.Trap(); err != nil {
		return report{Skip: err.Error()}
	}
	if role == "naive" {
		return work(naive(), 1, func(r *report) bool { return ended(r) || len(uncaught(r)) == 0 })
	}
	return work(ofLibrary(), 2, ended)
}

func executable(t *testing.T) string {
	t.Helper()
	name, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// startChild returns the environment for a child and a function that returns its report.
func startChild(t *testing.T, role string) (env []string, finish func() report) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report")
	env = append(os.Environ(), roleVariable+"="+role, reportVariable+"="+file)
	return env, func() (r report) {
		data, err := os.ReadFile(file)
		if err == nil {
			err = json.Unmarshal(data, &r)
		}
		if err != nil {
			t.Fatalf("report of the child: %v", err)
		}
		if r.Skip != "" {
			t.Skip("a child cannot trap its readings of the clock here: " + r.Skip)
		}
		return r
	}
}

// judge fails the test unless r is of ids that keep the promises.
func judge(t *testing.T, r report) {
	t.Helper()
	for what, detail := range r.Violations {
		t.Errorf("%s: %s", what, detail)
	}
	for _, s := range ofLibrary() {
		if r.IDs[s.name] == 0 {
			t.Errorf("no ids of %s", s.name)
		}
		if s.run != nil && r.Runs[s.name] == 0 {
			t.Errorf("no run of %s", s.name)
		}
	}
	t.Logf("ids %v, runs %v, times compared by phase %v, during one call another goroutine slept %d times", r.IDs, r.Runs, r.Compared, r.Naps)
}
