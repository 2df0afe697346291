package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/oneclock/ids"
)

// A flawed process is one of package ids, but for what its functions do instead.
type flawed struct {
	process
	nextID     func(stream int) key
	tryID      func(stream int) (key, error)
	runOf      func(xs []key)
	limitOf    func(t time.Time, cause error)
	endOf      func(t time.Time, cause error)
	latestOf   func() time.Time
	horizonOf  func(d time.Duration) time.Time
	renumberOf func(node [6]byte, number int64)
}

func (f *flawed) next(stream int) key                 { return f.nextID(stream) }
func (f *flawed) try(stream int) (key, error)         { return f.tryID(stream) }
func (f *flawed) limit(t time.Time, cause error)      { f.limitOf(t, cause) }
func (f *flawed) end(t time.Time, cause error)        { f.endOf(t, cause) }
func (f *flawed) latest() time.Time                   { return f.latestOf() }
func (f *flawed) horizon(d time.Duration) time.Time   { return f.horizonOf(d) }
func (f *flawed) renumber(node [6]byte, number int64) { f.renumberOf(node, number) }
func (f *flawed) run(stream int, dst []key, n int) []key {
	at := len(dst)
	dst = f.process.run(stream, dst, n)
	f.runOf(dst[at:])
	return dst
}

// flawedBy returns the maker of processes that change flaws: what they start with, or what their functions do.
func flawedBy(change func(b *boot, f *flawed)) maker {
	return func(b boot) process {
		f := &flawed{runOf: func([]key) {}}
		f.nextID = func(stream int) key { return f.process.next(stream) }
		f.tryID = func(stream int) (key, error) { return f.process.try(stream) }
		f.limitOf = func(t time.Time, cause error) { f.process.limit(t, cause) }
		f.endOf = func(t time.Time, cause error) { f.process.end(t, cause) }
		f.latestOf = func() time.Time { return f.process.latest() }
		f.horizonOf = func(d time.Duration) time.Time { return f.process.horizon(d) }
		f.renumberOf = func(node [6]byte, number int64) { f.process.renumber(node, number) }
		change(&b, f)
		f.process = newLibrary(b)
		return f
	}
}

// spoil changes ids of a kind.
func (f *flawed) spoil(b *boot, of kind, change func(x *key)) {
	f.nextID = func(stream int) key {
		x := f.process.next(stream)
		if b.schemes[stream].kind == of {
			change(&x)
		}
		return x
	}
}

// A flaw is what the judge must find, and what it must say.
type flaw struct {
	name   string
	breaks string
	change func(b *boot, f *flawed)
}

