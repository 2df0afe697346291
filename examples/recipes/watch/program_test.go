//go:build unix

package main

import (
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/oneclock/ids/examples/internal/must"
	"github.com/oneclock/ids/examples/internal/program"
	"github.com/oneclock/ids/snowflake"
)

func TestMain(m *testing.M) { program.Main(m, main) }

// start starts the program and returns it with its address.
func start(t *testing.T, path string) (p *program.Program, address string) {
	t.Helper()
	p = program.Start(t, "IDS_SNOWFLAKE_NODE=7", "-file", path, "-listen", "127.0.0.1:0")
	p.Err.Scan()
	address, found := strings.CutPrefix(p.Err.Text(), "ids at ")
	if !found {
		t.Fatalf("it says %q", p.Err.Text())
	}
	return p, strings.TrimSuffix(address, "/id")
}

// get returns the program's answer and its status. The status is 0 if there is no answer.
func get(url string) (body string, status int) {
	answer, err := http.Get(url)
	if err != nil {
		return "", 0
	}
	defer answer.Body.Close()
	data, _ := io.ReadAll(answer.Body)
	return string(data), answer.StatusCode
}

// TestLost renames the file of a server while clients request IDs all the time. At the next save,
// at most 5 s later, the process ends and reports the reason; it does not keep running and fail
// each request. After a restart, it continues above all earlier IDs.
func TestLost(t *testing.T) {
	if testing.Short() {
		t.Skip("the next save is 5 s away")
	}
	dir, fail := must.Dir(t)
	path := filepath.Join(dir, "ids.clock")
	if _, says, err := program.Start(t, "IDS_SNOWFLAKE_NODE=7", "-file", path, "-first-start").End(); err != nil {
		t.Fatalf("the first start: %v, says %q", err, says)
	}
	p, address := start(t, path)
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
	// The first ID waits until the file has been checked, so request it before the gauges.
	if status := ask(); status != http.StatusOK {
		t.Fatalf("an id has status %d", status)
	}
	if vars, status := get(address + "/debug/vars"); status != http.StatusOK || !strings.Contains(vars, `"unsaved": 0, "withheld": 0`) {
		t.Errorf("status %d, and the gauges are %s", status, vars)
	}
	must.Do(t, os.Rename(path, path+".old"))
	for ask() != 0 { // until there is no answer
		time.Sleep(10 * time.Millisecond)
	}
	var exit *exec.ExitError
	if _, says, err := p.End(); !errors.As(err, &exit) || exit.ExitCode() != 1 || !strings.Contains(says, "was lost while it was open") {
		t.Errorf("it ends with %v and says %q", err, says)
	}
	must.Do(t, os.Rename(path+".old", path))
	p, address = start(t, path)
	if status := ask(); status != http.StatusOK {
		t.Errorf("started again, an id has status %d", status)
	}
	p.Signal(os.Interrupt)
	if _, says, err := p.End(); err != nil || says != "" {
		t.Errorf("after the interrupt: %v, says %q", err, says)
	}
	p, _ = start(t, path)
	fail(true)
	p.Signal(os.Interrupt)
	if _, says, err := p.End(); err == nil || !strings.Contains(says, "clockfile: "+path) {
		t.Errorf("after the interrupt, when the last save fails: %v, says %q", err, says)
	}
}
