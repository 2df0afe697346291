package main

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// wrongStreams are wrong only where goroutines meet, or where the clock is set. Each is made anew for each history.
var wrongStreams = map[string]func(*setClock) stream{
	"reads the clock outside the lock": func(c *setClock) stream {
		// It takes its lock after it has read the clock, and starts the sequence anew whenever the tick
		// has changed.
		var mu sync.Mutex
		var calls atomic.Uint64
		var last, seq uint64
		return stream{one: func() key {
			tick := uint64(time.Since(c.began) / (10 * time.Microsecond))
			if calls.Add(1)%16 == 0 {
				runtime.Gosched() // as preemption would
			}
			mu.Lock()
			defer mu.Unlock()
			if tick != last {
				last, seq = tick, 0
			}
			seq++
			return key{tick, seq}
		}}
	},
	"has no lock": func(*setClock) stream {
		// Its words are atomic, so that the race detector has nothing to say.
		var last, calls atomic.Uint64
		return stream{one: func() key {
			next := last.Load() + 1
			if calls.Add(1)%64 == 0 {
				runtime.Gosched()
			}
			last.Store(next)
			return key{lo: next}
		}}
	},
	"follows the clock within Tolerance": func(c *setClock) stream { return following(c, true) },
	"follows the clock and must not":     func(c *setClock) stream { return following(c, false) },
	"gives the same id twice": func(*setClock) stream {
		var next atomic.Uint64
		return stream{one: func() key { return key{lo: next.Add(1) / 2} }}
	},
}

// following is a stream that is right for a clock that is not set: it takes the lock first.
func following(c *setClock, follows bool) stream {
	var mu sync.Mutex
	var seq uint64
	return stream{follows: follows, one: func() key {
		mu.Lock()
		defer mu.Unlock()
		seq++
		return key{uint64(c.now().UnixNano()), seq}
	}}
}

// TestWrongStreams shows that each is found.
func TestWrongStreams(t *testing.T) {
	for _, n := range processors {
		for name, wrong := range wrongStreams {
			t.Run(fmt.Sprintf("GOMAXPROCS=%d %s", n, name), func(t *testing.T) {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(n))
				const histories = 100
				for range histories {
					clock := newSetClock()
					s := wrong(clock)
					s.ordered = true
					h := newHistory(goroutines, 1<<13)
					h.record(newWorkers(goroutines, []stream{s}, clock), 1<<13, 0)
					if newOrder([]stream{s}).check(h) != nil {
						return
					}
				}
				t.Errorf("not found in %d histories", histories)
			})
		}
	}
}

// TestCheck checks histories by hand.
func TestCheck(t *testing.T) {
	op := func(began, returned uint32, ids ...uint64) part {
		p := part{ops: []operation{{began: began, returned: returned, n: uint32(len(ids))}}}
		for _, x := range ids {
			p.ids = append(p.ids, key{lo: x})
		}
		return p
	}
	set := func(began, returned uint32) part {
		return part{ops: []operation{{began: began, returned: returned, stream: setting}}}
	}
	for _, test := range []struct {
		name    string
		parts   []part
		follows bool
		problem string // part of the error; empty if there is none
		exempt  int64
	}{
		{"one after the other", []part{op(0, 1, 1), op(2, 3, 2)}, false, "", 0},
		{"one after the other, the wrong way round", []part{op(0, 1, 2), op(2, 3, 1)}, false, "not above", 0},
		{"the same twice", []part{op(0, 1, 1), op(2, 3, 1)}, false, "not above", 0},
		{"at the same time", []part{op(0, 2, 2), op(1, 3, 1)}, false, "", 0},
		{"a long call around two", []part{op(0, 5, 9), op(1, 2, 1), op(3, 4, 2)}, false, "", 0},
		{"a long call around two that are wrong", []part{op(0, 5, 9), op(1, 2, 2), op(3, 4, 1)}, false, "not above", 0},
		{"below one that returned long ago", []part{op(0, 1, 9), op(2, 3, 10), op(4, 5, 5)}, false, "not above", 0},
		{"a run whose end is above the next call", []part{op(0, 1, 1, 2, 9), op(2, 3, 5)}, false, "not above", 0},
		{"a run that begins above the call before", []part{op(0, 1, 3), op(2, 3, 4, 5, 9)}, false, "", 0},
		{"a run that begins below the call before", []part{op(0, 1, 3), op(2, 3, 2, 5, 9)}, false, "not above", 0},
		{"a run that does not ascend", []part{op(0, 1, 1, 3, 2)}, false, "in one run", 0},
		{"a run with an id twice", []part{op(0, 1, 1, 2, 2)}, false, "in one run", 0},
		{"back after a step", []part{op(0, 1, 9), set(2, 3), op(4, 5, 1)}, true, "", 0},
		{"back after a step that it must not follow", []part{op(0, 1, 9), set(2, 3), op(4, 5, 1)}, false, "not above", 0},
		{"back before a step", []part{op(0, 1, 9), op(2, 3, 1), set(4, 5)}, true, "not above", 0},
		{"back again after a step", []part{op(0, 1, 9), set(2, 3), op(4, 5, 2), op(6, 7, 1)}, true, "not above", 0},
		{"in progress during a step", []part{op(0, 1, 9), op(2, 5, 1), set(3, 4)}, true, "", 1},
		{"begun during a step", []part{op(0, 1, 9), op(3, 5, 1), set(2, 4)}, true, "", 1},
		{"returned during a step", []part{op(0, 1, 9), op(2, 4, 1), set(3, 5)}, true, "", 1},
		{"two beside one that has seen a step", []part{op(0, 7, 9), set(1, 2), op(3, 4, 5), op(5, 6, 4)}, true, "", 3},
		{"two after one that has seen a step",
			[]part{op(0, 3, 9), set(1, 2), op(4, 5, 5), op(6, 7, 4)}, true, "not above", 1},
		{"one that began before the last had returned that has seen a step",
			[]part{op(0, 5, 9), set(1, 2), op(3, 4, 5), op(6, 7, 4)}, true, "", 2},
		{"a number twice", []part{op(0, 1, 1), op(1, 2, 2), op(3, 4, 3)}, false, "numbered", 0},
		{"a number too high", []part{op(0, 2, 1)}, false, "numbered", 0},
		{"a return before the call", []part{op(1, 0, 1)}, false, "numbered", 0},
	} {
		o := newOrder([]stream{{name: "by hand", ordered: true, follows: test.follows}})
		err := o.check(&history{parts: test.parts})
		fine := err == nil
		if test.problem != "" {
			fine = err != nil && strings.Contains(err.Error(), test.problem)
		}
		if !fine || o.exempt != test.exempt {
			t.Errorf("%s: %v, %d exempt", test.name, err, o.exempt)
		}
	}
}
