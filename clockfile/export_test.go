package clockfile

import (
	"time"

	"github.com/oneclock/ids/internal/horizonfile"
)

// For tests: the package on a disk of theirs, and the format of the file.
type (
	Disk     = disk
	FileLock = fileLock
	NewFile  = newFile
	Found    = found
)

// Place returns what [Disk].Resolve returns for a path that leads to something, or to nothing.
func Place(path string, there bool) Found { return found{path, there} }

var (
	OpenOn          = open
	CreateOn        = create
	IsClosed        = isClosed
	Attributes      = attributes
	System     Disk = system{}
)

// LockDescriptor returns the descriptor of the file that f has locked.
func LockDescriptor(f *File) int { return int(f.lock.(interface{ Fd() uintptr }).Fd()) }

const MaxOwner = horizonfile.MaxOwner

func Encode(horizon time.Time, owner string) ([]byte, error) {
	return horizonfile.Record{Horizon: horizon, Owner: owner}.Encode()
}

// EncodeNone returns the bytes of a file that has no horizon yet.
func EncodeNone(owner string) ([]byte, error) {
	return horizonfile.Record{None: true, Owner: owner}.Encode()
}

// Decode returns the zero time for a file that has no horizon yet, and says so.
func Decode(data []byte) (horizon time.Time, none bool, owner string, err error) {
	r, err := horizonfile.Decode(data)
	return r.Horizon, r.None, r.Owner, err
}
