package clockfile_test

// Operations of the disk, and calls of Report, that hang.

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/clockfile"
)

const saveOps = 6 // number of operations in a save, without its check

// TestHungSave makes each operation of a save hang for a while. Report is called when the save has
// taken half of Window, and IDs are generated up to the horizon. When the operation returns, ID
// generation resumes, and Report is called 5 s later. A slow Report is called again only after it
// has returned.
func TestHungSave(t *testing.T) {
	const window = time.Second
	for at := range saveOps {
		for _, slow := range []time.Duration{0, time.Minute} { // duration of Report
			var b *bench
			var reports []error
			var told []time.Time
			var mu sync.Mutex
			report := func(s clockfile.Status) {
				mu.Lock()
				reports, told = append(reports, s.Err), append(told, time.Now())
				mu.Unlock()
				time.Sleep(slow)
			}
			inBubble(t, clockfile.Options{Window: window, Report: report}, 0, func(own *bench) {
				b = own
				release, began := make(chan struct{}), time.Now()
				b.failAt(at, hangs, release)
				time.Sleep(window/2 + 15*time.Millisecond) // until the keeper's first save
				horizon := b.wall.now().Add(window/2 - 15*time.Millisecond)
				last := b.node.Next()
				for s, err := last, error(nil); err == nil; s, err = b.node.TryNext() {
					last = s
					time.Sleep(time.Millisecond)
				}
				if left := horizon.Sub(timeOf(last)); left < -time.Millisecond || left > 3*time.Millisecond {
					b.Errorf("operation %d hangs: ids end %v before the horizon", at, left)
				}
				time.Sleep(window)
				synctest.Wait()
				if len(reports) != 1 || !errors.Is(reports[0], os.ErrDeadlineExceeded) || !strings.Contains(reports[0].Error(), "more than 500ms") {
					b.Fatalf("operation %d hangs: reports %v", at, reports)
				}
				if after := told[0].Sub(began); after < window || after > window+20*time.Millisecond {
					b.Errorf("operation %d hangs: told %v after the start, want %v after the save begins", at, after, window/2)
				}
				close(release)
				time.Sleep(slow + 4920*time.Millisecond)
				synctest.Wait()
				mu.Lock()
				if len(reports) != 1 && slow == 0 {
					b.Errorf("operation %d hung: reports %v before 5 s have passed", at, reports)
				}
				mu.Unlock()
				time.Sleep(200 * time.Millisecond)
				synctest.Wait()
				if len(reports) != 2 || reports[1] != nil {
					b.Errorf("operation %d hung: reports %v", at, reports)
				}
				time.Sleep(slow + window/10)
				if s, err := b.node.TryNext(); err != nil || s <= last {
					b.Errorf("operation %d hung: %d after %d, %v", at, s, last, err)
				}
			})
		}
	}
}

// TestHungClose closes a file while an operation hangs, in a save that the keeper has begun or in
// Close's own save. Close nevertheless returns to all its callers. The operation takes effect much
// later, at a time when another process that uses the file could have saved a later horizon. No ID
// is generated twice, and nothing is written without the lock.
func TestHungClose(t *testing.T) {
	const window = time.Second
	for at := range 2 * saveOps { // the operations of two saves
		for _, hung := range []time.Duration{4900 * time.Millisecond, 20 * time.Second} {
			name := fmt.Sprintf("operation %d, for %v", at, hung)
			bubble(t, func(t *testing.T) {
				w := newWorld()
				p := &process{memory: w.memory}
				opts := &clockfile.Options{Window: window, ClockOptions: &ids.ClockOptions{Now: w.wall.now}}
				f, err := w.open(p, opts)
				must(t, err)
				w.mint(t, f, 10*time.Millisecond)
				release := make(chan struct{})
				p.failAt(at, hangs, release)
				// By now, the keeper has saved a horizon, or its save hangs.
				time.Sleep(window/2 + 15*time.Millisecond)
				time.AfterFunc(hung, func() { close(release) })
				called := time.Now()
				var callers sync.WaitGroup
				errs := make([]error, 3)
				for i := range errs {
					callers.Go(func() { errs[i] = f.Close() })
				}
				callers.Wait()
				took, gaveUp := time.Since(called), errors.Is(errs[0], os.ErrDeadlineExceeded)
				if want := min(hung, 5*time.Second); took != want || gaveUp != (hung > want) || !gaveUp && errs[0] != nil {
					t.Errorf("%s: Close took %v, want %v: %v", name, took, want, errs[0])
				}
				if errs[1] != errs[0] || errs[2] != errs[0] || f.Close() != errs[0] {
					t.Errorf("%s: Close returns %v", name, errs)
				}
				checkEnds(t, name, f, f.Status().Err)

				w.wall.step(-time.Minute)
				next := &process{memory: w.memory}
				f, err = w.open(next, opts)
				for ; errors.Is(err, clockfile.ErrLocked); f, err = w.open(next, opts) {
					time.Sleep(100 * time.Millisecond)
				}
				must(t, err)
				if opened := time.Since(called); opened < hung {
					t.Errorf("%s: another process has opened the file after %v", name, opened)
				}
				w.mint(t, f, 10*time.Millisecond)
				time.Sleep(200 * time.Millisecond)
				must(t, f.Close())
				time.Sleep(time.Minute) // longer than anything can hang
				w.after.Wait()
				w.check(t, name)
			})
		}
	}
}

