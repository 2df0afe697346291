package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/oneclock/ids"
)

// ErrBadState is matched by the errors for a file that holds no state, or that of another owner.
var ErrBadState = errors.New("no usable clock state")

// formatName stands in each state file, so that no other file is taken for one.
const formatName = "clock state of github.com/oneclock/ids, 1"

// document is what a state file holds, in JSON. The sum is that of the owner and the state.
type document struct {
	Format string          `json:"format"`
	Owner  string          `json:"owner"`
	State  json.RawMessage `json:"state"`
	Sum    string          `json:"sum"`
}

// checksum returns what belongs in Sum.
func (d *document) checksum() string {
	sum := sha256.Sum256(append([]byte(d.Owner+"\n"), d.State...))
	return hex.EncodeToString(sum[:])
}

// readState returns the state in the file at path.
func readState(path, owner string) (ids.ClockState, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return ids.ClockState{}, err
	}
	s, err := parseState(data, owner)
	if err != nil {
		return ids.ClockState{}, fmt.Errorf("%s: %w: %w", path, ErrBadState, err)
	}
	return s, nil
}

// parseState returns the state in the bytes of a file.
func parseState(data []byte, owner string) (s ids.ClockState, err error) {
	if len(data) == 0 {
		return s, errors.New("the file is empty")
	}
	var d document
	if err := json.Unmarshal(data, &d); err != nil {
		return s, fmt.Errorf("the file is torn, or of another kind: %w", err)
	}
	switch {
	case d.Format != formatName:
		return s, fmt.Errorf("the file is of another kind: its format is %q, not %q", d.Format, formatName)
	case d.Sum != d.checksum():
		return s, errors.New("the file is damaged: its checksum does not match")
	case d.Owner != owner:
		return s, fmt.Errorf("the file belongs to %q, not to %q", d.Owner, owner)
	}
	err = json.Unmarshal(d.State, &s) // without a time, if the clock has issued nothing
	return s, err
}

// writeState replaces the file at path. When it returns nil, the new state outlives a power
// failure; when it returns an error, either the earlier one or the new one does.
func writeState(path, owner string, s ids.ClockState) error {
	state, err := json.Marshal(s)
	if err != nil {
		return err
	}
	d := document{Format: formatName, Owner: owner, State: state}
	d.Sum = d.checksum()
	data, err := json.Marshal(d)
	if err != nil {
		return err
	}
	fresh := path + ".new"
	if err := writeSynced(fresh, append(data, '\n')); err != nil {
		os.Remove(fresh)
		return err
	}
	if err := os.Rename(fresh, path); err != nil {
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
