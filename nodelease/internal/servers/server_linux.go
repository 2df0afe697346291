// Package servers starts real servers for tests and kills them. It works on Linux only. Each kind
// of server has its own package: etcdtest, pgtest or mytest. This way, the tests of each store need
// only that store's driver, and the go.sum of a program that uses one store contains no entries for
// the other drivers.
package servers

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Server is a server process that can be stopped and started again.
type Server struct {
	command func() *exec.Cmd
	log     string // name of the log file
	cmd     *exec.Cmd
}

// New starts a server, which is stopped with sig when the test ends.
func New(t *testing.T, log string, sig os.Signal, command func() *exec.Cmd) *Server {
	t.Helper()
	s := &Server{command: command, log: log}
	s.Start(t)
	t.Cleanup(func() { s.Stop(sig) })
	return s
}

// Program returns the path of a program. It also finds programs that Debian keeps out of the PATH.
// If the program is not installed, Program skips the test and names the Debian package.
func Program(t *testing.T, name, debian string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err == nil {
		return path
	}
	for _, pattern := range []string{"/usr/sbin/", "/usr/lib/postgresql/*/bin/"} {
		if found, _ := filepath.Glob(pattern + name); found != nil {
			return slices.Max(found)
		}
	}
	t.Skipf("%s is not installed (Debian: apt-get install %s)", name, debian)
	return ""
}

// Start starts the process.
func (s *Server) Start(t *testing.T) {
	t.Helper()
	out, err := os.OpenFile(s.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	s.cmd = s.command()
	s.cmd.Stdout, s.cmd.Stderr = out, out
	if s.cmd.SysProcAttr == nil {
		s.cmd.SysProcAttr = new(syscall.SysProcAttr)
	}
	s.cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
}

// Signal sends sig to the process and to its children, such as the PostgreSQL processes that serve
// one connection each. After SIGSTOP, Signal waits until all their threads have stopped. Otherwise,
// one of them might still answer on a busy machine.
func (s *Server) Signal(sig syscall.Signal) {
	pid := s.cmd.Process.Pid
	pids := []int{pid}
	_ = syscall.Kill(pid, sig)
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, task := range tasks {
		children, _ := os.ReadFile(task)
		for child := range strings.FieldsSeq(string(children)) {
			if pid, err := strconv.Atoi(child); err == nil {
				_ = syscall.Kill(pid, sig)
				pids = append(pids, pid)
			}
		}
	}
	limit := time.Now().Add(10 * time.Second)
	for sig == syscall.SIGSTOP && slices.ContainsFunc(pids, runs) && time.Now().Before(limit) {
		time.Sleep(time.Millisecond)
	}
}

// runs reports whether any thread of the process is running, or is waiting for an event that would
// wake it.
func runs(pid int) bool {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	return slices.ContainsFunc(threads, func(name string) bool {
		stat, _ := os.ReadFile(name)
		_, state, _ := strings.Cut(string(stat), ") ")
		return strings.HasPrefix(state, "R") || strings.HasPrefix(state, "S") || strings.HasPrefix(state, "D")
	})
}

// If the process is running, Stop sends sig to the process and waits until it has ended.
func (s *Server) Stop(sig os.Signal) {
	if s.cmd != nil && s.cmd.Process != nil {
		_ = s.cmd.Process.Signal(sig)
		_ = s.cmd.Wait()
		s.cmd = nil
	}
}

// FreePorts returns unused addresses on loopback. Their ports are below the range from which the
// system assigns ports to connections. Otherwise, an outgoing connection could be assigned a
// server's port while that server is down. Until the process ends, no other call returns these
// ports, not even a call in another process.
func FreePorts(n int) []string {
	var addresses []string
	for tries := 0; len(addresses) < n; tries++ {
		address, err := reserve(10_000 + rand.IntN(20_000))
		switch {
		case err == nil:
			addresses = append(addresses, address)
		case tries > 1000:
			panic(fmt.Errorf("no free port: %w", err))
		}
	}
	return addresses
}

// reserve returns the address with the given port, if no server and no other call uses this port.
func reserve(port int) (address string, err error) {
	// Tests start servers only on 127.0.0.1.
	reservation, err := net.Listen("tcp", fmt.Sprintf("127.0.0.2:%d", port))
	if err != nil {
		return "", err
	}
	l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		reservation.Close()
		return "", err
	}
	defer l.Close()
	reservations.Store(port, reservation)
	return l.Addr().String(), nil
}

// reservations maps the ports that FreePorts has returned to their listeners. It prevents the
// garbage collector from closing the listeners.
var reservations sync.Map
