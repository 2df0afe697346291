package clockfile

// This file contains the keeper, which is the goroutine that saves horizons and checks the file
// while it is open.

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
	// checkInterval is the time between checks, which start even while earlier checks are in
	// progress.
	checkInterval = 100 * time.Millisecond

	// checkValidity is the time for which the result of a check is valid, from the start of the
	// check.
	checkValidity = time.Second

	// quarantine is the time for which checks must succeed before a process generates IDs after it
	// has opened a file, or after it has not checked its file for a while. It is longer than the
	// time for which another process may rely on an earlier check.
	quarantine = checkValidity + checkInterval

	// recoveryDelay is the time for which saves and checks must succeed before the recovery is
	// reported.
	recoveryDelay = 5 * time.Second

	// closeGrace is the time from the start of Close until ID generation ends. It is also the time
	// from the end of Close until the clock ends, during which main can return, and the time from
	// the loss of the file until the clock ends.
	closeGrace = 100 * time.Millisecond

	// closeTimeout is the maximum total time for which Close waits for the disk and for Report.
	closeTimeout = 5 * time.Second
)

var (
	errOverdue      = fmt.Errorf("%w: stat has not returned for %v: %w", errCannotCheck, checkValidity, os.ErrDeadlineExceeded)
	errCloseTimeout = fmt.Errorf("a save or Report has not returned for %v: %w", closeTimeout, os.ErrDeadlineExceeded)
)

// A view is the state that a File and its keeper share. The File closes the channel stop. Only the
// keeper changes the other fields.
type view struct {
	clock  *ids.Clock
	status atomic.Pointer[Status]
	lost   chan struct{} // closed when the file is lost
	stop   chan struct{} // closed by Close
	done   chan struct{} // closed when result is set
	result error         // returned by Close
}

// A keeper is owned by its goroutine, and by Open before that goroutine starts.
type keeper struct {
	*view
	path  string // as given to Open
	opts  Options
	now   func() time.Time // wall clock of clock
	store *store
	limit *ids.ClockLimit

	saved       time.Time  // latest saved horizon, and the clock's limit
	saving      chan error // receives the result of the save in progress; nil if there is none
	saveStarted time.Time  // start of that save

	checks        int              // number of checks in progress
	results       chan checkResult // receives their results; has capacity for all of them
	checkedAt     time.Time        // start of the latest successful check
	quarantinedAt time.Time        // start of the latest quarantine; checkErr is nil when it ends

	saveErr    error         // error of the latest save
	checkErr   error         // error of the latest check
	cause      error         // first error since the severity changed; passed to limit.Set
	reported   error         // cause that was last passed to Report
	worseAt    time.Time     // latest time at which cause was at least as severe as reported
	reportDone chan struct{} // closed when Report has returned
}

// start saves the first horizon to the locked file at path, limits the clock to it and returns the
// file's keeper. Before that, start checks the file repeatedly until the quarantine is over. By
// then, a process that still has the previous file at this path open has noticed that its file was
// replaced. If it has not noticed this, its last successful check is no longer valid, and it
// generates no IDs.
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
	close(k.reportDone) // no call is in progress
	for err == nil && time.Since(opened) < quarantine {
		time.Sleep(checkInterval)
		err = k.checkNow()
	}
	if err == nil {
		err = s.save(limit.NextHorizon(opts.Window))
	}
	if err == nil {
		k.saved = s.saved
		err = k.checkNow() // because the save may have taken a long time
	}
	if err == nil {
		k.setState(nil, k.checkErr) // k.checkErr is not nil if checks take too long
	}
	return k, err
}

// checkNow checks the file, handles the result and returns its error.
func (k *keeper) checkNow() error {
	s := k.store.check()
	k.handleCheck(s)
	return s.err
}

