package clockfile

// This file contains the store, which reads and saves horizons in such a way that a crash at any
// moment is safe.

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/oneclock/ids/internal/horizonfile"
)

// A store is a locked file, together with the contents that this process has read from it or
// written to it. A crash at any moment leaves a horizon that covers every ID, because of these
// invariants:
//
//   - To raise the horizon, both copies are written and synced before the clock's limit rises.
//     Until then, each intact copy contains either the old horizon or the new, later one. No ID is
//     later than the old horizon, so both horizons cover every ID.
//   - Close lowers the horizon, so that the next process's IDs do not start ahead of the wall
//     clock. It lowers the clock's limit before it lowers the horizon. Then no ID is later than the
//     new, lower horizon. So both horizons cover every ID, whether the save succeeds or not.
//   - One copy is always intact. After an error, a save first writes the copy that is damaged or
//     whose contents are unknown. It writes the other copy only after the first one is synced. Open
//     uses the later of the horizons in the intact copies.
type store struct {
	file   file
	owner  string
	copies [2][]byte // contents of the copies; nil if damaged or unknown
	saved  time.Time // latest saved horizon
}

// errCannotCheck means that a check has failed, so it is unknown which file the path refers to. The
// error from a failed check matches either errCannotCheck or ErrLost.
var errCannotCheck = errors.New("cannot be checked")

// A checkResult is the result of a check: the size of the file, or an error that matches ErrLost or
// errCannotCheck.
type checkResult struct {
	started time.Time // start of the check, which is the time that the result describes
	size    int64
	err     error
}

// check checks whether the path still refers to the file.
func (s *store) check() checkResult {
	started := time.Now()
	size, err := s.file.Check()
	if err != nil && !errors.Is(err, ErrLost) {
		err = fmt.Errorf("%w: %w", errCannotCheck, err)
	}
	return checkResult{started, size, err}
}

// read returns the horizon in the file and prepares the first save.
func (s *store) read() (time.Time, error) {
	checked := s.check()
	if checked.err != nil {
		return time.Time{}, checked.err
	}
	held, err := horizonfile.Read(s.file, checked.size)
	switch {
	case err != nil:
		return time.Time{}, err
	case s.owner != "" && held.Owner != "" && held.Owner != s.owner:
		return time.Time{}, fmt.Errorf("%w: %q, not %.255q: check the path, the volume and the node number", ErrOwner, held.Owner, s.owner)
	}
	s.owner, s.copies = cmp.Or(s.owner, held.Owner), held.Copies
	// Write the copy that the first save will write second. The previous process may have been
	// killed before it synced this copy, or after that sync had failed. A power failure during the
	// first save could then destroy both copies. Writing the same data again is safe.
	first := s.firstCopy()
	second := 1 - first
	err = s.writeCopy(second, s.copies[second])
	// The first copy can be in doubt for the same reason. If it is marked as such, the first save
	// begins with it even if that save cannot read the second copy.
	s.copies[first] = nil
	return held.Horizon, err
}

// save saves a horizon if the path still refers to the file and the file still contains the data
// that this process has written. If one copy cannot be read, or its contents are unknown, the other
// copy must contain that data.
func (s *store) save(horizon time.Time) error {
	checked := s.check()
	if checked.err != nil {
		return checked.err
	}
	var err error
	lost, intact, copies := checked.size != horizonfile.Size, false, s.copies
	for i, written := range s.copies {
		switch found, readErr := horizonfile.ReadCopy(s.file, i); {
		case readErr != nil:
			copies[i], err = nil, readErr
		case written == nil:
		case bytes.Equal(found, written):
			intact = true
		default:
			lost = true
		}
	}
	switch {
	case lost:
		return errLost("somebody else has written to the file")
	case !intact:
		return err
	}
	s.copies = copies
	err = s.write(horizonfile.Record{Horizon: horizon})
	if err == nil {
		s.saved = horizon
	}
	return err
}

// write writes both copies. It starts the second one only after the first is synced, so that one of
// them is always intact.
func (s *store) write(r horizonfile.Record) error {
	r.Owner = s.owner
	data, err := r.Encode()
	first := s.firstCopy()
	for _, i := range []int{first, 1 - first} {
		if err == nil {
			err = s.writeCopy(i, data)
		}
	}
	return err
}

// firstCopy returns the index of the copy to write first. If a copy is damaged or its contents are
// unknown, that copy comes first.
func (s *store) firstCopy() int {
	if s.copies[1] == nil {
		return 1
	}
	return 0
}

// writeCopy writes a copy. After an error, the contents of the copy are unknown until it has been
// written again, because a sync that follows a failed one may report success for data that is lost.
func (s *store) writeCopy(i int, data []byte) error {
	s.copies[i] = nil
	_, err := s.file.WriteAt(data, horizonfile.Offset(i))
	if err == nil {
		err = s.file.Sync()
	}
	if err == nil {
		s.copies[i] = data
	}
	return err
}