var flaws = []flaw{
	{"the id before again", "", func(b *boot, f *flawed) {
		prev := make([]key, len(b.schemes))
		f.nextID = func(stream int) key {
			if x := prev[stream]; x != (key{}) {
				prev[stream] = key{}
				return x
			}
			prev[stream] = f.process.next(stream)
			return prev[stream]
		}
	}},
	{"random bits that the copy of a machine has too", "unique: it was issued before", func(b *boot, _ *flawed) {
		// Every reading is drawn anew from the same few bits.
		b.random = zeros{}
	}},
	{"the last two ids of a run in the wrong order", "ordered: ", func(_ *boot, f *flawed) {
		f.runOf = func(xs []key) {
			if n := len(xs); n > 1 {
				xs[n-1], xs[n-2] = xs[n-2], xs[n-1]
			}
		}
	}},
	{"a V7 below the one before", "", func(b *boot, f *flawed) { f.spoil(b, v7, func(x *key) { x.lo ^= 1 << 60 }) }}, // above the strides
	{"ULIDs 11 ms ahead of the clock", "true: ", func(b *boot, f *flawed) { f.spoil(b, ulid, func(x *key) { x.hi += 11 << 16 }) }},
	{"no wait for a tick", "true: ", func(b *boot, _ *flawed) { b.maxAhead = time.Hour }},
	{"no step back of V6, however long", "true: ", func(b *boot, _ *flawed) { b.tolerance = 1 << 62 }},
	{"a step back of V6 within the tolerance", "ordered: ", func(b *boot, _ *flawed) { b.tolerance = -1 }},
	{"a wait of 21 ms", "live: ", func(_ *boot, f *flawed) {
		f.nextID = func(stream int) key {
			time.Sleep(21 * time.Millisecond)
			return f.process.next(stream)
		}
	}},
	{"a loop that reads the clock", "live: ", func(b *boot, f *flawed) {
		f.nextID = func(stream int) key {
			for range maxReadings {
				b.now()
			}
			return f.process.next(stream)
		}
	}},
	{"an attempt that waits", "live: an attempt waited", func(_ *boot, f *flawed) {
		f.tryID = func(stream int) (key, error) {
			time.Sleep(time.Microsecond)
			return f.process.try(stream)
		}
	}},
	{"an attempt that is refused without reason", "refused as exhausted, where Next does not wait", func(b *boot, f *flawed) {
		f.tryID = func(stream int) (key, error) {
			b.now()
			return key{}, ids.ErrExhausted
		}
	}},
	{"a clock that was not set back", "refused because of a clock set back, where Next", func(b *boot, f *flawed) {
		f.tryID = func(stream int) (key, error) {
			b.now()
			return key{}, ids.ErrClockBehind
		}
	}},
	{"a restart with what was saved an hour earlier", "", func(b *boot, _ *flawed) {
		if !b.after.IsZero() {
			b.after = b.after.Add(-time.Hour)
		}
	}},
	{"a limit that is not kept", "unique: the limit", func(_ *boot, f *flawed) {
		f.limitOf = func(_ time.Time, cause error) { f.process.limit(toTime(future, time.UTC), cause) }
	}},
	{"ids before the first limit", "unique: the limit", func(b *boot, f *flawed) {
		set := false
		f.nextID = func(stream int) key {
			if b.limited && !set {
				set = true
				f.process.limit(toTime(future, time.UTC), nil)
			}
			return f.process.next(stream)
		}
		f.limitOf = func(t time.Time, cause error) {
			set = true
			f.process.limit(t, cause)
		}
	}},
	{"a first limit that does not let ids go on", "live: an id is withheld", func(_ *boot, f *flawed) {
		set := false
		f.limitOf = func(t time.Time, cause error) {
			if set {
				f.process.limit(t, cause)
			}
			set = true
		}
	}},
	{"a cause that is dropped", "cause: ", func(_ *boot, f *flawed) {
		f.limitOf = func(t time.Time, _ error) { f.process.limit(t, nil) }
	}},
	{"a cause that is stale", "cause: ", func(_ *boot, f *flawed) {
		var stale error
		f.limitOf = func(t time.Time, cause error) {
			f.process.limit(t, stale)
			stale = cause
		}
	}},
	{"a cause that stays where there is none", "cause: ", func(_ *boot, f *flawed) {
		var latest error
		f.limitOf = func(t time.Time, cause error) {
			if cause != nil {
				latest = cause
			}
			f.process.limit(t, latest)
		}
	}},
	{"the cause of an end that is dropped", "cause: ", func(_ *boot, f *flawed) {
		f.endOf = func(t time.Time, _ error) { f.process.end(t, nil) }
	}},
	{"the latest cause of an end, not the first", "cause: ", func(_ *boot, f *flawed) {
		var latest error
		f.endOf = func(t time.Time, cause error) {
			latest = cause
			f.process.end(t, cause)
		}
		f.tryID = func(stream int) (key, error) {
			x, err := f.process.try(stream)
			if errors.Is(err, ids.ErrEnded) && latest != nil {
				err = fmt.Errorf("%w: %w", ids.ErrEnded, latest)
			}
			return x, err
		}
	}},
	{"an end at which calls wait on", "live: ", func(_ *boot, f *flawed) {
		f.endOf = func(t time.Time, cause error) { f.process.limit(t, cause) }
	}},
	{"a copy with the numbers of the original", "unique: its node is", func(_ *boot, f *flawed) { f.renumberOf = func([6]byte, int64) {} }},
	{"no version", "its version or variant is wrong", func(b *boot, f *flawed) { f.spoil(b, v7, func(x *key) { x.hi &^= 0xf000 }) }},
	{"a V1 whose clock sequence jumps", "unique: its clock sequence is", func(b *boot, f *flawed) {
		calls := 0
		f.spoil(b, v1, func(x *key) {
			calls++
			if calls%100 == 0 {
				x.lo ^= 1 << 55
			}
		})
	}},
	{"a limit of the zero time is none", "unique: the limit", func(_ *boot, f *flawed) {
		f.limitOf = func(t time.Time, cause error) {
			if t.IsZero() {
				t = toTime(future, time.UTC)
			}
			f.process.limit(t, cause)
		}
	}},
	{"an end that is later than the limit", "unique: the limit", func(_ *boot, f *flawed) {
		f.endOf = func(t time.Time, cause error) {
			f.process.limit(t, cause)
			f.process.end(t, cause)
		}
	}},
	{"an overtaken reading counts", "ordered: ", func(b *boot, f *flawed) {
		now, calls := b.now, 0
		var read, old time.Time
		b.now = func() time.Time {
			if !old.IsZero() {
				return old
			}
			read = now()
			return read
		}
		f.nextID = func(stream int) key {
			calls++
			began := calls
			x := f.process.next(stream)
			if calls != began {
				old = read
				x = f.process.next(stream)
				old = time.Time{}
			}
			return x
		}
	}},
	{"a latest time that counts V7", "Latest is", func(b *boot, f *flawed) {
		var latest time.Time
		f.nextID = func(stream int) key {
			x := f.process.next(stream)
			if s := &b.schemes[stream]; s.kind == v7 {
				tick, _, _ := s.fields(x)
				latest = toTime(s.start(tick), time.UTC)
			}
			return x
		}
		f.latestOf = func() time.Time {
			if t := f.process.latest(); t.After(latest) {
				return t
			}
			return latest
		}
	}},
	{"a horizon d after the latest time", "NextHorizon(", func(_ *boot, f *flawed) {
		f.horizonOf = func(d time.Duration) time.Time {
			t := f.process.horizon(d)
			if u := f.process.latest(); !u.IsZero() && u.Add(d).After(t) {
				return u.Add(d)
			}
			return t
		}
	}},
	{"a broken clock that costs an id", "", func(_ *boot, f *flawed) {
		f.nextID = func(stream int) key {
			defer func() {
				if p := recover(); p != nil {
					f.process.next(stream)
					panic(p)
				}
			}()
			return f.process.next(stream)
		}
	}},
	{"random bytes that fail and are taken for zeros", "and the call gave an id", func(b *boot, _ *flawed) { b.random = lenient{b.random} }},
	{"a wait that reads the clock again", "live: the call read the clock ", func(b *boot, f *flawed) {
		f.nextID = func(stream int) key {
			began := time.Now()
			x := f.process.next(stream)
			if time.Now().After(began) {
				b.now()
			}
			return x
		}
	}},
	{"a panic", "panic: runtime error", func(_ *boot, f *flawed) { f.runOf = func(xs []key) { _ = xs[len(xs)-1000] } }},
}

