//go:build linux && (amd64 || arm64)

package realclock_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"sync"
	"time"
)

const (
	tolerance = 10 * time.Second      // the library's default
	maxAhead  = 10 * time.Millisecond // the library's default
	maxWait   = 20 * time.Millisecond // the longest wait that it promises

	// slack is for a busy machine, which may stop a thread between any two instructions.
	// Every step that the checks must tell from it is longer.
	slack = 500 * time.Millisecond

	// unevenness is how far the wall clock and the monotonic clock may part between two
	// readings of an even clock. Less than maxAhead is jitter, which no scheme follows.
	unevenness = 5 * time.Millisecond

	// settling is how long after an uneven reading times are not compared: the library may have
	// read the clock before it and been stopped since.
	settling = 100 * time.Millisecond
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
const runLen = 200_000

// A scheme is something that mints ids.
type scheme struct {
	name  string
	order order
	epoch time.Time // the first time that it can name
	next  func() (key [16]byte, at time.Time)
	run   func() (ascends bool) // mints runLen ids at once; nil if the scheme has none
}

// An observer reads the clock for all workers, one at a time, and remembers what it did.
type observer struct {
	start time.Time
	mu    sync.Mutex
	reading
	steps []time.Duration
}

// A reading is one reading of the clock and what was known with it.
type reading struct {
	wall   time.Time     // without its monotonic part
	mono   time.Duration // since the start
	turns  int           // how often the wall clock stepped back by more than the tolerance
	high   time.Time     // the highest wall time since the latest of those
	ever   time.Time     // the highest wall time
	uneven time.Duration // when the clock last did not run evenly
	steady bool          // that is a while ago
}

// now reads the clock. Its wall time and its monotonic time are two readings, so it tries again
// when the thread was stopped between them.
func (o *observer) now() (now time.Time) {
	for range 20 {
		began := time.Since(o.start)
		now = time.Now()
		if time.Since(o.start)-began < unevenness/2 {
			break
		}
	}
	return now
}

func (o *observer) read() reading {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := o.now()
	wall, mono := now.Round(0), now.Sub(o.start)
	if uneven := wall.Sub(o.wall) - (mono - o.mono); uneven.Abs() > unevenness {
		o.uneven = mono
		if uneven.Abs() > slack && !o.wall.IsZero() {
			o.steps = append(o.steps, uneven)
		}
	}
	if o.wall, o.mono = wall, mono; wall.Before(o.high.Add(-tolerance)) {
		o.turns++
		o.high = wall
	}
	if wall.After(o.high) {
		o.high = wall
	}
	if wall.After(o.ever) {
		o.ever = wall
	}
	o.steady = mono-o.uneven > settling
	return o.reading
}

// A report is what one process found.
type report struct {
	Skip       string        // why the process could not begin
	Wall       time.Time     // at its beginning
	Monotonic  time.Duration // CLOCK_MONOTONIC at its beginning
	IDs        map[string]int
	Steps      []time.Duration          // steps of the wall clock by more than slack
	Longest    map[string]time.Duration // calls
	Compared   int                      // times that were compared with the wall clock
	Near       int                      // of these, the ones that the promise allows without slack
	Runs       map[string]int           // of runLen ids each
	Violations map[string]string        // by scheme and kind, the first
}

// A worker mints ids of every scheme in turn.
type worker struct {
	*observer
	schemes []scheme
	lanes   []lane // of the schemes
	report
}

// A lane is what a worker has seen of a scheme.
type lane struct {
	keys  [][16]byte
	turns int // the observer's that the scheme has answered
}

// round mints between two readings and checks what it got.
func (w *worker) round() {
	before := w.read()
	first := make([]int, len(w.schemes))
	times := make([][]time.Time, len(w.schemes))
	for i, s := range w.schemes {
		first[i] = len(w.lanes[i].keys)
		count := 1
		if s.order == always {
			count = manyAtOnce
		}
		for range count {
			began := time.Since(w.start)
			key, at := s.next()
			took := time.Since(w.start) - began
			w.Longest[s.name] = max(w.Longest[s.name], took)
			if took > maxWait+slack {
				w.violate(s, "wait", "%v", took)
			}
			w.lanes[i].keys = append(w.lanes[i].keys, key)
			times[i] = append(times[i], at)
		}
	}
	after := w.read()
	for i, s := range w.schemes {
		w.ascends(s, &w.lanes[i], first[i], after)
		if before.steady && after.steady && before.uneven == after.uneven { // this may have taken long
			w.lanes[i].turns = after.turns
			for _, at := range times[i] {
				w.compare(s, at, before, after)
			}
		}
	}
}

// ascends checks the order of the keys from first on. At a long step back one may be lower than
// its predecessor.
func (w *worker) ascends(s scheme, l *lane, first int, after reading) {
	for i := max(first, 1); s.order != never && i < len(l.keys); i++ {
		if bytes.Compare(l.keys[i-1][:], l.keys[i][:]) < 0 {
			continue
		}
		if s.order == always || l.turns == after.turns {
			w.violate(s, "order", "%x then %x at %v", l.keys[i-1], l.keys[i], after.wall)
		}
		l.turns = after.turns
	}
}

// compare checks a time in an id that was minted between two readings of a clock that ran evenly.
func (w *worker) compare(s scheme, at time.Time, before, after reading) {
	latest := after.wall // that may have been issued, or that the scheme can name
	switch s.order {
	case tolerant:
		latest = after.high
	case always:
		latest = after.ever
	}
	if s.epoch.After(latest) {
		latest = s.epoch
	}
	if at.Before(before.wall.Add(-slack)) || at.After(latest.Add(maxAhead+slack)) {
		w.violate(s, "untrue", "%v in an id of %v to %v", at, before.wall, after.wall)
	}
	if latest.Equal(after.wall) {
		w.Compared++
		// 1 ms may be lost to the length of a tick, and the library may take 1 ms to see a change.
		if !at.Before(before.wall.Add(-unevenness-2*time.Millisecond)) && !at.After(latest.Add(maxAhead+time.Millisecond)) {
			w.Near++
		}
	}
}

// runs mints runs, which must ascend whatever the clock does meanwhile.
func (w *worker) runs() {
	for _, s := range w.schemes {
		if s.run == nil {
			continue
		}
		if !s.run() {
			w.violate(s, "run", "does not ascend, at %v", w.read().wall)
		}
		w.Runs[s.name]++
	}
}

// violate reports what a scheme did wrong.
func (w *worker) violate(s scheme, kind, format string, args ...any) {
	if what := s.name + " " + kind; w.Violations[what] == "" {
		w.Violations[what] = fmt.Sprintf(format, args...)
	}
}

// work runs workers that share an observer until ctx ends, and one more for runs.
func work(ctx context.Context, schemes []scheme, workers int) report {
	o := &observer{start: time.Now()}
	all := make([]*worker, workers+1)
	var wg sync.WaitGroup
	for i := range all {
		w := &worker{observer: o, schemes: schemes, lanes: make([]lane, len(schemes))}
		w.Longest, w.Violations, w.Runs = map[string]time.Duration{}, map[string]string{}, map[string]int{}
		all[i] = w
		mint := w.round
		if i == workers {
			mint = w.runs
		}
		wg.Go(func() {
			for ctx.Err() == nil {
				mint()
			}
		})
	}
	wg.Wait()
	sum := all[0].report
	sum.IDs, sum.Steps = map[string]int{}, o.steps
	for _, w := range all[1:] {
		sum.Compared += w.Compared
		sum.Near += w.Near
		maps.Copy(sum.Violations, w.Violations)
		maps.Copy(sum.Runs, w.Runs)
		for name, longest := range w.Longest {
			sum.Longest[name] = max(sum.Longest[name], longest)
		}
	}
	for i, s := range schemes {
		seen := map[[16]byte]bool{}
		for _, w := range all {
			for _, key := range w.lanes[i].keys {
				if seen[key] {
					w.violate(s, "duplicate", "%x", key)
					maps.Copy(sum.Violations, w.Violations)
				}
				seen[key] = true
			}
		}
		sum.IDs[s.name] = len(seen)
	}
	return sum
}
