//go:build unix

package main

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/oneclock/ids/clockfile"
	"github.com/oneclock/ids/snowflake"
)

// asProgram is an environment variable that makes the program of the tests be the one that they test.
const asProgram = "RECIPE_WATCH"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	m.Run()
}

// start starts the program, and returns it, what it says, and its address.
func start(t *testing.T, path string) (cmd *exec.Cmd, lines *bufio.Scanner, address string) {
	t.Helper()
	cmd = exec.Command(os.Args[0], "-file", path, "-listen", "127.0.0.1:0")
	cmd.Env = []string{asProgram + "=1", "IDS_SNOWFLAKE_NODE=7", "GORACE=atexit_sleep_ms=0"}
	logged, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	kill := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() }) // a program that does not end
	t.Cleanup(func() { kill.Stop() })
	lines = bufio.NewScanner(logged)
	lines.Scan()
	address, found := strings.CutPrefix(lines.Text(), "ids at ")
	if !found {
		t.Fatalf("it says %q", lines.Text())
	}
	return cmd, lines, strings.TrimSuffix(address, "/id")
}

// get returns what the program answers, and its status; 0 is no answer.
func get(url string) (body string, status int) {
	answer, err := http.Get(url)
	if err != nil {
		return "", 0
	}
	defer answer.Body.Close()
	data, _ := io.ReadAll(answer.Body)
	return string(data), answer.StatusCode
}

// TestLostLock takes the lock, or the file, away from a server that clients ask for ids all the time. At the next save, 5 s
// later at most, the process ends and says why; it does not live on and fail each request. Started again, it goes on
// above all ids, except where the file is missing: then it says so.
func TestLostLock(t *testing.T) {
	if testing.Short() {
		t.Skip("the next save is 5 s away")
	}
	for name, lose := range map[string]func(path string) error{
		"lock removed": func(path string) error { return os.Remove(path + ".lock") },
		"file renamed": func(path string) error { return os.Rename(path, path+".old") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "ids.clock")
			if err := clockfile.Create(path, ""); errors.Is(err, errors.ErrUnsupported) {
				t.Skip(err)
			} else if err != nil {
				t.Fatal(err)
			}
			cmd, lines, address := start(t, path)
			var last snowflake.ID
			ask := func() (status int) {
				body, status := get(address + "/id")
				if status == http.StatusOK {
					id, err := snowflake.Parse(strings.TrimSpace(body))
					if err != nil || id <= last {
						t.Errorf("%q after %d", body, last)
					}
					last = id
				}
				return status
			}
			if vars, status := get(address + "/debug/vars"); status != http.StatusOK || !strings.Contains(vars, `"unsaved": 0, "withheld": 0`) {
				t.Errorf("status %d, and the gauges are %s", status, vars)
			}
			if status := ask(); status != http.StatusOK {
				t.Fatalf("an id has status %d", status)
			}
			if err := lose(path); err != nil {
				t.Fatal(err)
			}
			for ask() != 0 { // until nobody answers
				time.Sleep(10 * time.Millisecond)
			}
			var says []string
			for lines.Scan() {
				says = append(says, lines.Text())
			}
			if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() != 1 || !strings.Contains(strings.Join(says, "\n"), "was lost while it was open") {
				t.Errorf("it ends with %v and says %q", err, says)
			}
			t.Logf("%q", says)
			if name == "file renamed" {
				if err := os.Rename(path+".old", path); err != nil {
					t.Fatal(err)
				}
			}
			cmd, lines, address = start(t, path)
			if status := ask(); status != http.StatusOK {
				t.Errorf("started again, an id has status %d", status)
			}
			cmd.Process.Signal(os.Interrupt)
			for lines.Scan() {
				t.Errorf("started again, it says %q", lines.Text())
			}
			if err := cmd.Wait(); err != nil {
				t.Errorf("after the interrupt: %v", err)
			}
		})
	}
}
