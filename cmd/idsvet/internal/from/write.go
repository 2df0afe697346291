package from

// The code in this file replaces the old text of files with the new text.

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// A change is a file with its old and new text.
type change struct {
	path        string
	before, now []byte
}

// write applies the changes. For each change, it writes the complete new text to a temporary file,
// and then renames that file to the path of the old file. It prepares all temporary files before it
// renames any of them. If one of them cannot be written, or if ctx is canceled before write begins
// to prepare the last one, write changes no file. If a rename then fails, the error lists the files
// that have already been changed.
func write(ctx context.Context, changes []change) error {
	var errs []error
	temps := make([]string, len(changes))
	targets := make([]string, len(changes))
	for i, c := range changes {
		if ctx.Err() != nil {
			errs = append(errs, errors.New("interrupted"))
			break
		}
		var err error
		targets[i], temps[i], err = prepare(c)
		errs = append(errs, err)
	}
	err := errors.Join(errs...)
	if err != nil {
		err = fmt.Errorf("%w; nothing is changed", err)
	}
	for i := range changes {
		if err == nil {
			if err = os.Rename(temps[i], targets[i]); err != nil {
				err = fmt.Errorf("%w; only these files are changed: %q", err, targets[:i])
			}
		}
		_ = os.Remove(temps[i]) // fails if the file was renamed or never created
	}
	return err
}

// prepare writes the new text of a file into a temporary file in the same directory. It returns the
// paths of the file and of the temporary file. If c.path is a link, target is the path of the file
// to which the link points.
func prepare(c change) (target, temp string, err error) {
	target, err = filepath.EvalSymlinks(c.path)
	info, noInfo := os.Stat(c.path)
	now, noText := os.ReadFile(c.path)
	switch {
	case cmp.Or(err, noInfo, noText) != nil:
		return "", "", cmp.Or(err, noInfo, noText)
	case info.Mode()&0o200 == 0:
		return "", "", fmt.Errorf("%s is read-only", c.path)
	case !bytes.Equal(now, c.before):
		return "", "", fmt.Errorf("%s has changed since it was read", c.path)
	}
	f, err := os.CreateTemp(filepath.Dir(target), ".idsvet-*")
	if err != nil {
		return "", "", err
	}
	_, err = f.Write(c.now)
	return target, f.Name(), errors.Join(err, f.Chmod(info.Mode().Perm()), f.Sync(), f.Close())
}
