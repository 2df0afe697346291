package nodelease

// What a Minter asks of a store, and gets from it.

import (
	"context"
	"time"

	"github.com/oneclock/ids"
)

// A Store hands out Snowflake node numbers, each to one holder at a time, and keeps for every number
// a durable horizon: no id later than the horizon has ever been made under that number. The horizon outlives
// every holder; what makes ids unique is the horizon and not the time at which a lease ends.
//
// Its methods, and those of its leases, look at their context first, and return soon after it has ended. A store that
// does not holds up the next number, and Close for 5 s, but lets nobody make ids past the lease. A Store outlives its leases:
// a [Minter] takes a number after another from it, and several may share it.
type Store interface {
	// Take makes the caller the holder of a number that nobody holds, of those that r.Layout can hold: from 0 to
	// 1<<NodeBits - 1. That nobody holds it is decided in the statement or transaction that takes it and reads its
	// horizon: the holder of a lease that has ended may extend it until then.
	//
	// Of the free numbers Take prefers those whose horizon has passed at r.Now, and may choose any of them: the
	// stores of this module choose at random, so a program has another number after each start. If none has passed, it
	// takes the number whose horizon passes first.
	//
	// It returns an error that matches ErrNoNumber if no number could be had: all are held, or others were faster. It
	// refuses, with an error that matches ErrRefused, a layout that differs from that of the ids made before: the store
	// keeps it beside the numbers, and the zero layout and Twitter's are the same. After any error the number, if one
	// was taken, should be free again: the store gives it back, or its TTL does. A Minter waits 5 s or 10 s for Take. If
	// Take returns a Grant later than that, the Minter keeps the number, or gives it back if it is closed.
	//
	// Take is safe for concurrent use.
	Take(ctx context.Context, r Request) (Grant, error)
}

// A Request tells a [Store] who wants a number, and for what.
type Request struct {
	// Now is the time on the caller's wall clock.
	Now time.Time
	// Layout is that of the caller's ids. The zero value means Twitter's.
	Layout ids.SnowflakeLayout
	// Warn is called with problems that the store has dealt with but a person should look at, such as a horizon
	// that somebody has deleted and the holder has written again. A Minter tells Logger and Observe. It may be called
	// until the lease ends, and does not block. Nil means that nobody is told.
	Warn func(error)
}

// A Grant is what [Store.Take] returns: a number, what is known of it, and the lease on it.
type Grant struct {
	// Number is the number held.
	Number int64
	// Horizon is the latest horizon of the number's earlier holders, read in the transaction that took
	// the number. It must be at least what was written: a store that keeps milliseconds rounds up. The
	// zero time means that no id was ever made under the number.
	Horizon time.Time
	// TTL is how long the store keeps the number for its holder after it received Take or Extend.
	TTL time.Duration
	// Free is how many other numbers that the layout can hold were free when this one was taken, if FreeKnown is true.
	Free int64
	// FreeKnown is whether the store has counted the free numbers.
	FreeKnown bool
	// Lease extends and ends the time of the holder.
	Lease Lease
}

// A Lease is the time for which a holder has a number. Its methods are called by one goroutine at a time, and none after one has
// returned ErrLost, or Release nil.
//
// ErrLost says that this time is over: another holder has taken the number, it was released, or its
// row has gone. A store may return it as soon as the TTL is over, or go on while nobody else has
// taken the number. Any other error leaves open whether the store did what it was asked to: the same
// call may be made again.
type Lease interface {
	// Extend proves to the store that the holder is alive and raises the number's horizon to horizon, a
	// whole number of microseconds. Only after Extend has returned nil may the holder make ids up to
	// it. The caller never asks for a lower horizon than before. One can arrive all the same, in a request that
	// a later one has overtaken on its way: it must not lower the horizon.
	Extend(ctx context.Context, horizon time.Time) error
	// Release gives the number back. It makes horizon, the time of the latest id rounded up to a whole
	// number of microseconds, the number's horizon, which may lower it. A store that keeps less than microseconds
	// rounds up. If no id was made, horizon is the Horizon of the Grant, rounded up: where this is the zero time,
	// the number is to have none again. A second call, after one that was carried out although its answer was lost,
	// may return ErrLost.
	Release(ctx context.Context, horizon time.Time) error
}
