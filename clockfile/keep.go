package clockfile

// The keeper, the goroutine that saves horizons and checks the file while it is open.

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync/atomic"
	"time"

	"github.com/oneclock/ids"
)

const (
	// Who opens a file, or has not seen it for a while, looks for longer than somebody else may trust a look from before.
	checkInterval = 100 * time.Millisecond        // a look begins so often, whether those before have returned or not
	checkValidity = time.Second                   // what a look says counts for so long, from its question: it was so then
	quarantine    = checkValidity + checkInterval // of looks that all see the file, before ids come
	recoveryDelay = 5 * time.Second               // of good news, before Report is told: what comes and goes is no news
	closeGrace    = 100 * time.Millisecond        // of Close: for ids until the end, and then for main to return
	closeTimeout  = 5 * time.Second               // of Close, with a disk or a Report that does not return
)

var (
	errOverdue      = fmt.Errorf("%w: stat has not returned for %v: %w", errCannotCheck, checkValidity, os.ErrDeadlineExceeded)
	errCloseTimeout = fmt.Errorf("a save, or Report, has not returned for %v: %w", closeTimeout, os.ErrDeadlineExceeded)
)

// A view is what a File and its keeper share. Only the keeper changes it, except that the File closes stop.
type view struct {
	clock  *ids.Clock
	status atomic.Pointer[Status]
	lost   chan struct{} // closed when the file is lost
	stop   chan struct{} // closed by Close
	done   chan struct{} // closed when result is set
	result error         // returned by Close
}

// A keeper is owned by its goroutine, and by Open before that starts.
type keeper struct {
	*view
	path  string // as given to Open
	opts  Options
	now   func() time.Time // the clock's
	store *store
	limit *ids.ClockLimit

	saved       time.Time  // the horizon that was saved last; the limit of the clock
	saving      chan error // gives the result of the save that is under way; nil if none is
	saveStarted time.Time  // when that began

	checks        int              // so many looks are under way
	results       chan checkResult // gives what they see; has room for all
	checkedAt     time.Time        // when the latest of those began that have seen the file
	quarantinedAt time.Time        // when the quarantine began that is over, or goes on while unseen is not nil

	saveErr    error         // why the latest save failed
	checkErr   error         // why the latest look did
	cause      error         // the first error of those that ids are withheld or saves fail for; the cause of the limit
	reported   error         // the cause that Report was told last
	worseAt    time.Time     // when that was last so, or something worse
	reportDone chan struct{} // closed when Report has returned
}

// start returns the keeper of the locked file at path, after the clock has been limited by the first
// horizon. Another file may have been in its place, which some process still has open: that one finds out meanwhile.
func start(path string, opts Options, file file) (*keeper, error) {
	s := &store{file: file, owner: opts.Owner}
	saved, err := s.read()
	if err != nil {
		return nil, err
	}
	clockOpts, opened := *opts.ClockOptions, time.Now()
	if saved.After(clockOpts.After) {
		clockOpts.After = saved
	}
	clock, limit := ids.NewLimitedClock(&clockOpts)
	k := &keeper{
		view: &view{clock: clock, lost: make(chan struct{}), stop: make(chan struct{}), done: make(chan struct{})},
		path: path, opts: opts, now: clockOpts.Now, store: s, limit: limit,
		results: make(chan checkResult, checkValidity/checkInterval), checkedAt: opened, checkErr: errOverdue, reportDone: make(chan struct{}),
	}
	if k.now == nil {
		k.now = time.Now
	}
	close(k.reportDone) // nothing is to be told yet
	for err == nil && time.Since(opened) < quarantine {
		time.Sleep(checkInterval)
		err = k.checkNow()
	}
	if err == nil {
		err = s.save(limit.NextHorizon(opts.Window))
	}
	if err == nil {
		k.saved = s.saved
		err = k.checkNow() // the save may have taken long
	}
	if err == nil {
		k.setState(nil, k.checkErr) // which is not nil if looks take too long
	}
	return k, err
}

// lookNow looks, takes what it says, and returns its error.
func (k *keeper) checkNow() error {
	s := k.store.check()
	k.handleCheck(s)
	return s.err
}

