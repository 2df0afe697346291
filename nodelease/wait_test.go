package nodelease_test

// Tests of calls that wait, and of the errors with which they end.

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/internal/must"
)

var errEnough = errors.New("enough")

// waits calls Wait, and checks how long it takes and which errors its error matches. No errors mean
// nil.
func waits(t *testing.T, m *nodelease.Minter, what string, long time.Duration, want ...error) {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, errEnough)
	defer cancel()
	began := time.Now()
	err := m.Wait(ctx)
	if took := time.Since(began); took != long || (err == nil) != (len(want) == 0) {
		t.Errorf("%s: Wait has taken %v and returns %v, want %v and %v", what, took, err, long, want)
	}
	for _, w := range want {
		if !errors.Is(err, w) {
			t.Errorf("%s: Wait returns %v, want an error that matches %v", what, err, w)
		}
	}
}

// TestWait uses a store that has no number, does not answer, refuses, fails, and has a number, and
// a Minter that is closed.
func TestWait(t *testing.T) {
	store, notMade := &scriptedStore{}, fmt.Errorf("%w: nobody has made it", nodelease.ErrRefused)
	answer := func(g nodelease.Grant, err error) {
		store.set(func() (nodelease.Grant, error) { return g, err })
		time.Sleep(5 * time.Second)
	}
	store.set(func() (nodelease.Grant, error) {
		return nodelease.Grant{}, fmt.Errorf("region north: %w", nodelease.ErrNoNumber)
	})
	bubble(t, store, nil, func(t *testing.T, m *nodelease.Minter, w *wall) {
		waits(t, m, "without a number", time.Minute, context.DeadlineExceeded, errEnough, nodelease.ErrNoNumber)
		if s := m.Stats(); !s.FreeKnown || s.Free != 0 {
			t.Errorf("without a number: Stats are %+v, want none free", s)
		}
		answer(nodelease.Grant{}, nil)
		must.Fail(t, "nothing", m.Stats().Err, ids.ErrWithheld, "nodelease: withheld: Take returned neither a lease nor an error")
		var all sync.WaitGroup
		all.Go(func() {
			if err := m.Wait(t.Context()); !errors.Is(err, notMade) {
				t.Errorf("Wait while the store begins to refuse: %v", err)
			}
		})
		answer(nodelease.Grant{}, notMade)
		all.Wait()
		waits(t, m, "a store that refuses", 0, nodelease.ErrRefused, ids.ErrWithheld)

		// The Minter keeps asking, so its calls wait, and the process need not be restarted when
		// the store has been initialized.
		all.Go(func() { mustNext(t, m) })
		answer(nodelease.Grant{}, errors.New("out of order"))
		all.Go(func() { must.Do(t, m.Wait(t.Context())) })
		answer(grant(&lease{store: store}), nil)
		all.Wait()
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		must.Do(t, m.Wait(ended))
		mustClose(t, m)
		waits(t, m, "after Close", 0, nodelease.ErrClosed)
	})
	store.set(func() (nodelease.Grant, error) { return nodelease.Grant{}, nodelease.ErrNoNumber })
	bubble(t, store, nil, func(t *testing.T, m *nodelease.Minter, w *wall) {
		var all sync.WaitGroup
		all.Go(func() { waits(t, m, "Close", 30*time.Second, nodelease.ErrClosed) })
		time.Sleep(30 * time.Second)
		mustClose(t, m)
		all.Wait()
	})
}

// TestWaitForARefusedRenewal uses a store that grants a number and then refuses a renewal. It
// refuses the first renewal or a later one.
func TestWaitForARefusedRenewal(t *testing.T) {
	refuse := func(context.Context, func() error) error {
		return fmt.Errorf("%w: it was dropped", nodelease.ErrRefused)
	}
	const settled = testTTL * 5 / 4 // after the longest pause and the longest request
	store := newFaultyStore(1, testTTL)
	bubble(t, store, nil, func(t *testing.T, m *nodelease.Minter, w *wall) {
		store.setCarry(refuse)
		time.Sleep(testTTL / 2)
		waits(t, m, "within the deadline", 0)
		time.Sleep(testTTL)
		waits(t, m, "past the deadline", 0, nodelease.ErrRefused, ids.ErrWithheld)
		store.setSilent(true)
		time.Sleep(settled)
		waits(t, m, "while the store is silent", time.Minute, context.DeadlineExceeded)
		store.setCarry(refuse)
		time.Sleep(settled)
		waits(t, m, "after its silence", 0, nodelease.ErrRefused, ids.ErrWithheld)
		store.setCarry(nil)
		time.Sleep(testTTL)
		waits(t, m, "when the store is back", 0)
	})
	scripted := &scriptedStore{}
	first := &lease{store: scripted, extend: func() error { return refuse(t.Context(), nil) }}
	scripted.set(func() (nodelease.Grant, error) { return grant(first), nil })
	bubble(t, scripted, nil, func(t *testing.T, m *nodelease.Minter, w *wall) {
		waits(t, m, "at the first renewal", 0, nodelease.ErrRefused)
	})
}

