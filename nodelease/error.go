package nodelease

// This file contains the exported errors, and the error type that calls return while no ID can be
// made.

import (
	"errors"
	"strings"

	"github.com/oneclock/ids"
)

// Errors of this package. Match them with [errors.Is].
var (
	// ErrNoNumber means that no number could be taken, because all numbers are held or other
	// callers were faster.
	ErrNoNumber = errors.New("nodelease: all numbers are held, or other processes were faster")
	// ErrRefused means that the store refuses requests, and will do so until the store or the
	// program is changed. For example, the store was never initialized, it was made for a different
	// layout or by a different version of this package, the user has no permission to write, or the
	// program has closed the store. Stores return errors that wrap ErrRefused. [Minter.Wait]
	// returns such an error immediately.
	ErrRefused = errors.New("nodelease: the store refuses, and no retry helps")
	// ErrLost means that a lease has ended and that its number may have another holder.
	ErrLost = errors.New("nodelease: the number is no longer held")
	// ErrClosed means that the Minter is closed.
	ErrClosed = errors.New("nodelease: the minter is closed")
)

// withheld is the error that calls return while no ID can be made. It wraps ids.ErrWithheld and the
// cause. It is created when the cause arises, so that calls can return it without an allocation.
type withheld [2]error

func newWithheld(cause error) *withheld { return &withheld{ids.ErrWithheld, cause} }

func (e *withheld) Error() string {
	return "nodelease: withheld: " + strings.TrimPrefix(e[1].Error(), "nodelease: ")
}

func (e *withheld) Unwrap() []error { return e[:] }

// causeOf returns the cause of a withheld error, and any other error unchanged.
func causeOf(err error) error {
	if w, ok := err.(*withheld); ok {
		return w[1]
	}
	return err
}
