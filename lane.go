package ids

import "time"

const (
	unlimited = 1<<63 - 2              // ids in a tick, if random bits make them unique: one more is an int64 too
	forever   = 1<<63 - 1              // patience
	maxWait   = 20 * time.Millisecond  // the longest that one call waits for the wall clock
	minSleep  = 100 * time.Microsecond // the shortest that a call sleeps, if it must
)

// A lane gives the ids of one scheme on one clock their ticks. It compares the tick of the wall
// clock with the tick of the latest id:
//
//  1. Later: it goes with the wall clock.
//  2. The same, or earlier by at most its patience: it stays in the tick of the latest id. If that
//     is full, it takes the next one and pays for it.
//  3. Earlier by more: it goes with the wall clock again, versions 1 and 6 with their next clock
//     sequence.
type lane struct {
	scale
	first, end int64 // the first and the last tick that the format can name
	perTick    int64 // how many ids a tick holds
	patience   int64 // in ticks
	aheadTicks int64 // MaxAhead, in whole ticks
	maxAhead   int64 // MaxAhead, in ns
	maxDebt    int64 // in ns: MaxAhead, and what two calls pay that wait for maxWait one after the other
	sequenced  bool  // the ids have the clock sequence in them

	last  int64 // the tick of the latest id; before first if there is none
	used  int64 // how many ids that tick has given
	limit int64 // the last tick that the limit of the clock allows
	paid  int64 // the time at which the ticks taken are paid for, in ns since the base of the clock

	sequence sequence
}

// take gives the next id its tick, l.last, and its place there, l.used-1, if the wall clock is in the
// given tick and the lane can simply go with it. If not, nothing has changed, and hold is to be called. It is
// apart from hold so that it is inlined.
func (l *lane) take(tick int64) (taken bool) {
	used := l.used + 1
	if tick > l.last {
		used = 1
	}
	if tick < l.last || tick > l.limit || used > l.perTick {
		return false
	}
	l.last, l.used = tick, used
	return true
}

// hold is take for any lane, when the clock has run for elapsed nanoseconds. The caller must let wait pass
// before it returns the id. On an error the lane is as it was.
func (l *lane) hold(tick, elapsed int64) (wait time.Duration, err error) {
	was := *l
	wait, err = l.advance(tick, elapsed)
	if err != nil {
		*l = was
	}
	return wait, err
}

// advance is hold, but on an error the caller must undo what it has changed.
func (l *lane) advance(tick, elapsed int64) (wait time.Duration, err error) {
	past := tick > l.end
	if past && l.last < l.first {
		return 0, errPast
	}
	tick = l.within(tick)
	l.paid = elapsed + l.debt(elapsed)
	follows := l.last-tick > l.patience && l.turn(tick)
	switch {
	case tick > l.last || follows: // rules 1 and 3
		l.last, l.used = tick, 1
	case l.used < l.perTick: // rule 2
		l.used++
	default: // rule 2, and the tick is full
		l.last, l.used = l.last+1, 1
		l.pay(tick, elapsed)
	}
	switch {
	case l.last > l.end:
		return 0, errEnd
	case l.last > l.limit:
		return 0, ErrWithheld
	}
	return l.wait(tick, elapsed, past), nil
}

// pay adds the cost of the latest id's tick to what the lane owes, up to maxDebt. A tick costs its
// length, and twice that if it is more than MaxAhead ahead, so that the wall clock catches up. It does only if
// of two ticks that are taken at one moment the second costs something too: so maxDebt exceeds one wait.
func (l *lane) pay(tick, elapsed int64) {
	cost := min(l.length, l.maxDebt)
	if l.last-tick > l.aheadTicks {
		cost *= 2
	}
	l.paid = max(l.paid, min(l.paid+cost, elapsed+l.maxDebt))
}

// wait returns how long the latest id must wait: until the wall clock, which is in the given tick, is
// within MaxAhead of it, or until the debt is, whichever is sooner, but at most maxWait. A time past the end
// of the format does not tell when the former will be.
func (l *lane) wait(tick, elapsed int64, past bool) time.Duration {
	over, due := l.last-tick-l.aheadTicks, min(l.debt(elapsed)-l.maxAhead, int64(maxWait))
	if due <= 0 || over <= 0 && !past {
		return 0
	}
	if over <= due/l.length && !past { // over*l.length may overflow
		due = over * l.length
	}
	return max(time.Duration(due), minSleep)
}

// mayGoOn reports whether the limit leaves room for an id, at some time of the wall clock. Versions 1 and 6 may
// follow the wall clock back below the limit, so they always may: judged by the lane alone, they would sleep for ever.
func (l *lane) mayGoOn() bool {
	return l.patience != forever || l.last < l.limit || l.last == l.limit && l.used < l.perTick
}

// within returns the tick in the format that a tick of the wall clock is taken for: the first one
// for an earlier one, and the tick of the latest id for one past the end.
func (l *lane) within(tick int64) int64 {
	if tick > l.end {
		return l.last
	}
	return max(tick, l.first)
}

// turn reports whether the lane goes back to tick, with its next clock sequence if it has one. It stays where it is
// if that tick may have ids of the next sequence, and goes above all its ticks if there is no next one.
func (l *lane) turn(tick int64) bool {
	s := &l.sequence
	switch {
	case !l.sequenced:
		return true
	case tick <= s.floor:
		return false
	case s.free == 0:
		s.rise(l.last)
		l.last, l.used = s.top, l.perTick // which is full, so that the next id is above all
		return false
	}
	s.turn(l.last)
	return true
}

// debt returns what is still to be paid, in ns. That is at most maxDebt when elapsed is read, and
// elapsed may be anchorLife old. If it is more, the process's clock has gone back, for example from
// one testing/synctest bubble to the next, and nothing is owed.
func (l *lane) debt(elapsed int64) int64 {
	debt := l.paid - elapsed
	if debt > l.maxDebt+int64(anchorLife) {
		return 0
	}
	return max(debt, 0)
}

// try is hold if the id needs no waiting and is not ahead of the wall clock by more than MaxAhead.
// Otherwise it returns the reason, and the lane is as it was.
func (l *lane) try(tick, elapsed int64) error {
	if l.take(tick) {
		return nil
	}
	was := *l
	wait, err := l.advance(tick, elapsed)
	tick = l.within(tick)
	if err == nil && wait == 0 && l.last-tick <= l.aheadTicks {
		return nil
	}
	*l = was
	switch {
	case err != nil:
		return err
	// Load puts a lane ahead by what it owes. The rest is a step back of the wall clock.
	case wait == 0 || l.last-tick-l.debt(elapsed)/l.length > l.aheadTicks:
		return ErrClockBehind
	}
	return ErrExhausted
}

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
