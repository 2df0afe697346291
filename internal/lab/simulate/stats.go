package main

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/oneclock/ids/internal/lab/markdown"
)

// stats count what was tried and seen.
type stats struct {
	scenarios, lives int64
	limited          int64                // lives with a clock that has a limit
	ids              [snowflake + 1]int64 // by kind
	events           [actions]int64
	steps            [5]int64
	crashes          [ahead + 1]int64
	waits            int64  // calls that waited for the clock
	forced           int64  // of those, how many waited for as long as a call may
	longest          int64  // ns
	withheld         int64  // calls that waited for a limit
	firstWithheld    int64  // and for the first one
	patience         int64  // and whose context ended then
	refused          int64  // errors that were judged by the cause of a limit or an end
	broken           int64  // calls that met a broken clock or source of random bytes
	ended            int64  // calls after the end of a format
	ahead            int64  // ns: the furthest run-ahead of a clock that was not set back
	digest           uint64 // of the ids of one scenario, in their order
}

// mix adds an id to the digest.
func (s *stats) mix(x key) {
	const odd = 0x9e3779b97f4a7c15
	s.digest = (bits.RotateLeft64(s.digest, 29)^x.hi)*odd ^ x.lo
}

// step counts a step of the clock by what the promises make of it.
func (s *stats) step(d, maxAhead, tolerance int64) {
	switch {
	case d >= 0:
		s.steps[0]++
	case -d <= maxAhead:
		s.steps[1]++
	case -d <= tolerance:
		s.steps[2]++
	case -d <= 366*24*3600*1e9:
		s.steps[3]++
	default:
		s.steps[4]++
	}
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
	sum := func(a, b []int64) {
		for i := range a {
			a[i] += b[i]
		}
	}
	s.scenarios += o.scenarios
	s.lives += o.lives
	sum(s.ids[:], o.ids[:])
	sum(s.events[:], o.events[:])
	sum(s.steps[:], o.steps[:])
	sum(s.crashes[:], o.crashes[:])
	s.waits += o.waits
	s.limited += o.limited
	s.withheld += o.withheld
	s.firstWithheld += o.firstWithheld
	s.refused += o.refused
	s.patience += o.patience
	s.broken += o.broken
	s.ended += o.ended
	s.longest = max(s.longest, o.longest)
	s.ahead = max(s.ahead, o.ahead)
	s.forced += o.forced
}

// table returns s as a table in Markdown.
func (s *stats) table() string {
	var b strings.Builder
	row := func(name string, value any) {
		if n, ok := value.(int64); ok {
			value = markdown.Grouped(n)
		}
		fmt.Fprintf(&b, "| %s | %v |\n", name, value)
	}
	b.WriteString("| what | how many |\n| --- | --- |\n")
	row("ids", s.total())
	row("of V1 · V6 · V7 · ULID · Snowflake", markdown.Join(s.ids[:]...))
	row("scenarios, each from a seed", s.scenarios)
	row("processes started · with a limited clock", markdown.Join(s.lives, s.limited))
	row("clock set forward", s.steps[0])
	row("clock set back by up to MaxAhead · up to Tolerance · up to a year · more", markdown.Join(s.steps[1:]...))
	row("clock freezes", s.events[freeze])
	row("suspend and resume", s.events[suspend])
	row("drift changes", s.events[drift])
	row("jitter changes", s.events[jitter])
	row("coarse clock changes", s.events[grain])
	row("leap seconds smeared over a day", s.events[smear])
	row("leap seconds repeated", s.events[leap])
	row("clock set back and forward in turn", s.events[saw])
	row("clock set to the edge of a format", s.events[edge])
	row("single wrong readings", s.events[glitch])
	row("readings outside all formats", s.events[wild])
	row("restarts after no time · the latest time · an older time · a horizon", markdown.Join(s.crashes[:]...))
	row("virtual machines copied", s.events[clone])
	row("calls that waited for the clock · for all of 20 ms · for a limit · for the first one",
		markdown.Join(s.waits, s.forced, s.withheld, s.firstWithheld))
	row("calls that met a broken clock or source of random bytes · the end of a format", markdown.Join(s.broken, s.ended))
	row("calls whose context ended while they waited for a limit · calls overtaken by others · clocks ended",
		markdown.Join(s.patience, s.events[overtake], s.events[finish]))
	row("errors whose cause was judged", s.refused)
	row("duplicates", int64(0))
	row("inversions", int64(0))
	row("longest wait for the clock", span(s.longest))
	row("furthest run-ahead of a clock that was not set back, with MaxAhead 10 ms", span(s.ahead))
	return b.String()
}
