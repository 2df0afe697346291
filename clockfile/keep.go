package clockfile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"time"
)

// keep renews the horizon before it is reached. It looks often: so it soon notices a wall clock
// that was set forward past the horizon, and tries again soon after a save that failed. It ends with
// Close, or when lock or file are lost.
func (f *File) keep() {
	defer close(f.done)
	look := time.NewTicker(f.ahead / 100)
	defer look.Stop()
	failing := false
	for {
		select {
		case <-f.stop:
			return
		case <-look.C:
		}
		if !f.due() {
			continue
		}
		err := f.renew()
		lost := errors.Is(err, ErrLost)
		if (err != nil) == failing && !lost {
			continue
		}
		failing = err != nil
		if failing {
			err = f.failed(err)
		}
		f.report(err)
		if lost {
			return
		}
	}
}

// due reports whether a later horizon must be saved: if the wall clock has come half of the way to
// this one, or the latest id within the small step that Horizon goes ahead of an id. While ids are
// ahead of the wall clock, that is at each look: to wait for longer would withhold ids.
func (f *File) due() bool {
	return f.clock.Horizon(f.ahead/2).After(f.saved) ||
		f.clock.Latest().Add(f.ahead/100).After(f.saved)
}

// renew saves a later horizon and then lets the clock go up to it. The order matters: the file
// must cover an id before the clock can issue it.
func (f *File) renew() error {
	horizon := f.clock.Horizon(f.ahead)
	if err := f.save(horizon); err != nil {
		return err
	}
	f.clock.SetLimit(horizon)
	f.saved = horizon
	return nil
}

// save saves a horizon if lock and file are still those of f. After an error, the file holds that one
// or an earlier one.
func (f *File) save(horizon time.Time) error {
	data, err := record{horizon, f.owner}.encode()
	if err != nil {
		return err
	}
	if err := f.check(); err != nil {
		return err
	}
	f.tried = data
	if err := replace(f.disk, f.path, data); err != nil {
		return err
	}
	f.held = data
	// Whoever took the lock's place since the check may have read the file before it was replaced.
	return f.lock.Held()
}

// check returns an error that matches ErrLost if the lock is not at its name, or if the file holds
// what f has not written. A file that is missing will be written again.
func (f *File) check() error {
	if err := f.lock.Held(); err != nil {
		return err
	}
	found, err := f.disk.Read(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !bytes.Equal(found, f.held) && !bytes.Equal(found, f.tried):
		return fmt.Errorf("%w: somebody else has written to the file", ErrLost)
	}
	f.held = found // which is what the latest save tried, if that failed after it had replaced the file
	return nil
}
