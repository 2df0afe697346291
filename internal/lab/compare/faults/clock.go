package faults

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A recorder mints ids of one kind and watches them.
type recorder struct {
	Outcome
	kind kind
	mu   sync.Mutex // guards what follows, for the scenario with several goroutines
	seen map[id]struct{}
	last id
}

// one mints an id and watches it. now is the clock that the library was given.
func (r *recorder) one(p *process, now func() time.Time) {
	began, before := time.Now(), now()
	v := p.mint()
	wait, after := time.Since(began), now()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.watch(v, wait, before, after)
}

// watch counts what is to be seen in an id, of a call that took wait and lay between two
// readings of the clock.
func (r *recorder) watch(v id, wait time.Duration, before, after time.Time) {
	if _, again := r.seen[v]; again {
		r.Duplicates++
	}
	r.seen[v] = struct{}{}
	if r.kind.sorts && r.IDs > 0 && bytes.Compare(v[:], r.last[:]) <= 0 {
		r.Disorder++
	}
	r.last = v
	r.IDs++
	r.Wait = max(r.Wait, wait)
	// The time is that of a tick, which began before the call and not after it ended.
	at := r.kind.time(v)
	r.Astray = max(r.Astray, before.Sub(at)-r.kind.tick, at.Sub(after))
}

// load mints n ids at some million a second, as a clock that is read to 10 µs sees them: in
// bursts of 1 to 20.
func (r *recorder) load(p *process, bursts *rand.Rand, n int) {
	for n > 0 {
		for range min(1+bursts.IntN(20), n) {
			r.one(p, time.Now)
			n--
		}
		time.Sleep(10 * time.Microsecond)
	}
}

// newBursts returns what load draws the sizes of bursts from: the same ones in each run.
func newBursts() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

// in calls f in a bubble whose clock is, at first, the given time after that at which bubbles
// begin.
func in(t *testing.T, offset time.Duration, f func()) {
	synctest.Test(t, func(*testing.T) {
		time.Sleep(offset)
		f()
	})
}

// steps sets the clock back once, and goes on until each time before the step has been met again.
func steps(back time.Duration) func(t *testing.T, r *recorder, n int) {
	return func(t *testing.T, r *recorder, n int) {
		const start = 2 * time.Hour
		var p *process
		var began, ended time.Time
		bursts := newBursts()
		in(t, start, func() {
			began = time.Now()
			p = r.kind.start(life{})
			r.load(p, bursts, n)
			ended = time.Now()
		})
		in(t, start+ended.Sub(began)-back, func() {
			r.load(p, bursts, n)
			if left := time.Until(began); left > 0 {
				time.Sleep(left)
				r.load(p, bursts, n)
			}
		})
	}
}

// still mints at one reading of the clock. Where the library cannot be given a clock, it is the
// bubble's, which does not move while the library does not sleep.
func still(t *testing.T, r *recorder, n int) {
	in(t, 0, func() {
		at := time.Now()
		now := func() time.Time { return at }
		p := r.kind.start(life{now: now})
		for range n {
			r.one(p, now)
		}
	})
}

// burst mints as fast as can be, on the machine's clock, and watches the ids afterwards. Since
// the machine may do something else meanwhile, the wait is that of the second longest call, and
// the times are the least of five bursts.
func burst(_ *testing.T, r *recorder, n int) {
	const bursts = 5
	minted, at := make([]id, n/bursts), make([]time.Time, n/bursts+1)
	waits := make([]time.Duration, len(minted))
	wait, astray := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
	p := r.kind.start(life{})
	for range bursts {
		at[0] = time.Now()
		for i := range minted {
			minted[i] = p.mint()
			at[i+1] = time.Now()
		}
		r.Astray = 0
		for i, v := range minted {
			waits[i] = at[i+1].Sub(at[i])
			r.watch(v, 0, at[i], at[i+1])
		}
		slices.Sort(waits)
		wait, astray = min(wait, waits[len(waits)-2]), min(astray, r.Astray)
	}
	r.Wait, r.Astray = wait, astray
}

// lives is how often restart begins anew.
const lives = 200

// restart mints in several lives of a process, each of which begins at the same reading of the
// clock.
func restart(saved bool) func(t *testing.T, r *recorder, n int) {
	return func(t *testing.T, r *recorder, n int) {
		var l life
		bursts := newBursts()
		for range lives {
			in(t, time.Hour, func() {
				p := r.kind.start(l)
				r.last = id{} // order is within a life
				r.load(p, bursts, n/lives)
				if saved {
					l.saved = p.save()
				}
			})
		}
	}
}

// bubble mints from several goroutines at once. Their ids are in no order.
func bubble(t *testing.T, r *recorder, n int) {
	r.kind.sorts = false
	in(t, 0, func() {
		p := r.kind.start(life{})
		var done sync.WaitGroup
		for range 4 {
			done.Go(func() {
				for range n / 4 {
					r.one(p, time.Now)
				}
			})
		}
		done.Wait()
	})
}
