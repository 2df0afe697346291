package clockfile

import (
	"errors"
	"io"
	"os"
	"syscall"
)

const errorSharingViolation syscall.Errno = 32

// acquire opens the file at path, which it makes if need be, so that nobody else can open it: that
// is the lock. It ends when the file is closed, and Windows closes it when the process ends,
// however it ends. It is not the file with the horizon, which is replaced at each save.
func acquire(path string) (io.Closer, error) {
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
	return os.NewFile(uintptr(handle), path), nil
}
