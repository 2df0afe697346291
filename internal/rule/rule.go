// Package rule assigns ticks to IDs. A tick is the unit in which an ID format counts time, such as
// 1 ms or 100 ns. A [Lane] assigns the ticks of one format on one clock, and a [Tail] is a Lane for
// a format whose IDs end in random bits. For the next ID, a Lane compares the wall clock's tick
// with the latest ID's tick:
//
//  1. If the wall clock's tick is later, the ID takes that tick.
//  2. If the wall clock's tick is the same, or is earlier by at most the tolerance, the ID takes
//     the latest ID's tick. If that tick is full, the ID takes the next tick, which adds to the
//     Lane's debt.
//  3. If the wall clock's tick is earlier by more than the tolerance, the ID takes the wall clock's
//     tick, with the next clock sequence (versions 1 and 6) or with fresh random bits (version 7
//     and ULID). For Snowflakes, the tolerance is unlimited.
//
// A debt is paid by waiting, so that IDs do not get further and further ahead of the wall clock.
// The call for an ID waits while the ID's tick is further ahead of the wall clock than allowed and
// the debt exceeds the allowed lead. It waits for at most 20 ms. This package itself never waits.
// The caller waits, without holding the mutex that guards the Lane.
//
// The package contains no mutex, clock or bit layout, and creates no errors. The caller guards a
// Lane or Tail with a mutex, reads the time and converts a [Refusal] to an error.
package rule

import "time"

const (
	// MaxAge is the maximum age of a wall clock reading, and of the elapsed time read with it.
	MaxAge = time.Millisecond

	// MaxElapsed is the maximum absolute value of an elapsed time, and the maximum lead that IDs
	// can be allowed to have over the wall clock. This prevents sums of debts from overflowing.
	MaxElapsed = time.Duration(1 << 60)
)

// A Refusal reports whether a Lane has assigned an ID. The value Given means that it has. Any other
// value is the reason why it has assigned none, and the Lane is then unchanged.
type Refusal uint8

const (
	Given       Refusal = iota // an ID was assigned
	Withheld                   // the next ID's tick is after the limit
	Exhausted                  // all IDs within the allowed lead over the wall clock are taken
	ClockBehind                // the wall clock is behind the latest ID
	AtEnd                      // the last tick is full
	PastEnd                    // the wall clock is past the last tick, and no tick was reached
)
