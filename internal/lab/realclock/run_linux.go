//go:build linux && (amd64 || arm64)

package realclock

// This file contains the code that runs a process under ptrace with a different wall clock.

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"time"
	"unsafe"
)

// exitTimeout limits how long Run waits for a process to end. A process that takes longer is
// considered stuck and is killed.
const exitTimeout = 3 * time.Minute

// Package syscall does not define these kernel constants.
const (
	clockRealtime = 0  // CLOCK_REALTIME
	clockMove     = 77 // not a kernel clock; Move uses this ID to send offsets to the tracer

	atIgnore      = 1  // AT_IGNORE: an auxiliary vector entry to be ignored
	atSysinfoEhdr = 33 // AT_SYSINFO_EHDR: address of the vDSO

	ptraceGetSyscallInfo = 0x420e // PTRACE_GET_SYSCALL_INFO, since Linux 5.3
	syscallEntry         = 1      // PTRACE_SYSCALL_INFO_ENTRY
	ptraceOptions        = syscall.PTRACE_O_TRACESYSGOOD | syscall.PTRACE_O_TRACECLONE |
		0x100000 // PTRACE_O_EXITKILL: kill the child when its tracer exits
	waitOptions = syscall.WALL | 0x20000000 // __WNOTHREAD: ignore the children of other threads
)

// syscallInfo is the kernel's struct ptrace_syscall_info.
type syscallInfo struct {
	op   uint8     // kind of stop
	_    [15]byte  // architecture, instruction pointer
	sp   uint64    // stack pointer
	data [8]uint64 // on entry, the call's number and arguments; on exit, its result
}

// Move sets the offset of the wall clock in a process that [Run] started.
func Move(off time.Duration) {
	_, _, _ = syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clockMove, uintptr(off), 0) // EINVAL
}

// Run starts the program argv[0], which can set the offset of its wall clock with [Move]. Run waits
// until the program ends and returns its exit code. If the program was ended by a signal, the exit
// code is 128 plus the signal's number. The error matches [os.ErrPermission] if the system does not
// allow a process to trace its child.
func Run(argv, env []string, output *os.File) (code int, err error) {
	// Every ptrace request must come from the thread that started the child.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	t := tracer{began: time.Now(), calls: map[int][8]uint64{}}
	t.pid, err = syscall.ForkExec(argv[0], argv, &syscall.ProcAttr{
		Env:   env,
		Files: []uintptr{0, output.Fd(), output.Fd()},
		Sys:   &syscall.SysProcAttr{Ptrace: true, Setpgid: true},
	})
	if err != nil {
		return 0, fmt.Errorf("realclock: starting a traced child: %w", err)
	}
	stuck := time.AfterFunc(exitTimeout, func() { syscall.Kill(t.pid, syscall.SIGKILL) })
	if code, err = t.follow(); err != nil {
		syscall.Kill(t.pid, syscall.SIGKILL)
	}
	if !stuck.Stop() {
		err = fmt.Errorf("realclock: the process was ended after %v", exitTimeout)
	}
	return code, err
}

type tracer struct {
	pid   int
	began time.Time
	off   time.Duration
	// calls contains data from each known thread's last stop at a system call. The key is the
	// thread's ID. The data contains the call's number and arguments, or its result.
	calls map[int][8]uint64
}

// follow repeatedly resumes the stopped threads until the process ends. In each round, it calls
// wait4 until no more stopped threads are reported. Only then does it resume the threads that have
// stopped. The reason is that wait4 searches the threads in order. If follow resumed each thread
// immediately, wait4 could repeatedly return a thread that reads the clock in a loop, and the
// threads after it in this order would have to wait. The process is in its own process group, so
// that wait4 ignores other children of this thread.
func (t *tracer) follow() (code int, err error) {
	for {
		stops := map[int]syscall.WaitStatus{} // by thread
		for options := waitOptions; ; options |= syscall.WNOHANG {
			var s syscall.WaitStatus
			tid, err := syscall.Wait4(-t.pid, &s, options, nil)
			if tid > 0 {
				stops[tid] = s
			} else if err != syscall.EINTR {
				break
			}
		}
		if len(stops) == 0 {
			return 0, errors.New("realclock: no thread is left to wait for")
		}
		for tid, s := range stops {
			switch {
			case tid == t.pid && s.Signaled():
				return 128 + int(s.Signal()), nil
			case tid == t.pid && s.Exited():
				return s.ExitStatus(), nil
			case !s.Stopped():
				delete(t.calls, tid)
				continue
			}
			// ESRCH means that the thread was killed while it was stopped, and that its exit has
			// not been reported yet.
			if err := t.resume(tid, s.StopSignal()); err != nil && !errors.Is(err, syscall.ESRCH) {
				return 0, err
			}
		}
	}
}

