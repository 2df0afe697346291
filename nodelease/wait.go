package nodelease

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Wait waits until there is a number to make ids under, and returns nil, at once if there is one.
// Call it in main: [Minter.NextContext] waits for ever for a store that refuses for good. Wait returns at once
// what a person must mend: an error that matches [ErrRefused], if the latest request to the store failed with one.
// The Minter goes on asking the store all the same. After Close the error is [ErrClosed]. If ctx ends
// first, the error matches ctx.Err(), [context.Cause], [ids.ErrWithheld] and the cause.
func (m *Minter) Wait(ctx context.Context) error {
	m.mustBeMade()
	for {
		m.mu.Lock()
		why, news := m.why, m.news
		m.mu.Unlock()
		if why == nil || why == ErrClosed || errors.Is(why, ErrRefused) {
			return why
		}
		select {
		case <-ctx.Done():
			return m.contextError(ctx, why)
		case <-news:
		}
	}
}

// wakeEvery is the time from one call of wakeWaiters to the next.
const wakeEvery = 100 * time.Millisecond

// countWaiting adds n to the calls that wait, and has wakeWaiters look after them.
func (m *Minter) countWaiting(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.waiting += n; m.waiting > 0 && !m.waking {
		m.waking = true
		time.AfterFunc(wakeEvery, m.wakeWaiters)
	}
}

// wakeWaiters helps the calls of NextContext that wait for their node, all at once, so that none has to poll. They do not
// see that the wall clock has come back below the horizon, as after one wrong reading: the same limit anew has them read it
// again. Where the horizon is reached indeed, a higher one is asked for: they may have found it reached only after their try.
func (m *Minter) wakeWaiters() {
	now := m.now()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.waking = m.waiting > 0
	if !m.waking {
		return
	}
	time.AfterFunc(wakeEvery, m.wakeWaiters)
	switch t := m.tenure; {
	case m.why != nil: // until setState is called nothing can be minted
	case m.reachedHorizon(t, now):
		m.askForHorizon()
	default:
		t.limit.Set(t.horizon, errReached)
	}
}

// reachedHorizon reports whether t's horizon withholds the next id. The mutex is held.
func (m *Minter) reachedHorizon(t *tenure, now time.Time) bool {
	return now.After(t.horizon) || t.clock.Latest().Add(m.tick).After(t.horizon)
}

// contextError returns the error of a call whose context has ended while it waited for why, which may be nil.
func (m *Minter) contextError(ctx context.Context, why error) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if !errors.Is(cause, err) {
		cause = fmt.Errorf("%w: %w", err, cause)
	}
	if _, _, now := m.get(); now != nil {
		why = now
	}
	if why == nil {
		return fmt.Errorf("nodelease: no Snowflake: %w", cause)
	}
	return fmt.Errorf("nodelease: no Snowflake: %w: %w", cause, why)
}
