package main

// Tests of the clock command.

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oneclock/ids/clockfile"
	"github.com/oneclock/ids/internal/horizonfile"
)

// TestClock creates a file, and shows the file before, during and after its use.
func TestClock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "clock")
	show := func(want string) {
		t.Helper()
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Join(must(t, "", "clock", "Show", path), "\n")
		if after, err := os.ReadFile(path); !strings.HasPrefix(got, want) || !strings.HasSuffix(got, "\nowner    \"orders, node 7\"") || err != nil || !bytes.Equal(before, after) {
			t.Errorf("clock show: %q, want %q; the file is %q, %v", got, want, after, err)
		}
	}
	if lines := must(t, "", "clock", "create", "-owner", "orders, node 7", path); lines != nil {
		t.Errorf("clock create: %q", lines)
	}
	if files, err := os.ReadDir(filepath.Dir(path)); err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	show("horizon  none before the first start\n")
	f, err := clockfile.Open(path, &clockfile.Options{Window: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	// On a busy machine, the checks in Open can take so long that none is valid.
	for limit := time.Now().Add(time.Minute); f.Status().Err != nil && time.Now().Before(limit); {
		time.Sleep(10 * time.Millisecond)
	}
	show("horizon  " + f.Status().Horizon.Format(time.RFC3339Nano) + "  (")
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(path, path+".link"); err == nil { // Windows may forbid it
		path += ".link"
	}
	show("horizon  " + f.Status().Horizon.Format(time.RFC3339Nano) + "  (")
}

// TestClockAhead shows a horizon before and after the current time, in a file without an owner.
func TestClockAhead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "clock")
	for horizon, want := range map[string]string{"1999-12-31T23:59:58.5Z": "1.5s behind", "2000-01-01T00:00:10Z": "10s ahead of"} {
		at, err := time.Parse(time.RFC3339, horizon)
		data, bad := horizonfile.Record{Horizon: at}.Encode()
		for i, copies := range [][2][]byte{{data, data}, {nil, data}, {data, data[:60]}, {data, data[:60]}} {
			write := func(first, second []byte) error { return os.WriteFile(path, clockFile(first, second), 0o600) }
			if err := errors.Join(err, bad, write(copies[0], copies[1])); err != nil {
				t.Fatal(err)
			}
			synctest.Test(t, func(t *testing.T) { // the time is 2000-01-01
				lines := 3
				if i == 3 { // a copy that seems to be in the middle of a write is read again
					time.AfterFunc(time.Millisecond, func() {
						if err := write(data, data); err != nil {
							t.Error(err)
						}
					})
				}
				if i == 0 || i == 3 {
					lines = 2
				}
				got := must(t, "", "clock", "show", path)
				if len(got) != lines || i == 0 && got[0] != "horizon  "+horizon+"  ("+want+" this machine's clock)" || got[1] != "owner    any" ||
					lines == 3 && !strings.HasPrefix(got[2], fmt.Sprintf("copy %d   not used: is ", i)) {
					t.Errorf("%q", got)
				}
			})
		}
	}
}

// TestClockOwner shows an owner that could forge a line or clear the screen if it were not quoted.
func TestClockOwner(t *testing.T) {
	path := filepath.Join(t.TempDir(), "clock")
	data, err := horizonfile.Record{None: true, Owner: "evil\nhorizon  2099\x1b[2J"}.Encode()
	if err := errors.Join(err, os.WriteFile(path, clockFile(data, data), 0o600)); err != nil {
		t.Fatal(err)
	}
	if got := must(t, "", "clock", "show", path); len(got) != 2 || got[1] != `owner    "evil\nhorizon  2099\x1b[2J"` {
		t.Errorf("%q", got)
	}
}

// clockFile returns the contents of a file with two copies.
func clockFile(first, second []byte) []byte {
	data := make([]byte, horizonfile.Size)
	copy(data, first)
	copy(data[horizonfile.Offset(1):], second)
	return data
}