// resume handles a stop and resumes the thread until its next system call.
func (t *tracer) resume(tid int, number syscall.Signal) (err error) {
	signal := 0
	switch _, known := t.calls[tid]; {
	case !known:
		// This is the thread's first stop. For the first thread, it is the trap after exec. For
		// every other thread, it is the SIGSTOP with which the thread begins.
		t.calls[tid] = [8]uint64{}
		if tid == t.pid {
			err = t.hideVDSO()
		}
	case number == syscall.SIGTRAP|0x80:
		err = t.systemCall(tid)
	case number != syscall.SIGTRAP: // a plain SIGTRAP reports a new thread
		signal = int(number)
	}
	if err != nil {
		return err
	}
	return syscall.PtraceSyscall(tid, signal)
}

// systemCall handles a stop at the beginning or the end of a system call.
func (t *tracer) systemCall(tid int) error {
	info, err := getSyscallInfo(tid)
	call := t.calls[tid]
	t.calls[tid] = info.data
	if err != nil || info.op == syscallEntry || call[0] != syscall.SYS_CLOCK_GETTIME {
		return err
	}
	switch call[1] {
	case clockRealtime: // the kernel has just stored the time
		// Do not compute the new time from the time that the kernel has stored. The kernel may
		// store times for several threads before the tracer handles the first of these threads, and
		// the tracer handles the threads in no particular order. Unless the offset has changed, a
		// time that is computed here is never earlier than the previous one.
		now := t.began.Add(time.Since(t.began) + t.off)
		b := binary.NativeEndian.AppendUint64(nil, uint64(now.Unix())) // struct timespec
		b = binary.NativeEndian.AppendUint64(b, uint64(now.Nanosecond()))
		_, err = syscall.PtracePokeData(tid, uintptr(call[2]), b)
	case clockMove:
		t.off = time.Duration(call[2])
	}
	return err
}

// hideVDSO hides the vDSO from a program that has just been loaded. The program's Go runtime then
// reads the clocks with system calls, which can be traced.
func (t *tracer) hideVDSO() error {
	if err := syscall.PtraceSetOptions(t.pid, ptraceOptions); err != nil {
		return fmt.Errorf("realclock: PTRACE_SETOPTIONS: %w", err)
	}
	info, err := getSyscallInfo(t.pid)
	if err != nil {
		return err
	}
	// From the stack pointer upward, the stack contains argc, argv, a null pointer, the
	// environment, a null pointer and the pairs of the auxiliary vector.
	address := uintptr(info.sp)
	next := func() (word uint64) {
		var b [8]byte
		if err == nil {
			_, err = syscall.PtracePeekData(t.pid, address, b[:])
		}
		address += 8
		return binary.NativeEndian.Uint64(b[:])
	}
	argc := next()
	address += uintptr(argc+1) * 8
	for next() != 0 {
	}
	for tag := next(); tag != 0; tag = next() {
		if tag == atSysinfoEhdr {
			_, err = syscall.PtracePokeData(t.pid, address-8, binary.NativeEndian.AppendUint64(nil, atIgnore))
		}
		address += 8
	}
	return err
}

func getSyscallInfo(tid int) (info syscallInfo, err error) {
	_, _, errno := syscall.RawSyscall6(syscall.SYS_PTRACE, ptraceGetSyscallInfo, uintptr(tid),
		unsafe.Sizeof(info), uintptr(unsafe.Pointer(&info)), 0, 0)
	if errno != 0 {
		return info, fmt.Errorf("realclock: PTRACE_GET_SYSCALL_INFO: %w", errno)
	}
	return info, nil
}
