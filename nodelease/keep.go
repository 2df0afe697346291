package nodelease

// This file contains the keeper, the goroutine that takes a number, renews its lease and releases
// it. Only the keeper calls the store.

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

const (
	takeTimeout    = 5 * time.Second // doubled after two failures in a row
	releaseTimeout = 4500 * time.Millisecond
	minRetryDelay  = 100 * time.Millisecond
	maxRetryDelay  = 2 * time.Second
)

// A keeper takes a number for a Minter and renews the number's lease. Only the keeper goroutine
// uses the keeper, except for the state and the reporter, which are shared with other goroutines.
type keeper struct {
	state  *state
	report *reporter
	store  Store
	opts   Options // its Layout is never the zero layout

	unusableAt time.Time // time of the latest report about an unusable number
}

// keepNumber takes and keeps one number after another until ctx is done. It returns the error of
// the last release.
func (k *keeper) keepNumber(ctx context.Context) (failed error) {
	for failures := 0; ctx.Err() == nil; failures++ {
		sent := k.state.elapsed()
		h, err := k.takeNumber(ctx, takeTimeout<<min(failures/2, 1))
		if err != nil && k.state.elapsed()-sent >= takeTimeout {
			sleep(ctx, crowdDelay(failures))
			continue
		}
		if err == nil {
			failed = k.endHolding(h, k.renewUntilEnd(ctx, h))
			if h.minted {
				failures = 0
			}
		}
		sleep(ctx, retryDelay(failures, maxRetryDelay))
	}
	return failed
}

// takeNumber takes a number. No IDs can be made with it before its horizon has been raised.
func (k *keeper) takeNumber(ctx context.Context, timeout time.Duration) (*holding, error) {
	var g Grant
	report := k.report // Warn may be called by any goroutine
	warn := func(err error) { report.warn(nil, "the store has a warning", err) }
	err := k.callStore(ctx, nil, "Take", timeout, func(ctx context.Context) (err error) {
		g, err = k.store.Take(ctx, Request{Now: k.state.now(), Layout: k.opts.Layout, Warn: warn})
		if err == nil && g.Lease == nil {
			err = errors.New("nodelease: Take returned neither a lease nor an error")
		}
		return err
	})
	if err != nil {
		k.state.setNoNumber(err)
		return nil, err
	}
	h := newHolding(g)
	if err := h.startClock(&k.opts, k.state.now()); err != nil {
		if now := time.Now(); now.Sub(k.unusableAt) >= logInterval {
			k.unusableAt = now
			k.report.warn(h.tenure, "cannot make IDs under a number", err)
		}
		k.state.setFree(0, false) // the store may count other unusable numbers as free, too
		k.state.setNoNumber(err)
		_ = k.releaseNumber(h, roundUp(h.found)) // callStore reports its errors
		return nil, err
	}
	k.state.setFree(g.Free, g.FreeKnown)
	k.warnIfAhead(h, h.found)
	return h, nil
}

// warnIfAhead reports a horizon that is so far ahead of the wall clock that the number's IDs have,
// or will have, timestamps in the future. This is reported only once each time a number is taken.
func (k *keeper) warnIfAhead(h *holding, horizon time.Time) {
	ahead := horizon.Sub(k.state.now())
	if h.warned || ahead <= max(maxWindow(k.opts.Layout.Tick), h.ttl)+time.Microsecond {
		return
	}
	h.warned = true
	k.report.warn(h.tenure, "the horizon of a number is far ahead", fmt.Errorf(
		"nodelease: the horizon %s is %v ahead of this machine's clock: its IDs may be ahead, too", horizon.Format(time.RFC3339), ahead))
}

// renewUntilEnd renews the lease until ctx is done or the number is lost. It returns nil if ctx is
// done, and an error that matches ErrLost if the number is lost. While the store does not answer,
// renewUntilEnd keeps trying. Meanwhile, minting stops by itself at the deadline. When the store
// answers again, minting resumes with the same number unless another holder has taken it.
func (k *keeper) renewUntilEnd(ctx context.Context, h *holding) error {
	for ctx.Err() == nil {
		sent := k.state.elapsed()
		err := k.renewLease(ctx, h, sent)
		took := k.state.elapsed() - sent
		h.slow = err != nil || took > h.renewalLasts()/2
		if errors.Is(err, ErrLost) {
			return err
		}
		// After a successful renewal, the delay is measured from the time at which the request was
		// sent, so that a slow answer does not postpone the next renewal. Jitter spreads the
		// requests of processes that started together.
		delay, renewNow := h.ttl/4+rand.N(h.ttl/12)-took, k.state.renewNow
		if err != nil {
			delay, renewNow = retryDelay(h.failures, min(h.ttl/8, maxRetryDelay)), nil
			h.failures++
			k.state.setNotRenewed(h.tenure, err)
		} else {
			h.failures = 0
		}
		timer := time.NewTimer(delay)
		select {
		case <-ctx.Done():
		case <-renewNow:
		case <-timer.C:
		}
		timer.Stop()
	}
	return nil
}

