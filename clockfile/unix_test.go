//go:build unix

package clockfile_test

// Locks, umasks and failing system calls on Unix.

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/oneclock/ids/clockfile"
)

// TestChildKeepsLock starts a program that inherits the lock's descriptor and keeps it. Close
// unlocks anyway, so the next Open finds the file unlocked.
func TestChildKeepsLock(t *testing.T) {
	t.Parallel()
	defer limit(t)()
	path := newFile(t)
	disk := &remembers{Disk: clockfile.System}
	f, err := clockfile.OpenOn(disk, path, nil)
	must(t, err)
	// It is released with this process's descriptor, as a child's would be.
	fd, err := syscall.Dup(clockfile.Descriptor(disk.opened))
	must(t, err)
	inherited := os.NewFile(uintptr(fd), "lock")
	child := child(t, "wait")
	child.ExtraFiles = []*os.File{inherited}
	in, err := child.StdinPipe()
	must(t, err, child.Start(), inherited.Close())
	refused(t, path, nil, clockfile.ErrLocked, "already open", "run: fuser "+path)
	must(t, f.Close())
	must(t, mustOpen(t, path, nil).Close())
	must(t, in.Close(), child.Wait())
}

// remembers is a disk that remembers the file that it opened.
type remembers struct {
	clockfile.Disk
	opened clockfile.LockedFile
}

func (r *remembers) Open(path string) (f clockfile.LockedFile, err error) {
	f, err = r.Disk.Open(path)
	r.opened = f
	return f, err
}

// TestMaskOfProcess creates a file although the process's umask forbids everything. Only its user
// can access the file, because any process that can read a file can lock it.
func TestMaskOfProcess(t *testing.T) {
	path := newPath(t)
	before := syscall.Umask(0o777)
	err := clockfile.Create(path, nil)
	syscall.Umask(before)
	must(t, err)
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
		t.Errorf("the file has the mode %v, %v", info.Mode(), err)
	}
}

// TestSystemFails asks the operating system for operations that fail. No error is lost, and none is
// treated as a loss of the file.
func TestSystemFails(t *testing.T) {
	path := newFile(t)
	dir := filepath.Dir(path)
	f, err := clockfile.System.Open(path)
	must(t, err)
	must(t, os.Rename(dir, dir+"2"), os.WriteFile(dir, nil, 0o600)) // a file cannot contain names
	_, below := f.Check()
	must(t, os.Remove(dir), os.Rename(dir+"2", dir), f.Close())
	_, closed := f.Check()
	for i, err := range []error{below, closed, f.Sync(), f.Close()} {
		if err == nil || errors.Is(err, clockfile.ErrLost) {
			t.Errorf("call %d: error %v, want one of the system", i, err)
		}
	}
}

// TestMountedByItself removes a file that was opened by a name that remains, as with a file that is
// mounted individually.
func TestMountedByItself(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has names that lead to open files")
	}
	bubble(t, func(t *testing.T) {
		path := newFile(t)
		file, err := os.Open(path)
		must(t, err)
		defer file.Close()
		f := mustOpen(t, fmt.Sprintf("/proc/self/fd/%d", file.Fd()), nil)
		refused(t, path, nil, clockfile.ErrLocked, "already open", "run: fuser "+path)
		must(t, os.Remove(path))
		<-f.Lost()
		if err := f.Close(); !errors.Is(err, clockfile.ErrLost) || !strings.Contains(err.Error(), "the file was replaced") {
			t.Errorf("Close: %v", err)
		}
	})
}
