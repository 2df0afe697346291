package nodelease

// This file contains the methods that return statistics about a Minter.

import "time"

// Number returns the node number with which m can make IDs now. ok reports whether there is one.
func (m *Minter) Number() (number int64, ok bool) {
	t, _, why := m.state.get()
	if why != nil {
		return 0, false
	}
	return t.number, true
}

// Stats contains the statistics that [Minter.Stats] returns. A program can export them as metrics,
// for example.
type Stats struct {
	// If Held is true, Number is the node number that is currently used to make IDs.
	Number int64
	// Held reports whether the Minter currently has a number with which it can make IDs. While Held
	// is false, the three durations are zero.
	Held bool
	// Err is the reason why no ID can be made. It is either [ErrClosed] or an error that matches
	// both [ids.ErrWithheld] and the underlying cause. It is nil while IDs can be made without a
	// request to the store. During the last tick before the horizon, Err may or may not be nil.
	Err error
	// Deadline is how long minting continues if the store stops answering, unless the horizon is
	// reached earlier.
	Deadline time.Duration
	// HorizonAhead is how far the horizon is ahead of the wall clock. IDs can be made up to the
	// horizon. HorizonAhead is negative if the wall clock has passed the horizon.
	HorizonAhead time.Duration
	// LatestAhead is how far the latest ID is ahead of the wall clock. Until the first ID is made
	// with the number, the horizon that the number had when it was taken is used instead of the
	// latest ID. LatestAhead is zero if the time used is not ahead.
	LatestAhead time.Duration
	// Free is the number of node numbers that fit the layout and were still free after the latest
	// Take. It is 0 if no number could be taken. While a number is held, Free does not change, even
	// if other holders take or release numbers. It is valid only if FreeKnown is true.
	Free int64
	// FreeKnown reports whether Free is valid. It is false before the first Take. It is also false
	// if the store does not count free numbers, or if the latest number that the store granted
	// cannot be used.
	FreeKnown bool
}

// Stats returns the current statistics of m. It makes no request to the store.
func (m *Minter) Stats() Stats {
	m.state.mustBeMade()
	return m.state.stats(m.state.now())
}

// stats is like [Minter.Stats]. The caller passes the wall clock's time as now.
func (s *state) stats(now time.Time) Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	stats := Stats{Err: s.why, Free: s.free, FreeKnown: s.freeKnown}
	if t := s.tenure; s.why == nil {
		stats.Number, stats.Held = t.number, true
		stats.Deadline, stats.HorizonAhead = t.deadline-s.elapsed(), t.horizon.Sub(now)
		stats.LatestAhead = max(0, t.clock.Latest().Sub(now))
		if t.reachedHorizon(now) {
			stats.Err = t.horizonErr
		}
	}
	return stats
}