// checkEnds checks that calls for all formats with a limit fail with the given reason 200 ms from
// now, and that calls for the other formats continue.
func checkEnds(t *testing.T, name string, f *clockfile.File, reason error) {
	t.Helper()
	time.Sleep(200 * time.Millisecond)
	g := ids.NewGenerator(&ids.GeneratorOptions{Clock: f.Clock()})
	n := mustNode(t, f.Clock())
	if !ended(func() { g.NewV1() }) || !ended(func() { g.NewV6() }) || !ended(func() { n.Next() }) {
		t.Errorf("%s: 200 ms later NewV1, NewV6 or Next returns", name)
	}
	_, waited := n.NextContext(context.Background())
	_, tried := n.TryNext()
	for _, err := range []error{waited, tried} {
		if !errors.Is(err, ids.ErrEnded) || !errors.Is(err, reason) || !strings.Contains(err.Error(), "clockfile: ") {
			t.Errorf("%s: 200 ms later: %v, want %v", name, err, reason)
		}
	}
	g.NewV7()
}

// TestReportKeepsNothing makes Report hang, or wait for an ID, when saves or checks begin to fail.
// Once they work again, saving and ID generation resume.
func TestReportKeepsNothing(t *testing.T) {
	for _, trouble := range []string{"saves fail", "checks fail"} {
		for _, hangs := range []bool{true, false} {
			what := fmt.Sprintf("%s, Report hangs: %v", trouble, hangs)
			var b *bench
			var release chan struct{}
			var told []error
			returned := 0
			report := func(s clockfile.Status) {
				told = append(told, s.Err)
				if hangs {
					<-release
				} else {
					b.node.Next()
				}
				returned++
			}
			inBubble(t, clockfile.Options{Report: report}, 0, func(own *bench) {
				b, release = own, make(chan struct{})
				if trouble == "saves fail" {
					b.setPlan(fails)
				} else {
					b.setCheck(func() error { return errFault })
				}
				time.Sleep(time.Minute) // until after the horizon
				synctest.Wait()
				if len(told) != 1 || !errors.Is(told[0], errFault) {
					b.Errorf("%s: told %v", what, told)
				}
				b.setPlan(works)
				b.setCheck(nil)
				time.Sleep(time.Minute)
				synctest.Wait()
				_, err := b.node.TryNext()
				if s := b.file.Status(); err != nil || s.Err != nil || s.Horizon.Sub(b.wall.now()) < 4900*time.Millisecond {
					b.Errorf("%s: a minute after the end of that: %v; the status is %v", what, err, s)
				}
				if !hangs && returned != 2 {
					b.Errorf("%s: %d of 2 calls of Report have returned", what, returned)
				}
				close(release)
			})
		}
	}
}

// TestReportKeepsClose closes the file in Report, which must not do that. Close returns an error,
// and the file is unlocked afterwards.
func TestReportKeepsClose(t *testing.T) {
	var b *bench
	closed := make(chan error, 1)
	report := func(clockfile.Status) { closed <- b.file.Close() }
	inBubble(t, clockfile.Options{Report: report}, 0, func(own *bench) {
		b = own
		b.setPlan(fails)
		time.Sleep(time.Minute)
		if err := <-closed; !errors.Is(err, os.ErrDeadlineExceeded) {
			b.Errorf("Close in Report: %v", err)
		}
		b.setPlan(works)
		time.Sleep(time.Millisecond)
		b.start(&process{memory: b.memory}, path, clockfile.Options{})
	})
}
