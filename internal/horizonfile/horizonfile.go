// Package horizonfile implements the file format of package clockfile. It is used by that package
// and by programs that show the contents of such a file.
package horizonfile

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// MaxOwner is the maximum length of an owner, in bytes.
const MaxOwner = 255

// A file contains two copies of a record, each at the start of a block. All other bytes are zero.
const (
	blockSize    = 4096
	copyDistance = 64 << 10 // distance between the copies; more than a disk writes at once
	Size         = copyDistance + blockSize
)

// ErrCorrupt is also clockfile.ErrCorrupt.
var ErrCorrupt = errors.New("cannot be used")

// Each copy starts with magic, so that no other file is mistaken for a clockfile. The version of
// the format follows magic.
const (
	magic   = "github.com/oneclock/ids/clockfile "
	version = 1
)

// A Record is the contents of a copy. The documentation of package clockfile shows the four lines
// of a copy.
type Record struct {
	Horizon time.Time
	None    bool // no horizon has been saved yet
	Owner   string
}

// none is written in place of the horizon if there is no horizon.
const none = "none"

// Encode returns a block that contains r. A record must have the same encoding in every version of
// Go, so non-ASCII characters are escaped. Encode fails if the owner has more than MaxOwner bytes
// or if the year of the horizon is not from 1 to 9998. A horizon in a later year would leave no
// room for later horizons. Encode also fails if the horizon is the zero time, which would mean that
// there is none.
func (r Record) Encode() ([]byte, error) {
	at := r.Horizon.UTC()
	switch year := at.Year(); {
	case len(r.Owner) > MaxOwner:
		return nil, fmt.Errorf("the owner has %d bytes, more than %d", len(r.Owner), MaxOwner)
	case !r.None && at.IsZero():
		return nil, errors.New("has the zero time as its horizon")
	case !r.None && (year < 1 || year > 9998):
		return nil, fmt.Errorf("has a horizon in the year %d, not in one from 1 to 9998", year)
	}
	horizon := none
	if !r.None {
		horizon = at.Format(time.RFC3339Nano)
	}
	block := make([]byte, 0, blockSize)
	block = fmt.Appendf(block, magic+"%d\nhorizon %s\nowner %+q\n", version, horizon, r.Owner)
	return fmt.Appendf(block, "crc32 %08x\n", crc32.ChecksumIEEE(block))[:blockSize], nil
}

// Contents are the record and the copies that a file contains.
type Contents struct {
	Record            // from the intact copy with the later horizon
	Copies  [2][]byte // blocks of the intact copies
	Damaged [2]error  // errors for the copies that are not intact
}

// ErrNotRegular means that a path refers to something other than a regular file, such as a
// directory or a device.
var ErrNotRegular = errors.New("is not a regular file")

// Stat is like os.Stat, but succeeds only for the path of a regular file or of a link to one. It
// returns an error for anything else, because opening a named pipe or a device could block. If the
// link's target does not exist, the error reports that and also matches fs.ErrNotExist.
func Stat(path string) (fs.FileInfo, error) {
	info, err := os.Stat(path)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return nil, ErrNotRegular
	case errors.Is(err, fs.ErrNotExist):
		if target, isLink := follow(path); isLink {
			return nil, DanglingError{target}
		}
	}
	return info, err
}

// A DanglingError means that a path is a link to a target that does not exist.
type DanglingError struct{ Target string }

func (e DanglingError) Error() string { return "is a link to " + e.Target + ", which does not exist" }

func (e DanglingError) Is(target error) bool { return target == fs.ErrNotExist }

// follow follows the links at path and returns their final target. isLink reports whether path is a
// link.
func follow(path string) (target string, isLink bool) {
	for range 255 { // no operating system follows more links than this
		next, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(next) {
			// With filepath.Join, the path could lead elsewhere.
			next = filepath.Dir(path) + string(filepath.Separator) + next
		}
		path, isLink = next, true
	}
	return path, isLink
}

// Read reads a file whose size is size bytes. A copy that cannot be read counts as damaged. Errors
// match ErrCorrupt.
func Read(f io.ReaderAt, size int64) (Contents, error) {
	var c Contents
	for i := range c.Copies {
		var r Record
		block, err := ReadCopy(f, i)
		if err == nil {
			r, err = decode(block)
		}
		if err == nil {
			c.Copies[i] = block
			// A missing horizon is the zero time, which is before every other horizon.
			if i == 0 || c.Copies[0] == nil || r.Horizon.After(c.Horizon) {
				c.Record = r
			}
		}
		c.Damaged[i] = err
	}
	if size == Size && (c.Damaged[0] == nil || c.Damaged[1] == nil) {
		return c, nil
	}
	if first := cmp.Or(c.Damaged[0], c.Damaged[1]); errors.Is(first, errNewer) {
		return Contents{}, fmt.Errorf("%w: it %w: start the newer program", ErrCorrupt, first)
	}
	if c.Damaged == [2]error{} { // the file is too long
		return Contents{}, fmt.Errorf("%w: both copies are intact, but it has %d bytes instead of %d, as after an editor: truncate it to that size",
			ErrCorrupt, size, Size)
	}
	return Contents{}, fmt.Errorf("%w: it has %d bytes of %d, the first copy %w, the second one %w; "+
		"create a new file only when the time of its node number's newest ID has passed", ErrCorrupt, size, Size,
		cmp.Or(c.Damaged[0], errIntact), cmp.Or(c.Damaged[1], errIntact))
}

var (
	errIntact  = errors.New("is intact")
	errDamaged = errors.New("is damaged")
	errNewer   = errors.New("was made by a newer version of package clockfile")
)

// Offset returns the offset of copy 0 or 1 in the file.
func Offset(copy int) int64 { return int64(copy) * copyDistance }

// ReadCopy returns the block that contains a copy, or the part of the block that exists.
func ReadCopy(f io.ReaderAt, copy int) ([]byte, error) {
	block := make([]byte, blockSize)
	n, err := f.ReadAt(block, Offset(copy))
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("cannot be read: %w", err)
	}
	return block[:n], nil
}

// decode parses the lines of a copy leniently. It then encodes the result again and checks that it
// equals block.
func decode(block []byte) (r Record, err error) {
	lines := strings.SplitN(string(block), "\n", 4)
	rest, found := strings.CutPrefix(lines[0], magic)
	switch n, _ := strconv.Atoi(rest); {
	case !found || n < 1:
		return r, errors.New("is damaged or of another kind")
	case n > version:
		return r, fmt.Errorf("%w, in version %d of the format, and this one reads version %d", errNewer, n, version)
	case len(lines) < 4:
		return r, errDamaged
	}
	horizon := strings.TrimPrefix(lines[1], "horizon ")
	if r.None = horizon == none; !r.None {
		r.Horizon, err = time.Parse(time.RFC3339, horizon)
	}
	if err == nil {
		r.Owner, err = strconv.Unquote(strings.TrimPrefix(lines[2], "owner "))
	}
	if err != nil {
		return r, errDamaged
	}
	encoded, err := r.Encode()
	if err == nil && !bytes.Equal(encoded, block) {
		err = errDamaged
	}
	return r, err
}
