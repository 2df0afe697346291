package ids

// The 14 bits of the clock sequence of versions 1 and 6 are a sequence, which changes when the
// lane follows the wall clock back, and the place of the id in its tick.
const (
	placeBits    = 2
	placesInTick = 1 << placeBits
	sequences    = 1 << 12
)

// A sequence is the clock sequence of version 1 or of version 6. A tick and a sequence never meet
// twice: once all sequences have been used, ids go on above all ticks, and the floor rises.
type sequence struct {
	current uint64 // 12 bits
	started bool
	free    int   // how many have not been used since the floor was set
	floor   int64 // a tick up to here may have ids of any sequence
	top     int64 // the latest tick before the lane last went back
}

// start starts the sequence at random bits, unless it has started.
func (s *sequence) start(bits uint64) {
	if !s.started {
		s.current, s.started, s.free = bits%sequences, true, sequences-1
	}
}

// turn takes the next sequence for a lane that goes back from tick last.
func (s *sequence) turn(last int64) {
	s.current = (s.current + 1) % sequences
	s.free--
	s.top = max(s.top, last)
}

// rise makes the highest tick that was ever issued the floor. Above it no sequence has been used.
func (s *sequence) rise(last int64) {
	s.top = max(s.top, last)
	s.floor, s.free = s.top, sequences-1
}

// field returns the 14 bits of the id that is number used of its tick.
func (s *sequence) field(used int64) uint64 { return s.current<<placeBits | uint64(used-1) }
