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
	ids              [snowflake + 1]int64 // by kind
	events           [actions]int64
	crashes          [ahead + 1]int64
	waits            int64  // calls that waited for the clock
	longest          int64  // ns
	withheld         int64  // calls that waited for a limit
	patience         int64  // and whose context ended then
	refused          int64  // errors that were judged by the cause of a limit or an end
	ahead            int64  // ns: the furthest run-ahead of a clock that was not set back
	digest           uint64 // of the ids of one scenario, in their order
}

// mix adds an id to the digest.
func (s *stats) mix(x key) {
	const odd = 0x9e3779b97f4a7c15
	s.digest = (bits.RotateLeft64(s.digest, 29)^x.hi)*odd ^ x.lo
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
	sum(s.crashes[:], o.crashes[:])
	s.waits += o.waits
	s.longest = max(s.longest, o.longest)
	s.withheld += o.withheld
	s.patience += o.patience
	s.refused += o.refused
	s.ahead = max(s.ahead, o.ahead)
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
	row("scenarios, each from a seed · processes started", markdown.Join(s.scenarios, s.lives))
	var faults int64
	for a := step; a <= fail; a++ {
		faults += s.events[a]
	}
	row("faults of clocks and of random bytes", faults)
	row("restarts after no time · the latest time · an older time · a horizon", markdown.Join(s.crashes[:]...))
	row("virtual machines copied", s.events[clone])
	row("calls that waited for the clock · for a limit · for that until their contexts ended",
		markdown.Join(s.waits, s.withheld, s.patience))
	row("calls overtaken by others · clocks ended", markdown.Join(s.events[overtake], s.events[finish]))
	row("errors whose cause was judged", s.refused)
	row("duplicates · inversions · other broken promises", markdown.Join(0, 0, 0))
	row("longest wait for the clock", span(s.longest))
	row("furthest run-ahead of a clock that was not set back, with MaxAhead 10 ms", span(s.ahead))
	return b.String()
}
