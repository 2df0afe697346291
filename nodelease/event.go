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
	Err    error         // of Ended, Failed, Refused, Waited, Warned; nil if there is none
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
	// Warned: a person should look at Err, although the Minter goes on. It is told once, or once a minute for as long
	// as it lasts: a number of the store cannot be used, as one that the layout cannot hold; the horizon of a number is
	// far ahead of the wall clock; the environment variable IDS_SNOWFLAKE_NODE names the number too; or it is what the
	// store has passed to [Request.Warn], however often, and then no number is concerned.
	Warned
)

// String returns the name of k in lower case.
func (k EventKind) String() string {
	if k < Began || k > Warned {
		return "unknown"
	}
	return [...]string{"began", "ended", "renewed", "failed", "refused", "waited", "warned"}[k-Began]
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

// reportWarning reports what a person should look at, and of which number unless t is nil.
func (m *Minter) reportWarning(t *tenure, text string, err error) {
	m.queueReport(func() {
		if t == nil {
			m.opts.Logger.Warn(text, "error", err)
			m.observe(Event{Kind: Warned, Err: err})
			return
		}
		m.opts.Logger.Warn(text, "number", t.number, "error", err)
		m.observe(Event{Kind: Warned, Number: t.number, Held: true, Err: err})
	})
}

// logPause is how long a failure is not logged again, and a number that cannot be used not reported. Texts are not
// compared: they name the server, and the servers take turns.
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
