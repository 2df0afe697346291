// Soak mints ids from 64 goroutines at a time by the public API of package ids, for as long as it
// is told to, and checks afterwards that no two are equal and that all are in order.
//
//	go -C internal/lab run ./soak
//	go -C internal/lab run ./soak -order 1e8
//
// By default it takes ten minutes: see -for. It mints all schemes, single calls and runs, on the
// system's clock and on one that is set back and forth, while the garbage collector runs again and
// again, and goes on until each of these has been tried. All ids go to disk as sorted runs, which are
// merged at the end: two equal ones meet there. With -order it mints one scheme at a time, with 1, 2
// and 8 processors, and checks the order alone.
//
// # Order
//
// The promise: if one call returns before another begins, its id is the smaller. A history (history.go)
// holds for each call two numbers, drawn just before it begins and just after it has returned from one
// atomic counter that all goroutines share. The operations on it are sequentially consistent, and each
// observes the one before. So if the number at the return of a call is less than the number at the
// beginning of another, the first call happened before the second in the sense of Go's memory model:
// the promise binds them, and no disorder that is found is a false one. A call may have returned a
// little before its number was drawn, and what could be seen only then is not.
//
// The check (order.go) walks through all numbers once. At the beginning of a call it remembers the
// highest id that any call has returned, and the call's ids must be above that: every pair is checked,
// none is sampled. As a goroutine's calls follow each other, its own ids are among them.
//
// When the clock is set by more than Tolerance, version 6, version 7 and ULID follow it back, and
// calls that are then in progress may have read either time. So for these, no call is compared that is
// in progress while the clock is set, or before all those have returned that had begun by then; and
// calls are not compared with those on the other side of that. They are counted. For Snowflakes, which
// follow nothing, and steps of up to Tolerance, there is no exception.
package main
