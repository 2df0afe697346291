package nodelease

// This file contains the contract between a Minter and its store.

import (
	"context"
	"time"

	"github.com/oneclock/ids"
)

// A Store leases Snowflake node numbers, each to one holder at a time, and keeps a durable horizon
// for every number. No ID that was ever made with a number has a time later than that number's
// horizon. The horizon outlives every holder. IDs are unique because of the horizon, not because of
// the time at which a lease ends.
//
// Each method of a Store or of one of its leases checks its context before doing anything else, and
// returns promptly once that context is done. A late return delays the Minter's next number, and
// delays Close by up to 5 s, but does not allow a process to make IDs after the process's own lease
// has ended. A Store outlives its leases, because a [Minter] takes one number after another from
// it, and several Minters may share it.
type Store interface {
	// Take makes the caller the holder of a free number that r.Layout can hold, from 0 to
	// 1<<NodeBits - 1. The statement or transaction that takes the number and reads its horizon
	// must also check that the number is free, because until that check, the holder of an expired
	// lease can still extend the lease.
	//
	// Take prefers free numbers whose horizon has passed at r.Now, and may choose any of these. The
	// stores in this module choose at random, so a program usually has a different number after
	// each start. If no horizon has passed, Take chooses the number whose horizon will pass first.
	//
	// Take returns an error that matches ErrNoNumber if no number could be taken, because all
	// numbers are held or other callers were faster. If r.Layout differs from the layout of earlier
	// IDs, Take returns an error that matches ErrRefused. The store keeps that layout with the
	// numbers, and treats the zero layout as Twitter's. After any error, a number that was taken
	// should become free again, either because the store releases it or because its TTL passes. A
	// Minter allows 5 s for a call to Take. After two failures in a row, it allows 10 s. The loss
	// of a number counts as a failure. If Take returns a Grant later than that, the Minter keeps
	// the number, or releases it if the Minter is closed.
	//
	// Take is safe for concurrent use.
	Take(ctx context.Context, r Request) (Grant, error)
}

// A Request contains what [Store.Take] needs to know about its caller.
type Request struct {
	// Now is the time on the caller's wall clock.
	Now time.Time
	// Layout is the layout of the caller's IDs. The zero value means Twitter's layout.
	Layout ids.SnowflakeLayout
	// Warn is called with problems that the store has handled but that an operator should
	// investigate. For example, a horizon was deleted, and the holder has restored it. A Minter
	// passes these problems to Logger and Observe. Warn may be called until the lease ends, and
	// does not block. Nil means that the warnings are dropped.
	Warn func(error)
}

// A Grant is the result of [Store.Take]. It contains a number, its properties and its lease.
type Grant struct {
	// Number is the node number that was taken.
	Number int64
	// Horizon is the horizon that the number had when it was taken. It is read in the transaction
	// that takes the number. It must not be earlier than the horizon that was last written, so a
	// store with millisecond precision rounds up. The zero time means that no ID has ever been made
	// with the number.
	Horizon time.Time
	// TTL is how long the store keeps the number for its holder after receiving a Take or an
	// Extend.
	TTL time.Duration
	// Free is the number of other node numbers that fit the layout and were free when this one was
	// taken. It is valid only if FreeKnown is true.
	Free int64
	// FreeKnown reports whether the store has counted the free numbers.
	FreeKnown bool
	// Lease is the holder's lease. Its methods extend the lease and release the number.
	Lease Lease
}

// A Lease assigns a number to a holder for a limited time. Its methods are called by one goroutine
// at a time. After Extend or Release has returned ErrLost, or Release has returned nil, neither
// method is called again.
//
// ErrLost means that the lease has ended, because another holder has taken the number, the number
// was released, or its row is gone. A store may return ErrLost as soon as the TTL has passed, or
// let the lease continue until another holder takes the number. After any other error, the store
// may or may not have carried out the call, and the Minter can repeat it.
type Lease interface {
	// Extend renews the lease and raises the number's horizon to the given time, which is a
	// multiple of a microsecond. The holder may make IDs up to that horizon only after Extend has
	// returned nil. The caller never asks for a lower horizon than before. Requests may still
	// arrive out of order, so an older request must not lower the horizon.
	Extend(ctx context.Context, horizon time.Time) error
	// Release frees the number and sets its horizon to the given time, which is the time of the
	// latest ID, rounded up to a multiple of a microsecond. This time may be earlier than the
	// current horizon. A store whose resolution is coarser than a microsecond rounds up. If no ID
	// was made, horizon is the Horizon of the Grant, rounded up. If that Horizon is the zero time,
	// Release must leave the number without a horizon. If an earlier call was carried out but its
	// answer was lost, a second call may return ErrLost.
	Release(ctx context.Context, horizon time.Time) error
}
