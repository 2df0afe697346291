package nodelease

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

const (
	takeTimeout    = 5 * time.Second // for the first two tries to get a number; the others have twice as long
	releaseTimeout = 4500 * time.Millisecond
	closeTimeout   = 5 * time.Second // leaves a store that is slow to hear of its context a moment
	minRetry       = 100 * time.Millisecond
	maxRetry       = 2 * time.Second

	maxTTL = 365 * 24 * time.Hour // so that no sum of times overflows
)

// keepNumber serves one tenure after another until ctx ends.
func (m *Minter) keepNumber(ctx context.Context) {
	for failures := 0; ctx.Err() == nil; failures++ {
		sent := m.elapsed()
		t, err := m.takeNumber(ctx, takeTimeout<<min(failures/2, 1))
		if err != nil && m.elapsed()-sent >= takeTimeout {
			sleep(ctx, crowdPause(failures))
			continue
		}
		if err == nil {
			m.endTenure(t, m.serveTenure(ctx, t))
			if t.expiry != nil { // it has minted
				failures = 0
			}
		}
		sleep(ctx, retryPause(failures, maxRetry))
	}
	close(m.handed)
	close(m.report.last) // nothing follows closed
}

// takeNumber takes a number. Nothing can be minted under it before serveTenure has raised its horizon.
func (m *Minter) takeNumber(ctx context.Context, timeout time.Duration) (*tenure, error) {
	var g Grant
	warn := func(err error) { m.report.warn(nil, "the store has a warning", err) }
	err := m.callStore(ctx, nil, "Take", timeout, func(ctx context.Context) (err error) {
		g, err = m.store.Take(ctx, Request{Now: m.now(), Layout: m.opts.Layout, Warn: warn})
		if err == nil && g.Lease == nil {
			err = errors.New("nodelease: Take returned neither a lease nor an error")
		}
		return err
	})
	if err != nil {
		m.noteNoNumber(err)
		return nil, err
	}
	t := &tenure{lease: g.Lease, number: g.Number, found: g.Horizon, ttl: min(g.TTL, maxTTL)}
	if err := t.startClock(&m.opts, m.now()); err != nil {
		if now := time.Now(); now.Sub(m.unusableAt) >= logPause {
			m.unusableAt = now
			m.report.warn(t, "cannot make ids under a number", err)
		}
		m.noteFree(0, false) // the store may count more of that kind
		m.noteNoNumber(err)
		_ = m.releaseNumber(t, roundUp(t.found)) // which reports its errors
		return nil, err
	}
	m.noteFree(g.Free, g.FreeKnown)
	m.warnIfAhead(t, t.found)
	return t, nil
}

// noteFree notes how many numbers are free.
func (m *Minter) noteFree(free int64, known bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.free, m.freeKnown = free, known
}

// warnIfAhead says, once, if a horizon of t is so far ahead that ids of the future are, or will be, issued under its number.
func (m *Minter) warnIfAhead(t *tenure, horizon time.Time) {
	ahead := horizon.Sub(m.now())
	if t.warned || ahead <= max(maxWindow(m.tick), t.ttl)+time.Microsecond {
		return
	}
	t.warned = true
	m.report.warn(t, "the horizon of a number is far ahead", fmt.Errorf(
		"nodelease: the horizon %s is %v ahead of this machine's clock: so may the ids be", horizon.Format(time.RFC3339), ahead))
}

// noteNoNumber notes why there is no number.
func (m *Minter) noteNoNumber(err error) {
	if errors.Is(err, ErrNoNumber) {
		m.noteFree(0, true)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.setState(nil, newWithheld(err))
}

// serveTenure renews t until ctx ends, with a nil error, or the number is lost, with ErrLost. While the
// store does not answer, it goes on trying: minting stops at the deadline by itself, and if nobody took
// the number in between, it goes on under the same one.
func (m *Minter) serveTenure(ctx context.Context, t *tenure) error {
	for ctx.Err() == nil {
		sent := m.elapsed()
		err := m.renewLease(ctx, t, sent)
		took := m.elapsed() - sent
		t.slow = err != nil || took > t.renewalLasts()/2
		if errors.Is(err, ErrLost) {
			return err
		}
		// Pauses count from the sending, so that a slow answer does not delay the next renewal.
		// Jitter lets processes drift apart that started together.
		wait, early := t.ttl/4+rand.N(t.ttl/12)-took, m.early
		if err != nil {
			wait, early = retryPause(t.failures, min(t.ttl/8, maxRetry)), nil
			t.failures++
			m.noteNotRenewed(t, err)
		} else {
			t.failures = 0
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-early:
		case <-timer.C:
		}
		timer.Stop()
	}
	return nil
}

// noteNotRenewed notes why the latest renewal of t has failed, for the errors of calls that are withheld.
func (m *Minter) noteNotRenewed(t *tenure, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	t.setFailure(err)
	switch {
	case m.why == nil: // it goes on up to its horizon
	case m.tenure == t:
		m.setState(t, newWithheld(t.overdueError()))
	default: // it has not minted yet
		m.setState(nil, newWithheld(err))
	}
}

// renewLease renews the lease, raises the horizon if that is due, and only then lets t's clock go up to it.
func (m *Minter) renewLease(ctx context.Context, t *tenure, sent time.Duration) error {
	err := m.callStore(ctx, t, "Extend", t.renewalTimeout(), func(ctx context.Context) error {
		t.asked = m.nextHorizon(t)
		m.warnIfAhead(t, t.asked)
		return t.lease.Extend(ctx, t.asked)
	})
	if err != nil {
		return err
	}
	m.report.renewed(t.number, m.elapsed()-sent)
	m.resumeMinting(t, sent+t.renewalLasts())
	return nil
}

// nextHorizon returns the horizon to ask for: the one asked before if it is still a TTL ahead, else one that is a whole
// window ahead of the wall clock. Where the latest id is ahead of that, a hundredth of either suffices.
func (m *Minter) nextHorizon(t *tenure) time.Time {
	least := max(t.ttl, 100*min(m.tick, maxTTL/100))
	if !t.limit.NextHorizon(least).After(t.asked) {
		return t.asked
	}
	window := m.opts.Window
	if window == 0 {
		window = min(4*t.ttl, maxWindow(m.tick))
	}
	return roundUp(t.limit.NextHorizon(max(window, least)))
}

// maxWindow returns the longest window for a tick. A horizon that is further ahead comes from a clock that was wrong.
func maxWindow(tick time.Duration) time.Duration {
	return max(24*time.Hour, 100*min(tick, maxTTL/100))
}

// roundUp rounds a horizon up to the microseconds that every store can hold.
func roundUp(horizon time.Time) time.Time {
	return horizon.Add(time.Microsecond - 1).Truncate(time.Microsecond)
}

// resumeMinting lets t's clock go up to the horizon that the store has confirmed, until deadline.
func (m *Minter) resumeMinting(t *tenure, deadline time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	left := deadline - m.elapsed()
	if m.why == ErrClosed || left <= 0 {
		return // too late
	}
	t.horizon, t.deadline = t.asked, deadline
	t.setFailure(nil)
	if t.expiry == nil {
		t.expiry = time.AfterFunc(left, func() { m.stopMinting(t) })
	} else {
		t.expiry.Reset(left)
	}
	m.setState(t, nil)
}

// stopMinting interrupts the minting unless t has been renewed since.
func (m *Minter) stopMinting(t *tenure) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.tenure == t && m.elapsed() >= t.deadline {
		m.setState(t, newWithheld(t.overdueError()))
	}
}

