// Package rule has the rule of the clock: which tick the next id of a format gets, for how long its call waits, and, in
// formats that end in random bits, how these ascend. It knows no mutex, no clock and no format: a tick is a number, and its
// caller holds whatever guards a [Lane].
package rule

import "time"

const (
	unlimited = 1<<63 - 2              // ids in a tick, if random bits make them unique: one more is an int64 too
	Forever   = 1<<63 - 1              // patience
	maxWait   = 20 * time.Millisecond  // the longest that one call waits for the wall clock
	minSleep  = 100 * time.Microsecond // the shortest that a call sleeps, if it must
)

// A Lane gives the ids of one scheme on one clock their ticks. It compares the tick of the wall
// clock with the tick of the latest id:
//
//  1. Later: it goes with the wall clock.
//  2. The same, or earlier by at most its patience: it stays in the tick of the latest id. If that
//     is full, it takes the next one and pays for it.
//  3. Earlier by more: it goes with the wall clock again, versions 1 and 6 with their next clock
//     sequence.
type Lane struct {
	Scale
	First, End int64 // the first and the last tick that the format can name
	PerTick    int64 // how many ids a tick holds
	Patience   int64 // in ticks
	aheadTicks int64 // MaxAhead, in whole ticks
	maxAhead   int64 // MaxAhead, in ns
	maxDebt    int64 // in ns: MaxAhead, and what two calls pay that wait for maxWait one after the other
	Sequenced  bool  // the ids have the clock sequence in them

	Last  int64 // the tick of the latest id; before first if there is none
	Used  int64 // how many ids that tick has given
	Limit int64 // the last tick that the limit of the clock allows
	paid  int64 // the time at which the ticks taken are paid for, in ns since the base of the clock

	Sequence sequence
}

// A Refusal is why a lane gives no id.
type Refusal uint8

const (
	Given       Refusal = iota // it gives one
	Withheld                   // its tick is after the limit
	Exhausted                  // all ids up to MaxAhead ahead of the wall clock are taken
	ClockBehind                // the wall clock is behind the latest id
	AtEnd                      // the last tick is exhausted
	pastEnd                    // the wall clock is after the last tick, and has never been before it
)

// Take gives the next id its tick, l.Last, and its place there, l.Used-1, if the wall clock is in the
// given tick and the lane can simply go with it. If not, nothing has changed, and Hold is to be called. It is
// apart from Hold so that it is inlined.
func (l *Lane) Take(tick int64) (taken bool) {
	used := l.Used + 1
	if tick > l.Last {
		used = 1
	}
	if tick < l.Last || tick > l.Limit || used > l.PerTick {
		return false
	}
	l.Last, l.Used = tick, used
	return true
}

// Hold is Take for any lane, when the clock has run for elapsed nanoseconds. The caller must let wait pass
// before it returns the id. On an error the lane is as it was.
func (l *Lane) Hold(tick, elapsed int64) (wait time.Duration, why Refusal) {
	was := *l
	wait, why = l.advance(tick, elapsed)
	if why != Given {
		*l = was
	}
	return wait, why
}

// advance is Hold, but on an error the caller must undo what it has changed.
func (l *Lane) advance(tick, elapsed int64) (wait time.Duration, why Refusal) {
	past := tick > l.End
	if past && l.Last < l.First {
		return 0, pastEnd
	}
	tick = l.within(tick)
	l.paid = elapsed + l.debt(elapsed)
	follows := l.Last-tick > l.Patience && l.turn(tick)
	switch {
	case tick > l.Last || follows: // rules 1 and 3
		l.Last, l.Used = tick, 1
	case l.Used < l.PerTick: // rule 2
		l.Used++
	default: // rule 2, and the tick is full
		l.Last, l.Used = l.Last+1, 1
		l.pay(tick, elapsed)
	}
	switch {
	case l.Last > l.End:
		return 0, AtEnd
	case l.Last > l.Limit:
		return 0, Withheld
	}
	return l.wait(tick, elapsed, past), Given
}

// pay adds the cost of the latest id's tick to what the lane owes, up to maxDebt. A tick costs its
// length, and twice that if it is more than MaxAhead ahead, so that the wall clock catches up. It does only if
// of two ticks that are taken at one moment the second costs something too: so maxDebt exceeds one wait.
func (l *Lane) pay(tick, elapsed int64) {
	cost := min(l.Length, l.maxDebt)
	if l.Last-tick > l.aheadTicks {
		cost *= 2
	}
	l.paid = max(l.paid, min(l.paid+cost, elapsed+l.maxDebt))
}

// wait returns how long the latest id must wait: until the wall clock, which is in the given tick, is
// within MaxAhead of it, or until the debt is, whichever is sooner, but at most maxWait. A time past the end
// of the format does not tell when the former will be.
func (l *Lane) wait(tick, elapsed int64, past bool) time.Duration {
	over, due := l.Last-tick-l.aheadTicks, min(l.debt(elapsed)-l.maxAhead, int64(maxWait))
	if due <= 0 || over <= 0 && !past {
		return 0
	}
	if over <= due/l.Length && !past { // over*l.length may overflow
		due = over * l.Length
	}
	return max(time.Duration(due), minSleep)
}

