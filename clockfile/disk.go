package clockfile

// The disk: what the package asks of the operating system, on all systems.

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/oneclock/ids/internal/horizonfile"
)

// A disk is what the package asks of the operating system: so little that a test can take its place, fail at each call, and
// know what a power failure leaves.
type disk interface {
	// Open opens a regular file, which only one process can have open so, and has the disk keep its name.
	Open(path string) (file, error)

	// Make makes a file, which publish closes, and gives its name if it is whole and nothing has that. Otherwise it is
	// removed.
	Make(path string) (f file, publish func(whole bool) error, err error)
}

// A file is one that this process has locked.
type file interface {
	io.ReaderAt
	io.WriterAt
	io.Closer    // unlocks it
	Sync() error // has the disk keep what was written

	// Look returns the size, or an error that matches ErrLost if the name does not lead to the file any more.
	Check() (size int64, err error)
}

// system is the disk of the operating system. Where a directory cannot be synced, a power failure may take a new file, and
// then Open refuses. Windows has no way to do it; to sync a file there writes the journal that has its name.
type system struct{ syncName func(path string) error }

// syncName syncs the directory that has the name of a file.
func syncName(path string) error {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	dir, err := os.Open(filepath.Dir(real))
	if err != nil {
		return err
	}
	defer dir.Close()
	return dir.Sync()
}

// absolute returns a path that leads to the same file when the process has changed its directory.
func absolute(path string) (string, error) {
	switch {
	case path == "":
		return "", errors.New("is empty")
	case errNoLocks != nil:
		return "", errNoLocks
	}
	return filepath.Abs(path)
}

func (d system) Open(path string) (file, error) {
	path, err := absolute(path)
	if err == nil {
		err = inspect(path)
	}
	if err != nil {
		return nil, err
	}
	f, err := openLocked(path)
	if err != nil {
		return nil, err
	}
	_ = d.syncName(path)
	return openFile{f, path}, nil
}

// inspect says why no file can be opened at a path.
func inspect(path string) error {
	switch info, err := horizonfile.Stat(path); {
	case err != nil:
		return err
	case info.Mode()&0o200 == 0: // root could write to it, but somebody meant it to stay
		return fmt.Errorf("is read-only, by its mode %v: %w; unless somebody meant that, run: chmod u+w %s", info.Mode(), fs.ErrPermission, shellQuote(path))
	}
	return nil
}

// An openFile is an open file, and the absolute path that led to it.
type openFile struct {
	*os.File
	path string
}

func (f openFile) Close() error { return closeLocked(f.File) }

func (f openFile) Check() (size int64, err error) {
	held, err := f.Stat()
	if err != nil {
		return 0, err
	}
	named, err := lookUp(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = errLost("the file is missing")
	case err == nil && (!os.SameFile(held, named) || linkCount(held) == 0): // a file that is mounted by itself keeps its place
		err = errLost("the file was replaced")
	}
	return held.Size(), err
}

func (d system) Make(path string) (file, func(whole bool) error, error) {
	path, err := absolute(path)
	if err != nil {
		return nil, nil, err
	}
	if _, there := os.Lstat(path); there == nil {
		if _, err := horizonfile.Stat(path); err != nil {
			return nil, nil, existsError{err}
		}
		return nil, nil, errExists
	}
	f, err := os.CreateTemp(filepath.Dir(path), "new-clockfile-*")
	if err != nil {
		return nil, nil, err
	}
	return openFile{f, f.Name()}, func(whole bool) error {
		err := errors.Join(stripPath(f.Chmod(0o600)), stripPath(f.Close())) // for its user alone: whoever may read a file may lock it
		if err == nil && whole {
			err = stripPath(giveName(f.Name(), path))
		}
		_ = os.Remove(f.Name()) // which does no harm
		_ = d.syncName(path)
		return err
	}, nil
}

// giveName gives the file at temp the name path, if nothing has that. A file system without links, such as FAT, can only
// rename it: of two calls at one moment one may replace the file of the other there, which has no horizon yet.
func giveName(temp, path string) error {
	err := os.Link(temp, path)
	if err == nil {
		return nil
	}
	if _, there := os.Lstat(path); there == nil {
		return errExists
	}
	return os.Rename(temp, path)
}