// firstSeeds are the seeds of the first scenarios in which flaws are found that are rarely seen.
var firstSeeds = map[string]uint64{
	"a step back of V6 within the tolerance": 15,
	"a broken clock that costs an id":        150,
}

// zeros is a source of random bytes that are none.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

// lenient is a source of random bytes that hides errors.
type lenient struct{ r io.Reader }

func (l lenient) Read(b []byte) (int, error) { l.r.Read(b); return len(b), nil }

// TestFlaws shows that each flaw is found, and told in a short history that has it every time.
func TestFlaws(t *testing.T) {
	long(t)
	for _, f := range flaws {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			mk := flawedBy(f.change)
			const seeds = 400
			seed := firstSeeds[f.name]
			for last := seed + seeds; play(t, newPlan(seed), mk, new(stats)) == nil; seed++ {
				if seed == last {
					t.Fatalf("not found in %d scenarios", seeds)
				}
			}
			p, v := shortest(t, seed, mk)
			t.Logf("%s: seed %d: %s\n%s", f.name, seed, v.text, p.text())
			if !strings.Contains(v.text, f.breaks) {
				t.Errorf("found as %q, want %q", v.text, f.breaks)
			}
			if len(p.events) > 6 {
				t.Errorf("the shortest history has %d events", len(p.events))
			}
			for range 2 {
				again := play(t, p, mk, new(stats))
				if again == nil || again.text != v.text {
					t.Fatalf("played again, the shortest history gives %v", again)
				}
			}
			if fine := play(t, p, newLibrary, new(stats)); fine != nil {
				t.Errorf("package ids breaks a promise there too: %s", fine.text)
			}
		})
	}
}
