package clockfile

import (
	"io"
	"time"

	"github.com/oneclock/ids/internal/horizonfile"
)

// For tests: the package on a disk of theirs, and the format of the file.
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

// SystemThatSyncs returns the system's disk with another way to sync the directory of a file.
func SystemThatSyncs(sync func(path string) error) Disk { return system{sync} }

// Descriptor returns the descriptor of a file that System has opened.
func Descriptor(f LockedFile) int { return int(f.(openFile).Fd()) }

const (
	MaxOwner = horizonfile.MaxOwner
	Size     = horizonfile.Size
	Second   = Size - 4096 // where the second copy is
)

// Read returns what a file holds, with the zero time if it has no horizon.
func Read(f io.ReaderAt, size int64) (horizon time.Time, owner string, err error) {
	c, err := horizonfile.Read(f, size)
	return c.Horizon, c.Owner, err
}
