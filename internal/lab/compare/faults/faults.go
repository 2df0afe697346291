// Package faults does to the clock of each library what can be done to it from
// outside, and counts what comes of it. What the libraries make of bad text is compared by the tests of
// package compare.
//
// Clocks are clocks of testing/synctest: in a bubble all that reads the time reads the bubble's,
// which begins at a fixed instant and moves only while all sleep. A second bubble after the
// first is a wall clock that was set back, for every library that reads one. Each measurement
// runs in a process of its own, since some libraries keep their state in package variables, and
// some never return.
package faults

import (
	"testing"
	"time"
)

// An Outcome is what one kind of id came to under a fault.
type Outcome struct {
	Kind string // of id

	// Of ids that were minted:
	IDs        int
	Duplicates int
	Disorder   int           // how often an id was not greater than the one before it
	Wait       time.Duration // the longest call
	Astray     time.Duration // the furthest that an embedded time was from the clock's

	Hangs bool // no end came in time
}

// A probe measures one kind of id of one library under one fault.
type probe struct {
	kind string
	run  func(t *testing.T, n int) Outcome
}

// A fault is a row of the table.
type fault struct {
	name, title string

	// probes returns the measurements of a library, and without is what the table says where
	// there is none.
	probes  func(l *library) []probe
	without string
}

const (
	notPossible = "not possible to inject"
	noState     = "there is no state to save"
)

// all are the faults, in the order of the table.
var all = []fault{
	{"back1ms", "the clock is set back by 1 ms", minting(steps(time.Millisecond), library.readsWallClock), notPossible},
	{"back1h", "the clock is set back by 1 hour", minting(steps(time.Hour), library.readsWallClock), notPossible},
	{"still", "the clock stands still", minting(still, library.toleratesStill), notPossible},
	{"burst", "more ids are asked for than a tick holds", minting(burst, nil), notPossible},
	{"restart", "the process restarts 200 times, and the clock is set back each time", minting(restart(false), nil), notPossible},
	{"saved", "the same, and each process saves its state for the next", minting(restart(true), library.savesState), noState},
	{"bubble", "four goroutines mint in a `testing/synctest` bubble", minting(bubble, nil), notPossible},
}

// minting returns probes that put each kind of id of a library through a scenario, if the
// library allows it.
func minting(scenario func(*testing.T, *recorder, int), allows func(library) bool) func(*library) []probe {
	return func(l *library) []probe {
		if allows != nil && !allows(*l) {
			return nil
		}
		var probes []probe
		for _, k := range l.kinds {
			probes = append(probes, probe{k.name, func(t *testing.T, n int) Outcome {
				r := &recorder{Outcome: Outcome{Kind: k.name}, kind: k, seen: make(map[id]struct{}, n)}
				scenario(t, r, n)
				return r.Outcome
			}})
		}
		return probes
	}
}
