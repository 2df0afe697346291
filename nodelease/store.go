package nodelease

// The contract between a Minter and its store.

import (
	"context"
	"time"

	"github.com/oneclock/ids"
)

// A Store leases Snowflake node numbers, each to one holder at a time, and keeps a durable horizon
// for every number: no ID later than the horizon has ever been made under that number. The horizon
// outlives every holder. It is the horizon that makes IDs unique, not the time at which a lease
// ends.
//
// Its methods, and those of its leases, check their context first, and return soon after it has
// ended. A store that does not do so delays the next number, and delays Close for 5 s, but it lets
// no process make IDs past the lease. A Store outlives its leases: a [Minter] takes one number
// after another from it, and several Minters may share it.
type Store interface {
	// Take makes the caller the holder of a free number that r.Layout can hold, from 0 to
	// 1<<NodeBits - 1. The statement or transaction that takes the number and reads its horizon
	// must also check that it is free, because the holder of an expired lease may extend it until
	// then.
	//
	// Of the free numbers, Take prefers those whose horizon has passed at r.Now, and may choose any
	// of them. The stores of this module choose at random, so a program has another number after
	// each start. If none has passed, Take takes the number whose horizon passes first.
	//
	// Take returns an error that matches ErrNoNumber if no number could be taken, because all are
	// held or other processes were faster. It refuses, with an error that matches ErrRefused, a
	// layout that differs from the layout of earlier IDs. The store keeps that layout with the
	// numbers, and the zero layout and Twitter's are the same. After any error, a number that was
	// taken should become free again: the store releases it, or its TTL does. A Minter waits 5 s or
	// 10 s for Take. If Take returns a Grant later than that, the Minter keeps the number, or
	// releases it if the Minter is closed.
	//
	// Take is safe for concurrent use.
	Take(ctx context.Context, r Request) (Grant, error)
}

// A Request describes the caller of [Store.Take].
type Request struct {
	// Now is the time on the caller's wall clock.
	Now time.Time
	// Layout is the layout of the caller's IDs. The zero value means Twitter's.
	Layout ids.SnowflakeLayout
	// Warn is called with problems that the store has dealt with but that need a person's
	// attention, such as a horizon that was deleted and that the holder has written again. A Minter
	// passes them to Logger and Observe. Warn may be called until the lease ends, and does not
	// block. Nil means that the warnings are dropped.
	Warn func(error)
}

// A Grant is the result of [Store.Take]: a number, its properties, and its lease.
type Grant struct {
	// Number is the number taken.
	Number int64
	// Horizon is the latest horizon of the number's earlier holders, read in the transaction that
	// took the number. It must be at least the horizon that was written, so a store with
	// millisecond precision rounds up. The zero time means that no ID was ever made under the
	// number.
	Horizon time.Time
	// TTL is how long the store keeps the number for its holder after it received Take or Extend.
	TTL time.Duration
	// Free is the number of other numbers within the layout that were free when this one was taken,
	// if FreeKnown is true.
	Free int64
	// FreeKnown reports whether the store has counted the free numbers.
	FreeKnown bool
	// Lease extends and ends the time for which the holder has the number.
	Lease Lease
}

// A Lease is the time for which a holder has a number. Its methods are called by one goroutine at a
// time, and not again after one of them has returned ErrLost or Release has returned nil.
//
// ErrLost means that this time is over: another holder has taken the number, it was released, or
// its row is gone. A store may return it as soon as the TTL is over, or continue the lease while no
// other holder has taken the number. After any other error, it is open whether the store carried
// out the call, and the same call may be made again.
type Lease interface {
	// Extend shows the store that the holder is alive, and raises the number's horizon to horizon,
	// a whole number of microseconds. The holder may make IDs up to it only after Extend has
	// returned nil. The caller never asks for a lower horizon than before. Requests may still
	// arrive out of order; an older one must not lower the horizon.
	Extend(ctx context.Context, horizon time.Time) error
	// Release gives the number back. It sets the number's horizon to horizon, which is the time of
	// the latest ID rounded up to a whole number of microseconds, and which may be lower than
	// before. A store that is less precise than microseconds rounds up. If no ID was made, horizon
	// is the Horizon of the Grant, rounded up. If that is the zero time, the number must have no
	// horizon again. A second call, after one that was carried out although its answer was lost,
	// may return ErrLost.
	Release(ctx context.Context, horizon time.Time) error
}
