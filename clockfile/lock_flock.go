//go:build unix && !aix && (!solaris || illumos)

package clockfile

import (
	"errors"
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
	for err = syscall.EINTR; errors.Is(err, syscall.EINTR); {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	}
	switch {
	case err == nil:
		return f, nil
	case errors.Is(err, syscall.EWOULDBLOCK):
		err = ErrLocked
	default:
		err = &os.PathError{Op: "lock", Path: path, Err: err}
	}
	f.Close()
	return nil, err
}

// closeLocked unlocks the file before it closes it. To close it is not enough: a child has its descriptor too, until it
// executes another program, or for as long as it lives if it has inherited it.
func closeLocked(f *os.File) error {
	unlocked := syscall.Flock(int(f.Fd()), syscall.LOCK_UN)
	return errors.Join(unlocked, f.Close())
}

// attributes returns the number of a file, and how many names it has.
func attributes(info os.FileInfo) (inode, names uint64) {
	s := info.Sys().(*syscall.Stat_t)
	return uint64(s.Ino), uint64(s.Nlink) //nolint:unconvert // narrower on some systems
}
