// Package horizonfile is the format of the file that package clockfile keeps, for it and for those who show one.
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

// MaxOwner is how many bytes an owner has at most.
const MaxOwner = 255

// A file has two copies of a record, each at the start of a block, and zeros.
const (
	blockSize = 4096
	distance  = 64 << 10 // from one copy to the other: more than a disk writes at once
	Size      = distance + blockSize
)

// ErrCorrupt is clockfile.ErrCorrupt.
var ErrCorrupt = errors.New("cannot be used")

// magic begins each copy, so that no other file is taken for one. A version of the format follows.
const (
	magic   = "github.com/oneclock/ids/clockfile "
	version = 1
)

// A Record is what a copy holds, in the four lines that the comment of package clockfile shows.
type Record struct {
	Horizon time.Time
	None    bool // there is no horizon, as before the first start
	Owner   string
}

// none is what the line of the horizon has if there is none.
const none = "none"

// Encode returns the block of a copy. There is one way to write each record, in every version of Go: so characters outside
// of ASCII are escaped. It fails for the zero time, which would stand for none, and for years but 1 to 9998: after these
// no later horizon could follow.
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

// Contents are what a file holds.
type Contents struct {
	Record            // of the intact copy with the later horizon
	Copies  [2][]byte // the block of each copy that is intact
	Damaged [2]error  // why the other one is not
}

// ErrNotRegular says that a directory, a device or something like that is at a path.
var ErrNotRegular = errors.New("is not a regular file")

// Stat is os.Stat for the path of a file, or of a link to one. It is an error if something else is there, since to open a named pipe
// or a device could wait. That a link leads nowhere is an error that says so, and matches fs.ErrNotExist too.
func Stat(path string) (fs.FileInfo, error) {
	info, err := os.Stat(path)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return nil, ErrNotRegular
	case errors.Is(err, fs.ErrNotExist):
		if target, is := follow(path); is {
			return nil, DanglingError{target}
		}
	}
	return info, err
}

// A DanglingError says that a path is a link to a target that does not exist.
type DanglingError struct{ Target string }

func (e DanglingError) Error() string { return "is a link to " + e.Target + ", which does not exist" }

func (e DanglingError) Is(target error) bool { return target == fs.ErrNotExist }

// follow returns what the links at a path lead to in the end, and whether the path is one.
func follow(path string) (target string, is bool) {
	for range 255 { // no system follows more
		next, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(next) {
			next = filepath.Dir(path) + string(filepath.Separator) + next // which filepath.Join could lead elsewhere
		}
		path, is = next, true
	}
	return path, is
}

// Read reads a file of so many bytes. A copy that cannot be read counts as damaged. An error matches ErrCorrupt.
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
			if i == 0 || c.Copies[0] == nil || r.Horizon.After(c.Horizon) { // none is the zero time
				c.Record = r
			}
		}
		c.Damaged[i] = err
	}
	if size == Size && (c.Damaged[0] == nil || c.Damaged[1] == nil) {
		return c, nil
	}
	if newer := cmp.Or(c.Damaged[0], c.Damaged[1]); errors.Is(newer, errNewer) {
		return Contents{}, fmt.Errorf("%w: it %w: start the newer program", ErrCorrupt, newer)
	}
	if c.Damaged == [2]error{} { // so it is larger
		return Contents{}, fmt.Errorf("%w: both copies are intact, but it has %d bytes, not %d, as after an editor: cut it to that size",
			ErrCorrupt, size, Size)
	}
	return Contents{}, fmt.Errorf("%w: it has %d bytes of %d, the first copy %w, the second one %w; "+
		"make a new file only when the time of the newest id of its node number has passed", ErrCorrupt, size, Size,
		cmp.Or(c.Damaged[0], errIntact), cmp.Or(c.Damaged[1], errIntact))
}

var (
	errIntact  = errors.New("is intact")
	errDamaged = errors.New("is damaged")
	errNewer   = errors.New("was made by a newer version of package clockfile")
)

// Offset returns where a copy is, of which the file has two, 0 and 1.
func Offset(copy int) int64 { return int64(copy) * distance }

// ReadCopy returns the block of a copy, or what there is of it.
func ReadCopy(f io.ReaderAt, copy int) ([]byte, error) {
	block := make([]byte, blockSize)
	n, err := f.ReadAt(block, Offset(copy))
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("cannot be read: %w", err)
	}
	return block[:n], nil
}

// decode reads the lines of a copy loosely, and puts them together again to see that nothing differs.
func decode(block []byte) (r Record, err error) {
	lines := strings.SplitN(string(block), "\n", 4)
	made, ours := strings.CutPrefix(lines[0], magic)
	switch n, _ := strconv.Atoi(made); {
	case !ours || n < 1:
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
	whole, err := r.Encode()
	if err == nil && !bytes.Equal(whole, block) {
		err = errDamaged
	}
	return r, err
}
