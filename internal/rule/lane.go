package rule

import (
	"math"
	"time"
)

const (
	never    = math.MaxInt64          // the tolerance of a lane that never goes back
	maxWait  = 20 * time.Millisecond  // the longest that one call waits for the wall clock
	minSleep = 100 * time.Microsecond // the shortest that a call sleeps, if it must
)

// A Lane gives the ids of one format on one clock their ticks. Ids of one tick are told apart by their number.
type Lane struct {
	last      int64 // the tick of the latest id; before first if there is none
	count     int64 // how many ids that tick has given
	limit     int64 // the last tick that the limit of the clock allows
	perTick   int64 // how many ids a tick holds
	scale     Scale
	sequence  sequence
	paidUntil int64 // the time at which the ticks taken are paid for, in ns of the elapsed time

	tolerance  int64 // in ticks
	aheadTicks int64 // the allowance ahead of the wall clock, in whole ticks
	maxAhead   int64 // the same in ns
	maxDebt    int64 // in ns: maxAhead, and what two calls pay that wait for maxWait one after the other
	sequenced  bool  // the ids have the clock sequence in them
}

// NewLane returns a lane with perTick ids, a power of two, in each tick of s, all of which are after the given time. They may
// be ahead of the wall clock by maxAhead. A lane whose tolerance is the longest Duration never follows the wall clock back. Any
// other has the clock sequence.
func NewLane(s Scale, perTick int64, tolerance, maxAhead time.Duration, after time.Time) Lane {
	l := newLane(s, perTick, tolerance, maxAhead, after)
	l.sequenced = true
	return l
}

// newLane is NewLane without a clock sequence.
func newLane(s Scale, perTick int64, tolerance, maxAhead time.Duration, after time.Time) Lane {
	maxAhead = min(maxAhead, MaxElapsed)
	l := Lane{scale: s, perTick: perTick, tolerance: never, maxAhead: int64(maxAhead), maxDebt: int64(maxAhead + 2*maxWait)}
	l.aheadTicks, _ = s.ticks(maxAhead)
	if tolerance != never {
		n, exact := s.ticks(max(tolerance, maxAhead, MaxAge)) // a reading may be this old
		if !exact {
			n++ // the wall clock's tick is rounded down
		}
		l.tolerance = n
	}
	l.last, l.count, l.limit = min(max(l.scale.first-1, s.at(NewReading(after))), l.scale.last), perTick, l.scale.last
	l.sequence = sequence{free: sequences - 1, floor: l.last, top: l.last}
	return l
}

// Take takes the next id, if the lane can simply go with the wall clock, which shows now: then the call need not wait. If taken
// is false, nothing has changed: call Next. Take is apart from Next so that it is inlined.
func (l *Lane) Take(now Reading) (taken bool) {
	return l.take(l.scale.whole(now)) // of an odd scale, a tick after the limit
}

// take is Take in a tick of the wall clock.
func (l *Lane) take(tick int64) (taken bool) {
	count := l.count + 1
	if tick > l.last {
		count = 1
	}
	if tick < l.last || tick > l.limit || count > l.perTick {
		return false
	}
	l.last, l.count = tick, count
	return true
}

// Next takes the next id, when the wall clock shows now and the process's clock has run for elapsed ns. The caller must let
// wait pass before it hands the id out.
func (l *Lane) Next(now Reading, elapsed int64) (wait time.Duration, why Refusal) {
	tick := l.scale.at(now)
	if l.take(tick) { // which Take does not, if the scale is odd
		return 0, Given
	}
	return l.nextFrom(tick, elapsed)
}

// TryNext is Next if the id need not wait and is not further ahead of the wall clock than allowed.
func (l *Lane) TryNext(now Reading, elapsed int64) Refusal {
	if l.Take(now) {
		return Given
	}
	tick := l.scale.at(now)
	if l.take(tick) {
		return Given
	}
	was := *l
	wait, why := l.advance(tick, elapsed)
	tick = l.inFormat(tick)
	if why == Given && wait == 0 && l.last-tick <= l.aheadTicks {
		return Given
	}
	*l = was
	switch {
	case why != Given:
		return why
	// Load puts a lane ahead by what it owes. The rest is a step back of the wall clock.
	case wait == 0 || l.last-tick-l.debt(elapsed)/l.scale.length > l.aheadTicks:
		return ClockBehind
	}
	return Exhausted
}

// TakeMore takes up to n more ids in the tick of the latest one, and returns how many. Call it after an id that need not
// wait: then they need not either.
func (l *Lane) TakeMore(n int) int {
	n = int(min(int64(n), l.perTick-l.count))
	l.count += int64(n)
	return n
}

// Newest returns the tick of the latest id, and its number: its place in the tick, from 0 on, and above that, if the lane has
// one, the clock sequence. (With + in place of |, the compiler adds to a count that was just stored, which takes longer.)
func (l *Lane) Newest() (tick, number int64) { return l.last, l.sequence.base | (l.count - 1) }

// Latest returns the start of the latest tick that the lane has ever been in. ok is false if there is none.
func (l *Lane) Latest() (t time.Time, ok bool) {
	tick := max(l.last, l.sequence.top)
	return l.scale.Time(tick), tick >= l.scale.first
}

