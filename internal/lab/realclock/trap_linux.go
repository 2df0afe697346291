//go:build linux && (amd64 || arm64)

package realclock

import (
	"fmt"
	"runtime"
	"syscall"
	"time"
	"unsafe"
)

// Names of the kernel's that package syscall does not have.
const (
	prSetNoNewPrivs       = 38
	seccompSetModeFilter  = 1
	seccompFilterTsync    = 1 // SECCOMP_FILTER_FLAG_TSYNC: every thread of the process
	seccompReturnTrace    = 0x7ff00000
	seccompReturnAllow    = 0x7fff0000
	seccompDataNumber     = 0  // offset of the system call's number in struct seccomp_data
	seccompDataFirst      = 16 // offset of the low half of its first argument
	clockRealtime         = 0  // CLOCK_REALTIME
	clockMonotonic        = 1  // CLOCK_MONOTONIC
	clockLap              = 77 // no clock of the kernel's: how [Lap] speaks to the tracer
	seccompNumberOfAmd64  = 317
	seccompNumberOfArm64  = 277
	loadWord, jumpIfEqual = syscall.BPF_LD | syscall.BPF_W | syscall.BPF_ABS, syscall.BPF_JMP | syscall.BPF_JEQ | syscall.BPF_K
	ret                   = syscall.BPF_RET | syscall.BPF_K
)

// Trap makes every later reading of CLOCK_REALTIME by this process stop for its tracer. It is
// for a program that [Run] started: without a tracer the readings would fail. All other system
// calls, readings of the monotonic clock among them, run at full speed.
func Trap() error {
	filter := [...]syscall.SockFilter{
		{Code: loadWord, K: seccompDataNumber},
		{Code: jumpIfEqual, K: syscall.SYS_CLOCK_GETTIME, Jf: 3},
		{Code: loadWord, K: seccompDataFirst},
		{Code: jumpIfEqual, K: clockRealtime, Jt: 2},
		{Code: jumpIfEqual, K: clockLap, Jt: 1},
		{Code: ret, K: seccompReturnAllow},
		{Code: ret, K: seccompReturnTrace},
	}
	program := syscall.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	number := uintptr(seccompNumberOfAmd64)
	if runtime.GOARCH == "arm64" {
		number = seccompNumberOfArm64
	}
	// Both calls must be made by one thread; the second passes the first one's effect on to the
	// others.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if _, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, prSetNoNewPrivs, 1, 0, 0, 0, 0); errno != 0 {
		return fmt.Errorf("realclock: PR_SET_NO_NEW_PRIVS: %w", errno)
	}
	_, _, errno := syscall.RawSyscall(number, seccompSetModeFilter, seccompFilterTsync, uintptr(unsafe.Pointer(&program)))
	if errno != 0 {
		return fmt.Errorf("realclock: SECCOMP_SET_MODE_FILTER: %w", errno)
	}
	return nil
}

// Lap tells [Run] that the process has done once all that the clock is moved for. The phase may
// then end with the next reading by the calling thread, which is its highest so far if the clock
// ascends: see [runtime.LockOSThread]. In a process without a tracer it does nothing.
func Lap() {
	_, _, _ = syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clockLap, 0, 0) // EINVAL
}

// Monotonic reads CLOCK_MONOTONIC, of which package time shows only differences.
func Monotonic() time.Duration {
	var ts syscall.Timespec
	_, _, _ = syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clockMonotonic, uintptr(unsafe.Pointer(&ts)), 0)
	return time.Duration(ts.Nano())
}
