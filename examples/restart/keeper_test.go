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

func mustLoad(t *testing.T, path string) time.Time {
	t.Helper()
	horizon, err := load(path)
	if err != nil {
		t.Fatal(err)
	}
	return horizon
}

func TestFirstStartIsExplicit(t *testing.T) {
	needLock(t)
	path := filepath.Join(t.TempDir(), "file")
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
	path := filepath.Join(t.TempDir(), "file")
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
	path := filepath.Join(t.TempDir(), "file")
	synctest.Test(t, func(t *testing.T) {
		w, rnd := newWallClock(), rand.New(rand.NewPCG(1, 2))
		k := mustOpen(t, path, KeeperOptions{Init: true, Ahead: time.Second, Clock: ids.ClockOptions{Now: w.now}})
		defer mustClose(t, k)
		g, n := ids.NewGenerator(&ids.GeneratorOptions{Clock: k.Clock()}), mustNode(t, k.Clock())
		check := func(name string, at time.Time) {
			t.Helper()
			if horizon := mustLoad(t, path); at.After(horizon) {
				t.Fatalf("%s of %v is %v past the file's horizon", name, at, at.Sub(horizon))
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
			v1, _ := g.NewV1().Time()
			v6, _ := g.NewV6().Time()
			check("V1", v1)
			check("V6", v6)
			check("Snowflake", n.Next().Time())
		}
	})
}

// TestSavingFails puts a directory in the file's place, so that no file can be renamed to it: ids
// stop at the last horizon, and go on when saving works again.
func TestSavingFails(t *testing.T) {
	needLock(t)
	path := filepath.Join(t.TempDir(), "file")
	synctest.Test(t, func(t *testing.T) {
		w := newWallClock()
		reports := make(chan error, 10)
		k := mustOpen(t, path, KeeperOptions{Init: true, Ahead: time.Second, Clock: ids.ClockOptions{Now: w.now},
			Report: func(err error) { reports <- err }})
		defer mustClose(t, k)
		n := mustNode(t, k.Clock())
		horizon := mustLoad(t, path)
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
			if s <= last || s.Time().After(horizon) {
				t.Fatalf("%d of %v after %d; the horizon is %v", s, s.Time(), last, horizon)
			}
			last = s
			time.Sleep(time.Millisecond)
		}
		if last.Time().Before(horizon.Add(-2 * time.Millisecond)) {
			t.Errorf("ids stopped at %v, long before the horizon %v", last.Time(), horizon)
		}
		next := make(chan ids.Snowflake, 1)
		go func() { next <- n.Next() }()
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if len(next) > 0 {
			t.Fatalf("Next gives %d while no horizon can be saved", <-next)
		}
		if len(reports) != 1 || <-reports == nil {
			t.Error("not one error is reported")
		}
		if _, err := os.Stat(path + ".new"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the file that could not be renamed: %v", err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if len(next) == 0 {
			t.Fatal("Next waits although horizons can be saved")
		}
		if s := <-next; s <= last {
			t.Errorf("Next gives %d after %d", s, last)
		}
		if len(reports) != 1 || <-reports != nil {
			t.Error("it is not reported that horizons can be saved")
		}
	})
}

// TestCannotSave has the first save fail: then there is no keeper, and no lock is left.
func TestCannotSave(t *testing.T) {
	needLock(t)
	path := filepath.Join(t.TempDir(), "file")
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

// TestClose checks that Close leaves the time of the last id, and that nothing is issued after it.
func TestClose(t *testing.T) {
	needLock(t)
	path := filepath.Join(t.TempDir(), "file")
	synctest.Test(t, func(t *testing.T) {
		w := newWallClock()
		k := mustOpen(t, path, KeeperOptions{Init: true, Clock: ids.ClockOptions{Now: w.now}})
		n := mustNode(t, k.Clock())
		time.Sleep(time.Minute)
		last := n.Next()
		mustClose(t, k)
		if got := mustLoad(t, path); !got.Equal(last.Time()) {
			t.Errorf("the file has %v, want the time of the last id, %v", got, last.Time())
		}
		if s, err := n.TryNext(); !errors.Is(err, ids.ErrSuspended) {
			t.Errorf("after Close: %d, %v", s, err)
		}
	})
}

// TestHorizonNeverGoesBack sets the clock back again and again, while ids up to the horizon in the
// file may still be issued.
func TestHorizonNeverGoesBack(t *testing.T) {
	needLock(t)
	path := filepath.Join(t.TempDir(), "file")
	synctest.Test(t, func(t *testing.T) {
		w := newWallClock()
		k := mustOpen(t, path, KeeperOptions{Init: true, Ahead: time.Second, Clock: ids.ClockOptions{Now: w.now}})
		defer mustClose(t, k)
		g, n := ids.NewGenerator(&ids.GeneratorOptions{Clock: k.Clock()}), mustNode(t, k.Clock())
		last := mustLoad(t, path)
		w.step(-time.Hour) // far behind the horizon, before any id
		for range 100 {
			g.NewV1()
			n.Next()
			w.step(-time.Minute)
			g.NewV1()
			time.Sleep(100 * time.Millisecond)
			horizon := mustLoad(t, path)
			if horizon.Before(last) {
				t.Fatalf("the file goes back from %v to %v", last, horizon)
			}
			last = horizon
		}
	})
}

// TestFullLoadAhead starts with a file an hour ahead of the wall clock, as a step back leaves it,
// and mints as fast as can be. The horizon stays well ahead of the ids, so that no call takes
// longer than it does without a keeper.
func TestFullLoadAhead(t *testing.T) {
	needLock(t)
	path := filepath.Join(t.TempDir(), "file")
	synctest.Test(t, func(t *testing.T) {
		w := newWallClock()
		if err := save(path, w.now().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		k := mustOpen(t, path, KeeperOptions{Clock: ids.ClockOptions{Now: w.now}})
		defer mustClose(t, k)
		n := mustNode(t, k.Clock())
		for began := time.Now(); time.Since(began) < 2*time.Second; {
			called := time.Now()
			s := n.Next()
			if took := time.Since(called); took > 20*time.Millisecond {
				t.Fatalf("a call takes %v", took)
			} else if took > 0 {
				if left := mustLoad(t, path).Sub(s.Time()); left < 20*time.Millisecond {
					t.Fatalf("an id is only %v from the horizon", left)
				}
			}
		}
	})
}

// TestFewWrites checks that a clock that runs as it should has its horizon saved every half of
// the way ahead, and no more often.
func TestFewWrites(t *testing.T) {
	needLock(t)
	path := filepath.Join(t.TempDir(), "file")
	synctest.Test(t, func(t *testing.T) {
		w := newWallClock()
		k := mustOpen(t, path, KeeperOptions{Init: true, Clock: ids.ClockOptions{Now: w.now}})
		defer mustClose(t, k)
		n := mustNode(t, k.Clock())
		saved := map[time.Time]bool{}
		for range 6000 { // a minute
			n.Next()
			saved[mustLoad(t, path)] = true
			time.Sleep(10 * time.Millisecond)
		}
		if len(saved) < 12 || len(saved) > 13 {
			t.Errorf("saved %d times in a minute, want every 5 s", len(saved))
		}
	})
}
