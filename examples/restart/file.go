package main

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"time"
)

// ErrBadFile is matched by the errors for a file that holds no horizon.
var ErrBadFile = errors.New("not a usable horizon")

// header begins each file, so that no other file is taken for one. The number is the version.
const header = "github.com/oneclock/ids horizon 1 "

// encode returns what the file of a horizon holds: the header, the time as in RFC 3339, and a
// checksum of the two. It fails if the year has more than four digits.
func encode(horizon time.Time) ([]byte, error) {
	text, err := horizon.MarshalText()
	if err != nil {
		return nil, err
	}
	line := append([]byte(header), text...)
	return fmt.Appendf(line, " %08x\n", crc32.ChecksumIEEE(line)), nil
}

// decode returns the horizon in the bytes of a file.
func decode(data []byte) (horizon time.Time, err error) {
	if len(data) == 0 {
		return horizon, errors.New("the file is empty")
	}
	rest, ok := bytes.CutPrefix(data, []byte(header))
	if !ok {
		return horizon, errors.New("the file is torn, or of another kind")
	}
	text, _, _ := bytes.Cut(rest, []byte(" "))
	if err := horizon.UnmarshalText(text); err != nil {
		return time.Time{}, errors.New("the file is damaged: it has no time")
	}
	// There is one way to write each horizon.
	if whole, err := encode(horizon); err != nil || !bytes.Equal(whole, data) {
		return time.Time{}, errors.New("the file is damaged: its checksum does not match")
	}
	return horizon, nil
}

// load returns the horizon in the file at path.
func load(path string) (time.Time, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return time.Time{}, err
	}
	horizon, err := decode(data)
	if err != nil {
		return time.Time{}, fmt.Errorf("%s: %w: %w", path, ErrBadFile, err)
	}
	return horizon, nil
}

// save replaces the file at path. When it returns nil, the new horizon outlives a power failure;
// when it returns an error, either the earlier one or the new one does.
func save(path string, horizon time.Time) error {
	data, err := encode(horizon)
	if err != nil {
		return err
	}
	fresh := path + ".new"
	err = writeSynced(fresh, data)
	if err == nil {
		err = os.Rename(fresh, path)
	}
	if err != nil {
		os.Remove(fresh)
		return err
	}
	// The new name is on the disk only once the directory is.
	return syncDir(filepath.Dir(path))
}

// writeSynced writes a file and has it reach the disk.
func writeSynced(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// syncDir has the names in a directory reach the disk.
func syncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