// keep saves a horizon before the limit is reached and checks the file, until Close is called or the
// file is lost. Then it ends the clock for Close. It waits for neither the disk nor Report. So a Report
// that hangs stops no save, and calls that wait because of one wrong clock reading are always woken.
// It does wait for ClockOptions.Now.
func (k *keeper) keep() {
	tick, step, overdue := time.Tick(checkInterval), time.Tick(k.opts.Window/100), time.NewTimer(time.Until(k.checkedAt.Add(checkValidity)))
	saveDue := false // a save is, until it can begin: a moment at which the file is unseen must not put it off to the next
	for !isClosed(k.lost) && !isClosed(k.stop) {
		select {
		case <-k.stop:
			continue
		case err := <-k.saving:
			k.saving, k.saved = nil, k.store.saved
			if errors.Is(err, errCannotCheck) || errors.Is(err, ErrLost) { // it looks too
				k.handleCheck(checkResult{started: time.Now(), err: err})
			} else {
				k.setState(err, k.checkErr)
			}
		case s := <-k.results:
			k.checks--
			k.handleCheck(s)
			overdue.Reset(time.Until(k.checkedAt.Add(checkValidity)))
		case <-overdue.C:
			if k.checkErr == nil {
				k.setState(k.saveErr, errOverdue)
			}
		case <-tick:
			// One wrong reading may have made calls wait: they read the clock again, if it is before the limit.
			switch {
			case k.isNear(k.now(), 1):
				saveDue = true
			case k.checkErr == nil:
				k.limit.Set(k.saved, k.cause)
				saveDue = saveDue || k.isNear(k.clock.Latest(), k.opts.Window/200)
			}
			if k.checks < cap(k.results) {
				k.checks++
				go func() { k.results <- k.store.check() }()
			}
		case <-step: // while ids are ahead of the wall clock, the horizon is only Window/100 ahead of them
			saveDue = saveDue || k.saveErr != nil || k.isNear(k.now(), k.opts.Window/2) || k.isNear(k.clock.Latest(), k.opts.Window/100)
		}
		if k.saving != nil && k.saveErr == nil && time.Since(k.saveStarted) >= k.opts.Window/2 {
			k.setState(fmt.Errorf("a save takes more than %v: %w", k.opts.Window/2, os.ErrDeadlineExceeded), k.checkErr)
		}
		k.report()
		saveDue = saveDue && k.saving == nil // else one is under way
		// While the file is unseen the limit is none that NextHorizon could go on from.
		if saveDue && k.checkErr == nil {
			saveDue, k.saveStarted = false, time.Now()
			horizon := k.limit.NextHorizon(k.opts.Window)
			k.saving = inBackground(func() error { return k.store.save(horizon) })
		}
	}
	<-k.stop
	k.result = k.end()
	close(k.done)
}

// isNear reports whether the horizon that was saved is less than d after t.
func (k *keeper) isNear(t time.Time, d time.Duration) bool { return t.Add(d).After(k.saved) }

// inBackground calls f, and returns a channel that gives its result.
func inBackground(f func() error) chan error {
	result := make(chan error, 1)
	go func() { result <- f() }()
	return result
}

// see takes what a look says. If it fails, or if so much time has passed since an earlier one that somebody
// else may have opened another file at the name, ids are withheld for quarantine: whoever did finds out that this one is back.
func (k *keeper) handleCheck(s checkResult) {
	now, checkErr := time.Now(), k.checkErr
	switch {
	case s.err != nil:
		k.quarantinedAt, checkErr = now, s.err
	case now.Sub(k.checkedAt) >= quarantine:
		k.quarantinedAt, checkErr = now, cmp.Or(checkErr, errOverdue)
	}
	if s.err == nil && s.started.After(k.checkedAt) {
		k.checkedAt = s.started
	}
	if now.Sub(k.quarantinedAt) >= quarantine && now.Sub(k.checkedAt) < checkValidity {
		checkErr = nil
	}
	if checkErr != k.checkErr {
		k.setState(k.saveErr, checkErr)
	}
}

