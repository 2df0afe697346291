package nodelease_test

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

// waits calls Wait, and checks how long it takes and what its error matches. Nothing is no error.
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

// TestWait has a store have no number, refuse, fail and have one, and a Minter close.
func TestWait(t *testing.T) {
	store, notMade := &scriptedStore{}, fmt.Errorf("%w: nobody has made it", nodelease.ErrRefused)
	answer := func(g nodelease.Grant, err error) {
		store.set(func() (nodelease.Grant, error) { return g, err })
		time.Sleep(5 * time.Second)
	}
	store.set(func() (nodelease.Grant, error) { return nodelease.Grant{}, nodelease.ErrNoNumber })
	bubble(t, store, nil, func(t *testing.T, m *nodelease.Minter, w *wall) {
		waits(t, m, "without a number", time.Minute, context.DeadlineExceeded, errEnough, nodelease.ErrNoNumber)
		var all sync.WaitGroup
		all.Go(func() {
			if err := m.Wait(t.Context()); !errors.Is(err, notMade) {
				t.Errorf("Wait while the store begins to refuse: %v", err)
			}
		})
		answer(nodelease.Grant{}, notMade)
		all.Wait()
		waits(t, m, "a store that refuses", 0, nodelease.ErrRefused, ids.ErrWithheld)

		// The Minter goes on asking: its calls wait, and whoever makes the store need not start it again.
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

// TestWaitForARefusedRenewal has a store refuse what it has granted: at the first renewal, and later.
func TestWaitForARefusedRenewal(t *testing.T) {
	refuse := func(context.Context, func() error) error {
		return fmt.Errorf("%w: it was dropped", nodelease.ErrRefused)
	}
	store := newFaultyStore(1, testTTL)
	bubble(t, store, nil, func(t *testing.T, m *nodelease.Minter, w *wall) {
		store.setCarry(refuse)
		time.Sleep(testTTL / 2)
		waits(t, m, "within the deadline", 0)
		time.Sleep(testTTL)
		waits(t, m, "past the deadline", 0, nodelease.ErrRefused, ids.ErrWithheld)
		store.setSilent(true)
		time.Sleep(testTTL)
		waits(t, m, "while the store is silent", time.Minute, context.DeadlineExceeded)
		store.setCarry(refuse)
		time.Sleep(testTTL)
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

// TestReasons has renewals fail: the errors of calls that wait, that are refused, and of Stats all say why.
func TestReasons(t *testing.T) {
	outOfOrder := errors.New("out of order")
	store := newFaultyStore(1, testTTL)
	bubble(t, store, nil, func(t *testing.T, m *nodelease.Minter, w *wall) {
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
