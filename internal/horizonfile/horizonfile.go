// Package horizonfile is the format of the file that package clockfile keeps, for it and for those who show one.
package horizonfile

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"strconv"
	"time"
)

// MaxOwner is how many bytes an owner has at most.
const MaxOwner = 255

// ErrCorrupt is clockfile.ErrCorrupt.
var ErrCorrupt = errors.New("holds no usable horizon")

// magic begins each file, so that no other file is taken for one. A version of the format follows.
const (
	magic   = "github.com/oneclock/ids/clockfile "
	version = "1"
)

// maxSize exceeds the length of every file.
const maxSize = 2048

// A Record is what a file holds, in the four lines that the comment of package clockfile shows.
type Record struct {
	Horizon time.Time
	None    bool // there is no horizon, as before the first start
	Owner   string
}

// noHorizon is what the file has in place of a time if there is none.
const noHorizon = "none"

// errZero refuses a horizon that would stand for none.
var errZero = errors.New("the horizon is the zero time")

// Encode returns the bytes of a file. There is one way to write each record, in every version of
// Go: so characters outside of ASCII are escaped. It fails if the owner is too long, or
// the year has more than four digits.
func (r Record) Encode() ([]byte, error) {
	if len(r.Owner) > MaxOwner {
		return nil, fmt.Errorf("the owner has %d bytes", len(r.Owner))
	}
	horizon := []byte(noHorizon)
	if !r.None {
		if r.Horizon.IsZero() {
			return nil, errZero
		}
		var err error
		if horizon, err = r.Horizon.UTC().MarshalText(); err != nil {
			return nil, fmt.Errorf("the horizon cannot be written: %w", err)
		}
	}
	data := fmt.Appendf(nil, "%s%s\nhorizon %s\nowner %s\n", magic, version, horizon, strconv.QuoteToASCII(r.Owner))
	return fmt.Appendf(data, "crc32 %08x\n", crc32.ChecksumIEEE(data)), nil
}

// errNewer says of a file that is in order what it is, and that nobody should delete it.
type errNewer string

func (e errNewer) Error() string {
	return fmt.Sprintf("was made by a newer version of this package, in version %.20q of the format; this one reads version %s", string(e), version)
}

func (errNewer) Unwrap() error { return ErrCorrupt }

// Decode returns the record in the bytes of a file. Its errors match ErrCorrupt.
func Decode(data []byte) (Record, error) {
	r, err := decodeLines(data)
	switch err.(type) {
	case nil:
		return r, nil
	case errNewer:
		return Record{}, err
	}
	return Record{}, fmt.Errorf("%w: %w", ErrCorrupt, err)
}

// decodeLines takes the lines apart, and puts them together again to see that nothing differs.
func decodeLines(data []byte) (r Record, err error) {
	if len(data) == 0 {
		return r, errors.New("the file is empty")
	}
	rest, ok := bytes.CutPrefix(data, []byte(magic))
	if !ok {
		return r, errors.New("the file is torn or of another kind")
	}
	written, rest, _ := bytes.Cut(rest, []byte("\n"))
	if string(written) != version {
		if n, err := strconv.Atoi(string(written)); err == nil && n > 1 {
			return r, errNewer(written)
		}
		return r, fmt.Errorf("the file has version %.20q of the format, not %s", written, version)
	}
	horizon, rest, _ := bytes.Cut(rest, []byte("\n"))
	owner, _, _ := bytes.Cut(rest, []byte("\n"))
	horizon = bytes.TrimPrefix(horizon, []byte("horizon "))
	if r.None = string(horizon) == noHorizon; !r.None {
		if err := r.Horizon.UnmarshalText(horizon); err != nil {
			return r, errors.New("the file is damaged: it has no time")
		}
	}
	if !r.None && r.Horizon.IsZero() {
		return r, errZero
	}
	if r.Owner, err = strconv.Unquote(string(bytes.TrimPrefix(owner, []byte("owner ")))); err != nil {
		return r, errors.New("the file is damaged: it has no owner")
	}
	if whole, _ := r.Encode(); !bytes.Equal(whole, data) { // nothing, if it fails
		return r, errors.New("the file is damaged: its checksum does not match")
	}
	return r, nil
}

// ErrNotRegular is matched where a path leads to a directory, a link, a named pipe or the like.
var ErrNotRegular = errors.New("is not a regular file")

// Read returns the bytes of a file, or the first that are too many.
func Read(path string) ([]byte, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // to open a named pipe would wait for a writer
		return nil, fmt.Errorf("%s %w", path, ErrNotRegular)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxSize))
}
