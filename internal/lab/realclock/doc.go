// Package realclock moves the clock that an unmodified Go process sees, and leaves the
// machine's alone. Its tests mint ids with the library's default clock in such a process and
// check that they are unique, ordered and true, and that no call waits for long.
//
// [Run] starts a child under ptrace, hides the vDSO from it, and rewrites what the system call
// clock_gettime(CLOCK_REALTIME) returns to any of its threads. The runtime, package time and
// the library take the path that they take on a kernel without a vDSO, and nothing in them
// knows. The child says by [Move] how far its clock is to be off. One of its goroutines does, while
// others mint: so the clock moves between the two readings of one [time.Now], between two goroutines, within
// a call. A step forward with a monotonic clock that runs on evenly is also what a process sees after a
// suspend.
//
// Everything else, such as steps of a nanosecond and crashes at each point, is tested in the root with an injected clock. Steps of centuries, which Linux refuses, are those of another package
// time that the library is compiled with: see TestFarSteps.
package realclock
