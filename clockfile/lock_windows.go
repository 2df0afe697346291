package clockfile

import (
	"errors"
	"os"
	"syscall"
)

var errNoLocks error

const errorSharingViolation syscall.Errno = 32

// openLocked opens the file at path in a share mode that allows others only to read it. They can
// neither open it for writing nor rename or remove it. This share mode is the lock. The lock is
// released when the file is closed, and Windows closes the file when the process ends, however it
// ends.
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

// linkCount returns 1, because an open file cannot be removed on Windows.
func linkCount(os.FileInfo) uint64 { return 1 }

// lookUp returns the file that path refers to. It opens that file instead of calling os.Stat. To
// compare a result of os.Stat, os.SameFile would have to open the file, and if that failed, it
// would report that the files differ.
func lookUp(path string) (os.FileInfo, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Stat()
}
