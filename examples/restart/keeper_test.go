package main

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oneclock/ids"
)

// needLock skips a test on systems where acquire refuses.
func needLock(t *testing.T) {
	t.Helper()
	lock, err := acquire(filepath.Join(t.TempDir(), "lock"))
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip("no keeper opens here: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	lock.Close()
}

// A wallClock shows the time of the bubble, moved by offset. Bubbles begin before Twitter's epoch.
type wallClock struct{ offset atomic.Int64 }

func newWallClock() *wallClock {
	w := new(wallClock)
	w.step(30 * 365 * 24 * time.Hour)
	return w
}

func (w *wallClock) now() time.Time { return time.Now().Add(time.Duration(w.offset.Load())) }

func (w *wallClock) step(d time.Duration) { w.offset.Add(int64(d)) }

func mustOpen(t *testing.T, path string, opts KeeperOptions) *Keeper {
	t.Helper()
	k, err := OpenKeeper(path, opts)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func mustClose(t *testing.T, k *Keeper) {
	t.Helper()
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
}

func mustNode(t *testing.T, c *ids.Clock) *ids.SnowflakeNode {
	t.Helper()
	n, err := ids.NewSnowflakeNode(1, &ids.SnowflakeOptions{Clock: c})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func mustRead(t *testing.T, path string) ids.ClockState {
	t.Helper()
	s, err := readState(path, "")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestFirstStartIsExplicit(t *testing.T) {
	needLock(t)
	path := filepath.Join(t.TempDir(), "state")
	if _, err := OpenKeeper(path, KeeperOptions{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a file and without Init: %v", err)
	}
	mustClose(t, mustOpen(t, path, KeeperOptions{Init: true}))
	if _, err := OpenKeeper(path, KeeperOptions{Init: true}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("with a file and Init: %v", err)
	}
	mustClose(t, mustOpen(t, path, KeeperOptions{}))
}

func TestOneKeeperAtATime(t *testing.T) {
	needLock(t)
	path := filepath.Join(t.TempDir(), "state")
	first := mustOpen(t, path, KeeperOptions{Init: true})
	if _, err := OpenKeeper(path, KeeperOptions{}); !errors.Is(err, ErrLocked) {
		t.Errorf("while another has it open: %v", err)
	}
	mustClose(t, first)
	mustClose(t, mustOpen(t, path, KeeperOptions{}))
}

// TestFileCoversEveryID moves the clock about, and checks after each id that the file would
// keep a successor from repeating it.
func TestFileCoversEveryID(t *testing.T) {
	needLock(t)
	path := filepath.Join(t.TempDir(), "state")
	synctest.Test(t, func(t *testing.T) {
		w, rnd := newWallClock(), rand.New(rand.NewPCG(1, 2))
		k := mustOpen(t, path, KeeperOptions{Init: true, Ahead: time.Second, Clock: ids.ClockOptions{Now: w.now}})
		defer mustClose(t, k)
		g, n := ids.NewGenerator(&ids.GeneratorOptions{Clock: k.Clock()}), mustNode(t, k.Clock())
		check := func(name string, at time.Time, u ids.UUID) {
			t.Helper()
			mark := mustRead(t, path)
			if at.After(mark.Time) {
				t.Fatalf("%s of %v is %v past the file's mark", name, at, at.Sub(mark.Time))
			}
			const ring = 1 << 14
			if seq, ok := u.ClockSequence(); ok && (int(mark.Sequence)-seq&^3+ring)%ring > ring/2 {
				t.Fatalf("%s has clock sequence %#x, past the file's %#x", name, seq&^3, mark.Sequence)
			}
		}
		for range 3000 {
			switch rnd.IntN(8) {
			case 0:
				w.step(time.Duration(rnd.Int64N(int64(4 * time.Second))))
			case 1:
				w.step(-time.Duration(rnd.Int64N(int64(4 * time.Second))))
			case 2, 3, 4:
				time.Sleep(time.Duration(rnd.Int64N(int64(100 * time.Millisecond))))
			}
			u, v := g.NewV1(), g.NewV6()
			uTime, _ := u.Time()
			vTime, _ := v.Time()
			check("V1", uTime, u)
			check("V6", vTime, v)
			check("Snowflake", n.Next().Time(), ids.UUID{})
		}
	})
}

// TestSavingFails puts a directory in the file's place, so that no mark can be renamed to it:
// ids stop at the last mark, and go on when saving works again.
func TestSavingFails(t *testing.T) {
	needLock(t)
	path := filepath.Join(t.TempDir(), "state")
	synctest.Test(t, func(t *testing.T) {
		w := newWallClock()
		var reports []error
		k := mustOpen(t, path, KeeperOptions{Init: true, Ahead: time.Second, Clock: ids.ClockOptions{Now: w.now},
			Report: func(err error) { reports = append(reports, err) }})
		defer mustClose(t, k)
		n := mustNode(t, k.Clock())
		mark := mustRead(t, path)
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(path, 0o755); err != nil {
			t.Fatal(err)
		}
		var last ids.Snowflake
		for {
			s, err := n.TryNext()
			if errors.Is(err, ids.ErrSuspended) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if s <= last || s.Time().After(mark.Time) {
				t.Fatalf("%d of %v after %d; the mark is %v", s, s.Time(), last, mark.Time)
			}
			last = s
			time.Sleep(time.Millisecond)
		}
		if last.Time().Before(mark.Time.Add(-2 * time.Millisecond)) {
			t.Errorf("ids stopped at %v, long before the mark %v", last.Time(), mark.Time)
		}
		var next ids.Snowflake
		go func() { next = n.Next() }()
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if next != 0 {
			t.Fatalf("Next gives %d while no mark can be saved", next)
		}
		if len(reports) != 1 || reports[0] == nil {
			t.Errorf("reports are %v, want one error", reports)
		}
		if _, err := os.Stat(path + ".new"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the file that could not be renamed: %v", err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if next <= last {
			t.Errorf("Next gives %d after %d once marks can be saved", next, last)
		}
		if len(reports) != 2 || reports[1] != nil {
			t.Errorf("reports are %v, want an error and then nil", reports)
		}
	})
}

// TestCannotSave has the first mark fail: then there is no keeper, and no lock is left.
func TestCannotSave(t *testing.T) {
	needLock(t)
	path := filepath.Join(t.TempDir(), "state")
	fail := func(name string) {
		t.Helper()
		if k, err := OpenKeeper(path, KeeperOptions{Init: true}); err == nil || errors.Is(err, ErrLocked) || k != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := os.MkdirAll(filepath.Join(path+".new", "in the way"), 0o755); err != nil {
		t.Fatal(err)
	}
	fail("a directory where the new file would be")
	if err := os.RemoveAll(path + ".new"); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS == "linux" { // which has a device that is always full
		if err := os.Symlink("/dev/full", path+".new"); err != nil {
			t.Fatal(err)
		}
		fail("a full disk")
	}
	mustClose(t, mustOpen(t, path, KeeperOptions{Init: true}))
}

// TestClose checks that the last state is the exact one, and that nothing is issued after it.
func TestClose(t *testing.T) {
	needLock(t)
	path := filepath.Join(t.TempDir(), "state")
	synctest.Test(t, func(t *testing.T) {
		w := newWallClock()
		k := mustOpen(t, path, KeeperOptions{Init: true, Clock: ids.ClockOptions{Now: w.now}})
		n := mustNode(t, k.Clock())
		time.Sleep(time.Minute)
		last := n.Next()
		mustClose(t, k)
		if got := mustRead(t, path); !got.Time.Equal(last.Time()) {
			t.Errorf("the file has the time %v, want that of the last id, %v", got.Time, last.Time())
		}
		if s, err := n.TryNext(); !errors.Is(err, ids.ErrSuspended) {
			t.Errorf("after Close: %d, %v", s, err)
		}
	})
}

// TestMarkIsNeverBehindTheLimit sets the clock back before each mark, while ids that only the
// mark before covers may still be issued.
func TestMarkIsNeverBehindTheLimit(t *testing.T) {
	needLock(t)
	path := filepath.Join(t.TempDir(), "state")
	synctest.Test(t, func(t *testing.T) {
		w := newWallClock()
		k := mustOpen(t, path, KeeperOptions{Init: true, Ahead: time.Second, Clock: ids.ClockOptions{Now: w.now}})
		defer mustClose(t, k)
		g := ids.NewGenerator(&ids.GeneratorOptions{Clock: k.Clock()})
		last := mustRead(t, path)
		w.step(-time.Hour) // far behind the mark, before any id
		for range 100 {
			g.NewV1()
			w.step(-time.Minute)
			g.NewV1() // changes the clock sequence, so that a new mark is due
			time.Sleep(100 * time.Millisecond)
			mark := mustRead(t, path)
			if mark.Time.Before(last.Time) {
				t.Fatalf("the file goes back from %v to %v", last.Time, mark.Time)
			}
			if mark.Sequence == last.Sequence {
				t.Fatalf("no new mark after the clock sequence %#x was used", mark.Sequence)
			}
			last = mark
		}
	})
}