// endTenure ends t. Unless the number is lost, with the error lost, it hands it back with the latest time issued
// as its horizon, so that the next holder need not wait for that to pass.
func (m *Minter) endTenure(t *tenure, lost error) {
	if t.expiry != nil {
		t.expiry.Stop()
	}
	if lost != nil {
		m.noteNoNumber(lost)
		return
	}
	t.limit.EndAt(time.Time{}, ErrClosed) // as endMinting has done if t has minted
	horizon := roundUp(t.clock.Latest())
	switch err := m.releaseNumber(t, horizon); {
	case err == nil:
		m.report.info("handed a number back", "number", t.number, "horizon", horizon)
	case errors.Is(err, ErrLost):
		m.report.info("a number is no longer held, perhaps since an earlier request has handed it back", "number", t.number)
	default:
		m.failed = fmt.Errorf("nodelease: number %d could not be handed back: %w", t.number, err)
	}
}

// releaseNumber gives t's number back. Where the store fails it asks again, until releaseTimeout is over; each
// request but the last has half of what is left of that. ErrLost means that an earlier one was carried
// out, or that there is nothing to give back any more, and ErrRefused that it is of no use to ask again, as where the
// store is closed.
func (m *Minter) releaseNumber(t *tenure, horizon time.Time) error {
	began := time.Now()
	for failures := 0; ; failures++ {
		left := releaseTimeout - time.Since(began)
		if left > time.Second {
			left /= 2
		}
		err := m.callStore(context.Background(), t, "Release", left, func(ctx context.Context) error {
			return t.lease.Release(ctx, horizon)
		})
		if err == nil || errors.Is(err, ErrLost) || errors.Is(err, ErrRefused) {
			return err
		}
		pause := retryPause(failures, maxRetry/4)
		if time.Since(began)+pause >= releaseTimeout {
			return err
		}
		time.Sleep(pause)
	}
}

// overdue is how long after its time limit a call of the store may return before a person is told.
const overdue = 5 * time.Second

// callStore calls a method of the store, for t unless that is nil, and reports its error unless the call was given up because
// ctx has ended. A call that goes on after its limit holds up all that follows: it is reported, and then, that it has returned.
func (m *Minter) callStore(
	ctx context.Context, t *tenure, method string, timeout time.Duration, call func(context.Context) error,
) error {
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	began := time.Now()
	returned, reported := make(chan struct{}), make(chan bool, 1)
	stop := context.AfterFunc(limited, func() {
		select {
		case <-returned:
			reported <- false
		case <-time.After(overdue):
			m.report.warn(t, "a call of the store does not return", fmt.Errorf(
				"nodelease: %s has not returned %v after its time limit: until it does, the store is asked for nothing else", method, overdue))
			reported <- true
		}
	})
	err := call(limited)
	close(returned)
	took := time.Since(began)
	if err != nil && ctx.Err() == nil {
		m.report.failed(t, took, err)
	}
	if !stop() && <-reported {
		m.report.warn(t, "a call of the store has returned at last", fmt.Errorf("nodelease: %s has taken %v", method, took))
	}
	return err
}

// retryPause is the pause after a number of failures in a row: it doubles up to a longest one. Half of it is
// random, so that processes which started together drift apart.
func retryPause(failures int, longest time.Duration) time.Duration {
	d := min(minRetry<<min(failures, 10), longest)
	return d/2 + rand.N(d/2)
}

// crowdPause is the pause after a Take without an answer in time, perhaps since many ask at once. If all of them asked
// again soon, none would have its answer in time, and no holder that to its renewal. So the pause is a random part of half
// the TTL that stores have by default, then of the whole, and of twice as much as long as that does not help.
func crowdPause(failures int) time.Duration {
	const halfTTL = 7500 * time.Millisecond
	return rand.N(halfTTL << min(failures, 2))
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
