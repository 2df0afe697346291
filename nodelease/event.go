package nodelease

import "time"

// An Event is what [MinterOptions.Observe] is told.
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
	// Failed: a request to the store has failed with Err, which matches ErrNoNode if every number is held.
	Failed
	// Refused: TryNext has returned Err.
	Refused
	// Waited: Next has waited, and has returned an id or Err.
	Waited
)

// String returns the name of k in lower case.
func (k EventKind) String() string {
	if k < Began || k > Waited {
		return "unknown"
	}
	return [...]string{"began", "ended", "renewed", "failed", "refused", "waited"}[k-Began]
}

func (m *Minter) observe(e Event) {
	if m.opts.Observe != nil {
		m.opts.Observe(e)
	}
}

// tell reports whether ids can be minted now, if that has changed since the last report. The mutex of
// its own keeps the reports in their order.
func (m *Minter) tell() {
	m.telling.Lock()
	defer m.telling.Unlock()
	m.mu.Lock()
	number, why := int64(-1), m.why
	if why == nil {
		number = m.tenure.number
	}
	m.mu.Unlock()
	was := m.told
	if m.told = number; was == number {
		return
	}
	if was >= 0 {
		e := Event{Kind: Ended, Node: was}
		if u, ok := why.(*unheld); ok {
			e.Err = u.cause
			m.opts.Logger.Warn("minting has ended", "node", was, "error", e.Err)
		} else {
			m.opts.Logger.Info("minting has ended", "node", was)
		}
		m.observe(e)
	}
	if number >= 0 {
		m.opts.Logger.Info("minting has begun", "node", number)
		m.observe(Event{Kind: Began, Node: number})
	}
}
