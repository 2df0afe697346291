// Package rule gives ids their ticks. A [Lane] is what one format has made on one clock. For the next id it compares the
// tick of the wall clock with the tick of the latest id:
//
//  1. Later: it goes with the wall clock.
//  2. The same, or earlier by at most the tolerance: it stays in the tick of the latest id. If that is full, it takes the
//     next one and pays for it.
//  3. Earlier by more: it goes with the wall clock again, and what tells ids of one tick apart starts anew: the clock
//     sequence of versions 1 and 6, the random bits of version 7 and ULID. The tolerance of Snowflakes has no end.
//
// To pay is to wait, so that ids do not run away from the wall clock: an id waits while it is further ahead than allowed
// and more ticks than that are unpaid, but at most 20 ms. Nothing here waits: the caller does, outside its mutex.
//
// The package knows no mutex, no clock and no layout of bits, and makes no error. Its caller guards a Lane or [Tail] by a
// mutex, reads the time, and says why there is no id, by the [Refusal].
package rule

import "time"

const (
	// MaxAge is how old a reading of the wall clock, and the elapsed time beside it, may be.
	MaxAge = time.Millisecond

	// MaxElapsed is how far from 0 the elapsed time may be, and the largest allowance ahead of the wall clock, so that no
	// sum of debts overflows.
	MaxElapsed = time.Duration(1 << 60)
)

// A Refusal is why there is no next id. The lane is then as it was.
type Refusal uint8

const (
	Given       Refusal = iota // there is one
	Withheld                   // its tick is after the limit
	Exhausted                  // all ids up to the allowance ahead of the wall clock are taken
	ClockBehind                // the wall clock is behind the latest id
	AtEnd                      // the last tick is full
	PastEnd                    // the wall clock is after the last tick, and there has never been an id
)
