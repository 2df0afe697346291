package nodelease

// This file contains the events that are passed to Options.Observe.

import "time"

// An Event describes a change or a failure that a Minter reports to [Options.Observe].
type Event struct {
	Kind   EventKind
	Number int64         // number that the event concerns, if Held is true
	Held   bool          // whether the event concerns a number
	Took   time.Duration // duration of the request, for Renewed and Failed
	Err    error         // for Ended, Failed and Warned; nil if there is none
}

// An EventKind is the kind of an [Event].
type EventKind uint8

const (
	// Began means that IDs can now be made with the node number in the Number field. For each
	// Minter, Began and Ended alternate. So in a process, the number of Began events minus the
	// number of Ended events is the number of node numbers in use.
	Began EventKind = iota + 1
	// Ended means that IDs can no longer be made with the node number in the Number field. Err is
	// nil after Close. Otherwise, if the store has reported that the number was lost, Err matches
	// ErrLost. If the store has not renewed the lease in time, Err reports that and the reason.
	Ended
	// Renewed means that the store has renewed the lease of Number.
	Renewed
	// Failed means that a request to the store has failed with Err. Err matches ErrNoNumber if no
	// number could be taken. The Held field is true unless the failed request was a call to Take.
	Failed
	// Warned means that Err requires an operator's attention, although the Minter continues to
	// work. There are four kinds of warnings:
	//
	//   - A number from the store cannot be used, for example because the layout cannot hold it.
	//     This is reported when it occurs, but at most once a minute.
	//   - The horizon of a number is far ahead of the wall clock. This is reported once each time
	//     the number is taken.
	//   - A call to the store has not returned 5 s after its timeout. This is reported once, and
	//     again when the call has returned.
	//   - The store has called [Request.Warn]. Each call to Warn is reported, in an event whose
	//     Held field is false.
	Warned
)

// String returns the name of k in lower case.
func (k EventKind) String() string {
	if k < Began || k > Warned {
		return "unknown"
	}
	return [...]string{"began", "ended", "renewed", "failed", "warned"}[k-Began]
}
