package nodelease

// This file contains the tenure type. The keeper shares each tenure with the goroutines that call
// the Minter's methods. A tenure has a clock and a deadline.

import (
	"errors"
	"fmt"
	"time"

	"github.com/oneclock/ids"
)

// A tenure is the time for which a Minter holds a number. Its clock starts above the horizon that
// earlier holders left, and is limited to the horizon that this holder has written. So the IDs
// between these two horizons belong to this holder alone.
type tenure struct {
	number int64
	clock  *ids.Clock
	limit  *ids.ClockLimit
	node   *ids.SnowflakeNode

	// guarded by state.mu
	horizon    time.Time     // latest horizon that the store has confirmed
	deadline   time.Duration // value of state.elapsed at which minting stops
	expiry     *time.Timer   // stops minting; nil until minting begins
	failure    error         // error of the latest failed renewal; nil after a timely renewal
	horizonErr error         // error that calls return when the horizon is reached
}

// errReached is the reason why IDs are withheld at the horizon.
var errReached = errors.New("the horizon is reached, and the store has not confirmed a later one yet")

// setFailure records the error of a failed renewal or, if a renewal has succeeded in time, nil. The
// caller must hold state.mu.
func (t *tenure) setFailure(err error) {
	t.failure, t.horizonErr = err, newWithheld(errReached)
	if err != nil {
		t.horizonErr = newWithheld(fmt.Errorf("the horizon is reached, and the store has not confirmed a later one: %w", err))
	}
}

// overdueError returns the reason why IDs are withheld after the deadline. The caller must hold
// state.mu.
func (t *tenure) overdueError() error {
	const text = "nodelease: the store has not renewed the lease of number %d in time"
	if t.failure == nil {
		return fmt.Errorf(text, t.number)
	}
	return fmt.Errorf(text+": %w", t.number, t.failure)
}

// reachedHorizon reports whether the wall clock, or the tick after the latest ID, is past the
// horizon. In the second case, IDs in the latest ID's tick may still be possible. The caller must
// hold state.mu.
func (t *tenure) reachedHorizon(now time.Time) bool {
	return now.After(t.horizon) || t.clock.Latest().Add(t.node.Layout().Tick).After(t.horizon)
}
