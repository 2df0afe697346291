package nodelease_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oneclock/ids/nodelease"
)

// TestWrongReadings has the next readings of the wall clock be an hour ahead while the store is silent: a call has its
// id soon, although nobody raises the mark. In the second half the wall clock is an hour behind the ids.
func TestWrongReadings(t *testing.T) {
	for _, behind := range []time.Duration{0, time.Hour} {
		longest := time.Duration(0)
		for wrong := range int64(6) {
			store := newFaultyStore(1, testTTL)
			store.SetRow(0, time.Time{}, start2026.Add(behind))
			bubble(t, store, nil, func(t *testing.T, m *nodelease.Minter, w *wall) {
				mustNext(t, m)
				store.setSilent(true)
				time.Sleep(testTTL / 2)
				w.wrong.Store(wrong)
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				began := time.Now()
				if _, err := m.Next(ctx); err != nil {
					t.Error(err)
				}
				longest = max(longest, time.Since(began))
			})
		}
		if longest < 50*time.Millisecond || longest > 250*time.Millisecond {
			t.Errorf("behind by %v: Next has taken up to %v, want one or two looks of 100 ms", behind, longest)
		}
	}
}

// TestManyWait has 10,000 goroutines wait for the store: since the mark is reached, past the deadline, and since there
// is no number. None polls. Then all have ids.
func TestManyWait(t *testing.T) {
	const callers = 10_000
	store := newFaultyStore(1, testTTL)
	bubble(t, store, nil, func(t *testing.T, m *nodelease.Minter, w *wall) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		wait := func(ctx context.Context, want error) (end func()) {
			var all sync.WaitGroup
			for range callers {
				all.Go(func() {
					if id, err := m.Next(ctx); !errors.Is(err, want) || (id == 0) == (want == nil) {
						t.Errorf("Next: %v, %v, want %v", id, err, want)
					}
				})
			}
			synctest.Wait()
			return all.Wait
		}
		// The readings are those of the calls, and of what wakes them all at once.
		quiet := func(what string, most int64, length time.Duration) {
			t.Helper()
			before := w.readings.Load()
			time.Sleep(length)
			synctest.Wait()
			if n := w.readings.Load() - before; n > most {
				t.Errorf("%s: %d readings of the clock, want at most %d", what, n, most)
			}
		}
		mustMint(t, m)
		store.setSilent(true)
		w.step(time.Hour)
		end := wait(ctx, nil)
		quiet("past the mark", 200, testTTL/2)
		quiet("at the deadline", callers+200, testTTL)
		quiet("past the deadline", 200, testTTL)
		store.setSilent(false)
		end()

		store.setSilent(true)
		time.Sleep(2 * testTTL)
		end = wait(ctx, context.Canceled)
		quiet("without a lease", 200, testTTL)
		cancel()
		end()

		store.Expire(0)
		store.SetRow(0, time.Now().Add(time.Hour), w.now()) // it is another's
		store.setSilent(false)
		time.Sleep(testTTL)
		end = wait(t.Context(), nodelease.ErrClosed)
		quiet("without a number", 200, testTTL)
		began := time.Now()
		mustClose(t, m)
		end()
		if took := time.Since(began); took > 0 {
			t.Errorf("calls have returned %v after Close", took)
		}
	})
}

// TestWaitAcrossTenures has a call that waits for a mark go on when its number is lost, and another is there.
func TestWaitAcrossTenures(t *testing.T) {
	store := newFaultyStore(1, testTTL)
	bubble(t, store, nil, func(t *testing.T, m *nodelease.Minter, w *wall) {
		mustMint(t, m)
		store.setSilent(true)
		w.step(time.Hour)
		var waiting sync.WaitGroup
		waiting.Go(func() { mustNext(t, m) })
		time.Sleep(time.Second)
		store.Expire(0)
		store.setSilent(false)
		waiting.Wait()
		if granted, _ := store.counts(); granted != 2 {
			t.Errorf("%d tenures, want 2", granted)
		}
	})
}

