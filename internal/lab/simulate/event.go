package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// An action is what an event does.
type action uint8

const (
	mint     action = iota // n ids of a stream, d apart
	run                    // a run of n ids of a stream
	try                    // n attempts at a Snowflake, d apart
	mix                    // n ids of all streams in turn, d apart
	saw                    // n ids of a stream, for which the clock is set back and forward by d
	idle                   // d passes
	step                   // the clock is set by d
	edge                   // the clock is set to d after the first (n 0) or the last (n 1) tick of a stream
	freeze                 // the clock stops
	thaw                   // the clock goes on from where it stopped
	suspend                // the host is suspended for d: clocks go on, processes do not
	drift                  // the clock runs d billionths too fast
	smear                  // a leap second is smeared over a day, while n ids of a stream are minted
	leap                   // a leap second is repeated: at the full second, the clock is set back by 1 s
	grain                  // the clock moves in steps of d
	jitter                 // readings are up to d off
	glitch                 // the n-th reading from now is off by d
	wild                   // readings are past all formats: n is +1 or -1; 0 ends it
	fail                   // the next reading (n 0) or the n-th read of random bytes fails
	save                   // the latest time is saved
	persist                // a horizon d ahead is saved
	enforce                // the horizon saved last becomes the limit
	extend                 // a time d ahead becomes the limit, which nothing has saved
	withhold               // the zero time becomes the limit
	crash                  // the process ends and another starts, after what n says
	loop                   // it does so n times, ten times a second
	clone                  // the virtual machine is copied, and the copy reseeded and given other numbers
	overtake               // a call reads the clock, which is set forward by d, and loses its turn to another
	patience               // n calls wait for a limit until their contexts end, d after one another
	finish                 // the clock ends in d, n ids are asked for, and another process begins
	actions
)

// The time after which the ids of a process begin that starts after a crash.
const (
	lost    = iota // none
	current        // the latest time of the one before
	old            // the time saved last
	ahead          // the horizon saved last, which was the limit
)

// actionNames are the rows of the summary, in the order of the actions.
var actionNames = [actions]string{
	"calls for one id", "runs (Append)", "attempts (TryNext)", "interleaved schemes",
	"clock set back and forward in turn", "pauses", "clock steps", "clock set to the edge of a format",
	"clock freezes", "clock thaws", "suspend and resume", "drift changes", "leap seconds smeared over a day",
	"leap seconds repeated", "coarse clock changes", "jitter changes", "single wrong readings",
	"readings outside all formats", "broken clocks and sources of random bytes", "times saved",
	"horizons saved", "limits", "limits that nothing has saved", "limits of the zero time", "crashes and restarts", "crash loops", "virtual machines copied",
	"calls overtaken by others", "groups of calls whose contexts end", "clocks ended",
}

// An event happens to one machine.
type event struct {
	action  action
	machine int
	stream  int
	n       int
	d       int64 // ns
}

