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
	"time"
	"unsafe"

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

// child is the process whose clock is moved.
func child(role string) (r report) {
	wall, monotonic := time.Now(), monotonic()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	switch role {
	case "traced", "naive":
		if err := realclock.Trap(); err != nil {
			return report{Skip: err.Error()}
		}
		ctx, cancel := signal.NotifyContext(ctx, syscall.SIGTERM)
		defer cancel()
		if role == "naive" {
			r = work(ctx, naive(), 1)
		} else {
			r = work(ctx, ofLibrary(), 2)
		}
	case "namespace":
		ctx, cancel := context.WithTimeout(ctx, phase)
		defer cancel()
		r = work(ctx, ofLibrary(), 2)
	}
	r.Wall, r.Monotonic = wall, monotonic
	return r
}

// monotonic reads CLOCK_MONOTONIC, of which package time shows only differences.
func monotonic() time.Duration {
	const clockMonotonic = 1
	var ts syscall.Timespec
	syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clockMonotonic, uintptr(unsafe.Pointer(&ts)), 0)
	return time.Duration(ts.Nano())
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

// judge fails the test unless r is of enough ids that keep the promises.
func judge(t *testing.T, r report) {
	t.Helper()
	for what, detail := range r.Violations {
		t.Errorf("%s: %s", what, detail)
	}
	for _, s := range ofLibrary() {
		if r.IDs[s.name] < 500 {
			t.Errorf("only %d ids of %s", r.IDs[s.name], s.name)
		}
		if s.run != nil && r.Runs[s.name] == 0 {
			t.Errorf("no run of %s", s.name)
		}
	}
	if r.Compared < 500 || r.Near < r.Compared*95/100 {
		t.Errorf("of %d times compared with the wall clock, %d are as promised", r.Compared, r.Near)
	}
	t.Logf("ids %v, runs %v, times compared %d, as promised %d, longest calls %v", r.IDs, r.Runs, r.Compared, r.Near, r.Longest)
}
