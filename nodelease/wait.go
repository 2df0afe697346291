package nodelease

// This file contains the method with which a program waits for its first number.

import (
	"context"
	"errors"
)

// Wait waits until m has a number with which it can make IDs, and then returns nil. If m already
// has one, Wait returns immediately. Call Wait in main, because if the store refuses permanently,
// [Minter.NextContext] waits until its context ends.
//
// If the latest request to the store failed with an error that matches [ErrRefused], only a person
// can fix the cause, and Wait returns that error immediately. The Minter continues to retry even
// then. After Close, the error is [ErrClosed]. If ctx ends first, the error matches ctx.Err(),
// [context.Cause], [ids.ErrWithheld] and the cause.
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
