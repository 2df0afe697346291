package clockfile

// What a process reads from its file and saves in it, so that a crash at any moment leaves a horizon that covers every id.

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/oneclock/ids/internal/horizonfile"
)

// A store is the file that a process has locked, with what it knows of that. A crash at any moment leaves a horizon that
// covers every id:
//
//   - To raise the horizon, the limit of the clock rises when both copies are synced. Until then each copy that is intact has
//     the earlier horizon or the later one, and neither is before an id.
//   - To lower it, which Close does so that the next start goes on at once, the limit comes down first. Then neither horizon
//     is before an id, whether the save succeeds or not.
//   - One copy is intact: a save begins with the one that is damaged or in doubt, after an error, and touches the other one
//     only when the first is synced. Open takes the later horizon of those that are intact.
type store struct {
	file   file
	owner  string
	copies [2][]byte // what the file holds; nil for a copy that is damaged or in doubt
	saved  time.Time // the horizon that was saved last
}

// errUnseen is matched by the error of a look that has failed in any other way than by ErrLost: nobody can say what is at the
// name of the file.
var errCannotCheck = errors.New("cannot be seen")

// A sight is what a look says: the size of the file, or an error that matches ErrLost or errUnseen.
type checkResult struct {
	started time.Time // when the look began: what it says was so then
	size    int64
	err     error
}

// look looks for the file at its name.
func (s *store) check() checkResult {
	started := time.Now()
	size, err := s.file.Check()
	if err != nil && !errors.Is(err, ErrLost) {
		err = fmt.Errorf("%w: %w", errCannotCheck, err)
	}
	return checkResult{started, size, err}
}

// read returns the horizon that the file holds, and has it ready for the first save.
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
		return time.Time{}, fmt.Errorf("%w: %q, not %.255q: look at the path, the volume and the node number", ErrOwner, held.Owner, s.owner)
	}
	s.owner, s.copies = cmp.Or(s.owner, held.Owner), held.Copies
	// The process before may have been killed before it had synced the copy that the first save writes last, or when the sync
	// had failed: a power failure in that save would take both. To write the same again puts nothing at risk.
	last := 1 - s.firstCopy()
	return held.Horizon, s.writeCopy(last, s.copies[last])
}

// save saves a horizon, if the file is still at its name and holds what this process has written. Nobody can say what a copy
// in doubt holds, or one that cannot be read: then the other one must hold what was written.
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

// write writes both copies, the second one when the disk keeps the first one: so one of them is always intact.
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

// first returns the copy to write first: if one is damaged or in doubt, that one.
func (s *store) firstCopy() int {
	if s.copies[1] == nil {
		return 1
	}
	return 0
}

// writeCopy writes a copy. After an error it is in doubt: to write it anew is the only way to know that the disk has it,
// since a sync that has failed once may report success later for what is lost.
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
