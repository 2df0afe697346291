package clockfile

import (
	"io"
	"time"

	"github.com/oneclock/ids/internal/horizonfile"
)

// Exports for tests: the package on a test's disk, and the file's format.
type (
	Disk       = disk
	LockedFile = file
)

var (
	OpenOn        = open
	CreateOn      = create
	IsClosed      = isClosed
	GiveName      = giveName
	System   Disk = system{syncName}
)

// SystemThatSyncs returns the system's disk with a different way to sync a file's directory.
func SystemThatSyncs(sync func(path string) error) Disk { return system{sync} }

// Descriptor returns the descriptor of a file that System has opened.
func Descriptor(f LockedFile) int { return int(f.(openFile).Fd()) }

const (
	MaxOwner = horizonfile.MaxOwner
	Size     = horizonfile.Size
	Second   = Size - 4096 // offset of the second copy
)

// Read returns a file's contents, with the zero time if it has no horizon.
func Read(f io.ReaderAt, size int64) (horizon time.Time, owner string, err error) {
	c, err := horizonfile.Read(f, size)
	return c.Horizon, c.Owner, err
}
