package nodelease

// What a Minter shows of itself.

import "time"

// Number returns the number under which ids can be made now. ok is false while there is none.
func (m *Minter) Number() (number int64, ok bool) {
	t, _, why := m.state.get()
	if why != nil {
		return 0, false
	}
	return t.number, true
}

// Stats is what [Minter.Stats] returns, for gauges.
type Stats struct {
	// Number is the number under which ids are made now, if Held is true.
	Number int64
	// Held is whether there is such a number. While it is false, the three durations are zero.
	Held bool
	// Err is why no id can be made: [ErrClosed], or an error that matches [ids.ErrWithheld] and the cause.
	// It is nil while ids can be had without asking the store. In the last tick below the horizon it may
	// be either.
	Err error
	// Deadline is how long ids go on if the store does not answer any more.
	Deadline time.Duration
	// HorizonAhead is how far ahead of the wall clock the horizon is up to which ids can be made. It is
	// negative if the wall clock has passed it.
	HorizonAhead time.Duration
	// LatestAhead is how far ahead of the wall clock the latest id is, or the horizon that was found with
	// the number. It is zero if neither is ahead.
	LatestAhead time.Duration
	// Free is how many numbers that the layout can hold were free at the latest Take, without the one taken: 0
	// if none could be had. It does not change while the number is held, however many others take or release. It means
	// something only if FreeKnown is true.
	Free int64
	// FreeKnown is false before the first Take, if the store does not tell, and if the number that it has handed
	// out last cannot be used.
	FreeKnown bool
}

// Stats returns the state of m at this moment. It does not ask the store.
func (m *Minter) Stats() Stats {
	m.state.mustBeMade()
	return m.state.stats(m.state.now())
}

// stats returns the state at a time on the wall clock.
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
