package clockfile

import (
	"errors"
	"os"
	"syscall"
)

const errorSharingViolation syscall.Errno = 32

// acquire opens the file at path, which it makes if need be, so that nobody else can open it: that
// is the lock. It ends when the file is closed, and Windows closes it when the process ends,
// however it ends. It is not the file with the horizon, which is replaced at each save.
func acquire(path string) (fileLock, error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	const shareNothing = 0
	handle, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, shareNothing, nil,
		syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	switch {
	case errors.Is(err, errorSharingViolation):
		return nil, ErrLocked
	case err != nil:
		return nil, &os.PathError{Op: "lock", Path: path, Err: err}
	}
	return lockFile{os.NewFile(uintptr(handle), path)}, nil
}

// A lockFile is a file that nobody else can open.
type lockFile struct{ *os.File }

// Held returns nil: nobody can remove or rename the file, or a directory above it, while it is open.
func (lockFile) Held() error { return nil }