// SetLimit has the lane give no id whose tick is after that of t.
func (l *Lane) SetLimit(t time.Time) { l.limit = min(l.scale.at(NewReading(t)), l.scale.last) }

// MayGoOn reports whether the limit leaves room for an id, at some time of the wall clock. Versions 1 and 6 may
// follow the wall clock back below the limit, so they always may: judged by the lane alone, they would sleep for ever.
func (l *Lane) MayGoOn() bool {
	return l.tolerance != never || l.last < l.limit || l.last == l.limit && l.count < l.perTick
}

// nextFrom is Next in a tick of the wall clock.
func (l *Lane) nextFrom(tick, elapsed int64) (wait time.Duration, why Refusal) {
	was := *l
	wait, why = l.advance(tick, elapsed)
	if why != Given {
		*l = was
	}
	return wait, why
}

// advance is nextFrom, but on a refusal the caller must undo what it has changed.
func (l *Lane) advance(tick, elapsed int64) (wait time.Duration, why Refusal) {
	if tick > l.scale.last && l.last < l.scale.first {
		return 0, PastEnd
	}
	at := l.inFormat(tick)
	l.paidUntil = elapsed + l.debt(elapsed)
	follows := l.last-at > l.tolerance && l.turn(at)
	switch {
	case at > l.last || follows: // rules 1 and 3
		l.last, l.count = at, 1
	case l.count < l.perTick: // rule 2
		l.count++
	default: // rule 2, and the tick is full
		l.last, l.count = l.last+1, 1
		l.pay(at, elapsed)
	}
	switch {
	case l.last > l.scale.last:
		return 0, AtEnd
	case l.last > l.limit:
		return 0, Withheld
	}
	return l.wait(tick, elapsed), Given
}

// inFormat returns the tick in the format that a tick of the wall clock is taken for: the first one
// for an earlier one, and the tick of the latest id for one past the end.
func (l *Lane) inFormat(tick int64) int64 {
	if tick > l.scale.last {
		return l.last
	}
	return max(tick, l.scale.first)
}

// pay adds the cost of the latest id's tick to what the lane owes, up to maxDebt. A tick costs its
// length, and twice that if it is further ahead than allowed, so that the wall clock catches up. It does only if
// of two ticks that are taken at one moment the second costs something too: so maxDebt exceeds one wait.
func (l *Lane) pay(tick, elapsed int64) {
	cost := min(l.scale.length, l.maxDebt)
	if l.last-tick > l.aheadTicks {
		cost *= 2
	}
	l.paidUntil = max(l.paidUntil, min(l.paidUntil+cost, elapsed+l.maxDebt))
}

// debt returns what is still to be paid, in ns. That is at most maxDebt when elapsed is read, and
// elapsed may be MaxAge old. If it is more, the process's clock has gone back, for example from
// one testing/synctest bubble to the next, and nothing is owed.
func (l *Lane) debt(elapsed int64) int64 {
	debt := l.paidUntil - elapsed
	if debt > l.maxDebt+int64(MaxAge) {
		return 0
	}
	return max(debt, 0)
}

// wait returns how long the latest id must wait: until the wall clock, which is in the given tick, is
// within the allowance of it, or until the debt is, whichever is sooner, but at most maxWait. A time past the end
// of the format does not tell when the former will be.
func (l *Lane) wait(tick, elapsed int64) time.Duration {
	past := tick > l.scale.last
	over, due := l.last-max(tick, l.scale.first)-l.aheadTicks, min(l.debt(elapsed)-l.maxAhead, int64(maxWait))
	if due <= 0 || over <= 0 && !past {
		return 0
	}
	if over <= due/l.scale.length && !past { // over*l.scale.length may overflow
		due = over * l.scale.length
	}
	return max(time.Duration(due), minSleep)
}

// turn reports whether the lane goes back to tick, with its next clock sequence if it has one. It stays where it is
// if that tick may have ids of the next sequence, and goes above all its ticks if there is no next one.
func (l *Lane) turn(tick int64) bool {
	s := &l.sequence
	switch {
	case !l.sequenced:
		return true
	case tick <= s.floor:
		return false
	}
	s.top = max(s.top, l.last)
	if s.free == 0 {
		s.floor, s.free = s.top, sequences-1 // above top no sequence has been used
		l.last, l.count = s.top, l.perTick   // which is full, so that the next id is above all
		return false
	}
	s.base = (s.base + l.perTick) % (sequences * l.perTick)
	s.free--
	return true
}

// sequences is how many clock sequences there are: 12 bits above the number of an id in its tick.
const sequences = 1 << 12

// A sequence is the clock sequence of version 1 or of version 6. A tick and a sequence never meet
// twice: once all sequences have been used, ids go on above all ticks, and the floor rises.
type sequence struct {
	base  int64 // the number of the first id of a tick, if it is of the current sequence: that times perTick
	free  int64 // how many have not been used since the floor was set
	floor int64 // a tick up to here may have ids of any sequence
	top   int64 // the latest tick before the lane last went back
}
