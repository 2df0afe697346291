package clockfile_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/clockfile"
)

// A wallClock shows the time of the bubble, moved by offset. Bubbles begin before Twitter's epoch.
type wallClock struct {
	offset atomic.Int64
	reads  atomic.Int64
	wrong  atomic.Int64 // so many readings to come are by far too late
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

// leap is how far a wrong reading is ahead.
const leap = time.Hour

func (w *wallClock) step(d time.Duration) { w.offset.Add(int64(d)) }

// oneInATick is a layout of one id in a tick: two processes that are at one tick repeat an id.
var oneInATick = ids.SnowflakeLayout{Epoch: time.Date(2011, 1, 1, 0, 0, 0, 0, time.UTC), Tick: time.Millisecond, NodeBits: 10}

// zeros is a source of randomness without any, so that each process has the same clock sequences.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// Two owners, of which the first has a copy lie in two sectors, and the second in three.
var owner, longOwner = strings.Repeat("\xff", 100), strings.Repeat("\xff", clockfile.MaxOwner)

// A world is a machine on which processes live one after another. It knows every id of theirs.
type world struct {
	*memory
	wall   *wallClock
	rnd    *rand.Rand
	issued map[string]int // the life in which each id was issued
	life   int
	bad    error          // the first thing that went wrong
	after  sync.WaitGroup // goroutines that still mint when their file is closed
}

func newWorld(seed uint64) *world {
	return &world{memory: newMemory(), wall: newWallClock(), rnd: rand.New(rand.NewPCG(seed, 1)), issued: map[string]int{}}
}

// fail notes that something went wrong.
func (w *world) fail(format string, args ...any) {
	if w.bad == nil {
		w.bad = fmt.Errorf("life %d: "+format, append([]any{w.life}, args...)...)
	}
}

// record notes an id, unless its process ended before it could give it to anybody.
func (w *world) record(p *process, id string, at time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if p.dead {
		return
	}
	if at.After(w.issuedTo) {
		w.issuedTo = at
	}
	if err := w.covers(); err != nil {
		w.fail("%s: %w", id, err)
	}
	if before, ok := w.issued[id]; ok {
		w.fail("%s of life %d again", id, before)
	}
	w.issued[id] = w.life
}

// open opens the file as an operator does, who makes it until there is one.
func (w *world) open(p *process, opts clockfile.Options) (*clockfile.File, error) {
	w.mu.Lock()
	missing, lost := w.names[path] == nil, len(w.issued) > 0
	w.mu.Unlock()
	if missing && lost {
		w.fail("the file is lost")
	}
	if missing {
		if err := clockfile.CreateOn(p, path, &opts); err != nil {
			return nil, err
		}
	}
	return clockfile.OpenOn(p, path, &opts)
}

// ended calls f, and reports whether that panics since the clock has ended.
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

// mint has goroutines of a process issue ids, one of each kind every 10 ms, until they are told or the clock ends.
func (w *world) mint(p *process, f *clockfile.File, over *atomic.Bool) error {
	g := ids.NewGenerator(&ids.GeneratorOptions{Clock: f.Clock(), NodeID: [6]byte{3}, Random: zeros{}})
	n, err := ids.NewSnowflakeNode(7, &ids.SnowflakeOptions{Clock: f.Clock(), Layout: oneInATick})
	if err != nil {
		return err
	}
	uuid := func(u ids.UUID) (string, time.Time) {
		at, _ := u.Time()
		return u.String(), at
	}
	kinds := []func() (string, time.Time){
		func() (string, time.Time) { return uuid(g.NewV1()) },
		func() (string, time.Time) { return uuid(g.NewV6()) },
		func() (string, time.Time) {
			s := n.Next()
			return s.String(), oneInATick.Split(s).Time
		},
	}
	for _, mint := range kinds {
		w.after.Go(func() {
			ended(func() {
				for !over.Load() {
					id, at := mint()
					w.record(p, id, at)
					time.Sleep(10 * time.Millisecond)
				}
			})
		})
	}
	return nil
}

// live has one process issue ids, and reports what it has surfaced of its
// faults. It closes its file after a while, and its goroutines go on beside the next life.
func (w *world) live(p *process, lasts time.Duration) (surfaced bool) {
	w.mu.Lock() // goroutines of the life before still record ids
	w.life++
	w.mu.Unlock()
	w.wall.step(time.Duration(w.rnd.Int64N(int64(70*time.Minute))) - time.Hour)
	var reports []error
	opts := clockfile.Options{Owner: owner, Window: time.Second, ClockOptions: &ids.ClockOptions{Now: w.wall.now},
		Report: func(s clockfile.Status) {
			err := s.Err
			if (err == nil) != (len(reports)%2 == 1) {
				w.fail("report %d is %v", len(reports), err)
			}
			reports = append(reports, err)
		}}
	known := func(err error) bool {
		return err == nil || (errors.Is(err, errFault) || errors.Is(err, errDead)) && strings.Contains(err.Error(), path) &&
			!errors.Is(err, fs.ErrExist) && !errors.Is(err, fs.ErrNotExist) // it is neither there nor missing
	}
	f, err := w.open(p, opts)
	if !known(err) {
		w.fail("Open: %w", err)
	}
	if err != nil {
		return true
	}
	var over atomic.Bool
	if err := w.mint(p, f, &over); err != nil {
		w.fail("%w", err)
		f.Close()
		return true
	}
	time.Sleep(lasts)
	err = f.Close()
	if !known(err) {
		w.fail("Close: %w", err)
	}
	if again := f.Close(); !errors.Is(again, err) {
		w.fail("Close returns %v, and then %v", err, again)
	}
	w.after.Go(func() {
		time.Sleep(150 * time.Millisecond) // past the end that Close saves
		over.Store(true)
	})
	for _, r := range reports {
		if !known(r) {
			w.fail("report: %w", r)
		}
	}
	return err != nil || len(reports) > 0
}

// TestCrashes has a process make the file, open it, raise its horizon twice and close it, without a fault, and with each of
// its operations failing in each way, once or more often. In each state that a kill or a power failure may leave after each
// operation, sector by sector, another process goes on, whose wall clock was set back. After each operation of both, each
// power failure leaves a file whose horizon is not before any id.
func TestCrashes(t *testing.T) {
	var left []*world
	known := map[string]bool{}
	run := func(w *world, what string, plan func(op int) outcome) (ops int) {
		synctest.Test(t, func(t *testing.T) {
			p := &process{memory: w.memory, plan: plan}
			w.shortLife(t, p)
			ops = p.ops
		})
		if w.bad != nil || len(w.wrong) > 0 {
			t.Fatalf("%s: %v, %v", what, w.bad, w.wrong)
		}
		return ops
	}
	firstLife := func(what string, plan func(op int) outcome) int {
		var listed time.Time
		w := newWorld(0)
		w.life = 1
		w.afterOp = func() {
			i := w.names[path]
			if i == nil || i.listed && w.issuedTo.Equal(listed) {
				return
			}
			i.listed, listed = true, w.issuedTo
			for _, after := range append(i.images(), i.clone()) {
				if id := fmt.Sprint(after.seen, after.doubt, after.dirty, w.issuedTo); !known[id] {
					known[id] = true
					next := newWorld(0)
					next.life, next.issuedTo = 2, w.issuedTo
					next.names[path], next.kept[path] = after, after
					left = append(left, next)
				}
			}
		}
		return run(w, what, plan)
	}
	lives := 1
	for at, ops := 0, firstLife("no fault", nil); at < ops; at++ {
		for _, o := range []outcome{fails, failsAfter} {
			for _, lots := range []int{1, 2, 3, ops} {
				firstLife(fmt.Sprintf("%d operations from %d on have outcome %d", lots, at, o), func(op int) outcome {
					if op >= at && op < at+lots {
						return o
					}
					return works
				})
				lives++
			}
		}
	}
	for i, w := range left {
		run(w, fmt.Sprintf("state %d", i), nil)
	}
	t.Logf("%d lives leave %d states", lives, len(left))
	if lives < 200 || len(left) < 500 {
		t.Errorf("only %d lives leave %d states", lives, len(left))
	}
}

// shortLife mints up to the horizon, again when that was raised, and up to the end that Close saves.
func (w *world) shortLife(t *testing.T, p *process) {
	wall, before := newWallClock(), w.issuedTo
	if w.life > 1 {
		wall.step(-time.Hour)
	}
	f, err := w.open(p, clockfile.Options{Owner: longOwner, Window: 100 * time.Second, ClockOptions: &ids.ClockOptions{Now: wall.now}})
	if err != nil && w.life > 1 {
		w.fail("Open: %w", err)
	}
	if err != nil {
		return
	}
	n := mustNodeOf(t, f.Clock(), oneInATick)
	mint := func(until time.Time) {
		if w.life == 1 {
			wall.step(until.Sub(wall.now()) - time.Millisecond)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if s, err := n.NextContext(ctx); err == nil {
			w.record(p, fmt.Sprint(s), oneInATick.Split(s).Time)
		}
		if !w.issuedTo.After(before) && w.life > 1 {
			w.fail("no id is after %v", before)
		}
	}
	for range 3 {
		mint(f.Status().Horizon)
		time.Sleep(2 * time.Second) // a horizon is saved
	}
	end := wall.now().Add(100 * time.Millisecond)
	mint(end)
	wall.step(time.Millisecond - 100*time.Millisecond)
	f.Close()
	mint(end)
	time.Sleep(200 * time.Millisecond)
}

// TestFaults has operations of a process fail, once and from then on, and kills the process in
// each, with and without a power failure. Each life starts with another time on its wall clock. No
// id is issued twice, no state is lost, and no fault is concealed.
func TestFaults(t *testing.T) {
	const lasts = 1200 * time.Millisecond // at least two renewals
	step := 3                             // every third operation
	if testing.Short() {
		step = 12
	}
	const always = math.MaxInt / 2
	for name, fault := range map[string]struct {
		what outcome
		lots int     // of operations in a row that do not work
		then outcome // of the third operation after those
	}{
		"fails once":                                   {fails, 1, works},
		"fails once, with effect":                      {failsAfter, 1, works},
		"fails from then on":                           {fails, always, works},
		"fails from then on, with effect":              {failsAfter, always, works},
		"fails for a while":                            {fails, 20, works},
		"fails with effect, and the next save without": {failsAfter, 1, fails},
		"killed":             {killed, 1, works},
		"power lost":         {powerLost, 1, works},
		"power flicks":       {powerFlicks, 1, works},
		"power flicks again": {powerFlicks, 1, works},
	} {
		plan := func(op, at int) outcome {
			switch {
			case op >= at && op < at+fault.lots:
				return fault.what
			case op == at+fault.lots+2:
				return fault.then
			}
			return works
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			places, hits := 0, 0
			for at := 0; ; at += step {
				more := true
				synctest.Test(t, func(t *testing.T) {
					seed := uint64(at)
					for _, c := range name {
						seed = seed*31 + uint64(c)
					}
					w := newWorld(seed)
					run := func(plan func(op int) outcome) (hit bool) {
						p := &process{memory: w.memory, rnd: w.rnd, slow: time.Millisecond, plan: plan, looks: true}
						if surfaced := w.live(p, lasts); p.hit && !surfaced || surfaced && !p.hit && !p.seen {
							w.fail("after %d operations, a fault was hit: %v; it surfaced: %v", p.ops, p.hit, surfaced)
						}
						if p.hit || p.seen {
							hits++
						}
						return p.hit || p.seen
					}
					planned := func(op int) outcome { return plan(op, at) }
					more = run(planned) // the first start
					run(planned)        // with a clock that is set back, as a rule
					late := at + w.rnd.IntN(300)
					run(func(op int) outcome { return plan(op, late) })
					run(nil)
					w.after.Wait()
					if w.bad == nil && len(w.wrong) > 0 {
						w.fail("%v", w.wrong)
					}
					if w.bad != nil {
						t.Errorf("at operation %d: %v", at, w.bad)
					}
					if len(w.issued) < 250 {
						t.Errorf("at operation %d: only %d ids", at, len(w.issued))
					}
				})
				if t.Failed() {
					return
				}
				if !more {
					break
				}
				places += step
			}
			if places < 25 || hits < places/step {
				t.Errorf("only %d operations, and %d processes with a fault in them", places, hits)
			}
		})
	}
}
