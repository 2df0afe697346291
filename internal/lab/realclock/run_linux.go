//go:build linux && (amd64 || arm64)

package realclock

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

// Names of the kernel's that package syscall does not have.
const (
	atIgnore      = 1  // AT_IGNORE: an entry of the auxiliary vector without a meaning
	atSysinfoEhdr = 33 // AT_SYSINFO_EHDR: the address of the vDSO

	ptraceGetSyscallInfo = 0x420e // PTRACE_GET_SYSCALL_INFO, since Linux 5.3
	ptraceEventSeccomp   = 7      // PTRACE_EVENT_SECCOMP
	ptraceOptions        = syscall.PTRACE_O_TRACESYSGOOD | syscall.PTRACE_O_TRACECLONE |
		1<<ptraceEventSeccomp | // PTRACE_O_TRACESECCOMP
		0x100000 // PTRACE_O_EXITKILL: the child does not outlive its tracer
	waitOptions = syscall.WALL | 0x20000000 // __WNOTHREAD: no children of other threads
)

// syscallInfo is the kernel's struct ptrace_syscall_info.
type syscallInfo struct {
	_    [16]byte  // kind of stop, architecture, instruction pointer
	sp   uint64    // the stack pointer
	data [8]uint64 // on entry the number and the arguments, on exit the result
}

// ErrNotPermitted says that this system does not let a process trace its child.
var ErrNotPermitted = errors.New("tracing a child is not permitted here")

// leastReadings is how many readings of the wall clock a phase lasts at least, so that a busy
// machine skips none.
const leastReadings = 100

// Run starts the program argv[0], moves the wall clock that it sees as script says, sends it
// SIGTERM when the script has ended, and waits for its end. The program must call [Trap]; the
// first phase begins with its first reading after that. Run returns the exit code (128 and the
// signal's number if a signal ended it) and how many readings were taken in each phase.
func Run(argv, env []string, output *os.File, script []Phase) (code int, readings []int, err error) {
	// Every request must come from the thread that started the child.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	pid, err := syscall.ForkExec(argv[0], argv, &syscall.ProcAttr{
		Env:   env,
		Files: []uintptr{0, output.Fd(), output.Fd()},
		Sys:   &syscall.SysProcAttr{Ptrace: true},
	})
	if err != nil {
		return 0, nil, refused("starting a traced child", err)
	}
	t := tracer{pid: pid, script: script, readings: make([]int, len(script)), stores: map[int]uintptr{}}
	if code, err = t.follow(); err != nil {
		syscall.Kill(pid, syscall.SIGKILL)
		for werr := error(nil); werr == nil || werr == syscall.EINTR; {
			_, werr = syscall.Wait4(-1, nil, waitOptions, nil)
		}
	}
	return code, t.readings, err
}

// refused is the error of a request; it matches [ErrNotPermitted] when the cause is the
// system's policy or age.
func refused(what string, err error) error {
	for _, policy := range []error{syscall.EPERM, syscall.EACCES, syscall.ENOSYS, syscall.EIO} {
		if errors.Is(err, policy) {
			return fmt.Errorf("realclock: %s: %w: %w", what, ErrNotPermitted, err)
		}
	}
	return fmt.Errorf("realclock: %s: %w", what, err)
}

type tracer struct {
	pid      int
	script   []Phase
	readings []int           // by phase
	phase    int             // index into script
	began    time.Time       // when the phase began
	ended    bool            // the script
	stores   map[int]uintptr // by thread: where the kernel is about to store a reading
}

