package clockfile

// This file contains the errors of the package.

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/oneclock/ids/internal/horizonfile"
)

// The errors from [Create], [Open], [File.Close] and [Status] can match these errors.
var (
	// ErrLocked means that another File has the file open, in this or another process, under this
	// or another name.
	ErrLocked = errors.New("already open in this or another process: each needs its own file and node number")

	// ErrCorrupt means that the file is damaged, is not a clockfile, or was made by a newer version
	// of this package.
	ErrCorrupt = horizonfile.ErrCorrupt

	// ErrOwner means that the file belongs to another owner.
	ErrOwner = errors.New("belongs to another owner")

	// ErrLost means that the file was removed, renamed, replaced or changed while it was open. The
	// clock ends, and nothing more is saved.
	ErrLost = errors.New("was lost while it was open")
)

// withPath adds the path of the file to err. It returns nil if err is nil.
func withPath(path string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("clockfile: %s: %w", cmp.Or(path, "the path"), err)
}

// errLost returns the error for a lost file, with instructions for the operator.
func errLost(how string) error {
	return fmt.Errorf("%w: %s; no more IDs: stop the process and find the cause before restarting it", ErrLost, how)
}

// An existsError means that something exists at the path of a new file, but is not a regular file.
// The embedded error describes it.
type existsError struct{ error }

func (existsError) Is(target error) bool { return target == fs.ErrExist }

// errExists means that a regular file already exists at the path of a new file.
var errExists = fmt.Errorf(`%w, so this is not the first start; "idgen clock show" prints its contents`, fs.ErrExist)

// stripPath returns err without the temporary name of a new file, because the user did not choose
// that name.
func stripPath(err error) error {
	switch e := err.(type) {
	case *fs.PathError:
		return e.Err
	case *os.LinkError:
		return e.Err
	}
	return err
}
