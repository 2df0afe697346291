package clockfile

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/oneclock/ids/internal/horizonfile"
)

// keep saves a horizon before the limit is reached and checks the file, until Close is called or the
// file is lost. Then it ends the clock for Close. It waits for neither the disk nor Report, so that
// neither can end IDs, and a call that waits because of one wrong clock reading is always woken. It
// does wait for ClockOptions.Now.
func (f *File) keep() {
	tick, step, overdue := time.Tick(lookEvery), time.Tick(f.opts.Window/100), time.NewTimer(time.Until(f.looked.Add(trust)))
	due := false // a save is, until it can begin: a moment at which the file is unseen must not put it off to the next
	for !isClosed(f.lost) && !isClosed(f.stop) {
		select {
		case <-f.stop:
			continue
		case err := <-f.saving:
			f.saving, f.saved = nil, f.store.saved
			if errors.Is(err, errUnseen) || errors.Is(err, ErrLost) { // it looks too
				f.see(sight{asked: time.Now(), err: err})
			} else {
				f.note(err, f.unseen)
			}
		case s := <-f.sights:
			f.looking--
			f.see(s)
			overdue.Reset(time.Until(f.looked.Add(trust)))
		case <-overdue.C:
			if f.unseen == nil {
				f.note(f.failing, errOverdue)
			}
		case <-tick:
			// One wrong reading may have made calls wait: they read the clock again, if it is before the limit.
			switch {
			case f.isNear(f.now(), 1):
				due = true
			case f.unseen == nil:
				f.limit.Set(f.saved, f.cause)
				due = due || f.isNear(f.clock.Latest(), f.opts.Window/200)
			}
			if f.looking < cap(f.sights) {
				f.looking++
				go func() { f.sights <- f.store.look() }()
			}
		case <-step: // while ids are ahead of the wall clock, the horizon is only Window/100 ahead of them
			due = due || f.failing != nil || f.isNear(f.now(), f.opts.Window/2) || f.isNear(f.clock.Latest(), f.opts.Window/100)
		}
		if f.saving != nil && f.failing == nil && time.Since(f.since) >= f.opts.Window/2 {
			f.note(fmt.Errorf("a save takes more than %v: %w", f.opts.Window/2, os.ErrDeadlineExceeded), f.unseen)
		}
		f.report()
		due = due && f.saving == nil // else one is under way
		// While the file is unseen the limit is none that NextHorizon could go on from.
		if due && f.unseen == nil {
			due, f.since = false, time.Now()
			horizon := f.limit.NextHorizon(f.opts.Window)
			f.saving = inBackground(func() error { return f.store.save(horizon) })
		}
	}
	<-f.stop
	f.result = f.end()
	close(f.done)
}

// isNear reports whether the horizon that was saved is less than d after t.
func (f *File) isNear(t time.Time, d time.Duration) bool { return t.Add(d).After(f.saved) }

// inBackground calls f, and returns a channel that gives its result.
func inBackground(f func() error) chan error {
	result := make(chan error, 1)
	go func() { result <- f() }()
	return result
}

// see takes what a look says. If it fails, or if so much time has passed since an earlier one that somebody
// else may have opened another file at the name, ids are withheld for quarantine: whoever did finds out that this one is back.
func (f *File) see(s sight) {
	now, unseen := time.Now(), f.unseen
	switch {
	case s.err != nil:
		f.blind, unseen = now, s.err
	case now.Sub(f.looked) >= quarantine:
		f.blind, unseen = now, cmp.Or(unseen, errOverdue)
	}
	if s.err == nil && s.asked.After(f.looked) {
		f.looked = s.asked
	}
	if now.Sub(f.blind) >= quarantine && now.Sub(f.looked) < trust {
		unseen = nil
	}
	if unseen != f.unseen {
		f.note(f.failing, unseen)
	}
}

// note takes how the latest save and the latest look went. It has Status say so, and the clock go up to the horizon that was
// saved, in this order: the file covers an id before the clock can make it. While the file is unseen the clock makes none.
func (f *File) note(saved, seen error) {
	f.failing, f.unseen = saved, seen
	status := Status{f.name, f.failed(cmp.Or(seen, saved)), f.saved}
	if errors.Is(seen, errUnseen) {
		status.Horizon = time.Time{}
	}
	f.status.Store(&status)
	news := gravity(f.cause) != gravity(status.Err)
	if news {
		f.cause = status.Err
	}
	switch {
	case errors.Is(seen, ErrLost):
		f.lose(status.Err)
	case news || status.Err == nil:
		f.limit.Set(status.Horizon, f.cause)
	}
}

// gravity returns how bad it is what Report is told.
func gravity(cause error) int {
	switch {
	case cause == nil:
		return 0
	case !errors.Is(cause, errUnseen): // ids go on up to the horizon
		return 1
	}
	return 2
}

