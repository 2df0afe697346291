package nodelease

// This file contains the keeper's own data about a number: the lease, the horizon to request and
// the maximum duration of a renewal.

import (
	"fmt"
	"time"

	"github.com/oneclock/ids"
)

// A holding contains the keeper's data about the number that the keeper holds. Only the keeper
// goroutine uses a holding, except for its tenure, which is shared with other goroutines.
type holding struct {
	tenure *tenure
	lease  Lease
	found  time.Time // horizon when the number was taken
	ttl    time.Duration

	// asked is the highest horizon requested from the store. An unanswered request may have taken
	// effect, so no later request asks for a lower horizon.
	asked    time.Time
	minted   bool // minting has begun
	warned   bool // whether a horizon far ahead of the wall clock was reported
	slow     bool // whether the latest renewal failed, or took more than half of renewalLasts
	failures int  // number of consecutive failed renewals
}

// maxTTL limits each TTL, so that no sum of times overflows.
const maxTTL = 365 * 24 * time.Hour

func newHolding(g Grant) *holding {
	return &holding{tenure: &tenure{number: g.Number}, lease: g.Lease, found: g.Horizon, ttl: min(g.TTL, maxTTL)}
}

// startClock creates the tenure's clock and node. It returns an error if the store has granted a
// number, a horizon or a TTL with which no ID can be made.
func (h *holding) startClock(opts *Options, now time.Time) error {
	t := h.tenure
	if h.renewalLasts() <= 0 {
		return fmt.Errorf("nodelease: a TTL of %v for number %d leaves no time for IDs: the minimum is 112ms",
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
			return fmt.Errorf("nodelease: the horizon of number %d leaves no time for IDs: %w", t.number, err)
		}
	}
	return nil
}

// renewalLasts returns how long IDs can be made after a renewal. This time begins when the request
// for the renewal is sent.
func (h *holding) renewalLasts() time.Duration { return h.ttl - margin(h.ttl) }

// margin returns the time from the end of minting to the end of the lease.
//
// The store counts the TTL from when it receives a request, but the Minter counts it from before it
// sends the request. So a delayed request can only increase the time between the end of minting and
// the end of the lease. The margin covers the difference between the rates of two clocks, and the
// time that the timer and a call need:
//
//   - A tenth of the TTL covers the difference between the clocks' rates. Kernels slew a clock by
//     at most 500 parts per million, and chrony by at most 83,333.
//   - A tenth of a second covers the time that the timer and the call need.
//
// Even if a pause exceeds the margin, no ID repeats, because the horizon keeps IDs unique.
func margin(ttl time.Duration) time.Duration { return ttl/10 + 100*time.Millisecond }

// renewalTimeout returns the maximum time to wait for the answer to a renewal. An answer that takes
// longer than renewalLasts is useless. If the store answers quickly, the timeout is half of
// renewalLasts, so that there is time for another renewal if this one gets lost. If the store is
// slow, the timeout is renewalLasts. If even that timeout has expired, requests are being lost or
// the store cannot answer. Most requests then have a short timeout, so that the Minter soon notices
// when the store is answering again. Every fourth request has the long timeout, because the store
// may be answering slowly.
func (h *holding) renewalTimeout() time.Duration {
	switch {
	case h.failures >= 2 && h.failures%4 != 1:
		return h.renewalLasts() / 6
	case h.slow:
		return h.renewalLasts()
	}
	return h.renewalLasts() / 2
}

// nextHorizon returns the horizon to request. The variable least is one TTL, or 100 ticks if that
// is longer. If the previously requested horizon is ahead of the wall clock by least or more, and
// ahead of the latest ID by 1% of least or more, nextHorizon returns it again. Otherwise,
// nextHorizon returns a new horizon. The new horizon is a whole window ahead of the wall clock, or
// 1% of the window ahead of the latest ID if that time is later.
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

// maxWindow returns the maximum window of a layout with the given tick. A horizon that is further
// ahead was written by a process whose clock was wrong.
func maxWindow(tick time.Duration) time.Duration {
	return max(24*time.Hour, 100*min(tick, maxTTL/100))
}

// roundUp rounds a horizon up to a multiple of a microsecond, as the methods of Lease require.
func roundUp(horizon time.Time) time.Time {
	return horizon.Add(time.Microsecond - 1).Truncate(time.Microsecond)
}
