// Simulate mints ids by the public API of package ids on virtual machines whose clocks
// are faulty, and checks the promises of that package after every id.
//
//	go -C internal/lab run ./simulate -ids 1e9
//
// Everything follows from a seed: the machines, their options, the events on them, the
// readings of their clocks and the random bytes of their ids. Time is virtual: a
// run waits within a testing/synctest bubble, in which a sleep takes no time. A broken promise is printed with
// the seed and the latest events.
//
// One to three machines, with numbers of their own, mint V1, V6, V7, ULIDs in random strides
// and monotonic, and Snowflakes of three of eleven layouts, on one clock. What happens to them is in the list of
// actions in plan.go, and how often and how far below it. Two of three clocks have a limit, and withhold ids from their birth: horizons
// that were saved before, as a program does that must survive a crash.
//
// Not simulated: times before 2017 and after 2037, the ends of formats, random bytes and clocks that fail, copies of a machine, and
// version 2, which is outside the promises. The tests of the root have them.
//
// The promises are checked in ids, instants and durations (judge.go), and nothing is taken from the package under test: no
// statement of the rule by which the library keeps them is here. An exact model in the tests of the root predicts that rule.
//
//   - Unique. No id is twice in its scheme, on no machine, in no process. It is later than After and not later than the limit, and
//     not issued before there is one on a clock that has limits, unless it is of V7 or ULID.
//   - Ordered. V6, V7, ULID and Snowflake: the id is greater than the one before, unless the clock is
//     behind that by more than Tolerance, where all but Snowflakes follow the clock. V1 follows it
//     beyond MaxAhead or 1 ms. V1 and V6 need not follow it to After, nor when there have been as many steps
//     back as there are clock sequences: such a life is judged by uniqueness and order.
//   - Live. A call waits for at most 20 ms, a run for no longer than as many calls, and neither spins.
//     A call does not wait for an id that is near the clock, nor for longer than until it is. An attempt does not wait. One whose id
//     is withheld goes on with a limit that covers it, and ends with its context or the clock.
//   - True. The id is not older than the clock. It is at most MaxAhead ahead of a clock that runs evenly
//     and that no reading was ahead of since ids were last not ahead of the clock. While ids are more
//     than MaxAhead ahead of the clock itself, time in them passes at half the speed, or as each of a crowd of goroutines gets one in
//     20 ms: a crowd of fewer than there are ids in 20 ms catches up, and no other needs to.
package main
