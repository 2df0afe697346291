package clockfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/oneclock/ids/internal/horizonfile"
)

const (
	lookEvery = 100 * time.Millisecond // the keeper looks at least so often
	patience  = 5 * time.Second        // of Close, with a disk or a Report that does not return
)

// keep renews the horizon before it is reached. It waits neither for the disk nor for Report, so that a call
// which waits because of one wrong reading of the clock is woken whatever they do.
func (f *File) keep() {
	look, step := time.NewTicker(lookEvery), time.NewTicker(f.window/100)
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
			due = f.half() || f.near(f.window/100)
		}
		if f.saving != nil && f.failing == nil && time.Since(f.since) >= f.window/2 {
			f.tell(fmt.Errorf("a save takes more than %v: %w", f.window/2, os.ErrDeadlineExceeded))
		}
		if due && f.saving == nil && !isClosed(f.lost) && isClosed(f.told) {
			f.begin(f.limit.NextHorizon(f.window))
		}
	}
}

// look has calls that wait read the clock again if it is before the limit: one wrong reading may have made them
// wait. If the clock has come to the limit, as on a full disk, it wakes nobody. It reports whether a horizon must
// be saved, without a pause after a save that failed only if ids are withheld, or soon will be.
func (f *File) look() bool {
	if !f.now().Before(f.saved) {
		return true
	}
	f.limit.Set(f.saved, f.failing)
	return f.half() && f.failing == nil || f.near(f.window/200)
}

// half reports whether the wall clock has come half of the way to the horizon.
func (f *File) half() bool { return f.now().Add(f.window / 2).After(f.saved) }

// near reports whether the latest id has come so near to the horizon, whatever the wall clock shows. While ids are ahead of
// it, NextHorizon goes Window/100 ahead of the latest: each id uses up some of that, and to wait for longer would
// withhold ids.
func (f *File) near(d time.Duration) bool { return f.clock.Latest().Add(d).After(f.saved) }

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
	}
	f.tell(err)
}

// tell has the limit of the clock, Status and Lost say how the latest save went. It calls Report if saving has
// begun to fail, if it works again, and if the file is lost. Each call begins when the one before has returned.
func (f *File) tell(err error) {
	lost := errors.Is(err, ErrLost)
	news := lost || (err != nil) != (f.failing != nil)
	if err != nil {
		err = f.failed(err)
	}
	status := Status{err, f.saved}
	f.status.Store(&status)
	switch {
	case lost:
		f.limit.EndAt(f.saved, err)
		close(f.lost)
	case news || err == nil:
		f.limit.Set(f.saved, err)
	}
	if !news {
		return
	}
	f.failing = err
	before, told := f.told, make(chan struct{})
	f.told = told
	go func() {
		defer close(told)
		<-before
		f.report(status)
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
	end := f.now().Add(moment).Round(0).UTC()
	if end.After(f.saved) {
		end = f.saved
	}
	f.limit.Set(end, f.failed(fs.ErrClosed)) // does nothing if the file is lost, which has ended the clock
	err := f.saveEnd(late, end)
	cause := fs.ErrClosed
	if err != nil {
		cause = fmt.Errorf("%w: %w", cause, err)
	}
	cause = f.failed(cause)
	f.status.Store(&Status{cause, f.saved})
	// The limit alone keeps ids unique. To end the clock at once would have goroutines that still mint
	// panic before main has returned, if the save took long.
	time.AfterFunc(moment, func() { f.limit.EndAt(end, cause) })
	if f.saving != nil {
		// It may still replace the file, which the next process must not have then.
		go func() {
			<-f.saving
			f.lock.Close()
		}()
	} else if unlocked := f.lock.Close(); err == nil {
		err = unlocked
	}
	if err != nil {
		err = f.failed(err)
	}
	return err
}

// saveEnd saves the end of the clock, or the latest id if that is later. A file that is lost it leaves as it is: ids
// may have passed the end up to the horizon, and somebody else may have the file.
func (f *File) saveEnd(late context.Context, end time.Time) error {
	switch {
	case isClosed(f.lost):
		return errors.Unwrap(f.failing)
	case late.Err() != nil:
		return errLate
	}
	latest := f.clock.Latest() // is after the end if the wall clock is behind
	if latest.Before(end) {
		latest = end
	}
	f.begin(latest)
	select {
	case err := <-f.saving:
		f.saving = nil
		switch {
		case err == nil:
			f.saved = latest
		case errors.Is(err, ErrLost):
			close(f.lost)
		}
		return err
	case <-late.Done():
		return errLate
	}
}

var errLate = fmt.Errorf("a save, or Report, has not returned for %v: %w", patience, os.ErrDeadlineExceeded)

// save saves a horizon if lock and file are still those of f. After an error, the file holds that one
// or an earlier one.
func (f *File) save(horizon time.Time) error {
	data, err := horizonfile.Record{Horizon: horizon, Owner: f.owner}.Encode()
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

// check returns an error that matches ErrLost if the lock or the file is not at its name, or if the file holds
// what f has not written. A missing file may be open elsewhere under another name.
func (f *File) check() error {
	if err := f.lock.Held(); err != nil {
		return err
	}
	found, err := f.disk.Read(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: the file is missing", ErrLost)
	case errors.Is(err, horizonfile.ErrNotRegular):
		return fmt.Errorf("%w: %w", ErrLost, err)
	case err != nil:
		return err
	case !bytes.Equal(found, f.held) && !bytes.Equal(found, f.tried):
		return fmt.Errorf("%w: somebody else has written to the file", ErrLost)
	}
	f.held = found // which is what the latest save tried, if that failed after it had replaced the file
	return nil
}