// keep checks the file, and saves a new horizon before the limit is reached, until Close is called
// or the file is lost. Then it waits for Close, and ends the clock unless the loss of the file has
// already ended it. While the file is open, this function waits for neither the disk nor Report. So
// a Report that hangs does not stop saves, and calls that wait because of a single wrong clock
// reading are woken even if the disk and Report hang. However, it does wait for ClockOptions.Now.
func (k *keeper) keep() {
	tick, step, overdue := time.Tick(checkInterval), time.Tick(k.opts.Window/100), time.NewTimer(time.Until(k.checkedAt.Add(checkValidity)))
	// saveDue stays true until the save starts, even if the file cannot be checked for a while.
	saveDue := false
	for !isClosed(k.lost) && !isClosed(k.stop) {
		select {
		case <-k.stop:
			continue
		case err := <-k.saving:
			k.saving, k.saved = nil, k.store.saved
			// The check in save can return either of these errors.
			if errors.Is(err, errCannotCheck) || errors.Is(err, ErrLost) {
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
			// A single wrong clock reading may have made calls wait. While the wall clock is before
			// the limit, each tick sets the same limit again. These calls then read the wall clock
			// again.
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
		case <-step:
			// While IDs are ahead of the wall clock, the horizon is only Window/100 ahead of them.
			saveDue = saveDue || k.saveErr != nil || k.isNear(k.now(), k.opts.Window/2) || k.isNear(k.clock.Latest(), k.opts.Window/100)
		}
		if k.saving != nil && k.saveErr == nil && time.Since(k.saveStarted) >= k.opts.Window/2 {
			k.setState(fmt.Errorf("a save takes more than %v: %w", k.opts.Window/2, os.ErrDeadlineExceeded), k.checkErr)
		}
		k.report()
		saveDue = saveDue && k.saving == nil // the save in progress is enough
		// While the file cannot be checked, the limit is the zero time, so NextHorizon could return
		// a horizon before the saved one.
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

// isNear reports whether the saved horizon is less than d after t.
func (k *keeper) isNear(t time.Time, d time.Duration) bool { return t.Add(d).After(k.saved) }

// inBackground calls f in a goroutine and returns a channel that receives its result.
func inBackground(f func() error) chan error {
	result := make(chan error, 1)
	go func() { result <- f() }()
	return result
}

// handleCheck records the result of a check. It starts a quarantine if the check failed, or if the
// last successful check is so old that another process may have opened a different file at this
// path in the meantime. IDs are withheld until the quarantine ends, and by then the other process
// has noticed that this file is back.
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

// setState records the results of the latest save and the latest check. It first updates Status and
// then raises the clock's limit to the saved horizon, so that the horizons in the file and in
// Status cover an ID before the clock can generate it. While the file cannot be checked, the clock
// generates no IDs.
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

// severity ranks a cause for Report.
func severity(cause error) int {
	switch {
	case cause == nil:
		return 0
	case !errors.Is(cause, errCannotCheck): // IDs are generated up to the horizon
		return 1
	}
	return 2
}

// report starts a call to Report if the cause is more severe than in the last report, or has been
// less severe for recoveryDelay. While a call is in progress, report starts no other call, unless
// the file is lost. The call that reports the loss waits until the call in progress has returned.
// Any other change is reported only if it lasts until then.
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

// lose withholds IDs immediately and ends the clock after closeGrace, because another process that
// opens the file at this path does not know the lost file's horizon. Only the first call has an
// effect.
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

// end ends the clock when Close is called. No ID may be later than the horizon in the file. This
// must be true whether the save succeeds or fails. It must also be true if a save that failed or
// timed out still changes the file, now or later.
func (k *keeper) end() error {
	end := k.now().Add(min(closeGrace, time.Until(k.checkedAt.Add(checkValidity)))).Round(0).UTC()
	if end.After(k.saved) {
		end = k.saved
	}
	if k.checkErr == nil {
		// Lower the limit before the save, because the file is no longer checked.
		k.limit.Set(end, withPath(k.path, fs.ErrClosed))
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
	// The limit alone keeps IDs unique. If the save took a long time and the clock ended
	// immediately, goroutines that still generate IDs would panic before main has returned. The
	// clock ends even if the wall clock has not reached end by then.
	time.AfterFunc(closeGrace, func() { k.limit.EndAt(time.Time{}, cause) })
	return withPath(k.path, err)
}

// saveEnd saves end, or the latest ID's time if that is later, and unlocks the file. It first waits
// for the save in progress, which may still write to the file, and for Report. It does not change a
// lost file, because another process may be using that file.
func (k *keeper) saveEnd(end time.Time) (err error) {
	if k.saving != nil {
		err = <-k.saving
	}
	<-k.reportDone
	if !isClosed(k.lost) {
		latest := k.clock.Latest() // later than end if the wall clock is behind
		if latest.Before(end) {
			latest = end
		}
		err = k.store.save(latest)
	}
	return cmp.Or(err, k.store.file.Close())
}
