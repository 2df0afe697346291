package nodelease

// How a program waits for its first number.

import (
	"context"
	"errors"
)

// Wait waits until there is a number to make IDs under, and returns nil. If there is one already,
// it returns immediately. Call Wait in main, because [Minter.NextContext] waits forever for a store
// that refuses permanently.
//
// If the latest request to the store failed with an error that matches [ErrRefused], which only a
// person can fix, Wait returns that error immediately. The Minter keeps asking the store anyway.
// After Close, the error is [ErrClosed]. If ctx ends first, the error matches ctx.Err(),
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
