// Package realclock moves the clock that an unmodified Go process sees, without moving the
// machine's clock. Its tests mint IDs with the library's default clock in such a process. They
// check that the IDs are unique, ordered and true, and that no call waits for long.
//
// [Run] starts a child under ptrace, hides the vDSO from it, and rewrites the result of the system
// call clock_gettime(CLOCK_REALTIME) in all of its threads. The runtime, package time and the
// library take the same path as on a kernel without a vDSO, and nothing in them is aware of the
// change. The child calls [Move] to set the offset of its clock. One of its goroutines calls it
// while others mint, so the clock moves between the two readings of one [time.Now], between two
// goroutines and within a call. A process sees the same after a suspend: a step forward of the wall
// clock, and a monotonic clock that runs on evenly.
//
// Everything else, such as steps of a nanosecond and crashes at each point, is tested in the root
// with an injected clock. Linux refuses steps of centuries, so TestFarSteps compiles the library
// with another package time that makes them.
package realclock
