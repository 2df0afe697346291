//go:build unix

package clockfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// A lockFile is a locked file. It stays when it is unlocked, since to remove it would let two processes
// lock two files of one name. It is not the file with the horizon, which is replaced at each save.
type lockFile struct{ *os.File }

// openLock opens the file to lock, which it makes if need be. Who can open it can lock it, so nobody
// else may. A symbolic link is an error.
func openLock(path string) (lockFile, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	return lockFile{f}, err
}

func (l lockFile) Held() error {
	held, err := l.Stat()
	if err != nil {
		return err
	}
	named, err := os.Lstat(l.Name())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: %s is missing", ErrLost, l.Name())
	case err != nil:
		return err
	case !os.SameFile(held, named):
		return fmt.Errorf("%w: %s is another file now", ErrLost, l.Name())
	}
	return nil
}

// attributes returns the user and the group that a file belongs to, and whether it has several names.
func attributes(info os.FileInfo) (uid, gid int, linked bool) {
	s := info.Sys().(*syscall.Stat_t)
	return int(s.Uid), int(s.Gid), s.Nlink > 1
}
