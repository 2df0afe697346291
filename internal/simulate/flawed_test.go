package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/oneclock/ids"
)

// A flawed process is one of package ids, but for what its functions do instead.
type flawed struct {
	process
	schemes  []scheme
	nextID   func(f *flawed, stream int) key
	tryID    func(f *flawed, stream int) (key, error)
	runOf    func(xs []key)
	noLimit  bool
	noNumber bool
	prev     []key
}

func (f *flawed) next(stream int) key {
	if f.nextID == nil {
		return f.process.next(stream)
	}
	return f.nextID(f, stream)
}

func (f *flawed) try(stream int) (key, error) {
	if f.tryID == nil {
		return f.process.try(stream)
	}
	return f.tryID(f, stream)
}

func (f *flawed) run(stream int, dst []key, n int) []key {
	at := len(dst)
	dst = f.process.run(stream, dst, n)
	if f.runOf != nil {
		f.runOf(dst[at:])
	}
	return dst
}

func (f *flawed) limit(s ids.ClockState) {
	if !f.noLimit {
		f.process.limit(s)
	}
}

func (f *flawed) renumber(node [6]byte, number int64) {
	if !f.noNumber {
		f.process.renumber(node, number)
	}
}

// flaws are what the judge must find, and what it must say.
var flaws = []struct {
	name   string
	breaks string
	make   func(b boot) *flawed
}{
	{"the id before again", "", func(b boot) *flawed {
		return &flawed{prev: make([]key, len(b.schemes)), nextID: func(f *flawed, stream int) key {
			if x := f.prev[stream]; x != (key{}) {
				f.prev[stream] = key{}
				return x
			}
			f.prev[stream] = f.process.next(stream)
			return f.prev[stream]
		}}
	}},
	{"random bits that the copy of a machine has too", "unique: it was issued before", func(b boot) *flawed {
		// Every reading is drawn anew from the same few bits.
		b.random = zeros{}
		return &flawed{process: newLibrary(b)}
	}},
	{"the last two ids of a run in the wrong order", "ordered: within a run", func(boot) *flawed {
		return &flawed{runOf: func(xs []key) {
			if n := len(xs); n > 1 {
				xs[n-1], xs[n-2] = xs[n-2], xs[n-1]
			}
		}}
	}},
	{"a V7 below the one before", "ordered: ", func(b boot) *flawed {
		return &flawed{nextID: func(f *flawed, stream int) key {
			x := f.process.next(stream)
			if b.schemes[stream].kind == v7 {
				x.lo ^= 1 << 60 // above the strides
			}
			return x
		}}
	}},
	{"ULIDs 11 ms ahead of the clock", "true: ", func(b boot) *flawed {
		return &flawed{nextID: func(f *flawed, stream int) key {
			x := f.process.next(stream)
			if b.schemes[stream].kind == ulid {
				x.hi += 11 << 16
			}
			return x
		}}
	}},
	{"no wait for a tick", "true: ", func(b boot) *flawed {
		b.maxAhead = time.Hour
		return &flawed{process: newLibrary(b)}
	}},
	{"no step back of V6, however long", "true: ", func(b boot) *flawed {
		b.tolerance = 1 << 62
		return &flawed{process: newLibrary(b)}
	}},
	{"a step back of V6 within the tolerance", "ordered: ", func(b boot) *flawed {
		b.tolerance = -1
		return &flawed{process: newLibrary(b)}
	}},
	{"a wait of 21 ms", "live: ", func(boot) *flawed {
		return &flawed{nextID: func(f *flawed, stream int) key {
			time.Sleep(21 * time.Millisecond)
			return f.process.next(stream)
		}}
	}},
	{"a loop that reads the clock", "live: ", func(b boot) *flawed {
		return &flawed{nextID: func(f *flawed, stream int) key {
			for range maxReadings {
				b.now()
			}
			return f.process.next(stream)
		}}
	}},
	{"an attempt that waits", "live: an attempt waited", func(boot) *flawed {
		return &flawed{tryID: func(f *flawed, stream int) (key, error) {
			time.Sleep(time.Microsecond)
			return f.process.try(stream)
		}}
	}},
	{"an attempt that is refused without reason", "where there is room", func(b boot) *flawed {
		return &flawed{tryID: func(f *flawed, stream int) (key, error) {
			b.now()
			return key{}, ids.ErrExhausted
		}}
	}},
	{"a clock that was not set back", "where the clock was not set back", func(b boot) *flawed {
		return &flawed{tryID: func(f *flawed, stream int) (key, error) {
			b.now()
			return key{}, ids.ErrClockBackward
		}}
	}},
	{"a restart with what was saved an hour earlier", "", func(b boot) *flawed {
		if b.state != (ids.ClockState{}) {
			b.state.Time = b.state.Time.Add(-time.Hour)
		}
		return &flawed{process: newLibrary(b)}
	}},
	{"a limit that is not kept", "unique: the limit", func(boot) *flawed { return &flawed{noLimit: true} }},
	{"a copy with the numbers of the original", "unique: its node is", func(boot) *flawed { return &flawed{noNumber: true} }},
	{"no version", "its version or variant is wrong", func(b boot) *flawed {
		return &flawed{nextID: func(f *flawed, stream int) key {
			x := f.process.next(stream)
			if b.schemes[stream].kind == v7 {
				x.hi &^= 0xf000
			}
			return x
		}}
	}},
	{"a panic", "panic: runtime error", func(boot) *flawed {
		return &flawed{runOf: func(xs []key) { _ = xs[len(xs)-1000] }}
	}},
}