// TestStats follows a Minter through all that Stats tells.
func TestStats(t *testing.T) {
	store := newFaultyStore(3, testTTL)
	store.setSilent(true)
	bubble(t, store, nil, func(t *testing.T, m *nodelease.Minter, w *wall) {
		check := func(what string, want nodelease.Stats) {
			t.Helper()
			synctest.Wait()
			got := m.Stats()
			got.MarkAhead = got.MarkAhead.Truncate(time.Microsecond) // to which marks are rounded up
			if got != want {
				t.Errorf("%s: got %+v, want %+v", what, got, want)
			}
		}
		const gives = testTTL - testTTL/10 - 100*time.Millisecond
		check("at the start", nodelease.Stats{Node: -1, Free: -1})
		store.setSilent(false)
		id := mustNext(t, m)
		node := id.Node()
		check("with a number", nodelease.Stats{Node: node, Deadline: gives, MarkAhead: 4 * testTTL, Free: 2})
		time.Sleep(time.Second)
		check("a second later", nodelease.Stats{Node: node, Deadline: gives - time.Second, MarkAhead: 4*testTTL - time.Second, Free: 2})
		w.step(-time.Minute)
		ahead := id.Time().Sub(w.now())
		check("the clock is set back", nodelease.Stats{
			Node: node, Deadline: gives - time.Second, MarkAhead: 4*testTTL - time.Second + time.Minute, LatestAhead: ahead, Free: 2,
		})
		store.setSilent(true)
		time.Sleep(testTTL)
		check("past the deadline", nodelease.Stats{Node: -1, Free: 2})
		for n := range int64(3) {
			store.Expire(n)
			store.SetRow(n, time.Now().Add(time.Hour), w.now())
		}
		store.setSilent(false)
		time.Sleep(2 * testTTL)
		check("when none is free", nodelease.Stats{Node: -1})
		store.Expire(1)
		mustNext(t, m)
		check("when one was free", nodelease.Stats{Node: 1, Deadline: gives, MarkAhead: m.Stats().MarkAhead.Truncate(time.Microsecond)})
		mustClose(t, m)
		check("after Close", nodelease.Stats{Node: -1})
	})
}

// TestCloseFromObserve has Observe call Close, which waits for it to return, for 5 s.
func TestCloseFromObserve(t *testing.T) {
	var minter atomic.Pointer[nodelease.Minter]
	var took atomic.Int64
	opts := &nodelease.Options{Observe: func(e nodelease.Event) {
		if m := minter.Load(); m != nil && e.Kind == nodelease.Renewed {
			began := time.Now()
			_ = m.Close()
			took.Store(int64(time.Since(began)))
		}
	}}
	bubble(t, newFaultyStore(1, testTTL), opts, func(t *testing.T, m *nodelease.Minter, w *wall) {
		minter.Store(m)
		time.Sleep(time.Minute)
		if got := time.Duration(took.Load()); got != 5*time.Second {
			t.Errorf("Close has taken %v", got)
		}
	})
}

// TestSilence has the store be silent for a while: requests get lost, and no connection breaks. Afterwards minting
// begins when the request that was lost last is given up, and the next one is answered.
func TestSilence(t *testing.T) {
	for _, ttl := range []time.Duration{15 * time.Second, time.Minute} {
		for _, silence := range []time.Duration{2 * ttl, 8 * ttl, 30 * ttl} {
			store := newFaultyStore(1, ttl)
			bubble(t, store, nil, func(t *testing.T, m *nodelease.Minter, w *wall) {
				rng := newRand(drawSeed(t))
				var late []time.Duration
				for range 500 {
					time.Sleep(3*ttl + time.Duration(rng.Int64N(int64(ttl))))
					store.setSilent(true)
					time.Sleep(silence/2 + time.Duration(rng.Int64N(int64(silence))))
					store.setSilent(false)
					began := time.Now()
					mustNext(t, m)
					late = append(late, time.Since(began))
				}
				slices.Sort(late)
				t.Logf("TTL %v, silence of about %v: minting begins half of the time within %v, always within %v",
					ttl, silence, late[len(late)/2].Round(100*time.Millisecond), late[len(late)-1].Round(100*time.Millisecond))
				if most := ttl - ttl/10 + 2*time.Second; late[len(late)-1] > most || late[len(late)/2] > ttl*3/8 {
					t.Errorf("want half of the time at most %v, and always %v", ttl*3/8, most)
				}
			})
		}
	}
}
