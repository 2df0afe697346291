//go:build unix

package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/oneclock/ids/clockfile"
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

// TestLost reads the gauges of the program. Then it removes the lock: at the next save, 5 s later at most, the program ends
// and says why, and it starts again at once.
func TestLost(t *testing.T) {
	if testing.Short() {
		t.Skip("the next save is 5 s away")
	}
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ids.clock")
	f, err := clockfile.Open(path, &clockfile.Options{Init: true})
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	start := func() (*exec.Cmd, *bufio.Scanner) {
		cmd := exec.Command(os.Args[0], "-file", path, "-listen", "127.0.0.1:0")
		cmd.Env = []string{asProgram + "=1", "IDS_SNOWFLAKE_NODE=7", "GORACE=atexit_sleep_ms=0"}
		logged, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
		lines := bufio.NewScanner(logged)
		lines.Scan()
		url, found := strings.CutPrefix(lines.Text(), "gauges at ")
		if !found {
			t.Fatalf("it says %q", lines.Text())
		}
		answer, err := http.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		var got struct {
			Unsaved *int `json:"ids_unsaved"`
			IDs     struct {
				Ahead   *float64 `json:"ahead_seconds"`
				Stopped *int
			}
		}
		if err := json.NewDecoder(answer.Body).Decode(&got); err != nil {
			t.Fatal(err)
		}
		if got.Unsaved == nil || *got.Unsaved != 0 || got.IDs.Stopped == nil || *got.IDs.Stopped != 0 || got.IDs.Ahead == nil || *got.IDs.Ahead > 10 {
			t.Errorf("the gauges are %+v, want 0, at most 10 s and 0", got)
		}
		return cmd, lines
	}
	cmd, lines := start()
	if err := os.Remove(path + ".lock"); err != nil {
		t.Fatal(err)
	}
	var says []string
	for lines.Scan() {
		says = append(says, lines.Text())
	}
	if err := cmd.Wait(); err == nil || len(says) != 2 || !strings.Contains(says[0], "was lost while it was open") || says[1] != "no id comes until the next start" {
		t.Errorf("without its lock it ends with %v and says %q", err, says)
	}
	t.Logf("%q", says)
	cmd, lines = start()
	cmd.Process.Signal(os.Interrupt)
	for lines.Scan() {
		t.Errorf("started again, it says %q", lines.Text())
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("after the interrupt: %v", err)
	}
}
