package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/oneclock/ids/internal/lab/markdown"
)

// TestSweep plays scenarios of seeds that are always the same, and of some that are new each time.
func TestSweep(t *testing.T) {
	want := int64(1_500_000)
	if testing.Short() {
		want /= 10
	}
	for _, seed := range []uint64{1, rand.Uint64()} {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			var log strings.Builder
			s := &sweep{want: want, seed: seed, make: newLibrary, log: &log}
			s.work(t)
			if s.failed.Load() {
				t.Fatal(log.String())
			}
			t.Logf("first seed %d\n%s", seed, s.total.table())
		})
	}
}

// found are seeds of scenarios in which the judge, or a wrong implementation of the rule, was wrong
// at first.
var found = []uint64{
	16,                  // a reading past the end of a format, behind what was issued
	42,                  // a step back of more than 292 years
	49,                  // a clock that is set back and forward by MaxAhead
	169,                 // a coarse clock
	301,                 // a reading before the epoch
	2893984338439698474, // a run up to the end of a format
	9063577472092914270, // readings of the year 1
	104883263909957435,  // a long run on a clock that moves in steps of 50 ms
	// Version 1 goes above all its ids when all clock sequences have been used, which takes no ticks.
	13189087852183122093,
}

// long skips a test under -short, which the race detector is run with: it has one goroutine, and would
// take minutes there.
func long(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long with the race detector, and has one goroutine")
	}
}

// TestSameSeed plays the scenarios of found twice, the second time beside others.
func TestSameSeed(t *testing.T) {
	long(t)
	first := make([]stats, len(found))
	for i, seed := range found {
		if v := play(t, newPlan(seed), newLibrary, &first[i]); v != nil {
			t.Fatal(v.text)
		}
		if i > 0 && first[i].digest == first[i-1].digest {
			t.Errorf("seeds %d and %d give the same ids", found[i-1], seed)
		}
	}
	for i, seed := range found {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			var again stats
			play(t, newPlan(seed), newLibrary, &again)
			if again != first[i] {
				t.Errorf("seed %d gives different runs:\n%+v\n%+v", seed, first[i], again)
			}
		})
	}
}

// TestEveryFault shows that plans hold every kind of event, so that the sweep has tried it.
func TestEveryFault(t *testing.T) {
	long(t)
	var seen [actions]bool
	for seed := range uint64(300) {
		p := newPlan(seed)
		for _, e := range p.events {
			seen[e.action] = true
			if strings.Contains(e.text(p), "{") {
				t.Fatalf("event %+v: %s", e, e.text(p))
			}
		}
	}
	for a, ok := range seen {
		if !ok {
			t.Errorf("no plan has: %s", texts[a][0])
		}
	}
}

// TestSweepEnds shows that a sweep ends with its number of ids or at the first broken promise,
// and what it reports then.
func TestSweepEnds(t *testing.T) {
	var log strings.Builder
	s := &sweep{want: 50_000, seed: 7, make: newLibrary, log: &log}
	s.work(t)
	if n := s.minted.Load(); n < s.want || s.failed.Load() || log.Len() > 0 {
		t.Errorf("minted %d, failed %v: %s", n, s.failed.Load(), &log)
	}
	table := s.total.table()
	for _, row := range []string{"| ids | " + markdown.Grouped(s.total.total()) + " |", "| duplicates · inversions · other broken promises | 0 · 0 · 0 |"} {
		if !strings.Contains(table, row+"\n") {
			t.Errorf("no row %q in\n%s", row, table)
		}
	}

	var calls atomic.Int64
	bad := &sweep{want: 1 << 60, seed: 7, log: &log, make: flawedBy(func(_ *boot, f *flawed) {
		f.nextID = func(stream int) key {
			x := f.process.next(stream)
			if calls.Add(1) > 1000 {
				x = key{}
			}
			return x
		}
	})}
	bad.work(t)
	for _, part := range []string{"simulate: seed ", "the shortest history found:\n", "\n  1. machine 0: mint ", " -ids 1 -seed "} {
		if !strings.Contains(log.String(), part) {
			t.Errorf("no %q in the report:\n%s", part, &log)
		}
	}
}

// TestRounds shows that a plan can use every clock sequence, and that V1 and V6 then go on above
// all ticks.
func TestRounds(t *testing.T) {
	long(t)
	for _, stream := range []kind{v1, v6} {
		synctest.Test(t, func(t *testing.T) {
			p := &plan{schemes: uuidSchemes(), machines: []options{{after: past, tolerance: -1, maxAhead: -1}}}
			w := newWorld(p, newLibrary, new(stats))
			j := &w.machines[0].judges[stream]
			for range 2 {
				w.do(event{action: saw, stream: int(stream), n: 2 * rounds, d: 1e9})
				if j.backs != rounds-1 {
					t.Errorf("ids have gone back %d times", j.backs)
				}
			}
		})
	}
}
