//go:build unix

package main

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/clockfile"
)

// asProgram is an environment variable that makes the program of the tests be the one that they test.
const asProgram = "RECIPE_RESTART"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	m.Run()
}

// program returns a command that runs the program with one variable in its environment.
func program(variable string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = []string{asProgram + "=1", variable}
	return cmd
}

// TestStarts checks which starts are refused, and that they say why.
func TestStarts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ids.clock")
	const node = "IDS_SNOWFLAKE_NODE=7"
	for _, test := range []struct{ variable, flag, says string }{
		{node, "", "if this is the first start"},
		{"IDS_OTHER=", "-first-start", ""},
		{"IDS_OTHER=", "-first-start", "this is not the first start"},
		{"IDS_OTHER=", "", "IDS_SNOWFLAKE_NODE is not set"},
		{"IDS_SNOWFLAKE_NODE=orders-7", "", "not a number from 0 to 1023"},
		{node, "-first-start", "this is not the first start"},
	} {
		args := strings.Fields("-file " + path + " " + test.flag)
		out, err := program(test.variable, args...).CombinedOutput()
		if errors.Is(err, errors.ErrUnsupported) {
			t.Skip(err)
		}
		if (err != nil) != (test.says != "") || !strings.Contains(string(out), test.says) {
			t.Errorf("%s %s: %v, says %q; want %q", test.variable, test.flag, err, out, test.says)
		}
	}
}

// TestRestarts ends the program by SIGTERM and by SIGKILL, starts it again each time, and checks that each id is above
// all before. A program that was asked to end leaves the time of its end in the file, and not one 10 s ahead.
func TestRestarts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ids.clock")
	if err := firstStart(path); err != nil {
		t.Fatal(err)
	}
	var last ids.Snowflake
	for _, end := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL, syscall.SIGTERM} {
		cmd := program("IDS_SNOWFLAKE_NODE=7", "-file", path)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for n := 0; lines.Scan(); n++ {
			id, err := ids.ParseSnowflake(lines.Text())
			if err != nil || id <= last || id.Node() != 7 {
				t.Errorf("after %v came %q of node %d (%v)", last, lines.Text(), id.Node(), err)
			}
			last = id
			if n == 10 {
				cmd.Process.Signal(end)
			}
		}
		if err := cmd.Wait(); (err == nil) != (end == syscall.SIGTERM) {
			t.Errorf("after signal %v: %v", end, err)
		}
		if end == syscall.SIGTERM {
			if got := saved(t, path); got.Before(last.Time()) || got.After(last.Time().Add(5*time.Second)) {
				t.Errorf("the file holds %v, the last id was of %v", got, last.Time())
			}
		}
	}
}

// saved returns the time in the file.
func saved(t *testing.T, path string) time.Time {
	f, err := clockfile.Open(path, &clockfile.Options{ClockOptions: &ids.ClockOptions{Now: func() time.Time { return time.Unix(0, 0) }}})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return f.Clock().Latest()
}
