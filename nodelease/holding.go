package nodelease

// What the keeper alone has of a number: the lease, the horizon to ask for, and the time that a renewal may take.

import (
	"fmt"
	"time"

	"github.com/oneclock/ids"
)

// A holding is a number in the hands of the keeper. Only the keeper goroutine has it. Its tenure is what others see of it.
type holding struct {
	tenure *tenure
	lease  Lease
	found  time.Time // the horizon when the number was taken
	ttl    time.Duration

	// asked is the highest horizon asked of the store. A request without an answer may have been
	// carried out, so no later one asks for less.
	asked    time.Time
	minted   bool // minting has begun
	warned   bool // a horizon far ahead was reported
	slow     bool // the latest renewal failed, or took more than half of the time that it lasts
	failures int  // renewals that failed since one succeeded
}

// maxTTL bounds a TTL, so that no sum of times overflows.
const maxTTL = 365 * 24 * time.Hour

func newHolding(g Grant) *holding {
	return &holding{tenure: &tenure{number: g.Number}, lease: g.Lease, found: g.Horizon, ttl: min(g.TTL, maxTTL)}
}

// startClock makes the tenure's clock and node. It returns an error if no IDs can be made under what the store has granted.
func (h *holding) startClock(opts *Options, now time.Time) error {
	t := h.tenure
	if h.renewalLasts() <= 0 {
		return fmt.Errorf("nodelease: a TTL of %v for number %d leaves no time for ids: at least 112ms are needed",
			h.ttl, t.number)
	}
	t.clock, t.limit = ids.NewLimitedClock(&ids.ClockOptions{Now: opts.Now, After: h.found})
	var err error
	t.node, err = ids.NewSnowflakeNode(t.number, &ids.SnowflakeOptions{Layout: opts.Layout, Clock: t.clock})
	if err != nil {
		return fmt.Errorf("nodelease: number %d: %w", t.number, err)
	}
	if h.found.After(now) {
		if _, err := opts.Layout.Compose(ids.SnowflakeParts{Time: h.found, Node: t.number}); err != nil {
			return fmt.Errorf("nodelease: the horizon of number %d leaves no time for ids: %w", t.number, err)
		}
	}
	return nil
}

// renewalLasts returns the time for which a renewal lets the tenure mint, counted from when the request was sent.
func (h *holding) renewalLasts() time.Duration { return h.ttl - margin(h.ttl) }

// margin returns the time from the end of the minting to the end of the lease.
//
// The store counts the TTL from when it received the request, the Minter from before it sent it: the
// transit of the request is on the safe side. The margin is for two clocks that do not run equally
// fast, and for the time that the timer and a call need. A tenth of the TTL covers the first: kernels
// slew a clock by at most 500 parts in a million, chrony by at most 83,333. A tenth of a second covers
// the second. A longer pause breaks no promise: what keeps IDs unique is the horizon.
func margin(ttl time.Duration) time.Duration { return ttl/10 + 100*time.Millisecond }

// renewalTimeout returns the maximum time to wait for the answer to a renewal. An answer is of use for as long as the
// renewal lasts. If answers are quick, the timeout is half of that, which leaves time for another renewal if this one
// gets lost. If even the whole of it was not enough, requests get lost or the store cannot answer. Then short requests
// find out when it answers again, and every fourth request is long, for a store that has become slow meanwhile.
func (h *holding) renewalTimeout() time.Duration {
	switch {
	case h.failures >= 2 && h.failures%4 != 1:
		return h.renewalLasts() / 6
	case h.slow:
		return h.renewalLasts()
	}
	return h.renewalLasts() / 2
}

// nextHorizon returns the horizon to ask for: the one asked before if it is still a TTL ahead, and otherwise one that is
// a whole window ahead of the wall clock. If the latest ID is ahead of that, a hundredth of either is enough.
func (h *holding) nextHorizon(opts *Options) time.Time {
	tick := opts.Layout.Tick
	least := max(h.ttl, 100*min(tick, maxTTL/100))
	if !h.tenure.limit.NextHorizon(least).After(h.asked) {
		return h.asked
	}
	window := opts.Window
	if window == 0 {
		window = min(4*h.ttl, maxWindow(tick))
	}
	return roundUp(h.tenure.limit.NextHorizon(max(window, least)))
}

// maxWindow returns the longest window for a tick. A horizon that is further ahead comes from a clock that was wrong.
func maxWindow(tick time.Duration) time.Duration {
	return max(24*time.Hour, 100*min(tick, maxTTL/100))
}

// roundUp rounds a horizon up to whole microseconds, which every store can keep.
func roundUp(horizon time.Time) time.Time {
	return horizon.Add(time.Microsecond - 1).Truncate(time.Microsecond)
}
