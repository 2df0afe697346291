// Package realclock changes the wall clock that an unmodified Go process reads, without changing
// the machine's clock. The tests of this package generate IDs in such a process, with the library's
// default clock. They check that the IDs are unique and ordered and contain the right time, and
// that no call waits for a long time.
//
// [Run] starts a child under ptrace, hides the vDSO from it, and rewrites the result of the
// clock_gettime(CLOCK_REALTIME) system call in all of its threads. The Go runtime, package time and
// the library run the same code as on a kernel without a vDSO. This code is not modified for the
// test. The child calls [Move] to set the offset of its wall clock. One goroutine of the child
// calls Move while others generate IDs. Therefore, the clock can also step between the two clock
// readings in a single call to [time.Now], between the clock readings of two goroutines, or while
// the library is generating an ID. A process sees the same effect when a suspended machine resumes.
// The wall clock has stepped forward, but the monotonic clock has not.
//
// All other cases, such as steps of one nanosecond and restarts at random times, are tested in the
// root package with an injected clock. The tests of package clockfile cover crashes after each file
// operation. Linux does not allow the clock to step by centuries. To test such steps, TestFarSteps
// compiles the library with a modified copy of package time.
package realclock
