package nodelease

import (
	"errors"
	"fmt"
	"time"

	"github.com/oneclock/ids"
)

// A tenure is the time for which a Minter holds a number. Its clock starts above the horizon that earlier
// holders left and is limited to the horizon that this holder has written. So the ids with times from one
// horizon to the next are this holder's alone.
type tenure struct {
	lease  Lease
	number int64
	found  time.Time // the horizon when the number was taken
	ttl    time.Duration
	clock  *ids.Clock
	limit  *ids.ClockLimit
	node   *ids.SnowflakeNode

	// What follows is keepNumber's alone, but for horizon, deadline, failure and late, which Minter.mu guards.

	// asked is the highest horizon asked of the store. A request without an answer may have been
	// carried out, so no later one asks for less.
	asked    time.Time
	warned   bool // that a horizon is far ahead
	slow     bool // the latest renewal failed, or took more than half of the time that it lasts
	failures int  // of renewals, since one has succeeded

	horizon  time.Time     // what the store has confirmed
	deadline time.Duration // when minting stops, on the scale of Minter.elapsed
	expiry   *time.Timer   // stops it
	failure  error         // of the latest renewal
	late     error         // what calls return where the horizon is reached
}

// margin is how long before the end of a lease the minting stops.
//
// The store counts the TTL from when it received the request, the Minter from before it sent it: the
// transit of the request is on the safe side. The margin is for two clocks that do not run equally
// fast, and for the time that the timer and a call need. A tenth of the TTL covers the first: kernels
// slew a clock by at most 500 parts in a million, chrony by at most 83,333. A tenth of a second covers
// the second. A longer pause breaks no promise: what keeps ids unique is the horizon.
func margin(ttl time.Duration) time.Duration { return ttl/10 + 100*time.Millisecond }

// renewalLasts returns for how long a renewal lets t mint, from when it was sent.
func (t *tenure) renewalLasts() time.Duration { return t.ttl - margin(t.ttl) }

// renewalTimeout returns how long the answer to a renewal may take. It is of use for as long as the renewal lasts. Where
// answers are quick, it has half of that, so that there is time for another renewal if this one gets lost. Where even
// the whole of it was not enough, requests get lost, or the store is of no use: then short requests find out when it
// answers again, and each fourth is for a store that has become slow meanwhile.
func (t *tenure) renewalTimeout() time.Duration {
	switch {
	case t.failures >= 2 && t.failures%4 != 1:
		return t.renewalLasts() / 6
	case t.slow:
		return t.renewalLasts()
	}
	return t.renewalLasts() / 2
}

// startClock gives t its clock, or says what is wrong with what the store has handed out.
func (t *tenure) startClock(opts *Options, now time.Time) error {
	if t.renewalLasts() <= 0 {
		return fmt.Errorf("nodelease: a TTL of %v for number %d leaves no time for ids: at least 112ms are needed",
			t.ttl, t.number)
	}
	t.setFailure(nil)
	t.clock, t.limit = ids.NewLimitedClock(&ids.ClockOptions{Now: opts.Now, After: t.found})
	var err error
	t.node, err = ids.NewSnowflakeNode(t.number, &ids.SnowflakeOptions{Layout: opts.Layout, Clock: t.clock})
	if err != nil {
		return fmt.Errorf("nodelease: number %d: %w", t.number, err)
	}
	if t.found.After(now) {
		if _, err := opts.Layout.Compose(ids.SnowflakeParts{Time: t.found, Node: t.number}); err != nil {
			return fmt.Errorf("nodelease: the horizon of number %d leaves no time for ids: %w", t.number, err)
		}
	}
	return nil
}

// errReached is why ids are withheld where the horizon is reached.
var errReached = errors.New("the horizon is reached, and the store has not confirmed a later one yet")

// setFailure notes how the latest renewal of t has ended.
func (t *tenure) setFailure(err error) {
	t.failure, t.late = err, newWithheld(errReached)
	if err != nil {
		t.late = newWithheld(fmt.Errorf("the horizon is reached, and the store has not confirmed a later one: %w", err))
	}
}

// overdueError is the cause past t's deadline.
func (t *tenure) overdueError() error {
	const text = "nodelease: the store has not renewed the lease of number %d in time"
	if t.failure == nil {
		return fmt.Errorf(text, t.number)
	}
	return fmt.Errorf(text+": %w", t.number, t.failure)
}
