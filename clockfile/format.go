package clockfile

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"strconv"
	"time"
)

// magic begins each file, so that no other file is taken for one. A version of the format follows.
const (
	magic   = "github.com/oneclock/ids/clockfile "
	version = "1"
)

// maxSize exceeds the length of every file.
const maxSize = 2048

// A record is what a file holds, in the four lines that the package comment shows.
type record struct {
	horizon time.Time
	none    bool // there is no horizon, as before the first start
	owner   string
}

// noHorizon is what the file has in place of a time if there is none.
const noHorizon = "none"

// encode returns the bytes of a file. There is one way to write each record, in every version of
// Go: so characters outside of ASCII are escaped. It fails if the owner is too long, or
// the year has more than four digits.
func (r record) encode() ([]byte, error) {
	if len(r.owner) > maxOwner {
		return nil, fmt.Errorf("the owner has %d bytes", len(r.owner))
	}
	horizon := []byte(noHorizon)
	if !r.none {
		var err error
		if horizon, err = r.horizon.UTC().MarshalText(); err != nil {
			return nil, fmt.Errorf("the horizon cannot be written: %w", err)
		}
	}
	data := fmt.Appendf(nil, "%s%s\nhorizon %s\nowner %s\n", magic, version, horizon, strconv.QuoteToASCII(r.owner))
	return fmt.Appendf(data, "crc32 %08x\n", crc32.ChecksumIEEE(data)), nil
}

// errNewer says of a file that is in order what it is, and that nobody should delete it.
type errNewer string

func (e errNewer) Error() string {
	return fmt.Sprintf("was made by a newer version of this package, in version %.20q of the format; this one reads version %s", string(e), version)
}

func (errNewer) Unwrap() error { return ErrCorrupt }

// decode returns the record in the bytes of a file. Its errors match ErrCorrupt.
func decode(data []byte) (record, error) {
	r, err := decodeLines(data)
	switch err.(type) {
	case nil:
		return r, nil
	case errNewer:
		return record{}, err
	}
	return record{}, fmt.Errorf("%w: %w", ErrCorrupt, err)
}

// decodeLines takes the lines apart, and puts them together again to see that nothing differs.
func decodeLines(data []byte) (r record, err error) {
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
	if r.none = string(horizon) == noHorizon; !r.none {
		if err := r.horizon.UnmarshalText(horizon); err != nil {
			return r, errors.New("the file is damaged: it has no time")
		}
	}
	if r.owner, err = strconv.Unquote(string(bytes.TrimPrefix(owner, []byte("owner ")))); err != nil {
		return r, errors.New("the file is damaged: it has no owner")
	}
	if whole, _ := r.encode(); !bytes.Equal(whole, data) { // nothing, if it fails
		return r, errors.New("the file is damaged: its checksum does not match")
	}
	return r, nil
}