// note takes how the latest save and the latest look went. It has Status say so, and the clock go up to the horizon that was
// saved, in this order: the file covers an id before the clock can make it. While the file is unseen the clock makes none.
func (k *keeper) setState(saveErr, checkErr error) {
	k.saveErr, k.checkErr = saveErr, checkErr
	status := Status{k.path, withPath(k.path, cmp.Or(checkErr, saveErr)), k.saved}
	if errors.Is(checkErr, errCannotCheck) {
		status.Horizon = time.Time{}
	}
	k.status.Store(&status)
	news := severity(k.cause) != severity(status.Err)
	if news {
		k.cause = status.Err
	}
	switch {
	case errors.Is(checkErr, ErrLost):
		k.lose(status.Err)
	case news || status.Err == nil:
		k.limit.Set(status.Horizon, k.cause)
	}
}

// gravity returns how bad it is what Report is told.
func severity(cause error) int {
	switch {
	case cause == nil:
		return 0
	case !errors.Is(cause, errCannotCheck): // ids go on up to the horizon
		return 1
	}
	return 2
}

// report starts a call of Report if k.cause is graver than the cause reported last, or has been less
// grave for calm. While a call is in progress, only a loss is reported, after that call; any other
// change is skipped unless it lasts.
func (k *keeper) report() {
	lost, returned, is, was := isClosed(k.lost), isClosed(k.reportDone), severity(k.cause), severity(k.reported)
	if is >= was {
		k.worseAt = time.Now()
	}
	if !lost && (is == was || is < was && time.Since(k.worseAt) < recoveryDelay || !returned) {
		return
	}
	k.reported = k.cause
	before, done, status := k.reportDone, make(chan struct{}), *k.status.Load()
	k.reportDone = done
	go func() {
		defer close(done)
		<-before
		k.opts.Report(status)
	}()
}

// lose withholds ids at once, and soon ends the clock: whoever opens what is at the name now does not know the horizon. A file is
// lost once.
func (k *keeper) lose(cause error) {
	if isClosed(k.lost) {
		return
	}
	k.limit.Set(time.Time{}, cause)
	time.AfterFunc(closeGrace, func() { k.limit.EndAt(time.Time{}, cause) })
	close(k.lost)
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
func (k *keeper) end() error {
	end := k.now().Add(min(closeGrace, time.Until(k.checkedAt.Add(checkValidity)))).Round(0).UTC()
	if end.After(k.saved) {
		end = k.saved
	}
	if k.checkErr == nil {
		k.limit.Set(end, withPath(k.path, fs.ErrClosed)) // first, since nobody looks any more
	}
	err, saved := errCloseTimeout, inBackground(func() error { return k.saveEnd(end) })
	select {
	case err = <-saved:
		k.saved = k.store.saved
	case <-time.After(closeTimeout):
	}
	if isClosed(k.lost) {
		err = k.checkErr
	}
	cause := withPath(k.path, fs.ErrClosed)
	if err != nil {
		cause = withPath(k.path, fmt.Errorf("%w: %w", fs.ErrClosed, err))
	}
	k.status.Store(&Status{k.path, cause, k.saved})
	if errors.Is(err, ErrLost) {
		k.lose(cause)
	}
	// The limit alone keeps ids unique. To end the clock at once would have goroutines that still make ids panic before main has
	// returned, if the save took long.
	time.AfterFunc(closeGrace, func() { k.limit.EndAt(time.Time{}, cause) }) // also if the end is still to come by the wall clock
	return withPath(k.path, err)
}

// saveEnd saves the end of the clock, or the latest id if that is later, and unlocks the file: not before the save that is
// under way has returned, which may still write. A file that is lost it leaves as it is: somebody else may have it.
func (k *keeper) saveEnd(end time.Time) (err error) {
	if k.saving != nil {
		err = <-k.saving
	}
	<-k.reportDone
	if !isClosed(k.lost) {
		latest := k.clock.Latest() // is after the end if the wall clock is behind
		if latest.Before(end) {
			latest = end
		}
		err = k.store.save(latest)
	}
	return cmp.Or(err, k.store.file.Close())
}