// follow resumes each thread that stops, until the process has ended.
func (t *tracer) follow() (code int, err error) {
	known := map[int]bool{}
	for {
		var status syscall.WaitStatus
		tid, err := syscall.Wait4(-1, &status, waitOptions, nil)
		switch {
		case err == syscall.EINTR:
			continue
		case err != nil:
			return 0, fmt.Errorf("realclock: wait4: %w", err)
		case tid == t.pid && status.Signaled():
			return 128 + int(status.Signal()), nil
		case tid == t.pid && status.Exited():
			return status.ExitStatus(), nil
		case !status.Stopped():
			delete(t.stores, tid)
			continue
		}
		resume, signal := syscall.PtraceCont, 0
		switch stop := status.StopSignal(); {
		case !known[tid]:
			// The trap of the exec, or the SIGSTOP with which each further thread begins.
			known[tid] = true
			if tid == t.pid {
				err = t.hideVDSO()
			}
		case stop == syscall.SIGTRAP|0x80: // the thread is about to leave the kernel
			err = t.rewrite(tid)
		case status.TrapCause() == ptraceEventSeccomp:
			var info syscallInfo
			info, err = getSyscallInfo(tid)
			t.stores[tid] = uintptr(info.data[2])
			resume = syscall.PtraceSyscall
		case stop == syscall.SIGTRAP: // a further thread was made, and will report itself
		default:
			signal = int(stop)
		}
		if err == nil {
			err = resume(tid, signal)
		}
		// ESRCH: the thread was killed while it was stopped, and its end is still to be reported.
		if err != nil && !errors.Is(err, syscall.ESRCH) {
			return 0, err
		}
	}
}

// hideVDSO takes the vDSO from the program that has just been loaded: its runtime then reads
// clocks by system calls, which can be trapped.
func (t *tracer) hideVDSO() error {
	if err := syscall.PtraceSetOptions(t.pid, ptraceOptions); err != nil {
		return refused("PTRACE_SETOPTIONS", err)
	}
	info, err := getSyscallInfo(t.pid)
	if err != nil {
		return err
	}
	// From the stack pointer up: argc, argv, nil, environment, nil, pairs of the auxiliary vector.
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
	if err != nil {
		return fmt.Errorf("realclock: the auxiliary vector: %w", err)
	}
	return nil
}

// rewrite moves the reading that the kernel has just stored for the thread.
func (t *tracer) rewrite(tid int) error {
	var b [16]byte // struct timespec
	if _, err := syscall.PtracePeekData(tid, t.stores[tid], b[:]); err != nil {
		return fmt.Errorf("realclock: reading a timespec: %w", err)
	}
	real := time.Unix(int64(binary.NativeEndian.Uint64(b[:8])), int64(binary.NativeEndian.Uint64(b[8:])))
	wall := t.wall(real, time.Now())
	binary.NativeEndian.PutUint64(b[:8], uint64(wall.Unix()))
	binary.NativeEndian.PutUint64(b[8:], uint64(wall.Nanosecond()))
	if _, err := syscall.PtracePokeData(tid, t.stores[tid], b[:]); err != nil {
		return fmt.Errorf("realclock: writing a timespec: %w", err)
	}
	return nil
}

// wall is what the script makes of the reading real.
func (t *tracer) wall(real, now time.Time) time.Time {
	if t.began.IsZero() {
		t.began = now
	}
	if now.Sub(t.began) >= t.script[t.phase].Length && t.readings[t.phase] >= leastReadings {
		if t.phase+1 < len(t.script) {
			t.phase, t.began = t.phase+1, now
		} else if !t.ended {
			t.ended = true
			syscall.Kill(t.pid, syscall.SIGTERM)
		}
	}
	t.readings[t.phase]++
	return t.script[t.phase].Wall(real, now.Sub(t.began))
}

func getSyscallInfo(tid int) (info syscallInfo, err error) {
	_, _, errno := syscall.RawSyscall6(syscall.SYS_PTRACE, ptraceGetSyscallInfo, uintptr(tid),
		unsafe.Sizeof(info), uintptr(unsafe.Pointer(&info)), 0, 0)
	if errno != 0 {
		return info, refused("PTRACE_GET_SYSCALL_INFO", errno)
	}
	return info, nil
}
