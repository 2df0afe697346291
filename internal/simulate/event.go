package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/oneclock/ids"
)

// An action is what an event does.
type action uint8

const (
	mint    action = iota // n ids of a stream, d apart
	run                   // a run of n ids of a stream
	try                   // n attempts at a Snowflake, d apart
	mix                   // n ids of all streams in turn, d apart
	idle                  // d passes
	step                  // the clock is set by d
	freeze                // the clock stops
	thaw                  // the clock goes on from where it stopped
	suspend               // the machine is suspended for d; its clock stops with it
	drift                 // the clock runs d billionths too fast
	smear                 // a leap second is smeared over a day, while n ids of a stream are minted
	leap                  // a leap second is repeated: at the full second, the clock is set back by 1 s
	grain                 // the clock moves in steps of d
	jitter                // readings are up to d off
	wild                  // readings are past all formats: n is +1 or -1; 0 ends it
	save                  // the state is saved
	persist               // a state d ahead is saved
	enforce               // the state saved last becomes the limit
	crash                 // the process ends and another starts, with what n says
	clone                 // the virtual machine is copied, and the copy reseeded and given other numbers
	actions
)

// What a process that starts after a crash has of the one before.
const (
	lost    = iota // nothing
	current        // its state at the end
	old            // the state saved last
	ahead          // the state saved ahead of time, within whose limit it kept
)

// actionNames are the rows of the summary, in the order of the actions.
var actionNames = [actions]string{
	"calls for one id", "runs (Append)", "attempts (TryNext)", "interleaved schemes", "pauses",
	"clock steps", "clock freezes", "clock thaws", "suspend and resume", "drift changes", "leap seconds smeared over a day",
	"leap seconds repeated", "coarse clock changes", "jitter changes", "readings outside all formats", "states saved",
	"states saved ahead", "limits", "crashes and restarts", "virtual machines copied",
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
	case idle:
		fmt.Fprintf(&b, "%s passes", span(e.d))
	case step:
		fmt.Fprintf(&b, "the clock is set by %s (%d ns)", span(e.d), e.d)
	case freeze:
		b.WriteString("the clock stops")
	case thaw:
		b.WriteString("the clock goes on from where it stopped")
	case suspend:
		fmt.Fprintf(&b, "the machine is suspended for %s, and its clock with it", span(e.d))
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
	case save:
		b.WriteString("the state is saved")
	case persist:
		fmt.Fprintf(&b, "a state is saved that is %s ahead", span(e.d))
	case enforce:
		b.WriteString("the state saved ahead becomes the limit")
	case crash:
		b.WriteString("crash; restart with " + []string{"nothing", "the state at the end", "the state saved last", "the state saved ahead"}[e.n])
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

// options are those of a machine and its processes.
type options struct {
	start               int64 // what the clock shows at first
	tolerance, maxAhead time.Duration
	state               ids.ClockState // of the first process
	safe                bool           // its processes keep to the limit of a state saved ahead
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
		if o.state != (ids.ClockState{}) {
			fmt.Fprintf(&b, ", restored from %s with clock sequence %#x", clock(nanos(o.state.Time)), o.state.Sequence)
			if !o.state.Floor.IsZero() {
				fmt.Fprintf(&b, " and floor %s", clock(nanos(o.state.Floor)))
			}
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
