package nodelease

// What Observe is told.

import "time"

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
