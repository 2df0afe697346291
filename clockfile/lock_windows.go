package clockfile

import (
	"errors"
	"os"
	"syscall"
)

var errNoLocks error

const errorSharingViolation syscall.Errno = 32

// openLocked opens the file at path so that others can read it, and nobody can open it to write to it, rename it or remove
// it: that is the lock. It ends when the file is closed, and Windows closes it when the process ends, however it ends.
func openLocked(path string) (*os.File, error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	handle, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, syscall.FILE_SHARE_READ, nil,
		syscall.OPEN_EXISTING, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	switch {
	case errors.Is(err, errorSharingViolation):
		return nil, ErrLocked
	case err != nil:
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(handle), path), nil
}

func closeLocked(f *os.File) error { return f.Close() }

// names returns 1: a file that is open cannot be removed here.
func linkCount(os.FileInfo) uint64 { return 1 }

// lookUp returns what a path leads to. It opens that: for what os.Stat returns, os.SameFile would do so, and take a failure for
// another file.
func lookUp(path string) (os.FileInfo, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Stat()
}
