package servers

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/internal/must"
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

// StopsFirst cuts the links of a minter to its store and looks whether anybody can take the number
// while it is still minting. Then it heals them. The store must have one number; free asks
// it, over another connection, whether nobody holds that.
func StopsFirst(t *testing.T, n *Network, s nodelease.Store, free func() (bool, error), links ...Link) {
	m := must.Get(nodelease.NewMinter(s, nil))(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	defer m.Close()
	must.Get(m.NextContext(ctx))(t)
	n.Set(true, links...)
	minted := time.Now()
	for gone, stopped := false, false; !gone; time.Sleep(time.Millisecond) {
		var err error
		gone, err = free() // before the attempt: an id that comes later than this is one too many
		must.Do(t, err)
		_, err = m.TryNext()
		switch {
		case gone && err == nil:
			t.Fatal("minting goes on although the lease has ended")
		case gone && !stopped && time.Since(minted) < 100*time.Millisecond: // else an answer was late
			t.Fatal("the lease has ended no later than the minting")
		case err == nil && stopped:
			t.Fatal("minting goes on behind a cut")
		case err == nil:
			minted = time.Now()
		case errors.Is(err, ids.ErrWithheld):
			stopped = true
		case err != nil && !errors.Is(err, ids.ErrExhausted):
			t.Fatal(err)
		}
		if ctx.Err() != nil {
			t.Fatal("the lease of a minter that is cut off does not end")
		}
	}
	n.Set(false, links...)
	if _, err := m.NextContext(ctx); err != nil {
		t.Fatalf("minting does not go on: %v", err)
	}
	must.Do(t, m.Close())
	if gone, err := free(); !gone {
		t.Errorf("the number is held after Close, %v", err)
	}
}
