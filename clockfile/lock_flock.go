//go:build unix && !aix && (!solaris || illumos)

package clockfile

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

var errNoLocks error

// openLocked opens and locks the file at path. The operating system removes the lock when the
// process ends, however it ends.
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

// closeLocked unlocks the file before it closes it. Closing alone is not enough, because a child
// process that holds a copy of the descriptor keeps the lock. A child process holds the copy until
// it executes another program. If the copy was passed to that program, the program keeps the lock
// until it closes the copy or ends. It can also pass the copy on to further programs.
func closeLocked(f *os.File) error {
	return errors.Join(flock(f, syscall.LOCK_UN), f.Close())
}

// flock calls flock(2) and repeats the call whenever a signal interrupts it.
func flock(f *os.File, how int) error {
	for {
		if err := syscall.Flock(int(f.Fd()), how); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// linkCount returns the number of hard links to a file.
func linkCount(info os.FileInfo) uint64 {
	return uint64(info.Sys().(*syscall.Stat_t).Nlink) //nolint:unconvert // narrower on some systems
}

// lookUp returns the file that path refers to.
func lookUp(path string) (os.FileInfo, error) { return os.Stat(path) }
