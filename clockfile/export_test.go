package clockfile

import "time"

// For tests: the package on a disk of theirs, and the format of the file.
type (
	Disk     = disk
	FileLock = fileLock
	NewFile  = newFile
)

var (
	OpenOn          = open
	Attributes      = attributes
	System     Disk = system{}
)

// LockDescriptor returns the descriptor of the file that f has locked.
func LockDescriptor(f *File) int { return int(f.lock.(interface{ Fd() uintptr }).Fd()) }

const MaxOwner = maxOwner

func Encode(horizon time.Time, owner string) ([]byte, error) { return record{horizon, owner}.encode() }

func Decode(data []byte) (horizon time.Time, owner string, err error) {
	r, err := decode(data)
	return r.horizon, r.owner, err
}
