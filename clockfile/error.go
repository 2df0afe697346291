package clockfile

// The errors of the package.

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/oneclock/ids/internal/horizonfile"
)

// The errors of [Create], [Open], [File.Close] and [Status] match these.
var (
	// ErrLocked means that another File has the file open, in this process or another one, under this name or another.
	ErrLocked = errors.New("already open, in another process or in this one: each needs a file and a node number of its own")

	// ErrCorrupt means that the file is damaged, is no clockfile, or was made by a newer version of this package.
	ErrCorrupt = horizonfile.ErrCorrupt

	// ErrOwner means that the file belongs to another owner.
	ErrOwner = errors.New("belongs to another owner")

	// ErrLost means that the file was removed, renamed, replaced or changed while it was open. The clock ends, and nothing is
	// saved any more.
	ErrLost = errors.New("was lost while it was open")
)

// failed returns err, if it is not nil, with the path of the file.
func withPath(path string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("clockfile: %s: %w", cmp.Or(path, "the path"), err)
}

// errLost returns the error of a loss, and says what to do.
func errLost(how string) error {
	return fmt.Errorf("%w: %s; there are no more ids: end this process, and find out who did that before the next start", ErrLost, how)
}

// An inTheWay says what is at the path of a file that is to be made, other than a file.
type existsError struct{ error }

func (existsError) Is(target error) bool { return target == fs.ErrExist }

// errThere says what it means that there is something.
var errExists = fmt.Errorf(`%w, so this is not the first start; "idgen clock show" prints what it contains`, fs.ErrExist)

// unnamed returns err without the name that a new file has until it is whole, since nobody has given that.
func stripPath(err error) error {
	switch e := err.(type) {
	case *fs.PathError:
		return e.Err
	case *os.LinkError:
		return e.Err
	}
	return err
}
