package main

import (
	"context"
	"strings"
	"testing"
	"time"
)

// A flawed process is one of package ids, but for what its functions do instead.
type flawed struct {
	process
	latestIs  time.Time // the latest time at least
	nextID    func(stream int) key
	contextOf func(ctx context.Context) context.Context
	runOf     func(xs []key)
	limitOf   func(t time.Time, cause error)
	endOf     func(t time.Time, cause error)
}

func (f *flawed) next(stream int) key            { return f.nextID(stream) }
func (f *flawed) limit(t time.Time, cause error) { f.limitOf(t, cause) }
func (f *flawed) end(t time.Time, cause error)   { f.endOf(t, cause) }
func (f *flawed) nextContext(ctx context.Context, stream int) (key, error) {
	return f.process.nextContext(f.contextOf(ctx), stream)
}
func (f *flawed) latest() time.Time {
	if t := f.process.latest(); t.After(f.latestIs) {
		return t
	}
	return f.latestIs
}
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
		f.contextOf = func(ctx context.Context) context.Context { return ctx }
		f.limitOf = func(t time.Time, cause error) { f.process.limit(t, cause) }
		f.endOf = func(t time.Time, cause error) { f.process.end(t, cause) }
		change(&b, f)
		f.process = newLibrary(b)
		return f
	}
}

// A flaw is what the judge must find, and what it must say.
type flaw struct {
	name   string
	breaks string
	change func(b *boot, f *flawed)
}

// flaws are of one kind each.
var flaws = []flaw{
	{"a restart with what was saved an hour earlier", "unique: ", func(b *boot, f *flawed) {
		if !b.after.IsZero() {
			f.latestIs = b.after.UTC()
			b.after = b.after.Add(-time.Hour)
		}
	}},
	{"one clock sequence for every V1", "unique: it was issued before", func(b *boot, f *flawed) {
		f.nextID = func(stream int) key {
			x := f.process.next(stream)
			if b.schemes[stream].kind == v1 {
				x.lo &^= (rounds - 1) << 50
			}
			return x
		}
	}},
	{"the last two ids of a run in the wrong order", "ordered: ", func(_ *boot, f *flawed) {
		f.runOf = func(xs []key) {
			if n := len(xs); n > 1 {
				xs[n-1], xs[n-2] = xs[n-2], xs[n-1]
			}
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
	{"no wait for a tick", "true: ", func(b *boot, _ *flawed) { b.maxAhead = time.Hour }},
	{"a wait of 21 ms", "live: ", func(_ *boot, f *flawed) {
		f.nextID = func(stream int) key {
			time.Sleep(21 * time.Millisecond)
			return f.process.next(stream)
		}
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
	{"a cause that is stale", "cause: ", func(_ *boot, f *flawed) {
		var stale error
		f.limitOf = func(t time.Time, cause error) {
			f.process.limit(t, stale)
			stale = cause
		}
	}},
	{"an end that is later than the limit", "unique: the limit", func(_ *boot, f *flawed) {
		f.endOf = func(t time.Time, cause error) {
			f.process.limit(t, cause)
			f.process.end(t, cause)
		}
	}},
	{"an end at which calls wait on", "live: ", func(_ *boot, f *flawed) {
		f.endOf = func(t time.Time, cause error) { f.process.limit(t, cause) }
	}},
	{"a context whose end is not seen", "live: ", func(_ *boot, f *flawed) { f.contextOf = context.WithoutCancel }},
}

// TestFlaws shows that each flaw is found, and told in a short history that has it every time.
func TestFlaws(t *testing.T) {
	long(t)
	for _, f := range flaws {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			mk := flawedBy(f.change)
			const seeds = 400
			seed := uint64(0)
			for ; play(t, newPlan(seed), mk, new(stats)) == nil; seed++ {
				if seed == seeds {
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
