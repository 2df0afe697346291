// Simulate mints ids by the public API of package ids on virtual machines whose clocks
// are faulty, and checks the promises of that package after every id.
//
//	go run ./internal/simulate -ids 1e9
//
// Everything follows from a seed: the machines, their options, the events on them, the
// readings of their clocks and the random bytes of their ids. Time is virtual: a
// run waits within a testing/synctest bubble, in which a sleep takes no time.
//
// What a machine lives through is a list of events (event.go) that a seed gives (plan.go) and
// that a world carries out (world.go, machine.go, lives.go, wall.go). What is expected of an id
// follows from the readings of the clock and from the ids before it alone (check.go, judge.go,
// runs.go, unique.go, scheme.go); nothing there is taken from the package under test. When a
// promise is broken, the list is made as short as it will go while it still breaks it
// (shrink.go), and printed with the seed.
//
// # What is simulated
//
// One to three machines, with numbers of their own, mint V1, V6, V7, ULIDs in random strides
// and monotonic, and Snowflakes of three of ten layouts, on one clock: single calls,
// runs, attempts (TryNext), bursts that fill ticks, and all schemes in turn. Their clocks are
// set by 1 ns to 100 years, stop and go on, jitter, run slow or fast, are coarse (100 ns to 1
// s), smear or repeat a leap second, stand still with a suspended machine, and show times
// outside all formats. Processes crash and start again with nothing, with their last state,
// with an old one, or with one saved ahead of time under [ids.Clock.Limit]; clock sequences
// come round. A virtual machine is copied in the midst of its work.
//
// Not simulated: goroutines that mint at the same time (linear_test.go has them), states whose
// time an int64 of nanoseconds since 1970 has no room for, and version 2, which stands outside
// the promises.
//
// # Invariants
//
// For a call with readings r[0], r[1], …, of which those after the first came while it waited,
// and an id with tick T and clock sequence s after one with tick L and clock sequence q in the
// same stream:
//
//   - Unique. The id is not in the set of the ids of its kind: for V7 and ULID those of all machines, for V1, V6 and Snowflake
//     those of its machine over all processes, save what was lost with the state. Its node is the machine's. V1 and V6 stay above
//     the floor of the clock sequence, and they and Snowflakes within the limit.
//   - Ordered. V6, V7, ULID and Snowflake: the id is greater than the one before, unless the clock was set back and the stream
//     follows: highest reading − r[0] ≥ MaxAhead and > Tolerance, T = tick(r[0]), and never for Snowflake.
//   - Live. The call waited for at most 20 ms, and read the clock at most 10,000 times.
//   - True. T = tick(r[0]) if that is above L or the stream follows, and it must follow a clock that was set back so far, if a
//     clock sequence is free; else T is L or L + 1, or follows the floor. Where T is above L: start(T) − base ≤ MaxAhead, or the
//     call waited for all of 20 ms.
//
// Base is the time that ids may be based on: the highest reading since the stream last went
// with the clock. While the clock is behind what was issued, base goes on from where it was as
// the clock does, by 20 ms with each call that waited so long, and no further than start(L) by
// a reading: base = peak + setback, where a step back of d ≥ MaxAhead adds d to setback, and a
// reading above peak makes setback min(setback, max(start(L) − reading, 0)). A reading past the
// format's last tick tells nothing, as if the clock stood still.
//
// An attempt does not wait. It may say that the clock went backward only if highest reading −
// r[0] ≥ MaxAhead, that no id is free only if start(L + 1) − start(tick(r[0])) > MaxAhead, and
// that it is suspended only if the limit does not cover the id.
//
// The tests of this package run a short sweep of the same, and show that generators with a
// known flaw are found out.
package main
