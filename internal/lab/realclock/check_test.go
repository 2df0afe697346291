//go:build linux && (amd64 || arm64)

package realclock_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/oneclock/ids/internal/lab/realclock"
)

// A busy machine may stop any thread between any two instructions, for seconds. So nothing is
// judged by how long it took. A reading of the clock says itself in which phase it was taken, an id
// lies between two readings, and the length of a call is counted in naps of another goroutine.

const (
	tolerance  = 10 * time.Second      // the library's default
	maxAhead   = 10 * time.Millisecond // the library's default
	maxWait    = 20 * time.Millisecond // the longest wait that it promises
	anchorLife = time.Millisecond      // how long it uses a reading of the clock

	// mostNaps is how many naps of maxWait another goroutine can take, one after the other, during a
	// call that waits for at most maxWait. One or two, but for the order in which a busy machine lets
	// them go on: beside eight busy loops there were up to 11.
	mostNaps = 50

	// jitter is how far a clock goes back within a phase. It is less than maxAhead, so no scheme
	// follows it.
	jitter = 4 * time.Millisecond

	// blur is how far a time may be off: by jitter, by a tick of 1 ms, and by the age of a reading on
	// a clock that runs at half or double speed.
	blur = jitter + 2*time.Millisecond
)

// A lap is so many rounds of each worker, one of the worker that mints runs, and then a few more, so
// that the clock is moved in the midst of a run and not at its end. The end of the round that ends
// it is brief, so that ids on which a tolerance depends are not old when the clock is moved.
const (
	lapRounds = 10
	lapMore   = 8 // on average
	brief     = 450 * time.Millisecond
)

// order says when the ids of a scheme ascend.
type order int

const (
	never    order = iota
	tolerant       // unless the clock steps back by more than the tolerance
	always         // whatever it does
)

// manyAtOnce is how many ids in a row a worker takes of a scheme that always ascends, to fill
// ticks.
const manyAtOnce = 40

// runLen is how many ids a run has: enough for version 7 to fill several ticks.
const runLen = 100_000

// A scheme is something that mints ids.
type scheme struct {
	name  string
	order order
	epoch time.Time // the first time that it can name
	next  func() (key [16]byte, at time.Time)
	run   func() (ascends bool) // mints runLen ids at once; nil if the scheme has none
}

// naps is how many naps of maxWait a goroutine of the process has taken, which reads the clock
// after each.
var naps atomic.Int64

// An observer reads the clock for all workers, one at a time, and remembers what it did.
type observer struct {
	schemes []scheme
	began   time.Duration

	mu sync.Mutex // guards all that follows
	reading
	rounds []*round // in progress, or ended so late that their readings may still be in use
	lap    []int    // by worker: rounds in this lap
	seen   []map[[16]byte]bool
	report
}

// A reading is one reading of the clock and what was known with it. Times of the monotonic clock
// are as package realclock has them.
type reading struct {
	wall  time.Time     // without its monotonic part
	mono  time.Duration // after it
	phase int
	turns int       // how often the wall clock stepped back by more than the tolerance
	high  time.Time // the highest wall time since the latest of those

	// Even clocks, by what they show at zero of the monotonic clock, that no reading was ahead of,
	// since the latest turn and ever: ids may be as far, even if the wall clock was set back or
	// stood still, for they may take a tick for each that passes.
	even, ever time.Time
}

// A round is what a worker does between two readings.
type round struct {
	reading
	low   time.Time     // the earliest that the library may still have read
	whole bool          // the clock has not been moved since then
	fresh time.Duration // when the ids on which a tolerance depends began to be minted
	ended time.Duration // 0 in progress
}

// A sample is a reading of the clock that took from Mono to After.
type sample struct {
	Mono, After time.Duration
	Wall        time.Time
}

// A report is what one process found.
type report struct {
	Skip       string // why the process could not begin
	IDs        map[string]int
	Samples    []sample
	Naps       int64             // during one call at the most
	Compared   map[int]int       // times that were compared with the wall clock, by phase
	Runs       map[string]int    // of runLen ids each
	Violations map[string]string // by scheme and kind, the first
}

// read reads the clock. The caller holds the mutex.
func (o *observer) read() reading {
	mono := realclock.Monotonic()
	o.wall = time.Now().Round(0)
	o.reading.mono = realclock.Monotonic()
	o.phase = realclock.PhaseOf(o.wall)
	even := o.wall.Add(-mono)
	if o.wall.Before(o.high.Add(-tolerance)) {
		o.turns++
		o.high, o.even = o.wall, even
	}
	if o.wall.After(o.high) {
		o.high = o.wall
	}
	if even.After(o.even) {
		o.even = even
	}
	if even.After(o.ever) {
		o.ever = even
	}
	if n := len(o.Samples); n == 0 || mono-o.Samples[n-1].Mono > time.Millisecond {
		o.Samples = append(o.Samples, sample{mono, o.reading.mono, o.wall})
	}
	return o.reading
}

// begin begins a round.
func (o *observer) begin() *round {
	o.mu.Lock()
	defer o.mu.Unlock()
	r := &round{reading: o.read(), whole: true}
	o.rounds = append(slices.DeleteFunc(o.rounds, func(p *round) bool {
		return p.ended != 0 && p.ended < r.mono-anchorLife
	}), r)
	r.low = r.wall
	for _, p := range o.rounds {
		r.whole = r.whole && p.phase == r.phase
		if p.wall.Before(r.low) {
			r.low = p.wall
		}
	}
	return r
}

