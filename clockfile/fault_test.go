package clockfile_test

// Processes on a machine whose disk fails, and a check of every crash.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/clockfile"
)

// A wallClock returns the bubble's time plus offset. Without the offset, the time would be before
// Twitter's epoch.
type wallClock struct {
	offset atomic.Int64
	reads  atomic.Int64
	wrong  atomic.Int64 // number of future readings that are far ahead
}

func newWallClock() *wallClock {
	w := new(wallClock)
	w.step(30 * 365 * 24 * time.Hour)
	return w
}

func (w *wallClock) now() time.Time {
	w.reads.Add(1)
	shown := time.Now().Add(time.Duration(w.offset.Load()))
	if w.wrong.Add(-1) >= 0 {
		shown = shown.Add(leap)
	}
	return shown
}

// leap is the error of a wrong reading.
const leap = time.Hour

func (w *wallClock) step(d time.Duration) { w.offset.Add(int64(d)) }

// oneInATick is a layout with one ID in each tick, so two processes at the same tick repeat an ID.
var oneInATick = ids.SnowflakeLayout{Epoch: time.Date(2011, 1, 1, 0, 0, 0, 0, time.UTC), Tick: time.Millisecond, NodeBits: 10}

// longOwner makes a copy span two sectors.
var longOwner = strings.Repeat("\xff", 120)

// A world is a machine on which processes run one after another or at the same time. It records all
// their IDs.
type world struct {
	*memory
	wall   *wallClock
	issued map[ids.Snowflake]bool
	bad    error          // the first fault found
	after  sync.WaitGroup // goroutines that still generate IDs when their file is closed
}

func newWorld() *world {
	return &world{memory: newMemory(), wall: newWallClock(), issued: map[ids.Snowflake]bool{}}
}

// fail records a fault.
func (w *world) fail(format string, args ...any) {
	if w.bad == nil {
		w.bad = fmt.Errorf(format, args...)
	}
}

// check fails the test if a fault was found.
func (w *world) check(t *testing.T, what string) {
	t.Helper()
	if w.bad != nil || len(w.wrong) > 0 {
		t.Fatalf("%s: %v, %v", what, w.bad, w.wrong)
	}
}

// record records an ID of oneInATick.
func (w *world) record(s ids.Snowflake) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if at := oneInATick.Split(s).Time; at.After(w.issuedTo) {
		w.issuedTo = at
	}
	if err := w.covers(); err != nil {
		w.fail("%d: %w", s, err)
	}
	if w.issued[s] {
		w.fail("%d is issued twice", s)
	}
	w.issued[s] = true
}

// mint starts a goroutine that generates an ID at each interval until the clock ends.
func (w *world) mint(t *testing.T, f *clockfile.File, every time.Duration) {
	n := mustNodeOf(t, f.Clock(), oneInATick)
	w.after.Go(func() {
		ended(func() {
			for {
				w.record(n.Next())
				time.Sleep(every)
			}
		})
	})
}

// open opens the file. If it does not exist, open first creates it, as an operator would.
func (w *world) open(p *process, opts *clockfile.Options) (*clockfile.File, error) {
	w.mu.Lock()
	missing := w.names[path] == nil
	w.mu.Unlock()
	if missing {
		if err := clockfile.CreateOn(p, path, opts); err != nil {
			return nil, err
		}
	}
	return clockfile.OpenOn(p, path, opts)
}

// ended calls f and reports whether f panics because the clock has ended.
func ended(f func()) (is bool) {
	defer func() {
		if v := recover(); v != nil {
			if err, _ := v.(error); !errors.Is(err, ids.ErrEnded) {
				panic(v)
			}
			is = true
		}
	}()
	f()
	return false
}

