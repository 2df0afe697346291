//go:build linux && (amd64 || arm64)

package realclock_test

import (
	"context"
	"encoding/json"
	"errors"
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

// runChild runs a child of a role with the clock of a script, and returns its report and the phases that it was in.
func runChild(t *testing.T, role string, script []realclock.Phase) (r report, spans []realclock.Span) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "report")
	output, err := os.Create(filepath.Join(dir, "output"))
	if err != nil {
		t.Fatal(err)
	}
	defer output.Close()
	env := append(os.Environ(), roleVariable+"="+role, reportVariable+"="+file)
	code, spans, err := realclock.Run([]string{program}, env, output, script)
	if errors.Is(err, realclock.ErrNotPermitted) {
		t.Skip(err)
	}
	if err != nil || code != 0 {
		text, _ := os.ReadFile(output.Name())
		t.Fatalf("child: exit code %d, error %v, output %q", code, err, text)
	}
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
	return r, spans
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