// renewLease renews the lease and, if necessary, raises the horizon. It lets the tenure's clock
// advance to the horizon only after the store has confirmed that horizon.
func (k *keeper) renewLease(ctx context.Context, h *holding, sent time.Duration) error {
	err := k.callStore(ctx, h.tenure, "Extend", h.renewalTimeout(), func(ctx context.Context) error {
		h.asked = h.nextHorizon(&k.opts)
		k.warnIfAhead(h, h.asked)
		return h.lease.Extend(ctx, h.asked)
	})
	if err != nil {
		return err
	}
	k.report.renewed(h.tenure.number, k.state.elapsed()-sent)
	if k.state.resumeMinting(h.tenure, h.asked, sent+h.renewalLasts()) {
		h.minted = true
	}
	return nil
}

// endHolding ends the use of a number. If lost is not nil, the number has already been lost, and
// endHolding only records lost as the reason. Otherwise, endHolding releases the number and sets
// its horizon to the time of the latest ID, so that the next holder need not wait until the higher
// horizon has passed.
func (k *keeper) endHolding(h *holding, lost error) error {
	if lost != nil {
		k.state.setNoNumber(lost)
		return nil
	}
	t := h.tenure
	t.limit.EndAt(time.Time{}, ErrClosed) // endMinting has already done this if t has minted
	horizon := roundUp(t.clock.Latest())
	switch err := k.releaseNumber(h, horizon); {
	case err == nil:
		k.report.info("released a number", "number", t.number, "horizon", horizon)
	case errors.Is(err, ErrLost):
		k.report.info("a number is no longer held, perhaps because an earlier request released it", "number", t.number)
	default:
		return fmt.Errorf("nodelease: number %d could not be released: %w", t.number, err)
	}
	return nil
}

// releaseNumber releases the number. If the store fails, releaseNumber retries until releaseTimeout
// has passed. A request may take up to half of the remaining time, or all of it if at most a second
// remains. ErrLost means that an earlier request took effect or that there is nothing left to
// release. If the store returns ErrRefused, for example because the store is closed, releaseNumber
// does not retry.
func (k *keeper) releaseNumber(h *holding, horizon time.Time) error {
	began := time.Now()
	for failures := 0; ; failures++ {
		left := releaseTimeout - time.Since(began)
		if left > time.Second {
			left /= 2
		}
		err := k.callStore(context.Background(), h.tenure, "Release", left, func(ctx context.Context) error {
			return h.lease.Release(ctx, horizon)
		})
		if err == nil || errors.Is(err, ErrLost) || errors.Is(err, ErrRefused) {
			return err
		}
		delay := retryDelay(failures, maxRetryDelay/4)
		if time.Since(began)+delay >= releaseTimeout {
			return err
		}
		time.Sleep(delay)
	}
}

// returnGrace is how long a call to the store may continue after its context is done before
// callStore reports that the call has not returned.
const returnGrace = 5 * time.Second

// callStore calls a method of the store. The parameter t is the tenure whose lease the call extends
// or releases. For a call to Take, t is nil. If the call fails, callStore reports the error unless
// ctx is done. A call that does not return blocks the keeper. So if a call has not returned
// returnGrace after its context is done, callStore reports that, and reports again when the call
// has returned.
func (k *keeper) callStore(
	ctx context.Context, t *tenure, method string, timeout time.Duration, call func(context.Context) error,
) error {
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	began := time.Now()
	returned, reported := make(chan struct{}), make(chan bool, 1)
	report := k.report // for another goroutine
	stop := context.AfterFunc(limited, func() {
		select {
		case <-returned:
			reported <- false
		case <-time.After(returnGrace):
			report.warn(t, "a call of the store does not return", fmt.Errorf(
				"nodelease: %s has not returned %v after its time limit: it blocks all other requests to the store", method, returnGrace))
			reported <- true
		}
	})
	err := call(limited)
	close(returned)
	took := time.Since(began)
	if err != nil && ctx.Err() == nil {
		report.failed(t, took, err)
	}
	if !stop() && <-reported {
		report.warn(t, "a call of the store has returned late", fmt.Errorf("nodelease: %s took %v", method, took))
	}
	return err
}

// retryDelay returns the delay before the next attempt. The delay doubles with each consecutive
// failure, up to longest. Half of it is random, so that processes that started together spread
// their requests.
func retryDelay(failures int, longest time.Duration) time.Duration {
	d := min(minRetryDelay<<min(failures, 10), longest)
	return d/2 + rand.N(d/2)
}

// crowdDelay returns the delay after a Take that was not answered in time, perhaps because many
// processes sent requests at the same time. If all of these processes retried soon, neither their
// Takes nor the holders' renewals would be answered in time. So the delay is random. After the
// first failure, its maximum is 7.5 s, which is half the stores' default TTL. After the second
// failure, the maximum is 15 s, and after each later failure, it is 30 s. The loss of a number
// counts as a failure.
func crowdDelay(failures int) time.Duration {
	const halfTTL = 7500 * time.Millisecond
	return rand.N(halfTTL << min(failures, 2))
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
