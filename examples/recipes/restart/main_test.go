//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/examples/internal/must"
	"github.com/oneclock/ids/examples/internal/program"
)

func TestMain(m *testing.M) { program.Main(m, main) }

const node = "IDS_SNOWFLAKE_NODE=7"

// created returns the name of a file that a first start has made.
func created(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "ids.clock")
	must.Create(t, path)
	return path
}

// TestStarts checks which starts fail, and that their errors report the reason.
func TestStarts(t *testing.T) {
	path := created(t)
	must.Do(t, os.Remove(path))
	const owner = "'orders, node 7'"
	for _, test := range []struct{ variable, flag, says string }{
		{node, "", "only for a first start run: idgen clock create -owner " + owner + " " + path},
		{"IDS_OTHER=", "-first-start", "IDS_SNOWFLAKE_NODE is not set"},
		{"IDS_SNOWFLAKE_NODE=1024", "-first-start", "not a number from 0 to 1023"},
		{node, "", "only for a first start run: idgen clock create -owner " + owner + " " + path},
		{node, "-first-start", ""},
		{node, "-first-start", "this is not the first start"},
		{"IDS_OTHER=", "", `belongs to another owner: "orders, node 7", not "orders, node "`},
		{"IDS_SNOWFLAKE_NODE=8", "", `belongs to another owner: "orders, node 7", not "orders, node 8"`},
	} {
		_, says, err := program.Start(t, test.variable, strings.Fields("-file "+path+" "+test.flag)...).End()
		if (err != nil) != (test.says != "") || !strings.Contains(says, test.says) {
			t.Errorf("%s %s: %v, says %q; want %q", test.variable, test.flag, err, says, test.says)
		}
	}
}

// TestRestarts ends the program by SIGTERM and by SIGKILL, restarts it each time, and checks that
// each ID is above all earlier IDs.
func TestRestarts(t *testing.T) {
	path := created(t)
	var last ids.Snowflake
	for _, end := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL, syscall.SIGTERM} {
		p := program.Start(t, node, "-file", path)
		for n := 0; p.Out.Scan(); n++ {
			id, err := ids.ParseSnowflake(p.Out.Text())
			if number := ids.TwitterLayout().Split(id).Node; err != nil || id <= last || number != 7 {
				t.Errorf("after %v came %q of number %d (%v)", last, p.Out.Text(), number, err)
			}
			last = id
			if n == 10 {
				p.Signal(end)
			}
		}
		if _, says, err := p.End(); (err == nil) != (end == syscall.SIGTERM) {
			t.Errorf("after signal %v: %v, says %q", end, err, says)
		}
	}
}

// TestLastSaveFails makes saves fail and then asks the program to end. The program ends
// successfully and prints the save's error.
func TestLastSaveFails(t *testing.T) {
	dir, fail := must.Dir(t)
	path := filepath.Join(dir, "ids.clock")
	must.Create(t, path)
	p := program.Start(t, node, "-file", path)
	p.Out.Scan()
	fail(true)
	p.Signal(syscall.SIGTERM)
	_, says, err := p.End()
	// A check that fails before the last save is reported, too.
	if err != nil || !strings.Contains("\n"+says, "\nends: ") || !strings.Contains(says, "clockfile: "+path) {
		t.Errorf("it ends with %v, and says %q", err, says)
	}
}

// TestLost removes the file. The program reports that and fails, but without the panic of Next.
func TestLost(t *testing.T) {
	path := created(t)
	p := program.Start(t, node, "-file", path)
	p.Out.Scan()
	must.Do(t, os.Remove(path))
	_, says, err := p.End()
	if err == nil || !strings.HasPrefix(says, "clockfile: "+path) || !strings.Contains(says, ": was lost while it was open: the file is missing; no more IDs: stop the process") || !strings.Contains(says, "\nids: ended: clockfile: ") {
		t.Errorf("it ends with %v, and says %q", err, says)
	}
}
