//go:build unix

package main

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/clockfile"
	"github.com/oneclock/ids/examples/internal/must"
	"github.com/oneclock/ids/examples/internal/program"
)

func TestMain(m *testing.M) { program.Main(m, main) }

// made returns a directory with files for so many numbers.
func made(t *testing.T, count int64) string {
	dir := t.TempDir()
	err := firstStart(dir, 0, count)
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	must.Do(t, err)
	return dir
}

// TestKilled keeps 20 processes on 16 numbers running while it kills one after another: no id occurs twice. Those that find
// no number end, and are started again.
func TestKilled(t *testing.T) {
	t.Parallel()
	dir := made(t, 16)
	ends := time.Now().Add(4 * time.Second)
	if testing.Short() {
		ends = time.Now().Add(time.Second)
	}
	var mu sync.Mutex
	kills, refused, seen, numbers := 0, 0, map[ids.Snowflake]bool{}, map[int64]bool{}
	process := func() (full bool) {
		p := program.Start(t, "", "-dir", dir)
		var own []ids.Snowflake
		for most := 1 + rand.IntN(300); p.Out.Scan(); {
			id, err := ids.ParseSnowflake(p.Out.Text())
			if err != nil {
				t.Error(err)
			}
			own = append(own, id)
			if len(own) == most || time.Now().After(ends) {
				p.Kill() // what it has printed meanwhile is read too
			}
		}
		_, says, _ := p.End()
		want := ""
		if len(own) == 0 {
			want = "none of the 16 numbers in " + dir + " is free\n"
		}
		if says != want {
			t.Errorf("a process with %d ids says %q, want %q", len(own), says, want)
		}
		mu.Lock()
		defer mu.Unlock()
		for _, id := range own {
			if seen[id] {
				t.Errorf("%v occurs twice", id)
			}
			seen[id], numbers[ids.TwitterLayout().Split(id).Node] = true, true
		}
		if len(own) == 0 {
			refused++
			return true
		}
		kills++
		return false
	}
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			for time.Now().Before(ends) {
				if process() {
					time.Sleep(20 * time.Millisecond) // as a service manager does
				}
			}
		})
	}
	group.Wait()
	if kills == 0 || len(numbers) > 16 {
		t.Errorf("%d processes were killed, on %d numbers", kills, len(numbers))
	}
	t.Logf("%d ids of %d numbers, %d processes killed, %d times none was free", len(seen), len(numbers), kills, refused)
}

// TestNumbers takes all numbers, and then one that is given back. A file that was lost costs its number, and no other.
func TestNumbers(t *testing.T) {
	t.Parallel()
	dir := made(t, 5)
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
