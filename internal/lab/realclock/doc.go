// Package realclock moves the clock that an unmodified Go process sees, and leaves the
// machine's alone. Its tests mint ids with the library's default clock in such processes and
// check uniqueness, order, the length of each call, and the embedded times.
//
// # What is real
//
// [Run] starts a child under ptrace, hides the vDSO from it, and rewrites what the system call
// clock_gettime(CLOCK_REALTIME) returns to any of its threads. The runtime, package time and
// the library take the path that they take on a kernel without a vDSO, and nothing in them
// knows. The faults are thus faults of the system's clock, at moments that most threads of the
// child do not choose: between the two readings of one [time.Now], between two goroutines, within
// a call. They are steps back and forward from 0.1 s to 56 years, a clock that stands still, runs at
// half or double speed, jitters by 4 ms, moves once in 15.625 ms, or starts in 1970. A step
// forward with a monotonic clock that runs on evenly is also what a process sees after a
// suspend.
//
// The clock is moved when the child has minted enough of everything since it was last moved, which
// one of its threads tells by [Lap], and not after so many milliseconds. Each reading says in which
// phase of the script it was taken: see [PhaseOf]. Nothing is judged by how long it took, since a
// busy machine may stop any thread for seconds.
//
// Everything else, such as steps of a nanosecond, drift over years, and crashes at each point,
// is simulated elsewhere with an injected clock. Steps of centuries, which Linux refuses, are those of another package
// time that the library is compiled with: see TestFarSteps.
//
// Other ways were tried. In a Linux time namespace a process has another monotonic clock, of which only
// differences reach the library, and CLOCK_REALTIME cannot be moved. The program faketime answers for the C
// library, without which Go reads clocks.
package realclock
