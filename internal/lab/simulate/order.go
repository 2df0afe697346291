package main

import (
	"fmt"
	"math"
)

// An order checks histories, one after the other, of the same streams: if one call returns before another
// begins, its id must be the smaller.
//
// A history holds for each call two numbers, drawn just before it begins and just after it has returned
// from one atomic counter that all goroutines share. The operations on it are sequentially consistent. So
// if the number at the return of a call is less than the number at the beginning of another, the first
// call happened before the second in the sense of Go's memory model, and no disorder that is found is a
// false one. A call may have returned a little before its number was drawn, and what could be seen only
// then is not.
//
// The check walks through all numbers once. At the beginning of a call it remembers the highest id that any
// call has returned, and the call's ids must be above that: every pair is checked, none is sampled.
//
// When the clock is set by more than Tolerance, version 6, version 7 and ULID follow it back, and calls
// that are then in progress may have read either time. So for these, no call is compared that is in
// progress while the clock is set, or before all those have returned that had begun by then; and calls are
// not compared with those on the other side of that. They are counted. For Snowflakes, which follow
// nothing, and steps of up to Tolerance, there is no exception.
type order struct {
	streams []stream
	lines   []line // by stream

	checked int64 // calls
	exempt  int64 // calls that were in progress when the clock was set by more than Tolerance
	leaps   int64 // times that it was
}

// A line is what the check knows of one stream.
type line struct {
	highest    key  // of the ids of calls that have returned
	any        bool // there is one
	calls      int  // in progress
	setting    int  // steps of more than Tolerance in progress
	set        int  // the number at which it was last
	stragglers int  // calls in progress that had begun by then
}

// blurred reports whether calls may have read the time of before or after a step.
func (l *line) blurred() bool { return l.setting > 0 || l.stragglers > 0 }

// A bound is what the ids of a call in progress must be above.
type bound struct {
	above  key
	any    bool
	exempt bool
}

func newOrder(streams []stream) *order {
	return &order{streams: streams, lines: make([]line, len(streams))}
}

// check returns an error about the first call found whose ids do not ascend, or are not above those
// of all calls that had returned before it began.
func (o *order) check(h *history) error {
	total, width := 0, 0
	for i := range h.parts {
		total += len(h.parts[i].ops)
		width = max(width, len(h.parts[i].ops))
	}
	if width*len(h.parts) > math.MaxInt32 {
		return fmt.Errorf("a history of %d operations is too long", total)
	}
	// Each number has been drawn once, so this puts the operations in their order without sorting:
	// events[number] is the operation that began or returned there.
	if cap(h.events) < 2*total {
		h.events = make([]int32, 2*total+total/8)
	}
	events := h.events[:2*total]
	for i := range events {
		events[i] = -1
	}
	for i := range h.parts {
		for j, op := range h.parts[i].ops {
			at := int32(i*width + j)
			if op.began >= op.returned || int(op.returned) >= len(events) || events[op.began] >= 0 || events[op.returned] >= 0 {
				return fmt.Errorf("operation %d of goroutine %d is numbered %d to %d", j, i, op.began, op.returned)
			}
			events[op.began], events[op.returned] = at, at
		}
	}
	bounds := make([]bound, len(h.parts)) // of the call in progress of each goroutine
	for number, at := range events {
		i := int(at) / width
		p := &h.parts[i]
		op := &p.ops[int(at)%width]
		begins := int(op.began) == number
		switch {
		case op.stream == setting:
			o.leap(number, begins)
		case !o.streams[op.stream].ordered:
		case begins:
			l := &o.lines[op.stream]
			l.calls++
			bounds[i] = bound{l.highest, l.any, l.blurred()}
		default:
			if err := o.returned(p, op, bounds[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// leap notes that a step of more than Tolerance begins or ends.
func (o *order) leap(number int, begins bool) {
	if begins {
		o.leaps++
	}
	for i := range o.lines {
		if l := &o.lines[i]; o.streams[i].follows {
			if begins {
				l.setting++
				l.any = false
				continue
			}
			l.setting--
			l.set, l.stragglers = number, l.calls
		}
	}
}

// returned checks a call that returns.
func (o *order) returned(p *part, op *operation, b bound) error {
	s, l := &o.streams[op.stream], &o.lines[op.stream]
	ids := p.ids[op.at : op.at+op.n]
	first, last := ids[0], ids[len(ids)-1]
	for i := range ids[1:] {
		if !ids[i].less(ids[i+1]) {
			return fmt.Errorf("%s: %x comes after %x in one run", s.name, ids[i+1], ids[i])
		}
	}
	exempt := b.exempt || l.blurred()
	l.calls--
	if l.stragglers > 0 && int(op.began) < l.set {
		l.stragglers--
	}
	if exempt {
		o.exempt++
		return nil
	}
	o.checked++
	if b.any && !b.above.less(first) {
		return fmt.Errorf("%s: %x is not above %x, whose call had returned before it began", s.name, first, b.above)
	}
	if !l.any || l.highest.less(last) {
		l.highest, l.any = last, true
	}
	return nil
}
