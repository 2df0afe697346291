//go:build unix && !aix && (!solaris || illumos)

package clockfile

import (
	"errors"
	"os"
	"syscall"
)

// acquire locks the file at path. The lock is the operating system's: it ends when the file is closed,
// and when the process ends, however it ends.
func acquire(path string) (fileLock, error) {
	f, err := openLock(path)
	if err != nil {
		return nil, err
	}
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err == nil {
		return f, nil
	}
	f.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, ErrLocked
	}
	return nil, &os.PathError{Op: "lock", Path: path, Err: err}
}
