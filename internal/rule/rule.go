// Package rule assigns ticks to IDs. A [Lane] holds the state of one format on one clock. For the
// next ID, it compares the wall clock's tick with the latest ID's tick:
//
//  1. Later: the ID takes the wall clock's tick.
//  2. The same, or earlier by at most the tolerance: the ID takes the latest ID's tick. If that
//     tick is full, the ID takes the next one, which adds to the lane's debt.
//  3. Earlier by more: the ID takes the wall clock's tick, with the next clock sequence (versions 1
//     and 6) or fresh random bits (version 7 and ULID). The tolerance of Snowflakes is unlimited.
//
// Debt is paid by waiting, so that IDs cannot run away from the wall clock. An ID waits while its
// tick is further ahead of the wall clock than allowed and the debt exceeds that allowance, but for
// at most 20 ms. Nothing in this package waits; its caller does, without holding its mutex.
//
// The package has no mutex, clock or bit layout, and creates no errors. Its caller guards a Lane or
// [Tail] with a mutex, reads the time, and turns a [Refusal] into an error.
package rule

import "time"

const (
	// MaxAge is the maximum age of a wall clock reading, and of the elapsed time read with it.
	MaxAge = time.Millisecond

	// MaxElapsed is the maximum distance of the elapsed time from 0, and the maximum allowance
	// ahead of the wall clock. It keeps sums of debts from overflowing.
	MaxElapsed = time.Duration(1 << 60)
)

// A Refusal is the reason why there is no next ID, or Given if there is one. After a refusal, the
// lane is unchanged.
type Refusal uint8

const (
	Given       Refusal = iota // there is an ID
	Withheld                   // its tick is after the limit
	Exhausted                  // all IDs up to the allowance ahead of the wall clock are taken
	ClockBehind                // the wall clock is behind the latest ID
	AtEnd                      // the last tick is full
	PastEnd                    // the wall clock is past the last tick, and there was never an ID
)