// report starts a call of Report if f.cause is graver than the cause reported last, or has been less
// grave for calm. While a call is in progress, only a loss is reported, after that call; any other
// change is skipped unless it lasts.
func (f *File) report() {
	lost, returned, is, was := isClosed(f.lost), isClosed(f.told), gravity(f.cause), gravity(f.reported)
	if is >= was {
		f.worse = time.Now()
	}
	if !lost && (is == was || is < was && time.Since(f.worse) < calm || !returned) {
		return
	}
	f.reported = f.cause
	before, told, status := f.told, make(chan struct{}), f.Status()
	f.told = told
	go func() {
		defer close(told)
		<-before
		f.opts.Report(status)
	}()
}

// lose withholds ids at once, and soon ends the clock: whoever opens what is at the name now does not know the horizon. A file is
// lost once.
func (f *File) lose(cause error) {
	if isClosed(f.lost) {
		return
	}
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

// end does what Close says. No id may be later than what the file holds, whether a save fails, has its effect or both, or
// does so later.
func (f *File) end() error {
	end := f.now().Add(min(moment, time.Until(f.looked.Add(trust)))).Round(0).UTC()
	if end.After(f.saved) {
		end = f.saved
	}
	if f.unseen == nil {
		f.limit.Set(end, f.failed(fs.ErrClosed)) // first, since nobody looks any more
	}
	err, saved := errLate, inBackground(func() error { return f.saveEnd(end) })
	select {
	case err = <-saved:
		f.saved = f.store.saved
	case <-time.After(patience):
	}
	if isClosed(f.lost) {
		err = f.unseen
	}
	cause := f.failed(fs.ErrClosed)
	if err != nil {
		cause = f.failed(fmt.Errorf("%w: %w", fs.ErrClosed, err))
	}
	f.status.Store(&Status{f.name, cause, f.saved})
	if errors.Is(err, ErrLost) {
		f.lose(cause)
	}
	// The limit alone keeps ids unique. To end the clock at once would have goroutines that still make ids panic before main has
	// returned, if the save took long.
	time.AfterFunc(moment, func() { f.limit.EndAt(time.Time{}, cause) }) // also if the end is still to come by the wall clock
	return f.failed(err)
}

var errLate = fmt.Errorf("a save, or Report, has not returned for %v: %w", patience, os.ErrDeadlineExceeded)

// saveEnd saves the end of the clock, or the latest id if that is later, and unlocks the file: not before the save that is
// under way has returned, which may still write. A file that is lost it leaves as it is: somebody else may have it.
func (f *File) saveEnd(end time.Time) (err error) {
	if f.saving != nil {
		err = <-f.saving
	}
	<-f.told
	if !isClosed(f.lost) {
		latest := f.clock.Latest() // is after the end if the wall clock is behind
		if latest.Before(end) {
			latest = end
		}
		err = f.store.save(latest)
	}
	return cmp.Or(err, f.store.file.Close())
}

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
var errUnseen = errors.New("cannot be seen")

var errOverdue = fmt.Errorf("%w: stat has not returned for %v: %w", errUnseen, trust, os.ErrDeadlineExceeded)

// A sight is what a look says: the size of the file, or an error that matches ErrLost or errUnseen.
type sight struct {
	asked time.Time // when the look began: what it says was so then
	size  int64
	err   error
}

// look looks for the file at its name.
func (s *store) look() sight {
	asked := time.Now()
	size, err := s.file.Look()
	if err != nil && !errors.Is(err, ErrLost) {
		err = fmt.Errorf("%w: %w", errUnseen, err)
	}
	return sight{asked, size, err}
}

// read returns the horizon that the file holds, and has it ready for the first save.
func (s *store) read() (time.Time, error) {
	seen := s.look()
	if seen.err != nil {
		return time.Time{}, seen.err
	}
	held, err := horizonfile.Read(s.file, seen.size)
	switch {
	case err != nil:
		return time.Time{}, err
	case s.owner != "" && held.Owner != "" && held.Owner != s.owner:
		return time.Time{}, fmt.Errorf("%w: %q, not %.255q: look at the path, the volume and the node number", ErrOwner, held.Owner, s.owner)
	}
	s.owner, s.copies = cmp.Or(s.owner, held.Owner), held.Copies
	// The process before may have been killed before it had synced the copy that the first save writes last, or when the sync
	// had failed: a power failure in that save would take both. To write the same again puts nothing at risk.
	last := 1 - s.first()
	return held.Horizon, s.writeCopy(last, s.copies[last])
}

// save saves a horizon, if the file is still at its name and holds what this process has written. Nobody can say what a copy
// in doubt holds, or one that cannot be read: then the other one must hold what was written.
func (s *store) save(horizon time.Time) error {
	seen := s.look()
	if seen.err != nil {
		return seen.err
	}
	var err error
	lost, intact, copies := seen.size != horizonfile.Size, false, s.copies
	for i, written := range s.copies {
		switch found, failed := horizonfile.ReadCopy(s.file, i); {
		case failed != nil:
			copies[i], err = nil, failed
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
	first := s.first()
	for _, i := range []int{first, 1 - first} {
		if err == nil {
			err = s.writeCopy(i, data)
		}
	}
	return err
}

// first returns the copy to write first: if one is damaged or in doubt, that one.
func (s *store) first() int {
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
