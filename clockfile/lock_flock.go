//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package clockfile

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// acquire locks the file at path, which it makes if need be. The lock is the operating system's:
// it ends when the file is closed, and when the process ends, however it ends. The file itself
// stays, since to remove it would let two processes lock two files of one name. It is not the file
// with the horizon, which is replaced at each save.
func acquire(path string) (io.Closer, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
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