// MayGoOn reports whether the limit leaves room for an id, at some time of the wall clock. Versions 1 and 6 may
// follow the wall clock back below the limit, so they always may: judged by the lane alone, they would sleep for ever.
func (l *Lane) MayGoOn() bool {
	return l.Patience != Forever || l.Last < l.Limit || l.Last == l.Limit && l.Used < l.PerTick
}

// within returns the tick in the format that a tick of the wall clock is taken for: the first one
// for an earlier one, and the tick of the latest id for one past the end.
func (l *Lane) within(tick int64) int64 {
	if tick > l.End {
		return l.Last
	}
	return max(tick, l.First)
}

// turn reports whether the lane goes back to tick, with its next clock sequence if it has one. It stays where it is
// if that tick may have ids of the next sequence, and goes above all its ticks if there is no next one.
func (l *Lane) turn(tick int64) bool {
	s := &l.Sequence
	switch {
	case !l.Sequenced:
		return true
	case tick <= s.floor:
		return false
	case s.free == 0:
		s.rise(l.Last)
		l.Last, l.Used = s.Top, l.PerTick // which is full, so that the next id is above all
		return false
	}
	s.turn(l.Last)
	return true
}

// debt returns what is still to be paid, in ns. That is at most maxDebt when elapsed is read, and
// elapsed may be AnchorLife old. If it is more, the process's clock has gone back, for example from
// one testing/synctest bubble to the next, and nothing is owed.
func (l *Lane) debt(elapsed int64) int64 {
	debt := l.paid - elapsed
	if debt > l.maxDebt+int64(AnchorLife) {
		return 0
	}
	return max(debt, 0)
}

// Try is Hold if the id needs no waiting and is not ahead of the wall clock by more than MaxAhead.
// Otherwise it returns the reason, and the lane is as it was.
func (l *Lane) Try(tick, elapsed int64) Refusal {
	if l.Take(tick) {
		return Given
	}
	was := *l
	wait, why := l.advance(tick, elapsed)
	tick = l.within(tick)
	if why == Given && wait == 0 && l.Last-tick <= l.aheadTicks {
		return Given
	}
	*l = was
	switch {
	case why != Given:
		return why
	// Load puts a lane ahead by what it owes. The rest is a step back of the wall clock.
	case wait == 0 || l.Last-tick-l.debt(elapsed)/l.Length > l.aheadTicks:
		return ClockBehind
	}
	return Exhausted
}

// The 14 bits of the clock sequence of versions 1 and 6 are a sequence, which changes when the
// lane follows the wall clock back, and the place of the id in its tick.
const (
	placeBits    = 2
	PlacesInTick = 1 << placeBits
	Sequences    = 1 << 12
)

// A sequence is the clock sequence of version 1 or of version 6. A tick and a sequence never meet
// twice: once all sequences have been used, ids go on above all ticks, and the floor rises.
type sequence struct {
	current uint64 // 12 bits
	started bool
	free    int   // how many have not been used since the floor was set
	floor   int64 // a tick up to here may have ids of any sequence
	Top     int64 // the latest tick before the lane last went back
}

// Start starts the sequence at random bits, unless it has started.
func (s *sequence) Start(bits uint64) {
	if !s.started {
		s.current, s.started, s.free = bits%Sequences, true, Sequences-1
	}
}

// turn takes the next sequence for a lane that goes back from tick last.
func (s *sequence) turn(last int64) {
	s.current = (s.current + 1) % Sequences
	s.free--
	s.Top = max(s.Top, last)
}

// rise makes the highest tick that was ever issued the floor. Above it no sequence has been used.
func (s *sequence) rise(last int64) {
	s.Top = max(s.Top, last)
	s.floor, s.free = s.Top, Sequences-1
}

// Field returns the 14 bits of the id that is number used of its tick.
func (s *sequence) Field(used int64) uint64 { return s.current<<placeBits | uint64(used-1) }

// NewLane returns a lane of the ticks first to end, in which no id has been made, and which begins after start. Its ids may
// be ahead of the wall clock by maxAhead.
func NewLane(s Scale, first, end, perTick int64, patience, maxAhead time.Duration, start time.Time) Lane {
	l := Lane{Scale: s, First: first, End: end, PerTick: perTick, Patience: Forever,
		maxAhead: int64(maxAhead), maxDebt: int64(maxAhead + 2*maxWait),
		Last: min(max(first-1, s.At(NewReading(start))), end), Used: perTick, Limit: end}
	l.aheadTicks, _ = s.ticks(maxAhead)
	if patience != Forever {
		n, exact := s.ticks(max(patience, maxAhead, AnchorLife)) // a reading may be this old
		if !exact {
			n++ // the wall clock's tick is rounded down
		}
		l.Patience = n
	}
	l.Sequence.floor, l.Sequence.Top = l.Last, l.Last
	return l
}
