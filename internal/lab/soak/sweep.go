package main

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/internal/lab/markdown"
)

// A sweep checks the order of one scheme after the other, with several numbers of processors, on a
// clock that is not set and on one that is.
type sweep struct {
	calls int // in all
	size  int // operations of a history
	log   io.Writer
	rows  []sweepRow
}

// A sweepRow is what was done with one number of processors and one clock.
type sweepRow struct {
	processors      int
	clock           string
	ids, runs       int64
	checked, exempt int64
	near, leaps     int64
}

var processors = []int{1, 2, 8}

// clocks are the system's clock, and two that are set to and fro: the streams of one follow it, and
// those of the other do not, since its Tolerance has no end.
var clocks = []struct {
	name    string
	options func(*setClock) *ids.ClockOptions
	set     bool
	follows bool
}{
	{"the system's", func(*setClock) *ids.ClockOptions { return nil }, false, false},
	{"set, Tolerance 10 s", func(c *setClock) *ids.ClockOptions { return &ids.ClockOptions{Now: c.now} }, true, true},
	{"set, Tolerance without end", func(c *setClock) *ids.ClockOptions {
		return &ids.ClockOptions{Now: c.now, Tolerance: 1 << 62}
	}, true, false},
}

// run mints and checks. It returns an error about the first call out of order.
func (s *sweep) run() error {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	gc := newCollector(collectEvery)
	defer gc.close()
	streams := 5 // that are ordered, of each clock
	each := s.calls/(len(processors)*len(clocks)*streams) + 1
	s.size = min(s.size, each)
	h := newHistory(goroutines, s.size)
	for _, n := range processors {
		runtime.GOMAXPROCS(n)
		for _, c := range clocks {
			row := sweepRow{processors: n, clock: c.name}
			began := time.Now()
			clock := newSetClock()
			var of []stream
			for _, s := range streamsOf(ids.NewClock(c.options(clock)), 1, 1, c.follows) {
				if s.ordered {
					of = append(of, s)
				}
			}
			if !c.set {
				clock = nil
			}
			for i := range of {
				if err := s.one(h, of[i:i+1], clock, each, &row); err != nil {
					return fmt.Errorf("GOMAXPROCS=%d, clock %s: %w", n, c.name, err)
				}
			}
			s.rows = append(s.rows, row)
			fmt.Fprintf(s.log, "soak: GOMAXPROCS=%d, clock %s: %s calls checked in %v\n",
				n, c.name, markdown.Grouped(row.checked), time.Since(began).Round(time.Millisecond))
		}
	}
	return nil
}

// one checks at least so many calls of a stream.
func (s *sweep) one(h *history, of []stream, clock *setClock, calls int, row *sweepRow) error {
	o := newOrder(of)
	workers := newWorkers(goroutines, of, 1024, clock)
	for o.checked < int64(calls) {
		h.record(workers, s.size)
		if err := o.check(h); err != nil {
			return err
		}
		_, n := h.total()
		row.ids += int64(n)
		for i := range h.parts {
			row.runs += int64(h.parts[i].runs)
			row.near += int64(h.parts[i].near)
		}
	}
	row.checked += o.checked
	row.exempt += o.exempt
	row.leaps += o.leaps
	return nil
}

// table returns what was done as a table in Markdown.
func (s *sweep) table() string {
	var b strings.Builder
	b.WriteString("| GOMAXPROCS | clock | calls checked | ids · runs | clock set within Tolerance · by up to two years |" +
		" calls in progress then, not checked | out of order |\n")
	b.WriteString("| --- | --- | --- | --- | --- | --- | --- |\n")
	var sum sweepRow
	line := func(processors string, r sweepRow) {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | 0 |\n", processors, r.clock,
			markdown.Grouped(r.checked), markdown.Join(r.ids, r.runs), markdown.Join(r.near, r.leaps), markdown.Grouped(r.exempt))
	}
	for _, r := range s.rows {
		line(fmt.Sprint(r.processors), r)
		sum.checked += r.checked
		sum.runs += r.runs
		sum.ids += r.ids
		sum.near += r.near
		sum.leaps += r.leaps
		sum.exempt += r.exempt
	}
	line("all", sum)
	return b.String()
}
