package main

import (
	"math/rand/v2"
	"sync"
	"time"
)

// A wall is the wall clock of a machine: what it shows follows from the true time and from its
// faults.
type wall struct {
	world *world
	rng   *rand.Rand

	// Apart from what follows below, the clock showed shown at the true time anchor, and runs
	// on from there, drift billionths too fast: it stops at -1e9.
	anchor, shown int64
	drift         int64

	grain  int64 // the clock moves in steps of it; 0: of 1 ns
	jitter int64 // each reading is up to this much off, either way

	mu       sync.Mutex // for calls that an end wakes all at once
	readings []reading  // by the call in progress
	hold     chan bool  // if not nil, a reading is taken, and returned when it is closed
}

// A reading is what the wall clock showed when the process had run for some time, both in ns.
type reading struct{ shown, when int64 }

// maxReadings is how many readings a call may take before it is said to spin.
const maxReadings = 100_000

// now is a reading as the process takes it.
func (w *wall) now() time.Time {
	r := w.read()
	if w.hold != nil {
		<-w.hold
	}
	return toTime(r)
}

// read takes a reading.
func (w *wall) read() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	r := w.plain()
	if w.grain != 0 {
		r -= r % w.grain
	}
	if w.jitter != 0 {
		r += w.rng.Int64N(2*w.jitter+1) - w.jitter
	}
	if w.readings = append(w.readings, reading{r, w.world.run()}); len(w.readings) > maxReadings {
		panic(problem("live: one call read the clock %d times", maxReadings))
	}
	return r
}

// forget begins the readings of a call.
func (w *wall) forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.readings = w.readings[:0]
}

// taken returns how many readings the call in progress has taken.
func (w *wall) taken() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.readings)
}

// plain returns what the clock shows apart from grain and jitter.
func (w *wall) plain() int64 {
	passed := w.world.now() - w.anchor
	return w.shown + passed + passed/1e9*w.drift + passed%1e9*w.drift/1e9
}

// Clocks are set to times between these two, which all formats have.
var (
	least    = time.Date(2017, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano()
	greatest = time.Date(2037, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano()
)

// step sets the clock by d, or the other way where there is no room for that.
func (w *wall) step(d int64) {
	w.settle()
	if to := w.shown + d; to < least || to > greatest {
		d = -d
	}
	w.shown += d
}

// settle makes the present the anchor, before the course of the clock changes.
func (w *wall) settle() {
	w.shown, w.anchor = w.plain(), w.world.now()
}

// drifts makes the clock run n billionths too fast.
func (w *wall) drifts(n int64) {
	w.settle()
	w.drift = n
}

// none is the zero time, in nanoseconds. Others are since 1970.
const none = 0

func toTime(ns int64) time.Time {
	if ns == none {
		return time.Time{}
	}
	return time.Unix(0, ns).UTC()
}

// nanos is the inverse of toTime.
func nanos(t time.Time) int64 {
	if t.IsZero() {
		return none
	}
	return t.UnixNano()
}
