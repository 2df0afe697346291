//go:build unix

package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/clockfile"
	"github.com/oneclock/ids/examples/internal/must"
	"github.com/oneclock/ids/examples/internal/program"
)

func TestMain(m *testing.M) { program.Main(m, main) }

// TestKilled kills a process that has the only number, after another process found none free. The
// next process gets the number immediately and continues above the earlier IDs. A process that is
// asked to end reports it if its last save fails.
func TestKilled(t *testing.T) {
	dir, fail := must.Dir(t)
	must.Do(t, firstStart(dir, 0, 1))
	var last ids.Snowflake
	for range 3 {
		p := program.Start(t, "", "-dir", dir, "-count", "1")
		for n := 0; p.Out.Scan(); n++ {
			id, err := ids.ParseSnowflake(p.Out.Text())
			if err != nil || id <= last || ids.TwitterLayout().Split(id).Node != 0 {
				t.Errorf("after %v came %q (%v)", last, p.Out.Text(), err)
			}
			if last = id; n == 10 {
				if _, says, err := program.Start(t, "", "-dir", dir, "-count", "1").End(); err == nil || says != "none of the 1 numbers in "+dir+" is free\n" {
					t.Errorf("a second process: %v, says %q", err, says)
				}
				p.Kill() // output until the kill is read, too
			}
		}
		if _, says, err := p.End(); err == nil || says != "" {
			t.Errorf("killed: %v, says %q", err, says)
		}
	}
	p := program.Start(t, "", "-dir", dir, "-count", "1")
	p.Out.Scan()
	fail(true)
	p.Signal(syscall.SIGTERM)
	if _, says, err := p.End(); err != nil || !strings.Contains(says, "ends: ") || !strings.Contains(says, "clockfile: ") {
		t.Errorf("asked to end while it cannot save: %v, says %q", err, says)
	}
}

// TestNumbers takes all numbers, and then one that was released. A lost file costs only its own
// number.
func TestNumbers(t *testing.T) {
	synctest.Test(t, takeNumbers) // the pause after each first start takes no time in a bubble
}

func takeNumbers(t *testing.T) {
	time.Sleep(time.Until(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))) // after the epoch
	dir := t.TempDir()
	must.Do(t, firstStart(dir, 0, 5))
	if err := firstStart(dir, 4, 2); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a second first start: %v, want an error that matches %v", err, fs.ErrExist)
	}
	if err := firstStart(dir, 1023, 2); !errors.Is(err, ids.ErrRange) {
		t.Errorf("a first start of number 1024: %v, want an error that matches %v", err, ids.ErrRange)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "1024*")); len(left) > 0 {
		t.Errorf("a wrong number has %v", left)
	}
	var files []*clockfile.File
	for want := range int64(5) {
		f, number, err := open(dir, 0, 5)
		if err != nil || number != want {
			t.Fatalf("number %d, %v; want %d", number, err, want)
		}
		files = append(files, f)
	}
	if _, number, err := open(dir, 0, 5); err == nil {
		t.Errorf("number %d is had twice", number)
	}
	for _, i := range []int{2, 3, 4} {
		must.Do(t, files[i].Close())
	}
	must.Do(t, os.Rename(filepath.Join(dir, "3.clock"), filepath.Join(dir, "2.clock")))
	f, number, err := open(dir, 0, 5)
	if err != nil || number != 4 {
		t.Errorf("number %d, %v; want 4: 2 has the file of 3, and 3 has none", number, err)
	}
	for _, f := range append(files, f) {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}
