// Simulate mints ids by the public API of package ids on virtual machines whose clocks
// are faulty, and checks the promises of that package after every id.
//
//	go -C internal/lab run ./simulate -ids 1e9
//
// Everything follows from a seed: the machines, their options, the events on them, the
// readings of their clocks and the random bytes of their ids. Time is virtual: a
// run waits within a testing/synctest bubble, in which a sleep takes no time.
//
// What a machine lives through is a list of events (event.go) that a seed gives (plan.go) and
// that a world carries out (world.go, machine.go, lives.go, wall.go). What is expected of an id
// follows from the readings of the clock and from the ids before it alone (check.go, judge.go,
// scheme.go), and what is expected of a refusal from the causes that were given (causes.go); nothing
// there is taken from the package under test. When a promise is broken, events are left out of the list while
// it still breaks it (shrink.go), and what is left is printed with the seed.
//
// # What is simulated
//
// One to three machines, with numbers of their own, mint V1, V6, V7, ULIDs in random strides
// and monotonic, and Snowflakes of three of twelve layouts, on one clock. Some use two layouts that
// pack alike. What happens to them is in the table of event.go, and how often and how far in plan.go:
// clocks are set by 1 ns to 310 years, and to the edges of a format.
//
// Two of three clocks have a limit, and withhold ids from their birth. It is set for the first time at
// the start of a process, or when a call has waited for it, and then again and again: far ahead or near,
// lower, and to the zero time. Half of the machines with limits save each one before they set it. A
// clock is ended too, also while calls wait. Two of three limits and ends are given a cause. The
// other clocks never have a limit.
//
// Not simulated: goroutines that mint at the same time otherwise (TestGoroutines has them on real time), times that an int64 of nanoseconds since 1970 has
// no room for, except as readings outside all formats, and version 2, which is outside the promises.
//
// # What is checked
//
// The promises, in ids, instants and durations, and no more: no statement of the rule by which the library keeps
// them is here. An exact model in the tests of the root predicts that rule. The clock of a call is what its readings showed.
//
//   - Unique. The id is not in the set of the ids of its kind: for V7 and ULID the ids of all
//     machines, for V1, V6 and Snowflake the ids of its machine over all processes, except what was
//     lost in a crash. Its node is the machine's. It is later than After and not later than the
//     limit, and not issued before there is one on a clock that has limits, unless it is of V7 or
//     ULID.
//   - Ordered. V6, V7, ULID and Snowflake: the id is greater than the one before, unless the clock is
//     behind that by more than Tolerance, where all but Snowflakes follow the clock. V1 follows it
//     beyond MaxAhead or 1 ms. V1 and V6 need not follow it to After, nor when there have been as many steps
//     back as there are clock sequences: such a life is judged by uniqueness and order.
//   - Live. A call waits for at most 20 ms, a run for no longer than as many calls, and neither spins.
//     A call does not wait for an id that is near the clock, nor for longer than until it is.
//   - True. The id is not older than the clock. It is at most MaxAhead ahead of a clock that runs evenly
//     and that no reading was ahead of since ids were last not ahead of the clock. While ids are more
//     than MaxAhead ahead of the clock itself, time in them passes at half the speed.
//   - The error of a call whose id is withheld, or what the call panics with, matches ErrWithheld or
//     ErrEnded and the cause that was given with the limit in force, or as the first one with the
//     end. It matches no other cause, and no other error matches any.
//
// An attempt does not wait, and its id is at most MaxAhead ahead of the clock. After one that is refused, Next,
// called at the same reading, waits (ErrExhausted) or gives an id further ahead (ErrClockBehind); or the limit does
// not cover the id (ErrWithheld).
//
// Latest is the latest time of V1, V6 and Snowflake, or After. NextHorizon is the latest of the reading
// plus d, Latest plus d/100 and the limit. Over restarts ten times a second, it does not move away
// from the clock.
//
// The tests of this package run a short sweep of the same, and show that generators with a known flaw are found out.
package main
