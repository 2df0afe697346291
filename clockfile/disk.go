package clockfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/oneclock/ids/internal/horizonfile"
)

// A disk is what the package asks of the operating system: so little that a test can take its
// place, fail at each call, and know what a power failure leaves.
type disk interface {
	Resolve(path string) (found, error)        // the file that links lead to
	Lock(path string) (fileLock, error)        // makes a file that only one process can have locked
	Read(path string) ([]byte, error)          // the bytes of a file, or the first that are too many
	Create(path, like string) (newFile, error) // makes a file, with the mode and owner of another one, if there is that
	Rename(path, to string) error              // replaces to
	SyncName(path string) error                // has the disk keep what the name stands for
}

// A found is what a path leads to.
type found struct {
	path  string // absolute, without links
	there bool   // there is something, be it of use or not
}

// A fileLock is a file that this process has locked.
type fileLock interface {
	io.Closer
	Held() error // an error that matches ErrLost if its name stands for something else now
}

// A newFile is one that is being written.
type newFile interface {
	io.WriteCloser
	Sync() error // has the disk keep what was written
}

// replace replaces the file at path. If it returns nil, the new one outlives a power failure; if it
// returns an error, either the earlier one or the new one does. A file that it leaves under the
// other name is removed by the next save.
func replace(d disk, path string, data []byte) error {
	fresh := path + ".new"
	if err := write(d, fresh, path, data); err != nil {
		return err
	}
	if err := d.Rename(fresh, path); err != nil {
		return err
	}
	return d.SyncName(path)
}

// write writes a file that outlives a power failure under one name or another. To rename one that
// does not could leave no usable file.
func write(d disk, path, like string, data []byte) error {
	f, err := d.Create(path, like)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

// system is the disk of the operating system.
type system struct{}

func (system) Resolve(path string) (f found, err error) {
	if path, err = filepath.Abs(path); err != nil {
		return f, err
	}
	info, err := os.Stat(path)
	f.there = err == nil
	switch {
	case f.there && info.IsDir():
		return f, errors.New("is a directory")
	case f.there && !info.Mode().IsRegular():
		return f, horizonfile.ErrNotRegular
	case f.there && info.Mode()&0o200 == 0:
		// Most systems would let it be replaced, but somebody meant it to stay.
		return f, fmt.Errorf("is read-only, by its mode %v: %w", info.Mode(), fs.ErrPermission)
	case f.there:
		if _, _, linked := attributes(info); linked {
			return f, errors.New("has several names (hard links), of which a save would replace one")
		}
		f.path, err = filepath.EvalSymlinks(path)
		return f, err
	case !errors.Is(err, fs.ErrNotExist):
		return f, err
	}
	// What else is there now was made since, and whoever made it has the lock, or had it.
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return f, fmt.Errorf("is a symbolic link that leads nowhere: %w", fs.ErrNotExist)
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return f, fmt.Errorf("its directory: %w", err)
	}
	f.path = filepath.Join(dir, filepath.Base(path))
	return f, nil
}

func (system) Lock(path string) (fileLock, error) { return acquire(path) }

func (system) Read(path string) ([]byte, error) { return horizonfile.Read(path) }

func (system) Create(path, like string) (newFile, error) {
	// What is there may lead elsewhere, or be a named pipe.
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	mode := fs.FileMode(0o644)
	found, notFound := os.Lstat(like)
	if notFound == nil {
		mode = found.Mode().Perm()
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return nil, err
	}
	if notFound == nil {
		// The system may refuse. A file with less than the found one had is better than none.
		uid, gid, _ := attributes(found)
		_ = f.Chown(-1, gid)
		_ = f.Chmod(mode)
		_ = f.Chown(uid, -1)
	}
	return f, nil
}

func (system) Rename(path, to string) error { return os.Rename(path, to) }

func (system) SyncName(path string) error { return syncName(path) }
