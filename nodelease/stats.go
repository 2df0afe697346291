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
	// If Held is true, Number is the node number with which IDs are currently made.
	Number int64
	// Held reports whether IDs can currently be made with a number. While it is false, the three
	// durations are zero.
	Held bool
	// Err is the reason why no ID can be made. It is [ErrClosed], or an error that matches
	// [ids.ErrWithheld] and the cause. It is nil while IDs can be made without a request to the
	// store. In the last tick below the horizon, Err may or may not be nil.
	Err error
	// Deadline is how long minting continues if the store stops answering.
	Deadline time.Duration
	// HorizonAhead is how far the horizon is ahead of the wall clock. IDs can be made up to the
	// horizon. HorizonAhead is negative if the wall clock has passed the horizon.
	HorizonAhead time.Duration
	// LatestAhead is how far the latest ID, or the horizon that the number had when it was taken,
	// is ahead of the wall clock. It is zero if neither is ahead.
	LatestAhead time.Duration
	// Free is the number of node numbers that fit the layout and were free at the latest Take, not
	// counting the number that it took. It is 0 if no number could be taken. While a number is
	// held, Free does not change, even if other holders take or release numbers. It is valid only
	// if FreeKnown is true.
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

// stats is like [Minter.Stats]. The parameter now is the time on the wall clock.
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
