package nodelease

// This file contains the goroutine that calls Logger and Observe.

import (
	"cmp"
	"errors"
	"log/slog"
	"time"
)

// A reporter passes each report to Logger, to Observe or to both. It passes one report after
// another, in its own goroutine. It drops reports while maxReports reports are waiting. It also
// drops reports once finish has been called and the queue is empty. An example is a warning that
// the store gives about a lease after Close.
type reporter struct {
	queue    chan func(*logbook) // never closed, because any goroutine may still send
	finished chan struct{}       // closed by finish
	done     chan struct{}       // closed when run has returned
}

// A logbook holds the destinations of reports, and the time and kind of the latest failure logged.
// Only the reporter goroutine has access to it.
type logbook struct {
	logger  *slog.Logger
	observe func(Event)

	loggedAt   time.Time // time of the latest logged failure; zero after a renewal
	loggedNone bool      // whether that failure matched ErrNoNumber
	loggedHeld bool      // whether that failure concerned a held number
}

// maxReports is the maximum number of reports that wait while Logger or Observe blocks.
const maxReports = 1000

func newReporter(opts *Options) *reporter {
	r := &reporter{make(chan func(*logbook), maxReports), make(chan struct{}), make(chan struct{})}
	l := &logbook{logger: cmp.Or(opts.Logger, slog.New(slog.DiscardHandler)), observe: opts.Observe}
	if l.observe == nil {
		l.observe = func(Event) {}
	}
	go r.run(l)
	return r
}

// run makes the reports.
func (r *reporter) run(l *logbook) {
	defer close(r.done)
	for {
		select {
		case f := <-r.queue:
			f(l)
			continue
		case <-r.finished:
		}
		select {
		case f := <-r.queue:
			f(l)
		default:
			return
		}
	}
}

// finish causes run to return once all queued reports have been made.
func (r *reporter) finish() { close(r.finished) }

// add queues f, which the method run then calls. It does not wait for that call, so nothing else is
// delayed if Logger or Observe blocks.
func (r *reporter) add(f func(*logbook)) {
	select {
	case r.queue <- f:
	default: // the queue is full: drop the report
	}
}

func (r *reporter) info(text string, args ...any) {
	r.add(func(l *logbook) { l.logger.Info(text, args...) })
}

func (r *reporter) begun(number int64) {
	r.add(func(l *logbook) {
		l.logger.Info("IDs have begun", "number", number)
		l.observe(Event{Kind: Began, Number: number, Held: true})
	})
}

func (r *reporter) ended(number int64, why error) {
	r.add(func(l *logbook) {
		e := Event{Kind: Ended, Number: number, Held: true}
		if why == ErrClosed {
			l.logger.Info("IDs have ended", "number", number)
		} else {
			e.Err = causeOf(why)
			l.logger.Warn("IDs have ended", "number", number, "error", e.Err)
		}
		l.observe(e)
	})
}

// warn reports an error that requires an operator's attention. If t is not nil, the error concerns
// t's number.
func (r *reporter) warn(t *tenure, text string, err error) {
	r.add(func(l *logbook) {
		if t == nil {
			l.logger.Warn(text, "error", err)
			l.observe(Event{Kind: Warned, Err: err})
			return
		}
		l.logger.Warn(text, "number", t.number, "error", err)
		l.observe(Event{Kind: Warned, Number: t.number, Held: true, Err: err})
	})
}

func (r *reporter) renewed(number int64, took time.Duration) {
	r.add(func(l *logbook) {
		l.loggedAt = time.Time{} // log the next failure immediately
		l.observe(Event{Kind: Renewed, Number: number, Held: true, Took: took})
	})
}

// logInterval is the minimum time between two log records about failures of the same kind, and
// between two reports about unusable numbers. Whether two failures are of the same kind does not
// depend on the text of their errors, because that text contains the name of a server, and requests
// go to several servers in turn.
const logInterval = time.Minute

// failed reports a request that has failed. If t is not nil, the request concerns t's number.
func (r *reporter) failed(t *tenure, took time.Duration, err error) {
	e := Event{Kind: Failed, Took: took, Err: err}
	if t != nil {
		e.Number, e.Held = t.number, true
	}
	r.add(func(l *logbook) {
		now, none := time.Now(), errors.Is(e.Err, ErrNoNumber)
		another := l.loggedHeld && !e.Held // log immediately why no other number can be taken
		if none != l.loggedNone || another || now.Sub(l.loggedAt) >= logInterval {
			l.loggedNone, l.loggedHeld, l.loggedAt = none, e.Held, now
			switch {
			case none:
				l.logger.Info("no number could be taken", "error", e.Err)
			case e.Held:
				l.logger.Warn("a request to the store failed", "number", e.Number, "error", e.Err)
			default:
				l.logger.Warn("a request to the store failed", "error", e.Err)
			}
		}
		l.observe(e)
	})
}
