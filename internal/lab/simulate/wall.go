package main

import (
	"errors"
	"math/rand/v2"
	"sync"
	"time"
)

// A wall is the wall clock of a machine: what it shows follows from the true time and from its
// faults.
type wall struct {
	world *world
	rng   *rand.Rand
	zone  *time.Location

	// Apart from what follows below, the clock showed shown at the true time anchor, and runs
	// on from there, drift billionths too fast.
	anchor, shown int64
	drift         int64

	frozen bool
	grain  int64 // the clock moves in steps of it; 0: of 1 ns
	jitter int64 // each reading is up to this much off, either way
	wild   int64 // if not 0, what every reading gives: future or past
	glitch int64 // one reading is off by this,
	in     int   // if not 0: the one that many readings from now

	broken bool // the next reading panics
	failed bool // one has, in the call in progress
	again  bool // the next reading is the latest again
	latest int64

	mu       sync.Mutex // for calls that an end wakes all at once
	readings []reading  // by the call in progress
	hold     chan bool  // if not nil, a reading is taken, and returned when it is closed
}

// A reading is what the wall clock showed when the process had run for some time, both in ns.
type reading struct{ shown, when int64 }

// maxReadings is how many readings a call may take before it is said to spin.
const maxReadings = 100_000

// errBroken is what a clock panics with, or a source of random bytes returns, that is broken.
var errBroken = errors.New("broken")

// now is a reading as the process takes it.
func (w *wall) now() time.Time {
	if w.broken {
		w.broken, w.failed = false, true
		panic(errBroken)
	}
	r := w.next()
	if w.hold != nil {
		<-w.hold
	}
	return toTime(r, w.zone)
}

// next takes a reading.
func (w *wall) next() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.world.catchUp()
	r := w.read()
	if w.again {
		r = w.latest
	}
	w.again, w.latest = false, r
	if w.readings = append(w.readings, reading{r, w.world.bubble}); len(w.readings) > maxReadings {
		panic(problem("live: one call read the clock %d times", maxReadings))
	}
	return r
}

// read returns what a reading gives.
func (w *wall) read() int64 {
	if w.wild != 0 {
		return w.wild
	}
	r := w.plain()
	if w.grain != 0 {
		r -= (r%w.grain + w.grain) % w.grain
	}
	if w.jitter != 0 {
		r += w.rng.Int64N(2*w.jitter+1) - w.jitter
	}
	if w.in > 0 {
		if to := add(r, w.glitch); w.in == 1 && to > least && to < greatest {
			r = to
		}
		w.in--
	}
	return r
}

// plain returns what the clock shows apart from grain, jitter and wild readings.
func (w *wall) plain() int64 {
	if w.frozen {
		return w.shown
	}
	passed := w.world.now - w.anchor
	if w.drift != 0 {
		passed += passed/1e9*w.drift + passed%1e9*w.drift/1e9
	}
	return w.shown + passed
}

// mend ends all faults of the clock.
func (w *wall) mend() {
	w.settle()
	w.frozen, w.drift, w.grain, w.jitter, w.wild, w.in = false, 0, 0, 0, 0, 0
}

// Readings stay between these two, for which an int64 of nanoseconds has room: the years 1700
// and 2240.
const (
	least    = -8_520_336_000 * 1e9
	greatest = 8_520_336_000 * 1e9
)

// step sets the clock by d, or the other way where there is no room for that.
func (w *wall) step(d int64) {
	w.settle()
	if to := add(w.shown, d); to < least || to > greatest {
		d = -d
	}
	w.shown += d
}

// settle makes the present the anchor, before the course of the clock changes.
func (w *wall) settle() {
	w.shown, w.anchor = w.plain(), w.world.now
}

// freeze stops the clock, or lets it go on from where it stopped.
func (w *wall) freeze(frozen bool) {
	w.settle()
	w.frozen = frozen
}

// drifts makes the clock run n billionths too fast.
func (w *wall) drifts(n int64) {
	w.settle()
	w.drift = n
}

// toTime returns a reading as a time. That of past is the zero time.
func toTime(ns int64, zone *time.Location) time.Time {
	switch ns {
	case future:
		return time.Date(30000, 1, 1, 0, 0, 0, 0, zone)
	case past:
		return time.Time{}.In(zone)
	}
	return time.Unix(0, ns).In(zone)
}

// nanos is the inverse of toTime. A time that no int64 of nanoseconds has room for is future or
// past.
func nanos(t time.Time) int64 {
	switch y := t.UTC().Year(); {
	case y > 2261:
		return future
	case y < 1678:
		return past
	}
	return t.UnixNano()
}
