package servers

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"
)

// Server is an operating system process that can be started again.
type Server struct {
	Command func() *exec.Cmd
	Log     string // the name of a file

	mu  sync.Mutex
	cmd *exec.Cmd
}

// Start starts the process, and fails the test if it cannot. It may be called from any goroutine.
func (s *Server) Start(t *testing.T) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	out, err := os.OpenFile(s.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		t.Error(err)
		return
	}
	defer out.Close()
	cmd := s.Command()
	cmd.Stdout, cmd.Stderr = out, out
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = new(syscall.SysProcAttr)
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	if err := cmd.Start(); err != nil {
		t.Error(err)
		return
	}
	s.cmd = cmd
}

func (s *Server) Signal(sig os.Signal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cmd != nil {
		_ = s.cmd.Process.Signal(sig)
	}
}

// Stop ends the process with sig and waits for its end.
func (s *Server) Stop(sig os.Signal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cmd != nil {
		_ = s.cmd.Process.Signal(sig)
		_ = s.cmd.Process.Signal(syscall.SIGCONT)
		_ = s.cmd.Wait()
		s.cmd = nil
	}
}

// Change stops the process with sig and starts it with another command.
func (s *Server) Change(t *testing.T, sig os.Signal, edit func(*exec.Cmd)) {
	t.Helper()
	s.Stop(sig)
	before := s.Command
	s.Command = func() *exec.Cmd {
		cmd := before()
		edit(cmd)
		return cmd
	}
	s.Start(t)
}

// Tail returns the end of the log.
func (s *Server) Tail() string {
	b, err := os.ReadFile(s.Log)
	if err != nil {
		return err.Error()
	}
	return string(b[max(0, len(b)-4000):])
}

// FreePorts returns addresses on loopback that nobody listens on. They lie below the range from which the system
// gives ports to connections, which could otherwise take one while its server is down.
func FreePorts(n int) []string {
	var addresses []string
	for tries := 0; len(addresses) < n; tries++ {
		switch l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", 10_000+rand.IntN(20_000))); {
		case err == nil:
			defer l.Close()
			addresses = append(addresses, l.Addr().String())
		case tries > 1000:
			panic(fmt.Errorf("no free port: %w", err))
		}
	}
	return addresses
}