// zeros is a source of random bytes that are none.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

// TestFlaws shows that each flaw is found, and told in a short history that has it every time.
func TestFlaws(t *testing.T) {
	for _, f := range flaws {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			mk := func(b boot) process {
				p := f.make(b)
				if p.process == nil {
					p.process = newLibrary(b)
				}
				p.schemes = b.schemes
				return p
			}
			const seeds = 400
			seed := uint64(0)
			for ; ; seed++ {
				if seed == seeds {
					t.Fatalf("not found in %d scenarios", seeds)
				}
				p := newPlan(seed)
				if strings.HasPrefix(f.name, "a copy ") && !slices.ContainsFunc(p.events, func(e event) bool { return e.action == clone }) {
					continue // it takes long to play those that show nothing
				}
				if v := play(t, p, mk, new(stats)).violation; v != nil {
					break
				}
			}
			p, v := shortest(t, seed, mk)
			t.Logf("seed %d: %s\n%s", seed, v.text, p.text())
			if !strings.Contains(v.text, f.breaks) {
				t.Errorf("found as %q, want %q", v.text, f.breaks)
			}
			if len(p.events) > 6 {
				t.Errorf("the shortest history has %d events", len(p.events))
			}
			for range 2 {
				again := play(t, p, mk, new(stats)).violation
				if again == nil || again.text != v.text {
					t.Fatalf("played again, the shortest history gives %v", again)
				}
			}
			if fine := play(t, p, newLibrary, new(stats)).violation; fine != nil {
				t.Errorf("package ids breaks a promise there too: %s", fine.text)
			}
		})
	}
}

// TestShrink shrinks a plan of which two events and one number matter.
func TestShrink(t *testing.T) {
	p := &plan{}
	for i := range 200 {
		p.events = append(p.events, event{action: action(i) % actions, machine: i % 3, n: 500 + i, d: int64(i) * 12345})
	}
	fails := func(p *plan) *violation {
		i := slices.IndexFunc(p.events, func(e event) bool { return e.action == step && e.d >= 2000 })
		if i < 0 || !slices.ContainsFunc(p.events[i:], func(e event) bool { return e.action == mint && e.n >= 37 }) {
			return nil
		}
		return problem("both are there")
	}
	got, v := shrink(p, fails, 3000)
	want := []event{{action: step, d: 10_000}, {action: mint, n: 37}}
	if v == nil || len(got.events) != 2 || got.events[0].d != want[0].d || got.events[1].n != want[1].n || got.events[1].d != 0 {
		t.Errorf("shrunk to %+v", got.events)
	}
	if got, v := shrink(p, func(*plan) *violation { return nil }, 3000); got != p || v != nil {
		t.Error("a plan that breaks nothing was shrunk")
	}
}
