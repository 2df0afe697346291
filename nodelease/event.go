package nodelease

import (
	"cmp"
	"errors"
	"log/slog"
	"time"
)

// An Event is what [Options.Observe] is told.
type Event struct {
	Kind   EventKind
	Number int64         // the number concerned, if Held is true
	Held   bool          // whether a number is concerned
	Took   time.Duration // of Renewed and Failed: the time of the request
	Err    error         // of Ended, Failed, Warned; nil if there is none
}

// An EventKind says what an [Event] is about.
type EventKind uint8

const (
	// Began: ids can be made under Number from now on. Began and Ended alternate, so their
	// difference is the number of node numbers that a process uses.
	Began EventKind = iota + 1
	// Ended: ids can no longer be made under Number. Err is nil after Close; it matches ErrLost if
	// the number has gone, or says that the store has not renewed the lease in time, and why.
	Ended
	// Renewed: the store has renewed the lease of Number.
	Renewed
	// Failed: a request to the store has failed with Err, which matches ErrNoNumber if no number could be had.
	// A number is concerned unless the request was for one.
	Failed
	// Warned: a person should look at Err, although the Minter goes on. It is told once, or once a minute for as long
	// as it lasts: a number of the store cannot be used, as one that the layout cannot hold; the horizon of a number is
	// far ahead of the wall clock; a call of the store has not returned 5 s after its time limit, and then, that it has;
	// or it is what the store has passed to [Request.Warn], however often, and then no number is concerned.
	Warned
)

// String returns the name of k in lower case.
func (k EventKind) String() string {
	if k < Began || k > Warned {
		return "unknown"
	}
	return [...]string{"began", "ended", "renewed", "failed", "warned"}[k-Began]
}

// A reporter tells Logger and Observe what happens, one report after another, in a goroutine of its own. What it is asked
// after the last report, as by a store that warns of a lease which outlives Close, it does not tell.
type reporter struct {
	logger  *slog.Logger
	observe func(Event)
	queue   chan func()   // never closed, since anybody may still send
	last    chan struct{} // closed when all that counts is in the queue
	told    chan struct{} // closed when it has been told

	// What follows is for what is in the queue.
	loggedAt   time.Time // when the log had a failure, unless a lease was renewed since
	loggedNone bool      // whether that was for want of a number
	loggedHeld bool      // whether that was for a number that was held
}

// maxReports is how many reports may wait for a Logger or an Observe that blocks.
const maxReports = 1000

func newReporter(opts *Options) *reporter {
	r := &reporter{
		logger: cmp.Or(opts.Logger, slog.New(slog.DiscardHandler)), observe: opts.Observe,
		queue: make(chan func(), maxReports), last: make(chan struct{}), told: make(chan struct{}),
	}
	if r.observe == nil {
		r.observe = func(Event) {}
	}
	go r.run()
	return r
}

// run makes the reports.
func (r *reporter) run() {
	defer close(r.told)
	for {
		select {
		case f := <-r.queue:
			f()
			continue
		case <-r.last:
		}
		select {
		case f := <-r.queue:
			f()
		default:
			return
		}
	}
}

// add has run call f. It does not wait: a Logger or an Observe that blocks holds up nothing else.
func (r *reporter) add(f func()) {
	select {
	case r.queue <- f:
	default: // nobody waits for reports
	}
}

func (r *reporter) info(text string, args ...any) { r.add(func() { r.logger.Info(text, args...) }) }

func (r *reporter) begun(number int64) {
	r.add(func() {
		r.logger.Info("ids have begun", "number", number)
		r.observe(Event{Kind: Began, Number: number, Held: true})
	})
}

func (r *reporter) ended(number int64, why error) {
	r.add(func() {
		e := Event{Kind: Ended, Number: number, Held: true}
		if why == ErrClosed {
			r.logger.Info("ids have ended", "number", number)
		} else {
			e.Err = causeOf(why)
			r.logger.Warn("ids have ended", "number", number, "error", e.Err)
		}
		r.observe(e)
	})
}

// warn reports what a person should look at, and of which number unless t is nil.
func (r *reporter) warn(t *tenure, text string, err error) {
	r.add(func() {
		if t == nil {
			r.logger.Warn(text, "error", err)
			r.observe(Event{Kind: Warned, Err: err})
			return
		}
		r.logger.Warn(text, "number", t.number, "error", err)
		r.observe(Event{Kind: Warned, Number: t.number, Held: true, Err: err})
	})
}

func (r *reporter) renewed(number int64, took time.Duration) {
	r.add(func() {
		r.loggedAt = time.Time{} // the next failure is news
		r.observe(Event{Kind: Renewed, Number: number, Held: true, Took: took})
	})
}

// logPause is how long a failure is not logged again, and a number that cannot be used not reported. Texts are not
// compared: they name the server, and the servers take turns.
const logPause = time.Minute

// failed reports that a request has failed, for t unless that is nil.
func (r *reporter) failed(t *tenure, took time.Duration, err error) {
	e := Event{Kind: Failed, Took: took, Err: err}
	if t != nil {
		e.Number, e.Held = t.number, true
	}
	r.add(func() {
		now, none := time.Now(), errors.Is(e.Err, ErrNoNumber)
		another := r.loggedHeld && !e.Held // why there is no other number is news
		if none != r.loggedNone || another || now.Sub(r.loggedAt) >= logPause {
			r.loggedNone, r.loggedHeld, r.loggedAt = none, e.Held, now
			switch {
			case none:
				r.logger.Info("no number could be had", "error", e.Err)
			case e.Held:
				r.logger.Warn("a request to the store failed", "number", e.Number, "error", e.Err)
			default:
				r.logger.Warn("a request to the store failed", "error", e.Err)
			}
		}
		r.observe(e)
	})
}
