//go:build unix && !aix && (!solaris || illumos)

package clockfile

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

var errNoLocks error

// openLocked opens and locks the file at path. The lock is the operating system's: it ends when the process ends, however
// it ends.
func openLocked(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	err = flock(f, syscall.LOCK_EX|syscall.LOCK_NB)
	switch {
	case err == nil:
		return f, nil
	case errors.Is(err, syscall.EWOULDBLOCK):
		err = fmt.Errorf("%w; to see which process, run: fuser %s", ErrLocked, shellQuote(path))
	default:
		err = &os.PathError{Op: "lock", Path: path, Err: err}
	}
	f.Close()
	return nil, err
}

// closeLocked unlocks the file before it closes it. To close it is not enough: a child has its descriptor too, until it
// executes another program, or for as long as it lives if it has inherited it.
func closeLocked(f *os.File) error {
	return errors.Join(flock(f, syscall.LOCK_UN), f.Close())
}

// flock calls flock(2) until no signal interrupts it.
func flock(f *os.File, how int) error {
	for {
		if err := syscall.Flock(int(f.Fd()), how); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// names returns how many names a file has.
func linkCount(info os.FileInfo) uint64 {
	return uint64(info.Sys().(*syscall.Stat_t).Nlink) //nolint:unconvert // narrower on some systems
}

// lookUp returns what a path leads to.
func lookUp(path string) (os.FileInfo, error) { return os.Stat(path) }
