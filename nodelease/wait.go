package nodelease

// How a program waits for its first number.

import (
	"context"
	"errors"
)

// Wait waits until there is a number to make ids under, and returns nil, at once if there is one.
// Call it in main: [Minter.NextContext] waits for ever for a store that refuses for good. Wait returns at once
// what a person must mend: an error that matches [ErrRefused], if the latest request to the store failed with one.
// The Minter goes on asking the store all the same. After Close the error is [ErrClosed]. If ctx ends
// first, the error matches ctx.Err(), [context.Cause], [ids.ErrWithheld] and the cause.
func (m *Minter) Wait(ctx context.Context) error {
	for {
		why, news := m.state.getNews()
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
