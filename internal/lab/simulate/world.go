package main

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A world is the machines of a plan, and the true time.
type world struct {
	plan      *plan
	flaw      flaw
	stats     *stats
	start     time.Time // of the bubble
	suspended int64     // for how long the host was, in ns
	machines  []*machine
	seen      map[int]map[key]bool // by stream: the ids of all machines and processes
}

// run returns how long processes have run, in ns.
func (w *world) run() int64 { return int64(time.Since(w.start)) }

// now returns the true time, in ns since the beginning.
func (w *world) now() int64 { return w.run() + w.suspended }

// pass lets time pass, for processes too.
func pass(d int64) { time.Sleep(time.Duration(d)) }

// play carries out a plan in a bubble of its own, up to the first broken promise. A bubble whose calls wait for ever ends
// with a panic; what was found before is told then.
func play(t *testing.T, p *plan, f flaw, s *stats) (v *violation) {
	done := 0
	defer func() {
		if p := recover(); p != nil && v == nil {
			v = problem("live: %v", p)
		}
		if v != nil {
			v = problem("%s\n%+v\nat event %d of %d: %+v", v.text, p.machines, done, len(p.events), p.events[max(done-5, 0):done])
		}
	}()
	synctest.Test(t, func(*testing.T) {
		defer func() {
			switch p := recover().(type) {
			case nil:
			case *violation:
				v = p
			default:
				v = problem("live: panic: %v", p)
			}
		}()
		w := &world{plan: p, flaw: f, stats: s, start: time.Now(), seen: map[int]map[key]bool{}}
		for i := range p.schemes {
			w.seen[i] = map[key]bool{}
		}
		for i, o := range p.machines {
			w.machines = append(w.machines, newMachine(w, i, o))
		}
		for done = 1; done <= len(p.events); done++ {
			w.machines[p.events[done-1].machine].do(p.events[done-1])
		}
	})
	s.events["scenario"]++
	return v
}

// stats count what was tried and seen.
type stats struct {
	ids            [snowflake + 1]int64 // by kind
	events         map[action]int64
	waits          int64  // calls that waited for the clock
	withheld       int64  // calls that waited for a limit
	longest, ahead int64  // ns: the longest wait, and the furthest run-ahead of a clock that was not set back
	digest         uint64 // of the ids of one scenario: a sum, since a crowd gets them in any order
}

// total returns the number of ids.
func (s *stats) total() (n int64) {
	for _, k := range s.ids {
		n += k
	}
	return n
}

// add adds what o counts.
func (s *stats) add(o *stats) {
	for i := range s.ids {
		s.ids[i] += o.ids[i]
	}
	for a, n := range o.events {
		s.events[a] += n
	}
	s.waits, s.withheld = s.waits+o.waits, s.withheld+o.withheld
	s.longest, s.ahead = max(s.longest, o.longest), max(s.ahead, o.ahead)
}

// joined returns numbers in a row.
func joined(ns ...int64) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(ns), "[]"), " ", " · ")
}

// table returns s as a table in Markdown. A sweep ends at the first broken promise: so there is none where it is asked for.
func (s *stats) table() string {
	var b strings.Builder
	row := func(name, value string) { fmt.Fprintf(&b, "| %s | %s |\n", name, value) }
	e := s.events
	b.WriteString("| what | how many |\n| --- | --- |\n")
	row("ids", fmt.Sprint(s.total()))
	row("of V1 · V6 · V7 · ULID · monotonic ULID · Snowflake", joined(s.ids[:]...))
	row("scenarios, each from a seed · restarts", joined(e["scenario"], e[crash]))
	row("faults of clocks", joined(e[step]+e[suspend]+e[drift]+e[grain]+e[jitter]+e[saw]))
	row("calls that waited for the clock · for a limit", joined(s.waits, s.withheld))
	row("calls overtaken by others · crowds · series of contexts that ended · clocks ended",
		joined(e[overtake], e[crowd], e[contexts], e[finish]))
	row("duplicates · inversions · other broken promises", "0 · 0 · 0")
	row("longest wait for the clock", span(s.longest))
	row("furthest run-ahead of a clock that was not set back, with MaxAhead 10 ms", span(s.ahead))
	return b.String()
}
