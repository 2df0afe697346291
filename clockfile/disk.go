package clockfile

// This file contains the interface between the package and the operating system, and the parts of
// its implementation that are the same on all systems.

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/oneclock/ids/internal/horizonfile"
)

// A disk provides the functions of the operating system that the package uses. The interface is
// small, so a test can replace it, inject a failure at each call, and determine what a power
// failure leaves on the disk.
type disk interface {
	// Open opens and locks a regular file, and syncs the directory that contains its name. It fails
	// if the file is already locked.
	Open(path string) (file, error)

	// Make creates a file under a temporary name. publish closes the file. If whole is true and
	// nothing exists at path, publish moves the file to path. Otherwise, publish removes the file.
	Make(path string) (f file, publish func(whole bool) error, err error)
}

// A file is an open clockfile. If Open returned it, this process has locked it.
type file interface {
	io.ReaderAt
	io.WriterAt
	io.Closer    // also unlocks the file
	Sync() error // makes writes durable

	// Check returns the size of the file, or an error that matches ErrLost if the path no longer
	// refers to the file.
	Check() (size int64, err error)
}

// system is the disk implementation that calls the operating system. Where a directory cannot be
// synced, a new file may be lost in a power failure, and the next Open reports that it is missing.
// Windows cannot sync a directory, but when it syncs a file, it also writes the journal that
// contains the file's name.
type system struct{ syncName func(path string) error }

// syncName syncs the directory that contains the name of a file.
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

// absolute returns a path that refers to the same file even if the process changes its working
// directory.
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

// inspect returns an error if no file can be opened at path.
func inspect(path string) error {
	switch info, err := horizonfile.Stat(path); {
	case err != nil:
		return err
	case info.Mode()&0o200 == 0: // root could write to it, but it may be read-only on purpose
		return fmt.Errorf("is read-only (mode %v): %w; if that is not intended, run: chmod u+w %s", info.Mode(), fs.ErrPermission, shellQuote(path))
	}
	return nil
}

// An openFile is an open file with the absolute path at which it was opened.
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
	// If the file itself, and not its directory, is mounted, its name still exists after the file
	// has been removed.
	case err == nil && (!os.SameFile(held, named) || linkCount(held) == 0):
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
		// A process that can read a file can lock it, so only the file's owner may read it.
		err := errors.Join(stripPath(f.Chmod(0o600)), stripPath(f.Close()))
		if err == nil && whole {
			err = stripPath(giveName(f.Name(), path))
		}
		_ = os.Remove(f.Name()) // if this fails, the leftover is harmless
		_ = d.syncName(path)
		return err
	}, nil
}

// giveName links path to the file at temp, unless something exists at path. On a file system
// without links, such as FAT, giveName renames the file instead. If two calls rename a file at the
// same time, one of them may replace the other's file, which has no horizon yet.
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
