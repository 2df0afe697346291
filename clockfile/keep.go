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
	lookEvery = 100 * time.Millisecond // the keeper looks so often
	patience  = 5 * time.Second        // of Close, with a disk or a Report that does not return
)

// keep renews the horizon until Close ends the clock.
func (f *File) keep() {
	f.renew()
	<-f.stop
	f.result = f.end()
	close(f.done)
}

// renew saves a horizon before the one in force is reached, until Close is called or the file is lost. It waits neither for
// the disk nor for Report, so that a call which waits because of one wrong reading of the clock is woken whatever they do.
func (f *File) renew() {
	look, step := time.NewTicker(lookEvery), time.NewTicker(f.opts.Window/100)
	defer look.Stop()
	defer step.Stop()
	for !isClosed(f.lost) {
		due := false
		select {
		case <-f.stop:
			return
		case err := <-f.saving:
			f.tell(f.finish(err))
		case err := <-f.looking:
			f.looking = nil
			if errors.Is(err, ErrLost) { // another error is that of the next save, too
				f.tell(err)
			}
		case <-look.C:
			due = f.wake()
			f.look()
		case <-step.C:
			due = f.isPastHalf(f.now()) || f.isNearLatest(f.opts.Window/100)
		}
		if f.saving != nil && f.failing == nil && time.Since(f.since) >= f.opts.Window/2 {
			f.tell(fmt.Errorf("a save takes more than %v: %w", f.opts.Window/2, os.ErrDeadlineExceeded))
		}
		if due && f.saving == nil && !isClosed(f.lost) && isClosed(f.told) {
			f.begin(f.limit.NextHorizon(f.opts.Window))
		}
	}
}

// wake has calls that wait read the clock again if it is before the limit: one wrong reading may have made them wait. If
// the clock has come to the limit, for example on a full disk, it wakes nobody. It reports whether a horizon must be saved,
// without a pause after a save that failed only if ids are withheld, or soon will be.
func (f *File) wake() (due bool) {
	now := f.now()
	if !now.Before(f.saved) {
		return true
	}
	f.limit.Set(f.saved, f.failing)
	return f.isPastHalf(now) && f.failing == nil || f.isNearLatest(f.opts.Window/200)
}

// isPastHalf reports whether the wall clock has come half of the way to the horizon.
func (f *File) isPastHalf(now time.Time) bool { return now.Add(f.opts.Window / 2).After(f.saved) }

// isNearLatest reports whether the latest id has come so near to the horizon, whatever the wall clock shows. While ids are
// ahead of it, NextHorizon goes Window/100 ahead of the latest: each id uses up some of that, and to wait for longer would
// withhold ids.
func (f *File) isNearLatest(d time.Duration) bool { return f.clock.Latest().Add(d).After(f.saved) }

// look begins to look whether the file is still at its name, beside a save that may be under way. At most one look is.
func (f *File) look() {
	if f.looking == nil {
		f.looking = inBackground(func() error { _, _, err := f.file.Look(); return err })
	}
}

// begin begins to save a horizon. At most one save is under way.
func (f *File) begin(horizon time.Time) {
	f.since, f.horizon = time.Now(), horizon
	f.saving = inBackground(func() error { return f.save(horizon) })
}

// inBackground calls f, and returns a channel that gives its result.
func inBackground(f func() error) chan error {
	result := make(chan error, 1)
	go func() { result <- f() }()
	return result
}

// finish takes the result of the save that was under way.
func (f *File) finish(err error) error {
	f.saving = nil
	if err == nil {
		f.saved = f.horizon
	}
	return err
}

// tell has Status say how the latest save went, and the clock go up to the horizon that was saved. The order matters: the
// file covers an id before the clock can issue it. Report is called if saving has begun to fail, works again or is at its
// end.
func (f *File) tell(err error) {
	lost := errors.Is(err, ErrLost)
	news := lost || (err != nil) != (f.failing != nil)
	err = f.failed(err)
	status := Status{err, f.saved}
	f.status.Store(&status)
	switch {
	case lost:
		f.lose(err)
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
		f.opts.Report(status)
	}()
}