// TestCrashes lets a process create the file, open it, raise its horizon twice and close it. This
// is done once without a fault, and then with each operation failing in each way, once or
// repeatedly. A kill or a power failure after each operation can leave several states, sector by
// sector. In each of these states, another process whose wall clock was set back continues. This is
// done without a fault, and then with a first save that cannot read the second copy. After each
// operation of both processes, each power failure must leave a file whose horizon is not before any
// ID. Every fault must be reported.
func TestCrashes(t *testing.T) {
	var left []*world
	known := map[string]bool{}
	run := func(w *world, what string, first bool, plan func(op int) outcome) (ops int) {
		bubble(t, func(t *testing.T) {
			p := &process{memory: w.memory, plan: plan, slow: time.Millisecond}
			w.shortLife(t, p, first)
			ops = p.ops
		})
		w.check(t, what)
		return ops
	}
	firstLife := func(what string, plan func(op int) outcome) int {
		w := newWorld()
		w.afterOp = func() {
			i := w.names[path]
			if i == nil {
				return
			}
			for _, after := range append(i.images(), i.clone()) {
				if id := fmt.Sprint(after.seen, after.doubt, after.dirty, w.issuedTo); !known[id] {
					known[id] = true
					next := newWorld()
					next.issuedTo = w.issuedTo
					next.names[path], next.kept[path] = after, after
					left = append(left, next)
				}
			}
		}
		return run(w, what, true, plan)
	}
	for at, ops := 0, firstLife("no fault", nil); at < ops; at++ {
		for _, o := range []outcome{fails, failsAfter} {
			for _, lots := range []int{1, ops} {
				firstLife(fmt.Sprintf("%d operations from %d on have outcome %d", lots, at, o), func(op int) outcome {
					if op >= at && op < at+lots {
						return o
					}
					return works
				})
			}
		}
	}
	for i, state := range left {
		for _, unread := range []int{-1, 6} { // none, or the second copy during the first save
			w, file := newWorld(), state.names[path].clone()
			w.issuedTo, w.names[path], w.kept[path] = state.issuedTo, file, file
			run(w, fmt.Sprintf("state %d, operation %d fails", i, unread), false, func(op int) outcome {
				if op == unread {
					return fails
				}
				return works
			})
		}
	}
	t.Logf("%d states", len(left))
	if len(left) < 400 {
		t.Error("so few states prove little")
	}
}

// shortLife generates IDs up to the horizon, up to the horizon again after it was raised, and up to
// the end that Close saves.
func (w *world) shortLife(t *testing.T, p *process, first bool) {
	wall, before := newWallClock(), w.issuedTo
	if !first {
		wall.step(-time.Hour)
	}
	var told error
	f, err := w.open(p, &clockfile.Options{Owner: longOwner, Window: 100 * time.Second, ClockOptions: &ids.ClockOptions{Now: wall.now},
		Report: func(s clockfile.Status) { told = cmp.Or(told, s.Err) }})
	if (err != nil) != p.hit && !p.seen || err != nil && !strings.Contains(err.Error(), "clockfile: "+path+": ") {
		w.fail("Open: %w, with a fault: %v", err, p.hit)
	}
	if err != nil {
		return
	}
	n := mustNodeOf(t, f.Clock(), oneInATick)
	mint := func(until time.Time) {
		if first {
			wall.step(until.Sub(wall.now()) - time.Millisecond)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if s, err := n.NextContext(ctx); err == nil {
			w.record(s)
		}
		if !w.issuedTo.After(before) && !first {
			w.fail("no id is after %v", before)
		}
	}
	for range 3 {
		mint(f.Status().Horizon)
		time.Sleep(2 * time.Second) // long enough for saving a horizon
	}
	end := wall.now().Add(100 * time.Millisecond)
	mint(end)
	wall.step(time.Millisecond - 100*time.Millisecond)
	if first { // another goroutine generates an ID while Close saves
		until := f.Status().Horizon
		time.AfterFunc(2*time.Millisecond, func() {
			wall.step(until.Sub(wall.now()) - time.Millisecond)
			if s, err := n.TryNext(); err == nil {
				w.record(s)
			}
		})
	}
	told = cmp.Or(told, f.Close())
	mint(end)
	// A copy that could not be read at first is not used.
	if errors.Is(told, errFault) != p.hit && !p.seen {
		w.fail("told %v, with a fault: %v", told, p.hit)
	}
	time.Sleep(200 * time.Millisecond)
}
