package nodelease

// This file implements TryNext and NextContext, the methods of a Minter that make IDs. These
// methods use the latest tenure's node, and read the state only if the node returns an error.

import (
	"context"
	"errors"

	"github.com/oneclock/ids"
)

// TryNext returns an ID, or an error if no ID is available. It does not wait. After Close, the
// error is [ErrClosed]. While no number is held, the error matches [ids.ErrWithheld] and its cause,
// such as [ErrNoNumber], [ErrLost] or the store's error. Otherwise, it is an error that
// [ids.SnowflakeNode.TryNext] returns.
func (m *Minter) TryNext() (ids.Snowflake, error) {
	if node := m.state.node.Load(); node != nil {
		if id, err := node.TryNext(); err == nil {
			return id, nil
		}
	}
	return m.tryHeld()
}

// tryHeld is like TryNext, but reads the state first. TryNext calls it if the latest node returns
// no ID.
func (m *Minter) tryHeld() (id ids.Snowflake, err error) {
	for {
		var t *tenure
		if t, _, err = m.state.get(); err == nil {
			if id, err = m.tryTenure(t); err == nil {
				return id, nil
			}
			if errors.Is(err, ids.ErrEnded) {
				continue // the tenure is over
			}
		}
		return 0, err
	}
}

// tryTenure calls the TryNext method of t's node. If the horizon is reached, it requests a higher
// one.
func (m *Minter) tryTenure(t *tenure) (ids.Snowflake, error) {
	id, err := t.node.TryNext()
	if errors.Is(err, ids.ErrWithheld) {
		m.state.askForHorizon()
		err = m.state.withheldError(t)
	}
	return id, err
}

// NextContext returns an ID. It waits while no number is held, while the Minter asks the store for
// a later horizon, and while no more IDs are available for the current time. It keeps waiting even
// if the store permanently refuses requests. To detect that, call [Minter.Wait] at startup.
//
// Once ctx is done, NextContext returns an error even if an ID is available, so that a loop that
// calls NextContext ends when ctx is done. There are three kinds of errors:
//
//   - After Close, the error matches [ErrClosed].
//   - If ctx is done, the error matches ctx.Err() and [context.Cause]. If no ID can be made, or if
//     NextContext has waited for one, the error also matches [ids.ErrWithheld] and the reason why
//     no ID was available.
//   - If the layout cannot hold any later IDs with this number, the error matches [ids.ErrRange].
//
// While the wall clock is behind the latest ID, IDs are still generated in ascending order. In this
// case, their times usually advance at most half as fast as real time. If an ID is already reserved
// for the call, NextContext waits up to 20 ms for that ID, even if ctx is done.
func (m *Minter) NextContext(ctx context.Context) (ids.Snowflake, error) {
	if ctx.Err() != nil {
		return 0, m.state.contextError(ctx, nil)
	}
	if node := m.state.node.Load(); node != nil {
		if id, err := node.TryNext(); err == nil {
			return id, nil
		}
	}
	return m.nextHeld(ctx)
}

// nextHeld is like NextContext, but reads the state first. NextContext calls it if the latest node
// returns no ID.
func (m *Minter) nextHeld(ctx context.Context) (id ids.Snowflake, err error) {
	for {
		t, changed, why := m.state.get()
		switch {
		case why == ErrClosed:
			return 0, ErrClosed
		case why == nil:
			id, err = m.nextOfTenure(ctx, t)
			if !errors.Is(err, ids.ErrEnded) {
				return id, err
			}
			if ctx.Err() != nil {
				return 0, m.state.contextError(ctx, nil)
			}
			continue // the tenure is over
		}
		select {
		case <-ctx.Done():
			return 0, m.state.contextError(ctx, why)
		case <-changed:
		}
	}
}

// nextOfTenure calls the NextContext method of t's node. If the horizon is reached or the lease is
// not renewed, that method waits until setState moves the clock's limit, or ends the clock so that
// the method returns ids.ErrEnded. If neither happens, the wait can still end because of
// wakeWaiters.
func (m *Minter) nextOfTenure(ctx context.Context, t *tenure) (ids.Snowflake, error) {
	id, err := m.tryTenure(t)
	if err == nil {
		return id, nil
	}
	m.state.countWaiting(1)
	defer m.state.countWaiting(-1)
	id, err = t.node.NextContext(ctx)
	if errors.Is(err, ids.ErrWithheld) { // ctx is done
		err = m.state.contextError(ctx, m.state.withheldError(t))
	}
	return id, err
}
