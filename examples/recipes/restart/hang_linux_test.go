package main

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"

	"github.com/oneclock/ids/examples/internal/must"
	"github.com/oneclock/ids/examples/internal/program"
)

// TestHangingDisk ends the program by SIGTERM while Open hangs. The open of a file on which another
// process has a lease waits, and that other process is notified.
func TestHangingDisk(t *testing.T) {
	path := created(t)
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	must.Do(t, err)
	defer f.Close()
	hangs := make(chan os.Signal, 1)
	signal.Notify(hangs, syscall.SIGIO)
	defer signal.Stop(hangs)
	if _, _, err := syscall.Syscall(syscall.SYS_FCNTL, f.Fd(), syscall.F_SETLEASE, syscall.F_WRLCK); err != 0 {
		t.Skip("no lease on a file of this disk: ", err)
	}
	p := program.Start(t, node, "-file", path)
	<-hangs
	p.Signal(syscall.SIGTERM)
	_, says, err := p.End()
	var ended *exec.ExitError
	if !errors.As(err, &ended) || ended.Sys().(syscall.WaitStatus).Signal() != syscall.SIGTERM {
		t.Errorf("it ends with %v, and says %q", err, says)
	}
}
