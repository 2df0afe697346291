package nodelease

import (
	"context"
	"errors"
	"time"

	"github.com/oneclock/ids"
)

// A Store hands out Snowflake node numbers, each to one holder at a time, and keeps for every number
// a durable mark: no id later than the mark has ever been issued under that number. The mark outlives
// every holder; what makes ids unique is the mark and not the time at which a lease ends.
//
// Its methods, and those of its leases, must return soon after their context has ended. A store that
// does not holds up the next number, and Close for 5 s, but lets nobody mint past the lease. A Take whose
// context has ended may return a lease: the Minter gives it back.
type Store interface {
	// Take makes the caller the holder of a number that nobody holds. Of the free numbers it
	// prefers one whose mark has passed at r.Now. It returns an error that matches ErrNoNode if no
	// number could be had: all are held, or others were faster. It refuses, with another error, a
	// layout that differs from that of the ids made before. It is safe for concurrent use.
	Take(ctx context.Context, r Request) (Lease, error)
}

// A Request is what a [Store] is told by whom it is to give a number.
type Request struct {
	// Now is the time on the caller's wall clock.
	Now time.Time
	// Layout is that of the caller's ids. The zero value means Twitter's.
	Layout ids.SnowflakeLayout
	// Warn is told what a person should see to although the store has dealt with it, for as long as the
	// lease lasts. It must not block. Nil means that nobody is told.
	Warn func(error)
}

// A Lease is one holder's tenure of one node number. Its methods are called by one goroutine at a time.
//
// An error that does not match ErrLost leaves open whether the store did what it was asked to: the
// same call may be made again.
type Lease interface {
	// Node is the number held.
	Node() int64
	// Mark is the time that the number's earlier holders left behind, read in the transaction
	// that took the number. The zero time means that no id was issued under the number.
	Mark() time.Time
	// TTL is how long the store keeps the number for its holder after it received Take or Extend.
	TTL() time.Duration
	// Free is how many other numbers were free when this one was taken, or -1 if the store does not know.
	Free() int64
	// Extend proves to the store that the holder is alive and raises the number's mark to mark, a
	// whole number of microseconds. Only after Extend has returned nil may the holder issue ids up to
	// it. The caller never asks for a lower mark than before: if the store sees one, it comes from a
	// request that was overtaken, and must not lower the mark. It returns ErrLost if the number has gone.
	Extend(ctx context.Context, mark time.Time) error
	// Release makes mark, the time of the latest id, the number's mark and gives the number back.
	// It returns ErrLost if the number has gone.
	Release(ctx context.Context, mark time.Time) error
}

// Errors of this package. Match them with [errors.Is].
var (
	// ErrNoNode says that no node number could be had: all are held, or others were faster.
	ErrNoNode = errors.New("nodelease: all node numbers are held, or others were faster")
	// ErrLost says that a lease has ended and that its node number may have another holder.
	ErrLost = errors.New("nodelease: the node number is no longer held")
	// ErrClosed says that the Minter is closed.
	ErrClosed = errors.New("nodelease: the minter is closed")
)
