package main

import (
	"sync"
	"sync/atomic"
)

// A key is an id as a number of 128 bits. A Snowflake fills lo only.
type key struct{ hi, lo uint64 }

// less reports whether a sorts before b.
func (a key) less(b key) bool { return a.hi < b.hi || a.hi == b.hi && a.lo < b.lo }

// compare orders keys for package slices.
func compare(a, b key) int {
	switch {
	case a.less(b):
		return -1
	case a == b:
		return 0
	}
	return 1
}

// An operation is a call that mints ids, or a step of the clock.
type operation struct {
	began, returned uint32 // numbers, from the first of the history on
	at, n           uint32 // its ids are ids[kind][at:at+n] of the goroutine
	stream          uint8  // or step
}

// step is the stream of an operation that sets the clock by more than Tolerance.
const step = 255

// A part is what one goroutine did in a history.
type part struct {
	ops  []operation
	ids  [kinds][]key
	full bool // there is no room for more ids
	runs int  // calls that gave many ids
	near int  // times that the clock was set by up to Tolerance
}

// A history is all that the goroutines did between two moments at which none was in a call.
type history struct {
	parts  []part
	events []int32 // scratch of the checker
}

// newHistory returns an empty history for a number of goroutines and, in all, about size operations.
func newHistory(goroutines, size int) *history {
	h := &history{parts: make([]part, goroutines)}
	for i := range h.parts {
		h.parts[i].ops = make([]operation, 0, 2*size/goroutines+1) // some do more than others, but not all
	}
	return h
}

// record makes the goroutines work through about size operations, and records them.
func (h *history) record(workers []*worker, size int) {
	var now atomic.Uint32
	var all sync.WaitGroup
	start := make(chan struct{})
	for i, w := range workers {
		p := &h.parts[i]
		p.reset(w.streams)
		all.Go(func() {
			<-start
			for !p.full && len(p.ops) < cap(p.ops) && now.Load() < 2*uint32(size) {
				w.work(p, &now)
			}
		})
	}
	close(start)
	all.Wait()
}

// reset makes p empty. It makes room for ids when it is first called, so that no history needs more
// memory than another.
func (p *part) reset(streams []stream) {
	p.ops, p.full, p.runs, p.near = p.ops[:0], false, 0, 0
	for k := range p.ids {
		p.ids[k] = p.ids[k][:0]
	}
	for _, s := range streams {
		if p.ids[s.kind] == nil {
			p.ids[s.kind] = make([]key, 0, 2*cap(p.ops)+maxRun)
		}
	}
}

// total returns how many operations and ids there are.
func (h *history) total() (ops, ids int) {
	for i := range h.parts {
		ops += len(h.parts[i].ops)
		for _, of := range h.parts[i].ids {
			ids += len(of)
		}
	}
	return ops, ids
}
