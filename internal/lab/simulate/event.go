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
	persist                // a horizon d ahead is saved, if the clock has a limit
	enforce                // the horizon saved last becomes the limit, if the clock has one
	extend                 // a time d ahead becomes the limit, if the clock has one, which nothing has saved
	withhold               // the zero time becomes the limit, if the clock has one
	crash                  // the process ends and another starts, after what n says
	loop                   // it does so n times, ten times a second
	clone                  // the virtual machine is copied, and the copy reseeded and given other numbers
	overtake               // a call reads the clock, which is set forward by d, and loses its turn to another
	patience               // n calls wait for a limit until their contexts end, d after one another, if the clock has a limit
	finish                 // the clock ends in d, n ids are asked for, and another process begins, if the clock has a limit
	actions
)

// ofLimits reports whether an action does nothing unless the clock has a limit.
func (a action) ofLimits() bool {
	switch a {
	case persist, enforce, extend, withhold, patience, finish:
		return true
	}
	return false
}

// The time after which the ids of a process begin that starts after a crash.
const (
	lost    = iota // none
	current        // the latest time of the one before
	old            // the time saved last
	ahead          // the horizon saved last, which was the limit
)

// An event happens to one machine.
type event struct {
	action  action
	machine int
	stream  int
	n       int
	d       int64 // ns
}

// texts say what an event does: {of} is the name of its stream, {n} and {d} are its numbers, and {d ns} is the latter to
// the nanosecond. Where there are several, n says which of them: the first is of the least n.
var texts = [actions][]string{
	mint:     {"mint {n} of {of}, {d} apart"},
	run:      {"mint a run of {n} of {of}"},
	try:      {"try for {n} of {of}, {d} apart"},
	mix:      {"mint {n} of all schemes in turn, {d} apart"},
	saw:      {"mint {n} of {of}, and set the clock back and forward by {d} ({d ns})"},
	idle:     {"{d} passes"},
	step:     {"the clock is set by {d} ({d ns})"},
	edge:     {"the clock is set to {d} after the first tick of {of}", "the clock is set to {d} after the last tick of {of}"},
	freeze:   {"the clock stops"},
	thaw:     {"the clock goes on from where it stopped"},
	suspend:  {"the host is suspended for {d}"},
	drift:    {"the clock runs {d ns} a second too fast"},
	smear:    {"a leap second is smeared over a day, {n} of {of} in it"},
	leap:     {"a leap second is repeated"},
	grain:    {"the clock moves in steps of {d}; 0s: of 1ns"},
	jitter:   {"readings are up to {d} off"},
	glitch:   {"reading {n} from now is off by {d}"},
	wild:     {"readings are of the year 1", "readings are right again", "readings are of the year 30000"},
	fail:     {"read {n} of random bytes from now fails; 0: the next reading panics"},
	save:     {"the latest time is saved"},
	persist:  {"a horizon is saved that is {d} ahead"},
	enforce:  {"the horizon saved last becomes the limit"},
	extend:   {"a time {d} ahead becomes the limit"},
	withhold: {"the zero time becomes the limit"},
	crash: {"crash; restart after no time", "crash; restart after the latest time", "crash; restart after the time saved last",
		"crash; restart after the horizon saved last"},
	loop:     {"{n} crashes and restarts, 100 ms apart"},
	clone:    {"the virtual machine is copied; both are reseeded, and the copy gets other numbers"},
	overtake: {"a call for an id of {of} reads the clock; it is set forward by {d}, and another call comes first"},
	patience: {"{n} calls for ids of {of} wait for a limit until their contexts end, each {d} later"},
	finish:   {"the clock ends {d} from now, and {n} ids of {of} are asked for; another process begins"},
}

// text returns e in words.
func (e event) text(p *plan) string {
	which := 0
	switch e.action {
	case edge, crash:
		which = e.n
	case wild:
		which = e.n + 1
	}
	words := strings.NewReplacer("{of}", p.schemes[e.stream].name, "{n}", fmt.Sprint(e.n), "{d}", span(e.d), "{d ns}", fmt.Sprint(e.d, " ns"))
	return fmt.Sprintf("machine %d: %s", e.machine, words.Replace(texts[e.action][which]))
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
	limited             bool  // the clocks of its processes have limits, and withhold ids until the first is set
	reach               int64 // how far ahead a limit is at least that lets a call go on, unless it is saved
	safe                bool  // its limits are horizons saved before
	slow                bool  // its processes save the first one when a call waits for it, not at their start
}

// text returns p in words.
func (p *plan) text() string {
	var b strings.Builder
	for i, o := range p.machines {
		if slices.ContainsFunc(p.events, func(e event) bool { return e.machine == i }) {
			fmt.Fprintf(&b, "  machine %d: the clock shows %s, After is %s: %+v\n", i, clock(o.start), clock(o.after), o)
		}
	}
	for i, e := range p.events {
		fmt.Fprintf(&b, "  %d. %s\n", i+1, e.text(p))
	}
	return b.String()
}
