package nodelease

// The events that are passed to Options.Observe.

import "time"

// An Event is passed to [Options.Observe].
type Event struct {
	Kind   EventKind
	Number int64         // the number concerned, if Held is true
	Held   bool          // whether the event concerns a number
	Took   time.Duration // duration of the request, for Renewed and Failed
	Err    error         // for Ended, Failed and Warned; nil if there is none
}

// An EventKind is the kind of an [Event].
type EventKind uint8

const (
	// Began: IDs can be made under Number from now on. Began and Ended alternate, so the number of
	// Began events minus the number of Ended events is the number of node numbers that a process
	// uses.
	Began EventKind = iota + 1
	// Ended: IDs can no longer be made under Number. Err is nil after Close. Otherwise it matches
	// ErrLost if the number is lost, or reports that the store has not renewed the lease in time,
	// and the reason.
	Ended
	// Renewed: the store has renewed the lease of Number.
	Renewed
	// Failed: a request to the store has failed with Err, which matches ErrNoNumber if no number
	// could be taken. The event concerns a number unless the request was for one.
	Failed
	// Warned: Err needs a person's attention, although the Minter continues. There are these kinds
	// of warnings:
	//
	//   - A number of the store cannot be used, for example because the layout cannot hold it. This
	//     is reported once, or once a minute for as long as it lasts.
	//   - The horizon of a number is far ahead of the wall clock. This is reported once for each
	//     time that the number is held.
	//   - A call of the store has not returned 5 s after its time limit. This is reported once, and
	//     once more when the call has returned.
	//   - The store has called [Request.Warn]. Each of these calls is reported, and no number is
	//     concerned.
	Warned
)

// String returns the name of k in lower case.
func (k EventKind) String() string {
	if k < Began || k > Warned {
		return "unknown"
	}
	return [...]string{"began", "ended", "renewed", "failed", "warned"}[k-Began]
}
