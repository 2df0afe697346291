package clockfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

const (
	lookEvery = 100 * time.Millisecond // the keeper looks at least so often
	patience  = 5 * time.Second        // of Close, with a disk or a Report that does not return
)

// keep renews the horizon before it is reached. It waits neither for the disk nor for Report, so that a call
// which waits because of one wrong reading of the clock is woken whatever they do.
func (f *File) keep() {
	look, step := time.NewTicker(lookEvery), time.NewTicker(f.ahead/100)
	defer look.Stop()
	defer step.Stop()
	for {
		due := false
		select {
		case <-f.stop:
			f.result = f.end()
			close(f.done)
			return
		case err := <-f.saving:
			f.finish(err)
		case <-look.C:
			due = f.look()
		case <-step.C:
			due = f.half() || f.stepped()
		}
		if f.saving != nil && !f.failing && time.Since(f.since) >= f.ahead/2 {
			f.tell(fmt.Errorf("a save takes more than %v: %w", f.ahead/2, os.ErrDeadlineExceeded))
		}
		if due && f.saving == nil && !f.lost && isClosed(f.told) {
			f.begin(f.clock.Horizon(f.ahead))
		}
	}
}

// look has calls that wait read the clock again if it is before the limit: one wrong reading may have made them
// wait. If the clock has come to the limit, as on a full disk, it wakes nobody. It reports whether a horizon must
// be saved, without a pause after a save that failed only if ids are withheld.
func (f *File) look() bool {
	if !f.now().Before(f.saved) {
		return true
	}
	f.clock.SetLimit(f.saved)
	return f.half() && !f.failing
}

// half reports whether the wall clock has come half of the way to the horizon.
func (f *File) half() bool { return f.now().Add(f.ahead / 2).After(f.saved) }

// stepped reports whether the latest id has come within the small step that Horizon goes ahead of an id.
// While ids are ahead of the wall clock, each id does: to wait for longer would withhold ids.
func (f *File) stepped() bool { return f.clock.Latest().Add(f.ahead / 100).After(f.saved) }

// begin begins to save a horizon. At most one save is under way.
func (f *File) begin(horizon time.Time) {
	saving := make(chan error, 1)
	f.saving, f.since, f.horizon = saving, time.Now(), horizon
	go func() { saving <- f.save(horizon) }()
}

// finish lets the clock go up to the horizon that was saved, if err is nil. The order matters: the file must
// cover an id before the clock can issue it.
func (f *File) finish(err error) {
	f.saving = nil
	if err == nil {
		f.saved = f.horizon
		f.clock.SetLimit(f.saved)
	}
	f.tell(err)
}

// tell calls Report if saving has begun to fail, if it succeeds again, and if the file is lost. Each call
// begins when the one before has returned.
func (f *File) tell(err error) {
	f.lost = errors.Is(err, ErrLost)
	if (err != nil) == f.failing && !f.lost {
		return
	}
	f.failing = err != nil
	if f.failing {
		err = f.failed(err)
	}
	before, told := f.told, make(chan struct{})
	f.told = told
	go func() {
		defer close(told)
		<-before
		f.report(err)
	}()
}

// isClosed reports whether c is closed.
func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// end does what Close says. The order matters: no id may be later than what the file holds, whether a save
// fails, has its effect or both, or does so later.
func (f *File) end() error {
	late, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if f.saving != nil {
		select {
		case err := <-f.saving:
			f.finish(err)
		case <-late.Done():
		}
	}
	select {
	case <-f.told:
	case <-late.Done():
	}
	end := f.now().Add(moment)
	if end.After(f.saved) {
		end = f.saved
	}
	f.clock.SetLimit(end)
	latest := f.clock.Latest() // is after the end if the wall clock is behind
	if latest.Before(end) {
		latest = end
	}
	err := fmt.Errorf("a save, or Report, has not returned for %v: %w", patience, os.ErrDeadlineExceeded)
	if late.Err() == nil {
		f.begin(latest)
		select {
		case err = <-f.saving:
			f.saving = nil
		case <-late.Done():
		}
	}
	// The limit alone keeps ids unique. To end the clock at once would have goroutines that still mint
	// panic before main has returned, if the save took long.
	time.AfterFunc(moment, func() { f.clock.EndAt(end) })
	if f.saving != nil {
		// It may still replace the file, which the next process must not have then.
		go func() {
			<-f.saving
			f.lock.Close()
		}()
		return f.failed(err)
	}
	if unlocked := f.lock.Close(); err == nil {
		err = unlocked
	}
	if err != nil {
		err = f.failed(err)
	}
	return err
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