// lose withholds ids at once, and soon ends the clock: whoever opens what is at the name now does not know the horizon.
func (f *File) lose(cause error) {
	f.limit.Set(time.Time{}, cause)
	time.AfterFunc(moment, func() { f.limit.EndAt(time.Time{}, cause) })
	close(f.lost)
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

// end does what Close says. The order matters: no id may be later than what the file holds, whether a save fails, has its
// effect or both, or does so later.
func (f *File) end() error {
	end := f.now().Add(moment).Round(0).UTC()
	if end.After(f.saved) {
		end = f.saved
	}
	wasLost := isClosed(f.lost)
	if !wasLost {
		f.limit.Set(end, f.failed(fs.ErrClosed)) // first, since nobody looks any more
	}
	err := f.saveEnd(end)
	cause := fs.ErrClosed
	if err != nil {
		cause = fmt.Errorf("%w: %w", cause, err)
	}
	cause = f.failed(cause)
	f.status.Store(&Status{cause, f.saved})
	if errors.Is(err, ErrLost) && !wasLost {
		f.lose(cause)
	}
	// The limit alone keeps ids unique. To end the clock at once would have goroutines that still mint panic before main has
	// returned, if the save took long.
	time.AfterFunc(moment, func() { f.limit.EndAt(end, cause) })
	if f.saving != nil {
		// It may still write, when the next process must not have the file.
		go func() {
			<-f.saving
			f.file.Close()
		}()
	} else if unlocked := f.file.Close(); err == nil {
		err = unlocked
	}
	return f.failed(err)
}

// saveEnd saves the end of the clock, or the latest id if that is later, once a save that is under way and Report have
// returned. A file that is lost it leaves as it is: somebody else may have it.
func (f *File) saveEnd(end time.Time) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var err error
	if f.saving != nil {
		err = f.await(ctx)
	}
	select {
	case <-f.told:
	case <-ctx.Done():
	}
	switch {
	case isClosed(f.lost):
		return errors.Unwrap(f.failing)
	case errors.Is(err, ErrLost):
		return err
	case ctx.Err() != nil:
		return errLate
	}
	latest := f.clock.Latest() // is after the end if the wall clock is behind
	if latest.Before(end) {
		latest = end
	}
	f.begin(latest)
	return f.await(ctx)
}

// await waits for the save that is under way.
func (f *File) await(ctx context.Context) error {
	select {
	case err := <-f.saving:
		return f.finish(err)
	case <-ctx.Done():
		return errLate
	}
}

var errLate = fmt.Errorf("a save, or Report, has not returned for %v: %w", patience, os.ErrDeadlineExceeded)

// save saves a horizon, if the file is still at its name and holds what f has written.
func (f *File) save(horizon time.Time) error {
	size, inode, err := f.file.Look()
	if err == nil {
		err = f.check(size)
	}
	if err == nil {
		err = f.write(horizonfile.Record{Horizon: horizon, Owner: f.opts.Owner, Inode: inode})
	}
	return err
}

// check returns an error that matches ErrLost if the file holds what f has not written. Nobody can say what a copy in doubt
// holds.
func (f *File) check(size int64) error {
	lost := size != horizonfile.Size
	for i, written := range f.copies {
		found, err := horizonfile.ReadCopy(f.file, i)
		if err != nil {
			return err
		}
		lost = lost || written != nil && !bytes.Equal(found, written)
	}
	if lost {
		return fmt.Errorf("%w: somebody else has written to the file", ErrLost)
	}
	return nil
}

// write writes both copies, the second one when the disk keeps the first one: so one of them is always intact.
func (f *File) write(r horizonfile.Record) error {
	data, err := r.Encode()
	for range f.copies {
		if err == nil {
			err = f.writeCopy(data)
		}
	}
	return err
}

// writeCopy writes a copy, and the other one is next. After an error it is the same one: to write it anew is the only way
// to know that the disk has it, since a sync that has failed once may report success later for what is lost.
func (f *File) writeCopy(data []byte) error {
	f.copies[f.next] = nil
	_, err := f.file.WriteAt(data, horizonfile.Offset(f.next))
	if err == nil {
		err = f.file.Sync()
	}
	if err == nil {
		f.copies[f.next], f.next = data, 1-f.next
	}
	return err
}
