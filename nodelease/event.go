package nodelease

import (
	"errors"
	"time"
)

// An Event is what [Options.Observe] is told.
type Event struct {
	Kind EventKind
	Node int64         // the node number concerned, or -1
	Took time.Duration // of Renewed and Failed: the time of the request; of Waited: of the wait
	Err  error         // of Ended, Failed, Refused, Waited; nil if there is none
}

// An EventKind says what an [Event] is about.
type EventKind uint8

const (
	// Began: ids can be minted under Node from now on. Began and Ended alternate, so their
	// difference is the number of node numbers that a process mints under.
	Began EventKind = iota + 1
	// Ended: ids can no longer be minted under Node. Err is nil after Close; it matches ErrLost if
	// the number has gone, or says that the store has not renewed the lease in time.
	Ended
	// Renewed: the store has renewed the lease of Node.
	Renewed
	// Failed: a request to the store has failed with Err, which matches ErrNoNode if no number could be had.
	Failed
	// Refused: TryNext has returned Err.
	Refused
	// Waited: Next has waited, for a millisecond or more, and has returned an id or Err.
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

// tell makes the reports, one after another.
func (m *Minter) tell() {
	for f := range m.reports {
		f()
	}
	close(m.told)
}

// report has tell call f. It does not wait: a Logger or an Observe that blocks holds up nothing else.
func (m *Minter) report(f func()) {
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
	m.report(func() {
		m.opts.Logger.Info("minting has begun", "node", number)
		m.observe(Event{Kind: Began, Node: number})
	})
}

func (m *Minter) reportEnd(number int64, why error) {
	m.report(func() {
		e := Event{Kind: Ended, Node: number}
		if u, ok := why.(*unheld); ok {
			e.Err = u.cause
			m.opts.Logger.Warn("minting has ended", "node", number, "error", e.Err)
		} else {
			m.opts.Logger.Info("minting has ended", "node", number)
		}
		m.observe(e)
	})
}

// warn is told by the store what a person should see to.
func (m *Minter) warn(err error) {
	m.report(func() { m.opts.Logger.Warn("the store has a warning", "error", err) })
}

// logPause is for how long the log has no failure again that is like the last. Their texts differ: servers take turns.
const logPause = time.Minute

func (m *Minter) reportFailure(e Event) {
	now, none := time.Now(), errors.Is(e.Err, ErrNoNode)
	if none != m.loggedNone || now.Sub(m.loggedAt) >= logPause {
		m.loggedNone, m.loggedAt = none, now
		if none {
			m.opts.Logger.Info("no node number could be had", "error", e.Err)
		} else {
			m.opts.Logger.Warn("a request to the store failed", "node", e.Node, "error", e.Err)
		}
	}
	m.observe(e)
}
