//go:build aix || (solaris && !illumos)

package clockfile

import (
	"errors"
	"os"
	"slices"
	"sync"
	"syscall"
)

// held are the lock files of this process. A lock of fcntl keeps other processes out, and not this
// one, which would even lose it when it closes the file a second time.
var held struct {
	sync.Mutex
	files []os.FileInfo
}

// acquire locks the file at path. The lock is the operating system's: it ends when the file is closed,
// and when the process ends, however it ends.
func acquire(path string) (fileLock, error) {
	held.Lock()
	defer held.Unlock()
	if info, err := os.Stat(path); err == nil && holds(info) >= 0 {
		return nil, ErrLocked
	}
	f, err := openLock(path)
	if err != nil {
		return nil, err
	}
	for {
		err = syscall.FcntlFlock(f.Fd(), syscall.F_SETLK, &syscall.Flock_t{Type: syscall.F_WRLCK})
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	var info os.FileInfo
	if err == nil {
		info, err = f.Stat()
	}
	if err == nil {
		held.files = append(held.files, info)
		return &lock{f, info}, nil
	}
	f.Close()
	if errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EACCES) {
		return nil, ErrLocked
	}
	return nil, &os.PathError{Op: "lock", Path: path, Err: err}
}

// holds returns the index in held of a file, or -1.
func holds(info os.FileInfo) int {
	return slices.IndexFunc(held.files, func(f os.FileInfo) bool { return os.SameFile(f, info) })
}

// A lock is a locked file that is in held.
type lock struct {
	lockFile
	info os.FileInfo
}

func (l *lock) Close() error {
	held.Lock()
	defer held.Unlock()
	if i := holds(l.info); i >= 0 {
		held.files = slices.Delete(held.files, i, i+1)
	}
	return l.lockFile.Close()
}
