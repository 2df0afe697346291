package main

import (
	"fmt"
	"runtime"
	"slices"
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
	"leases ids to goroutines": func(*setClock) stream {
		// As databases do it with sequences: here to whoever comes, a hundred at a time.
		var next atomic.Uint64
		leases := sync.Pool{New: func() any { return new([2]uint64) }}
		return stream{one: func() key {
			l := leases.Get().(*[2]uint64)
			defer leases.Put(l)
			if l[0] == l[1] {
				l[1] = next.Add(100)
				l[0] = l[1] - 100
			}
			l[0]++
			if l[0]%16 == 0 {
				runtime.Gosched()
			}
			return key{lo: l[0]}
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
	"keeps what it has read for some calls": func(c *setClock) stream {
		var next, calls atomic.Uint64
		var read [8]atomic.Uint64 // as if by processor
		return stream{one: func() key {
			n := calls.Add(1)
			of := &read[n%8]
			if n%100 < 8 {
				of.Store(uint64(time.Since(c.began)))
			}
			return key{of.Load(), next.Add(1)}
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

// TestNoFalseAlarm takes a generator that follows its clock wherever it is set, and nothing else.
// Its order must be found good where the clock is only set by more than Tolerance.
func TestNoFalseAlarm(t *testing.T) {
	var mu sync.Mutex
	var seq, era uint64 = 0, 1 << 32
	s := stream{name: "follows", ordered: true, follows: true, one: func() key {
		mu.Lock()
		defer mu.Unlock()
		seq++
		return key{era, seq}
	}}
	o := newOrder([]stream{s})
	for range 20 {
		h := newHistory(8, 1<<12)
		workers := newWorkers(8, []stream{s}, nil)
		h.parts = append(h.parts, part{})
		var counter atomic.Uint32
		var all sync.WaitGroup
		for i, w := range workers {
			all.Go(func() {
				for range 1 << 9 {
					w.work(&h.parts[i], &counter, 0)
				}
			})
		}
		all.Go(func() {
			p := &h.parts[len(workers)]
			for range 10 {
				time.Sleep(10 * time.Microsecond)
				began := counter.Add(1) - 1
				mu.Lock()
				era -= 2
				mu.Unlock()
				p.ops = append(p.ops, operation{began: began, returned: counter.Add(1) - 1, stream: setting})
			}
		})
		all.Wait()
		if err := o.check(h); err != nil {
			t.Fatal(err)
		}
	}
	if o.checked == 0 || o.leaps != 200 {
		t.Errorf("%d calls checked, %d steps", o.checked, o.leaps)
	}
}

// TestCheck checks histories by hand.
func TestCheck(t *testing.T) {
	op := func(began, returned uint32, ids ...uint64) handOp { return handOp{began, returned, ids} }
	set := func(began, returned uint32) handOp { return handOp{began, returned, nil} }
	for _, test := range []struct {
		name    string
		ops     []handOp
		follows bool
		problem string // part of the error; empty if there is none
		exempt  int64
	}{
		{"one after the other", []handOp{op(0, 1, 1), op(2, 3, 2)}, false, "", 0},
		{"one after the other, the wrong way round", []handOp{op(0, 1, 2), op(2, 3, 1)}, false, "not above", 0},
		{"the same twice", []handOp{op(0, 1, 1), op(2, 3, 1)}, false, "not above", 0},
		{"at the same time", []handOp{op(0, 2, 2), op(1, 3, 1)}, false, "", 0},
		{"a long call around two", []handOp{op(0, 5, 9), op(1, 2, 1), op(3, 4, 2)}, false, "", 0},
		{"a long call around two that are wrong", []handOp{op(0, 5, 9), op(1, 2, 2), op(3, 4, 1)}, false, "not above", 0},
		{"below one that returned long ago", []handOp{op(0, 1, 9), op(2, 3, 10), op(4, 5, 5)}, false, "not above", 0},
		{"a run whose end is above the next call", []handOp{op(0, 1, 1, 2, 9), op(2, 3, 5)}, false, "not above", 0},
		{"a run that begins above the call before", []handOp{op(0, 1, 3), op(2, 3, 4, 5, 9)}, false, "", 0},
		{"a run that begins below the call before", []handOp{op(0, 1, 3), op(2, 3, 2, 5, 9)}, false, "not above", 0},
		{"a run that does not ascend", []handOp{op(0, 1, 1, 3, 2)}, false, "in one run", 0},
		{"a run with an id twice", []handOp{op(0, 1, 1, 2, 2)}, false, "in one run", 0},
		{"back after a step", []handOp{op(0, 1, 9), set(2, 3), op(4, 5, 1)}, true, "", 0},
		{"back after a step that it must not follow", []handOp{op(0, 1, 9), set(2, 3), op(4, 5, 1)}, false, "not above", 0},
		{"back before a step", []handOp{op(0, 1, 9), op(2, 3, 1), set(4, 5)}, true, "not above", 0},
		{"back again after a step", []handOp{op(0, 1, 9), set(2, 3), op(4, 5, 2), op(6, 7, 1)}, true, "not above", 0},
		{"in progress during a step", []handOp{op(0, 1, 9), op(2, 5, 1), set(3, 4)}, true, "", 1},
		{"begun during a step", []handOp{op(0, 1, 9), op(3, 5, 1), set(2, 4)}, true, "", 1},
		{"returned during a step", []handOp{op(0, 1, 9), op(2, 4, 1), set(3, 5)}, true, "", 1},
		{"two beside one that has seen a step", []handOp{op(0, 7, 9), set(1, 2), op(3, 4, 5), op(5, 6, 4)}, true, "", 3},
		{"two after one that has seen a step",
			[]handOp{op(0, 3, 9), set(1, 2), op(4, 5, 5), op(6, 7, 4)}, true, "not above", 1},
		{"one that began before the last had returned that has seen a step",
			[]handOp{op(0, 5, 9), set(1, 2), op(3, 4, 5), op(6, 7, 4)}, true, "", 2},
		{"a number twice", []handOp{op(0, 1, 1), op(1, 2, 2), op(3, 4, 3)}, false, "numbered", 0},
		{"a number too high", []handOp{op(0, 2, 1)}, false, "numbered", 0},
		{"a return before the call", []handOp{op(1, 0, 1)}, false, "numbered", 0},
	} {
		o := newOrder([]stream{{name: "by hand", ordered: true, follows: test.follows}})
		h := newHistory(len(test.ops), 1)
		for i, by := range test.ops {
			p := &h.parts[i]
			by.add(p)
		}
		err := o.check(h)
		fine := err == nil
		if test.problem != "" {
			fine = err != nil && strings.Contains(err.Error(), test.problem)
		}
		if !fine || o.exempt != test.exempt {
			t.Errorf("%s: %v, %d exempt", test.name, err, o.exempt)
		}
	}
}

// A handOp is an operation in a history by hand: a step of the clock if there are no ids.
type handOp struct {
	began, returned uint32
	ids             []uint64
}

func (h handOp) add(p *part) {
	o := operation{began: h.began, returned: h.returned, n: uint32(len(h.ids))}
	if h.ids == nil {
		o.stream = setting
	}
	for _, x := range h.ids {
		p.ids = append(p.ids, key{lo: x})
	}
	p.ops = append(p.ops, o)
}

// TestSetClock shows that a clock that is set within Tolerance is never further than that behind a
// time that it has shown, and that each leap is further.
func TestSetClock(t *testing.T) {
	c := newSetClock()
	var offsets []int64
	for range 10_000 {
		before := c.offset.Load()
		if c.rng.IntN(100) == 0 {
			c.leap()
			if d := time.Duration(c.offset.Load() - before).Abs(); d <= 10*time.Second || d > 2*year {
				t.Fatalf("a leap of %v", d)
			}
			offsets = offsets[:0]
			continue
		}
		c.near()
		offsets = append(offsets, c.offset.Load())
		if slices.Max(offsets)-slices.Min(offsets) > int64(band) {
			t.Fatal("near steps leave the band")
		}
	}
}