// text returns e in words.
func (e event) text(p *plan) string {
	var b strings.Builder
	fmt.Fprintf(&b, "machine %d: ", e.machine)
	name := p.schemes[e.stream].name
	switch e.action {
	case mint:
		fmt.Fprintf(&b, "mint %d of %s, %s apart", e.n, name, span(e.d))
	case run:
		fmt.Fprintf(&b, "mint a run of %d of %s", e.n, name)
	case try:
		fmt.Fprintf(&b, "try for %d of %s, %s apart", e.n, name, span(e.d))
	case mix:
		fmt.Fprintf(&b, "mint %d of all schemes in turn, %s apart", e.n, span(e.d))
	case saw:
		fmt.Fprintf(&b, "mint %d of %s, and set the clock back and forward by %s (%d ns)", e.n, name, span(e.d), e.d)
	case edge:
		fmt.Fprintf(&b, "the clock is set to %s after the %s tick of %s", span(e.d), [2]string{"first", "last"}[e.n], name)
	case idle:
		fmt.Fprintf(&b, "%s passes", span(e.d))
	case step:
		fmt.Fprintf(&b, "the clock is set by %s (%d ns)", span(e.d), e.d)
	case freeze:
		b.WriteString("the clock stops")
	case thaw:
		b.WriteString("the clock goes on from where it stopped")
	case suspend:
		fmt.Fprintf(&b, "the host is suspended for %s", span(e.d))
	case drift:
		fmt.Fprintf(&b, "the clock runs %d ns a second too fast", e.d)
	case smear:
		fmt.Fprintf(&b, "a leap second is smeared over a day, %d of %s in it", e.n, name)
	case leap:
		b.WriteString("a leap second is repeated")
	case grain:
		fmt.Fprintf(&b, "the clock moves in steps of %s", span(max(e.d, 1)))
	case jitter:
		fmt.Fprintf(&b, "readings are up to %s off", span(e.d))
	case wild:
		b.WriteString([]string{"readings are of the year 1", "readings are right again", "readings are of the year 30000"}[e.n+1])
	case glitch:
		fmt.Fprintf(&b, "reading %d from now is off by %s", e.n, span(e.d))
	case fail:
		if e.n == 0 {
			b.WriteString("the next reading panics")
		} else {
			fmt.Fprintf(&b, "read %d of random bytes from now fails", e.n)
		}
	case save:
		b.WriteString("the latest time is saved")
	case persist:
		fmt.Fprintf(&b, "a horizon is saved that is %s ahead", span(e.d))
	case enforce:
		b.WriteString("the horizon saved last becomes the limit")
	case extend:
		fmt.Fprintf(&b, "a time %s ahead becomes the limit", span(e.d))
	case withhold:
		b.WriteString("the zero time becomes the limit")
	case crash:
		after := []string{"no time", "the latest time", "the time saved last", "the horizon saved last"}
		b.WriteString("crash; restart after " + after[e.n])
	case loop:
		fmt.Fprintf(&b, "%d crashes and restarts, 100 ms apart", e.n)
	case overtake:
		fmt.Fprintf(&b, "a call for an id of %s reads the clock; it is set forward by %s, and another call comes first", name, span(e.d))
	case patience:
		fmt.Fprintf(&b, "%d calls for ids of %s wait for a limit until their contexts end, each %s later", e.n, name, span(e.d))
	case finish:
		fmt.Fprintf(&b, "the clock ends %s from now, and %d ids of %s are asked for; another process begins", span(e.d), e.n, name)
	case clone:
		b.WriteString("the virtual machine is copied; both are reseeded, and the copy gets other numbers")
	}
	return b.String()
}

// A plan is all that a run follows from.
type plan struct {
	seed     uint64
	schemes  []scheme
	machines []options
	events   []event
}

// options are the options of a machine and its processes.
type options struct {
	start               int64 // what the clock shows at first
	tolerance, maxAhead time.Duration
	after               int64 // of the first process; past: none
	zoned               bool  // its times are not in UTC
	steep               bool  // its random bits are high
	early               bool  // its processes make all nodes at their start
	safe                bool  // its processes keep to a limit, a horizon saved before
}

// text returns p in words.
func (p *plan) text() string {
	var b strings.Builder
	for i, o := range p.machines {
		if !slices.ContainsFunc(p.events, func(e event) bool { return e.machine == i }) {
			continue
		}
		fmt.Fprintf(&b, "  machine %d: the clock shows %s", i, clock(o.start))
		if o.tolerance != 0 {
			fmt.Fprintf(&b, ", Tolerance %s", o.tolerance)
		}
		if o.maxAhead != 0 {
			fmt.Fprintf(&b, ", MaxAhead %s", o.maxAhead)
		}
		if o.after != past {
			fmt.Fprintf(&b, ", After %s", clock(o.after))
		}
		if o.zoned {
			b.WriteString(", times in another zone")
		}
		if o.steep {
			b.WriteString(", high random bits")
		}
		if o.early {
			b.WriteString(", nodes made at the start")
		}
		if o.safe {
			b.WriteString(", keeps to a limit")
		}
		b.WriteByte('\n')
	}
	for i, e := range p.events {
		fmt.Fprintf(&b, "  %d. %s\n", i+1, e.text(p))
	}
	return b.String()
}
