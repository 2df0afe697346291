package nodelease

import (
	"errors"
	"time"
)

// An Event is what [Options.Observe] is told.
type Event struct {
	Kind   EventKind
	Number int64         // the number concerned, if Held is true
	Held   bool          // whether a number is concerned
	Took   time.Duration // of Renewed and Failed: the time of the request; of Waited: of the wait
	Err    error         // of Ended, Failed, Refused, Waited; nil if there is none
}

// An EventKind says what an [Event] is about.
type EventKind uint8

const (
	// Began: ids can be minted under Number from now on. Began and Ended alternate, so their
	// difference is the number of node numbers that a process mints under.
	Began EventKind = iota + 1
	// Ended: ids can no longer be minted under Number. Err is nil after Close; it matches ErrLost if
	// the number has gone, or says that the store has not renewed the lease in time, and why.
	Ended
	// Renewed: the store has renewed the lease of Number.
	Renewed
	// Failed: a request to the store has failed with Err, which matches ErrNoNumber if no number could be had.
	// A number is concerned unless the request was for one.
	Failed
	// Refused: TryNext has returned Err. It names no number.
	Refused
	// Waited: NextContext has waited, for a millisecond or more, and has returned an id or Err. It names no number.
	Waited
)

// String returns the name of k in lower case.
func (k EventKind) String() string {
	if k < Began || k > Waited {
		return "unknown"
	}
	return [...]string{"began", "ended", "renewed", "failed", "refused", "waited"}[k-Began]
}

// maxReports is how many reports may wait for a Logger or an Observe that blocks.
const maxReports = 1000

// makeReports makes the reports, one after another.
func (m *Minter) makeReports() {
	for f := range m.reports {
		f()
	}
	close(m.told)
}

// queueReport has makeReports call f. It does not wait: a Logger or an Observe that blocks holds up nothing else.
func (m *Minter) queueReport(f func()) {
	select {
	case m.reports <- f:
	default:
	}
}

func (m *Minter) observe(e Event) {
	if m.opts.Observe != nil {
		m.opts.Observe(e)
	}
}

func (m *Minter) reportBegin(number int64) {
	m.queueReport(func() {
		m.opts.Logger.Info("minting has begun", "number", number)
		m.observe(Event{Kind: Began, Number: number, Held: true})
	})
}

func (m *Minter) reportEnd(number int64, why error) {
	m.queueReport(func() {
		e := Event{Kind: Ended, Number: number, Held: true}
		if why == ErrClosed {
			m.opts.Logger.Info("minting has ended", "number", number)
		} else {
			e.Err = causeOf(why)
			m.opts.Logger.Warn("minting has ended", "number", number, "error", e.Err)
		}
		m.observe(e)
	})
}

// warn is called by the store with problems that a person should look at.
func (m *Minter) warn(err error) {
	m.queueReport(func() { m.opts.Logger.Warn("the store has a warning", "error", err) })
}

// logPause is how long a failure is not logged again. Texts are not compared: they name the server, and the
// servers take turns.
const logPause = time.Minute

func (m *Minter) reportFailure(e Event) {
	now, none := time.Now(), errors.Is(e.Err, ErrNoNumber)
	if none != m.loggedNone || now.Sub(m.loggedAt) >= logPause {
		m.loggedNone, m.loggedAt = none, now
		switch {
		case none:
			m.opts.Logger.Info("no number could be had", "error", e.Err)
		case e.Held:
			m.opts.Logger.Warn("a request to the store failed", "number", e.Number, "error", e.Err)
		default:
			m.opts.Logger.Warn("a request to the store failed", "error", e.Err)
		}
	}
	m.observe(e)
}