// end ends a round of a worker. If it ends a lap, its reading may be the last before the clock is
// moved.
func (o *observer) end(r *round, worker int) reading {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.lap[worker]++
	if o.lapEnds(r, worker) {
		clear(o.lap)
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		realclock.Lap()
	}
	after := o.read()
	r.ended = after.mono
	return after
}

// lapEnds reports whether a lap ends with a round.
func (o *observer) lapEnds(r *round, worker int) bool {
	runs := len(o.lap) - 1 // the worker that mints runs
	return worker != runs && o.lap[runs] > 0 && slices.Min(o.lap[:runs]) >= lapRounds && rand.IntN(lapMore) == 0 &&
		realclock.Monotonic()-r.fresh < brief
}

// violate reports what a scheme did wrong. The caller holds the mutex.
func (o *observer) violate(s scheme, kind, format string, args ...any) {
	if what := s.name + " " + kind; o.Violations[what] == "" {
		o.Violations[what] = fmt.Sprintf(format, args...)
	}
}

// A worker mints ids of every scheme in turn.
type worker struct {
	*observer
	number int
	lanes  []lane // of the schemes
}

// A lane is what a worker has seen of a scheme.
type lane struct {
	key   [16]byte // the latest
	any   bool     // there is one
	turns int      // the observer's that the scheme has answered
}

// An id is one, and how its call went.
type id struct {
	key  [16]byte
	at   time.Time
	took time.Duration
	naps int64
}

// round mints between two readings and checks what it got. A step back is longer than the tolerance
// if it is so for the latest id, which is the highest reading only if the clock has just been read:
// so what has a tolerance is minted last.
func (w *worker) round() {
	before := w.begin()
	minted := make([][]id, len(w.schemes))
	for i, s := range w.schemes {
		if s.order == tolerant && before.fresh == 0 {
			before.fresh = realclock.Monotonic()
		}
		count := 1
		if s.order == always {
			count = manyAtOnce
		}
		for range count {
			began, napped := realclock.Monotonic(), naps.Load()
			key, at := s.next()
			minted[i] = append(minted[i], id{key, at, realclock.Monotonic() - began, naps.Load() - napped})
		}
	}
	after := w.end(before, w.number)
	w.mu.Lock()
	defer w.mu.Unlock()
	still := before.whole && before.phase == after.phase // the clock was not moved
	for i, s := range w.schemes {
		l := &w.lanes[i]
		for _, x := range minted[i] {
			w.check(s, l, x, after)
			if w.seen[i][x.key] {
				w.violate(s, "duplicate", "%x", x.key)
			}
			w.seen[i][x.key] = true
			if still {
				w.compare(s, x.at, before.low, after)
			}
		}
		w.IDs[s.name] += len(minted[i])
		if still {
			l.turns = after.turns
		}
	}
}

// check checks the length of a call and the order. At a long step back one id may be lower than its
// predecessor.
func (w *worker) check(s scheme, l *lane, x id, after reading) {
	w.Naps = max(w.Naps, x.naps)
	if x.naps > mostNaps {
		w.violate(s, "wait", "%v, in which another goroutine slept %d times for %v", x.took, x.naps, maxWait)
	}
	if s.order != never && l.any && bytes.Compare(l.key[:], x.key[:]) >= 0 {
		if s.order == always || l.turns == after.turns {
			w.violate(s, "order", "%x then %x at %v", l.key, x.key, after.wall)
		}
		l.turns = after.turns
	}
	l.key, l.any = x.key, true
}

// compare checks a time in an id of a clock that was not moved meanwhile.
func (w *worker) compare(s scheme, at, low time.Time, after reading) {
	latest := after.wall // that may have been issued, or that the scheme can name
	switch s.order {
	case tolerant:
		latest = after.even.Add(after.mono)
	case always:
		latest = after.ever.Add(after.mono)
	}
	if s.epoch.After(latest) {
		latest = s.epoch.Add(after.mono - w.began)
	}
	if at.Before(low.Add(-blur)) || at.After(latest.Add(maxAhead+blur)) {
		w.violate(s, "untrue", "%v in an id of %v to %v", at, low, latest)
	}
	w.Compared[after.phase]++
}

// runs mints runs, which must ascend whatever the clock does meanwhile.
func (w *worker) runs() {
	before := w.begin()
	for _, s := range w.schemes {
		if s.run == nil {
			continue
		}
		ascends := s.run()
		w.mu.Lock()
		if !ascends {
			w.violate(s, "run", "does not ascend, at %v", w.wall)
		}
		w.Runs[s.name]++
		w.mu.Unlock()
	}
	w.end(before, w.number)
}

// work runs workers that share an observer, and one more for runs, until done says of the report
// that it is enough.
func work(schemes []scheme, workers int, done func(*report) bool) report {
	o := &observer{schemes: schemes, began: realclock.Monotonic(), lap: make([]int, workers+1)}
	o.report = report{IDs: map[string]int{}, Compared: map[int]int{}, Runs: map[string]int{}, Violations: map[string]string{}}
	for range schemes {
		o.seen = append(o.seen, map[[16]byte]bool{})
	}
	enough := func() bool {
		o.mu.Lock()
		defer o.mu.Unlock()
		return done(&o.report)
	}
	var all sync.WaitGroup
	for i := range workers + 1 {
		w := &worker{observer: o, number: i, lanes: make([]lane, len(schemes))}
		mint := w.round
		if i == workers {
			mint = w.runs
		}
		all.Go(func() {
			for !enough() {
				mint()
			}
		})
	}
	all.Go(func() {
		for !enough() {
			time.Sleep(maxWait)
			_ = time.Now() // as a call does
			naps.Add(1)
		}
	})
	all.Wait()
	return o.report
}
