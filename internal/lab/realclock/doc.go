// Package realclock sets the wall clock that an unmodified Go process reads, without setting the
// machine's clock. In such a process, its tests generate IDs with the library's default clock. They
// check that the IDs are unique and ordered and contain the right time, and that no call waits for
// long.
//
// [Run] starts a child under ptrace, hides the vDSO from it, and rewrites the result of the system
// call clock_gettime(CLOCK_REALTIME) in all of its threads. The runtime, package time and the
// library take the same path as on a kernel without a vDSO, and nothing in them is aware of the
// change. The child calls [Move] to set the offset of its clock. One of its goroutines calls Move
// while others generate IDs, so the clock moves between the two clock readings in one [time.Now],
// between two goroutines and within a call. A process sees the same after the machine was
// suspended, because the wall clock steps forward while the monotonic clock runs on evenly.
//
// Everything else, such as steps of a nanosecond and crashes at each point, is tested in the root
// package with an injected clock. Linux refuses to set the clock by centuries, so TestFarSteps
// compiles the library with a different package time, which makes such steps.
package realclock
