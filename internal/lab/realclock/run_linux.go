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

const (
	// leastLaps is how many laps a phase lasts at least. The first may have begun before the phase,
	// and the second beside what had: the third has only what began in the phase around it.
	leastLaps = 3

	// brief is how soon after the end of a lap a reading is to come to be the last of a phase. The
	// clock is to be moved when what the process has minted is not old.
	brief = 450 * time.Millisecond

	// patience is how long Run waits for the end of the process. It is for one that is stuck.
	patience = 3 * time.Minute
)

// Run starts the program argv[0], moves the wall clock that it sees as script says, sends it
// SIGTERM when the script has ended, and waits for its end. The program must call [Trap]; the
// first phase begins with its first reading after that. And it must call [Lap] again and again,
// or no phase ends. Run returns the exit code (128 and the signal's number if a signal ended it)
// and what came of the phases that began.
func Run(argv, env []string, output *os.File, script []Phase) (code int, spans []Span, err error) {
	// Every request must come from the thread that started the child.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	t := tracer{script: script, zero: time.Now().Round(0).Add(-Monotonic()), stores: map[int]uintptr{}}
	pid, err := syscall.ForkExec(argv[0], argv, &syscall.ProcAttr{
		Env:   env,
		Files: []uintptr{0, output.Fd(), output.Fd()},
		Sys:   &syscall.SysProcAttr{Ptrace: true, Setpgid: true},
	})
	if err != nil {
		return 0, nil, refused("starting a traced child", err)
	}
	t.pid = pid
	stuck := time.AfterFunc(patience, func() { syscall.Kill(pid, syscall.SIGKILL) })
	code, err = t.follow()
	if !stuck.Stop() {
		return code, t.spans, fmt.Errorf("realclock: the process was ended after %v, in phase %d of %d and after %d laps of it",
			patience, len(t.spans), len(script), t.laps)
	}
	if err != nil {
		syscall.Kill(pid, syscall.SIGKILL)
		for werr := error(nil); werr == nil || werr == syscall.EINTR; {
			_, werr = syscall.Wait4(-pid, nil, waitOptions, nil)
		}
	}
	return code, t.spans, err
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
	pid    int
	script []Phase
	zero   time.Time       // real time, at zero of the monotonic clock
	spans  []Span          // of the phases that have begun; the last one is the clock
	laps   int             // in the phase
	last   int             // the thread whose next reading is the last of the phase
	told   time.Duration   // when it made its lap
	over   bool            // the phase: the next reading begins another
	ended  bool            // the script
	stores map[int]uintptr // by thread: where the kernel is about to store a reading
}

// A stop is what wait4 says of a thread: that it has stopped, or ended.
type stop struct {
	tid    int
	status syscall.WaitStatus
}

// stops waits for the next stop, and returns all there are. To resume one thread after the other would
// not be fair: wait4 goes through the threads in their order, so that the last would wait for as
// long as those before it read the clock again and again. The process is a group of its own, since
// this thread may have other children.
func (t *tracer) stops(all []stop) ([]stop, error) {
	var err error
	for options := waitOptions; ; options |= syscall.WNOHANG {
		var s stop
		s.tid, err = syscall.Wait4(-t.pid, &s.status, options, nil)
		if s.tid > 0 {
			all = append(all, s)
		} else if err != syscall.EINTR {
			break
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("realclock: wait4: %w", err)
	}
	return all, nil
}

// follow resumes each thread that stops, until the process has ended.
func (t *tracer) follow() (code int, err error) {
	known := map[int]bool{}
	var all []stop
	for {
		if all, err = t.stops(all[:0]); err != nil {
			return 0, err
		}
		for _, s := range all {
			switch {
			case s.tid == t.pid && s.status.Signaled():
				return 128 + int(s.status.Signal()), nil
			case s.tid == t.pid && s.status.Exited():
				return s.status.ExitStatus(), nil
			case !s.status.Stopped():
				delete(t.stores, s.tid)
				delete(known, s.tid)
				continue
			}
			err := t.resume(s, known[s.tid])
			known[s.tid] = true
			// ESRCH: the thread was killed while it was stopped, and its end is still to be reported.
			if err != nil && !errors.Is(err, syscall.ESRCH) {
				return 0, err
			}
		}
	}
}

// resume does what a stop is for, and lets the thread go on.
func (t *tracer) resume(s stop, known bool) (err error) {
	resume, signal := syscall.PtraceCont, 0
	switch number := s.status.StopSignal(); {
	case !known:
		// The trap of the exec, or the SIGSTOP with which each further thread begins.
		if s.tid == t.pid {
			err = t.hideVDSO()
		}
	case number == syscall.SIGTRAP|0x80: // the thread is about to leave the kernel
		err = t.rewrite(s.tid)
	case s.status.TrapCause() == ptraceEventSeccomp:
		var info syscallInfo
		info, err = getSyscallInfo(s.tid)
		if info.data[1] == clockLap {
			t.lap(s.tid)
			break
		}
		t.stores[s.tid] = uintptr(info.data[2])
		resume = syscall.PtraceSyscall
	case number == syscall.SIGTRAP: // a further thread was made, and will report itself
	default:
		signal = int(number)
	}
	if err != nil {
		return err
	}
	return resume(s.tid, signal)
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
	wall := t.wall(tid, Monotonic())
	var b [16]byte // struct timespec
	binary.NativeEndian.PutUint64(b[:8], uint64(wall.Unix()))
	binary.NativeEndian.PutUint64(b[8:], uint64(wall.Nanosecond()))
	if _, err := syscall.PtracePokeData(tid, t.stores[tid], b[:]); err != nil {
		return fmt.Errorf("realclock: writing a timespec: %w", err)
	}
	return nil
}

// wall is what the script shows a thread now, on the monotonic clock. That and not the kernel's own
// reading is what it goes by: several threads may have read the clock before the tracer gets to
// them, and it gets to them in any order.
func (t *tracer) wall(tid int, now time.Duration) time.Time {
	if len(t.spans) == 0 || t.over {
		t.spans = append(t.spans, Span{Phase: t.script[len(t.spans)], Began: now, zero: t.zero})
		t.laps, t.over = 0, false
	}
	s := &t.spans[len(t.spans)-1]
	s.Readings++
	s.Ended = now
	if tid == t.last {
		t.last = 0
		switch {
		case now-t.told > brief || t.ended:
		case len(t.spans) < len(t.script):
			t.over = true
		default:
			t.ended = true
			syscall.Kill(t.pid, syscall.SIGTERM)
		}
	}
	return tagged(s.At(now), len(t.spans)-1)
}

// lap notes that a thread has made a lap.
func (t *tracer) lap(tid int) {
	if len(t.spans) == 0 || t.over {
		return
	}
	t.laps++
	now := Monotonic()
	if s := &t.spans[len(t.spans)-1]; t.laps >= leastLaps && now-s.Began >= s.Length {
		t.last, t.told = tid, now
	}
}

func getSyscallInfo(tid int) (info syscallInfo, err error) {
	_, _, errno := syscall.RawSyscall6(syscall.SYS_PTRACE, ptraceGetSyscallInfo, uintptr(tid),
		unsafe.Sizeof(info), uintptr(unsafe.Pointer(&info)), 0, 0)
	if errno != 0 {
		return info, refused("PTRACE_GET_SYSCALL_INFO", errno)
	}
	return info, nil
}
