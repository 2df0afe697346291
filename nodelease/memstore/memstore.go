// Package memstore leases numbers within one process. It is for testing programs that use
// [github.com/oneclock/ids/nodelease].
package memstore

import (
	"context"
	"time"

	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/internal/memory"
)

// Store is an in-memory [nodelease.Store]. It works within one process, and its contents are lost
// when the process ends. It uses time.Now to determine when leases expire. In a testing/synctest
// bubble, time.Now uses the bubble's clock. Use [New] to create a Store.
type Store struct{ memory *memory.Store }

// New returns a store with the numbers from 0 to numbers-1, whose leases last for ttl. It panics if
// numbers is negative. A Minter needs a ttl of at least 112 ms; with a shorter one it makes no IDs.
func New(numbers int64, ttl time.Duration) *Store { return &Store{memory.New(numbers, ttl)} }

// Take implements [nodelease.Store]. It returns an error if the layout in r differs from the layout
// in the first call's request.
func (s *Store) Take(ctx context.Context, r nodelease.Request) (nodelease.Grant, error) {
	return s.memory.Take(ctx, r)
}