// TestClockPaths checks that create, show and package clockfile find the same file at a path.
func TestClockPaths(t *testing.T) {
	for i, suffix := range []string{"", "/", "/.", "/none/.."} {
		dir := t.TempDir()
		path := filepath.Join(dir, "clock") + suffix
		must(t, "", "clock", "create", "-owner", "me", path)
		if files, err := os.ReadDir(dir); err != nil || len(files) != 1 || files[0].Name() != "clock" {
			t.Errorf("%d: create %q: %v, %v", i, path, files, err)
		}
		f, err := clockfile.Open(path, &clockfile.Options{Owner: "me"})
		if err != nil {
			t.Fatal(err)
		}
		if got := must(t, "", "clock", "show", path); len(got) != 2 || got[1] != `owner    "me"` {
			t.Errorf("show %q: %q", path, got)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestClockRefused checks that show rejects the files that package clockfile rejects, with the same
// messages, and does not change them.
func TestClockRefused(t *testing.T) {
	dir := t.TempDir()
	good, err := horizonfile.Record{None: true}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	newer := bytes.Replace(good, []byte("clockfile 1"), []byte("clockfile 2"), 1)
	for name, data := range map[string][]byte{
		"empty": nil, "torn": good[:60], "other": []byte("7\n"), "one copy": good, "newer": clockFile(newer, newer), "zeros": clockFile(nil, nil), "good": clockFile(good, good),
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if status, out, errs := try("", "clock", "create", path); status != 1 || out != "" || !strings.Contains(errs, path+": "+fs.ErrExist.Error()) {
			t.Errorf("create %s: status %d, %q, %q", name, status, out, errs)
		}
		if name == "good" {
			continue
		}
		_, want := clockfile.Open(path, nil)
		status, out, errs := try("", "clock", "show", path)
		if want == nil || status != 1 || out != "" || "clockfile: "+strings.TrimPrefix(errs, "idgen: ") != want.Error()+"\n" {
			t.Errorf("show %s: status %d, %q, %q, want the words of %v", name, status, out, errs, want)
		}
	}
	refusals := map[string]string{filepath.Join(dir, "none"): "no such file", dir: dir + ": is not a regular file\n"}
	link, target := filepath.Join(dir, "link"), filepath.Join(dir, "volume", "clock")
	if err := os.Symlink(target, link); err == nil { // Windows may forbid it
		refusals[link] = link + ": is a link to " + target + ", which does not exist\n"
	}
	for path, want := range refusals {
		if status, out, errs := try("", "clock", "show", path); status != 1 || out != "" || !strings.Contains(errs, path) || !strings.Contains(errs, want) && runtime.GOOS != "windows" {
			t.Errorf("show %s: status %d, %q, %q, want %s", path, status, out, errs, want)
		}
	}
	check(t, []row{
		{"clock -xml", "", 2, "", "flag provided but not defined: -xml"},
		{"clock", "", 2, "", "clock requires create or show, and one path"},
		{"clock delete a", "", 2, "", `unknown clock command "delete"; use create or show`},
		{"clock -owner o show a", "", 2, "", "-owner is only for create"},
	})
	for number, want := range map[string]string{"8": "8", "random": "7", "8'; touch run; '": "7"} {
		t.Setenv("IDS_SNOWFLAKE_NODE", number)
		path := filepath.Join(dir, "any"+want+number[:1])
		if status, out, errs := try("", "clock", "create", path); status != 0 || out != "" || !strings.HasPrefix(errs, "idgen: note: without an owner, such as -owner 'orders, node "+want+"', ") {
			t.Errorf("create without an owner, with %q: status %d, %q, %q", number, status, out, errs)
		}
	}
	if status, _, errs := try("", "clock", "create", filepath.Join(dir, "none", "clock")); status != 1 || !strings.HasPrefix(errs, "idgen: clockfile: "+dir) {
		t.Errorf("create without a directory: status %d, %q", status, errs)
	}
}
