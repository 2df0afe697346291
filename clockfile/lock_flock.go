//go:build unix && !aix && (!solaris || illumos)

package clockfile

import (
	"errors"
	"os"
	"syscall"
)

// acquire locks the file at path. The lock is the operating system's: it ends when the process ends, however
// it ends.
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
		return flocked{f}, nil
	}
	f.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, ErrLocked
	}
	return nil, &os.PathError{Op: "lock", Path: path, Err: err}
}

// A flocked file is unlocked before it is closed. To close it is not enough: a child has its descriptor too,
// until it executes another program, or for as long as it lives if it has inherited it.
type flocked struct{ lockFile }

func (l flocked) Close() error {
	unlocked := syscall.Flock(int(l.Fd()), syscall.LOCK_UN)
	return errors.Join(unlocked, l.lockFile.Close())
}
