//go:build linux

package main

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/clockfile"
	"github.com/oneclock/ids/examples/internal/must"
	"github.com/oneclock/ids/snowflake"
)

// unwritable makes each write to an open file fail, as on a failing disk, until mend is called. It
// replaces the file's descriptor with one that can only read.
func unwritable(t *testing.T, path string) (mend func()) {
	t.Helper()
	open, err := os.ReadDir("/proc/self/fd")
	must.Do(t, err)
	for _, fd := range open {
		number, _ := strconv.Atoi(fd.Name())
		if leads, err := os.Stat("/proc/self/fd/" + fd.Name()); err == nil && number > 2 {
			if named, err := os.Stat(path); err != nil || !os.SameFile(leads, named) {
				continue
			}
			before, err := syscall.Dup(number)
			must.Do(t, err)
			reads, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
			must.Do(t, err)
			must.Do(t, syscall.Dup3(reads, number, syscall.O_CLOEXEC))
			return func() {
				must.Do(t, errors.Join(syscall.Dup3(before, number, syscall.O_CLOEXEC), syscall.Close(before), syscall.Close(reads)))
			}
		}
	}
	t.Fatal(path, " is not open")
	return nil
}

// TestGauges reads the gauges in normal operation, after a clock that was 9 s ahead for one
// reading, while no time can be saved, while the file cannot be checked, and after the file is
// lost.
func TestGauges(t *testing.T) {
	dir, fail := must.Dir(t)
	path := filepath.Join(dir, "ids.clock")
	must.Create(t, path)
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)))
		var wrong atomic.Int64
		now := func() time.Time { return time.Now().Add(time.Duration(wrong.Load())) }
		f, err := clockfile.Open(path, &clockfile.Options{ClockOptions: &ids.ClockOptions{Now: now}})
		must.Do(t, err)
		defer f.Close()
		node, err := snowflake.NewNode(7, &snowflake.Options{Clock: f.Clock()})
		must.Do(t, err)
		m := gauges(f, node.Layout().Tick)
		check := func(when string, ahead, within float64, unsaved, withheld int) {
			t.Helper()
			var got struct {
				Ahead             float64 `json:"ahead_seconds"`
				Unsaved, Withheld int
			}
			synctest.Wait()
			must.Do(t, json.Unmarshal([]byte(m.String()), &got))
			if got.Ahead < ahead-within || got.Ahead > ahead+within || got.Unsaved != unsaved || got.Withheld != withheld {
				t.Errorf("%s: %+v; want ahead %v, unsaved %d, withheld %d", when, got, ahead, unsaved, withheld)
			}
			probe := httptest.NewRecorder()
			if ready(f, node.Layout().Tick)(probe, nil); (probe.Code == http.StatusOK) != (withheld == 0) {
				t.Errorf("%s: the readiness probe has status %d", when, probe.Code)
			}
			if _, err := node.TryNext(); withheld != 0 && err == nil {
				t.Errorf("%s: an id comes", when)
			}
		}
		check("before the first id", 0, 0, 0, 0)
		node.Next()
		check("on an ordinary day", 0, 0.02, 0, 0)
		wrong.Store(int64(9 * time.Second)) // within the window
		node.Next()
		wrong.Store(0)
		check("after 9 s ahead", 9, 1, 0, 0)
		time.Sleep(time.Minute)
		node.Next()
		check("a minute later", 0, 0.02, 0, 0)
		synctest.Wait() // wait for a save in progress
		mend := unwritable(t, path)
		time.Sleep(5500 * time.Millisecond)
		check("when saving fails", 0, 1, 1, 0)
		time.Sleep(time.Minute)
		check("while ids are withheld", 0, 1, 1, 1)
		wrong.Store(-int64(time.Minute)) // behind the horizon, which is used up to its end
		for err = nil; err == nil; _, err = node.TryNext() {
			time.Sleep(time.Second)
			wrong.Add(int64(time.Second))
		}
		wrong.Store(0)
		synctest.Wait()
		mend()
		time.Sleep(time.Second)
		check("when saving works again", 0, 1, 0, 0)
		fail(true)
		time.Sleep(200 * time.Millisecond)
		check("while the file cannot be checked", 0, 1, 1, 1)
		fail(false)
		time.Sleep(1300 * time.Millisecond)
		check("when it can be seen again", 0, 1, 0, 0)
		must.Do(t, os.Remove(path))
		time.Sleep(200 * time.Millisecond)
		check("after a loss", 0, 1, 1, 1)
		time.Sleep(time.Minute)
		check("a minute after a loss", 0, 1, 1, 1)
	})
}
