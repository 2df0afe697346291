//go:build unix

package clockfile_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/oneclock/ids/clockfile"
)

// TestChildKeepsLock starts a program that inherits the descriptor of the lock and keeps it: Close unlocks all the same,
// so that the next Open finds the file free.
func TestChildKeepsLock(t *testing.T) {
	path := newFile(t)
	f := mustOpen(t, path, nil)
	fd, err := syscall.Dup(clockfile.LockDescriptor(f)) // which ends with this process's, as a child's would
	must(t, err)
	inherited := os.NewFile(uintptr(fd), "lock")
	program, err := os.Executable()
	must(t, err)
	args := append(strings.Fields(os.Getenv("IDS_TEST_EMULATOR")), program)
	child := exec.Command(args[0], args[1:]...)
	child.Env = append(os.Environ(), childVariable+"=wait")
	child.ExtraFiles = []*os.File{inherited}
	in, err := child.StdinPipe()
	must(t, err, child.Start(), inherited.Close())
	refused(t, path, nil, clockfile.ErrLocked)
	must(t, f.Close())
	must(t, mustOpen(t, path, nil).Close())
	must(t, in.Close(), child.Wait())
}

// TestModeOfNewFiles makes the files where the process's mask forbids nothing: nobody else may write what it holds,
// or hold the lock.
func TestModeOfNewFiles(t *testing.T) {
	path := newPath(t)
	defer syscall.Umask(syscall.Umask(0))
	must(t, clockfile.Create(path, ""))
	for name, want := range map[string]os.FileMode{path: 0o644, path + ".lock": 0o600} {
		info, err := os.Stat(name)
		must(t, err)
		if got := info.Mode(); got != want {
			t.Errorf("%s has the mode %v, want %v", name, got, want)
		}
	}
}

// TestSystemFails asks the operating system for what it refuses: no error is lost.
func TestSystemFails(t *testing.T) {
	missing, locked := filepath.Join(newPath(t), "x"), newPath(t)
	d := clockfile.System
	_, atCreate := d.Create(missing, missing)
	_, atLock := d.Lock(missing)
	dir := filepath.Join(filepath.Dir(locked), "dir")
	must(t, os.Mkdir(dir, 0o700))
	moved, err := d.Lock(filepath.Join(dir, "lock"))
	must(t, err, os.Rename(dir, dir+"2"), os.WriteFile(dir, nil, 0o600)) // no name is below a file
	closed, err := d.Lock(locked)
	must(t, err, closed.Close())
	for what, err := range map[string]error{"Create": atCreate, "Lock": atLock, "Rename": d.Rename(missing, locked), "Held": moved.Held(), "Held once closed": closed.Held(), "a second Close": closed.Close()} {
		if err == nil || errors.Is(err, clockfile.ErrLost) {
			t.Errorf("%s: error %v, want one of the system", what, err)
		}
	}
	if !errors.Is(atLock, os.ErrNotExist) {
		t.Errorf("Lock in a directory that is missing: %v", atLock)
	}
	must(t, moved.Close())
}