// TestReasons lets renewals fail. The errors of calls that wait, of calls that are refused, and of
// Stats all contain the reason.
func TestReasons(t *testing.T) {
	outOfOrder := errors.New("out of order")
	store := newFaultyStore(1, testTTL)
	bubble(t, store, nil, func(t *testing.T, m *nodelease.Minter, w *wall) {
		ended, end := context.WithCancelCause(t.Context())
		end(errEnough)
		id, err := m.NextContext(ended) // although there is a number
		must.Fail(t, "a context that has ended", err, errEnough, "nodelease: no Snowflake: context canceled: enough")
		if !errors.Is(err, context.Canceled) || errors.Is(err, ids.ErrWithheld) || id != 0 {
			t.Errorf("a context that has ended: %v, %v", id, err)
		}
		mustMint(t, m)
		check := func(what, text string, cause error) {
			t.Helper()
			ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, errEnough)
			defer cancel()
			_, try := m.TryNext()
			_, next := m.NextContext(ctx)
			for call, err := range map[string]error{"TryNext": try, "NextContext": next, "Stats": m.Stats().Err} {
				must.Fail(t, what+": "+call, err, ids.ErrWithheld, "nodelease: withheld: "+text)
				must.Fail(t, what+": "+call, err, cause)
			}
			must.Fail(t, what, next, errEnough, "nodelease: no Snowflake: context deadline exceeded: ")
			must.Fail(t, what, next, context.DeadlineExceeded)
		}
		store.setCarry(func(context.Context, func() error) error { time.Sleep(3 * time.Second); return outOfOrder })
		w.step(time.Hour)
		check("past the horizon", "the horizon is reached, and the store has not confirmed a later one yet", ids.ErrWithheld)
		time.Sleep(3 * time.Second)
		check("after a renewal that failed", "the horizon is reached, and the store has not confirmed a later one: out of order", outOfOrder)
		time.Sleep(testTTL)
		check("past the deadline", "the store has not renewed the lease of number 0 in time: out of order", outOfOrder)
		store.setCarry(nil)
		synctest.Wait()
		mustNext(t, m)
		must.Do(t, m.Stats().Err)
		w.step(time.Hour)
		if err := m.Stats().Err; !errors.Is(err, ids.ErrWithheld) || errors.Is(err, outOfOrder) {
			t.Errorf("past the horizon, after a renewal that succeeded: %v", err)
		}
		w.step(-time.Hour)
	})
}

// TestWrongReadings makes the next readings of the wall clock an hour wrong while the store is
// silent. A call soon has its ID, although nothing raises the horizon. No call has an ID past the
// horizon, although a higher horizon was requested. In the second half, the wall clock is an hour
// behind the IDs.
func TestWrongReadings(t *testing.T) {
	for _, behind := range []time.Duration{0, time.Hour} {
		longest := time.Duration(0)
		for wrong := range int64(6) {
			store := newFaultyStore(1, testTTL)
			store.SetRow(0, time.Time{}, start2026.Add(behind))
			bubble(t, store, &nodelease.Options{Window: testTTL}, func(t *testing.T, m *nodelease.Minter, w *wall) {
				mustNext(t, m)
				_, horizon := store.Row(0)
				store.setSilent(true)
				w.broken = true
				time.Sleep(testTTL / 2)
				w.wrong.Store(wrong)
				began := time.Now()
				_, err := nextWithin(t, m, time.Second)
				must.Do(t, err)
				longest = max(longest, time.Since(began))
				w.step(horizon.Sub(w.now()) + time.Millisecond)
				refused(t, m, ids.ErrWithheld, "past the horizon")
			})
		}
		if longest < 50*time.Millisecond || longest > 250*time.Millisecond {
			t.Errorf("behind by %v: NextContext has taken up to %v, want one or two looks of 100 ms", behind, longest)
		}
	}
}

// TestManyWait lets 10,000 goroutines wait for the store at the horizon, past the deadline, and
// without a number. None of them polls. Then all of them get IDs.
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
					if id, err := m.NextContext(ctx); !errors.Is(err, want) || (id == 0) == (want == nil) {
						t.Errorf("NextContext: %v, %v, want %v", id, err, want)
					}
				})
			}
			synctest.Wait()
			return all.Wait
		}
		// The clock is read by the calls and by wakeWaiters, which wakes all of the calls together.
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
		quiet("past the horizon", 200, testTTL/2)
		quiet("at the deadline", callers+200, testTTL)
		quiet("past the deadline", 200, testTTL)
		store.setSilent(false)
		end()
		w.step(-time.Hour)
		quiet("while nobody waits", 10_000, time.Hour) // for the renewals

		store.setSilent(true)
		time.Sleep(2 * testTTL)
		end = wait(ctx, context.Canceled)
		quiet("without a lease", 200, testTTL)
		cancel()
		end()

		store.Expire(0)
		store.SetRow(0, time.Now().Add(time.Hour), w.now()) // another holder has it
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
