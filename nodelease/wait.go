package nodelease

// This file contains the method that waits for the Minter's first number.

import (
	"context"
	"errors"
)

// Wait waits until m has a number with which it can make IDs, and then returns nil. If m already
// has one, Wait returns immediately. Call Wait in main to detect a store that permanently refuses
// requests. With such a store, [Minter.NextContext] would only wait until its context is done.
//
// If the latest request to the store failed with an error that matches [ErrRefused], Wait returns
// that error immediately, because a retry succeeds only after the store or the program has been
// changed. The Minter continues to retry even then. After Close, the error is [ErrClosed]. If ctx
// is done first, the error matches ctx.Err(), [context.Cause], [ids.ErrWithheld] and the reason why
// there is no number.
func (m *Minter) Wait(ctx context.Context) error {
	for {
		news, why := m.state.getNews()
		if why == nil || why == ErrClosed || errors.Is(why, ErrRefused) {
			return why
		}
		select {
		case <-ctx.Done():
			return m.state.contextError(ctx, why)
		case <-news:
		}
	}
}
