package rule

// This file contains the Lane, which decides the tick of each ID and how long its call must wait.

import (
	"math"
	"time"
)

const (
	never    = math.MaxInt64          // tolerance of a lane whose ticks never decrease
	maxWait  = 20 * time.Millisecond  // maximum time for which a call waits for the wall clock
	minSleep = 100 * time.Microsecond // shortest sleep of a call that has to sleep
)

// A Lane assigns a tick and a number to each ID of one format on one clock. IDs with the same tick
// have different numbers.
type Lane struct {
	// last is the tick of the latest ID. Before the first ID, it is the tick of the time that was
	// passed to NewLane as after, or scale.first-1 if that is later.
	last      int64
	count     int64 // number of IDs taken in that tick
	limit     int64 // last tick that the clock's limit allows
	perTick   int64 // maximum number of IDs in a tick
	scale     Scale
	sequence  sequence
	paidUntil int64 // elapsed time at which the debt is paid off, in ns

	tolerance  int64 // largest step back for rule 2, in ticks
	aheadTicks int64 // allowed lead over the wall clock, in whole ticks
	maxAhead   int64 // the same lead in ns
	maxDebt    int64 // maxAhead plus two consecutive waits of maxWait, in ns
	sequenced  bool  // IDs contain the clock sequence
}

// NewLane returns a lane that assigns up to perTick IDs to each tick of s. perTick must be a power
// of two. All IDs have ticks after the given time. They can be up to maxAhead ahead of the wall
// clock. If tolerance is the maximum Duration, the lane never returns to an earlier tick.
// Otherwise, its IDs contain the clock sequence.
func NewLane(s Scale, perTick int64, tolerance, maxAhead time.Duration, after time.Time) Lane {
	l := newLane(s, perTick, tolerance, maxAhead, after)
	l.sequenced = true
	return l
}

// newLane is like NewLane, but the lane has no clock sequence.
func newLane(s Scale, perTick int64, tolerance, maxAhead time.Duration, after time.Time) Lane {
	maxAhead = min(maxAhead, MaxElapsed)
	l := Lane{scale: s, perTick: perTick, tolerance: never, maxAhead: int64(maxAhead), maxDebt: int64(maxAhead + 2*maxWait)}
	l.aheadTicks, _ = s.ticks(maxAhead)
	if tolerance != never {
		n, exact := s.ticks(max(tolerance, maxAhead, MaxAge)) // a reading may be up to MaxAge old
		if !exact {
			n++ // the wall clock's tick is rounded down
		}
		l.tolerance = n
	}
	l.last, l.count, l.limit = min(max(l.scale.first-1, s.at(NewReading(after))), l.scale.last), perTick, l.scale.last
	l.sequence = sequence{unused: sequences - 1, floor: l.last, top: l.last}
	return l
}

// Take takes the next ID in the wall clock's tick. now is the wall clock's time. Take fails if that
// tick is before the latest ID's tick, after the limit or full. It always fails on an odd scale. If
// Take succeeds, the caller can return the ID without waiting. If taken is false, the lane is
// unchanged, and the caller must call Next. Take is separate from Next so that the compiler can
// inline it.
func (l *Lane) Take(now Reading) (taken bool) {
	// On an odd scale, the tick is noTick, which is after every limit.
	return l.take(l.scale.whole(now))
}

// take is like Take, but its parameter is the wall clock's tick.
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

// Next takes the next ID. now is the wall clock's time, and elapsed is the time on the process's
// monotonic clock, in ns. wait is the time for which the caller must wait before it returns the ID.
func (l *Lane) Next(now Reading, elapsed int64) (wait time.Duration, refusal Refusal) {
	tick := l.scale.at(now)
	if l.take(tick) { // unlike Take, take also works on an odd scale
		return 0, Given
	}
	return l.nextFrom(tick, elapsed)
}

// TryNext is like Next, but takes no ID if the caller would have to wait, or if the ID would be
// further ahead of the wall clock than allowed.
func (l *Lane) TryNext(now Reading, elapsed int64) Refusal {
	if l.Take(now) {
		return Given
	}
	tick := l.scale.at(now)
	if l.take(tick) {
		return Given
	}
	before := *l
	wait, refusal := l.advance(tick, elapsed)
	tick = l.inFormat(tick)
	if refusal == Given && wait == 0 && l.last-tick <= l.aheadTicks {
		return Given
	}
	*l = before
	switch {
	case refusal != Given:
		return refusal
	// Under load, a lane is ahead of the wall clock by the ticks that make up its debt. If the
	// latest ID is further ahead than that, the wall clock was set back, has stopped or is before
	// the time that was passed as after.
	case wait == 0 || l.last-tick-l.debt(elapsed)/l.scale.length > l.aheadTicks:
		return ClockBehind
	}
	return Exhausted
}

// TakeMore takes up to n more IDs in the latest ID's tick and returns the number taken. Call it
// only if the caller need not wait for the latest ID. Then the caller need not wait for these IDs,
// either.
func (l *Lane) TakeMore(n int) int {
	n = int(min(int64(n), l.perTick-l.count))
	l.count += int64(n)
	return n
}

// Newest returns the tick and the number of the latest ID. The number is the ID's index within the
// tick. If the lane has a clock sequence, it occupies the bits above the index. (A + instead of the
// | would be slower, because the compiler would then add to a count that was just stored.)
func (l *Lane) Newest() (tick, number int64) { return l.last, l.sequence.base | (l.count - 1) }

// Latest returns the start of the latest tick that the lane has ever reached. ok reports whether
// there is such a tick.
func (l *Lane) Latest() (t time.Time, ok bool) {
	tick := max(l.last, l.sequence.top)
	return l.scale.Time(tick), tick >= l.scale.first
}

// SetLimit makes the lane refuse to assign IDs with a tick after the tick of t.
func (l *Lane) SetLimit(t time.Time) { l.limit = min(l.scale.at(NewReading(t)), l.scale.last) }

// MayGoOn reports whether there is a reading of the wall clock for which the limit allows another
// ID. The result is always true for versions 1 and 6, because they may return to a tick before the
// limit when the wall clock goes back. If MayGoOn only compared last with limit, calls for these
// versions would sleep forever.
func (l *Lane) MayGoOn() bool {
	return l.tolerance != never || l.last < l.limit || l.last == l.limit && l.count < l.perTick
}

// nextFrom is like Next, but its parameter is the wall clock's tick.
func (l *Lane) nextFrom(tick, elapsed int64) (wait time.Duration, refusal Refusal) {
	before := *l
	wait, refusal = l.advance(tick, elapsed)
	if refusal != Given {
		*l = before
	}
	return wait, refusal
}

// advance is like nextFrom, but the caller must restore the lane after a refusal.
func (l *Lane) advance(tick, elapsed int64) (wait time.Duration, refusal Refusal) {
	if tick > l.scale.last && l.last < l.scale.first {
		return 0, PastEnd
	}
	at := l.inFormat(tick)
	l.paidUntil = elapsed + l.debt(elapsed)
	follows := l.last-at > l.tolerance && l.followBack(at)
	switch {
	case at > l.last || follows: // rules 1 and 3
		l.last, l.count = at, 1
	case l.count < l.perTick: // rule 2
		l.count++
	default: // rule 2, if the tick is full
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

// inFormat returns the tick that the lane uses in place of the wall clock's tick. If that tick is
// before the range of the format, it is replaced by the first tick in range. If it is after the
// range, it is replaced by the latest ID's tick. Otherwise, it is returned unchanged.
func (l *Lane) inFormat(tick int64) int64 {
	if tick > l.scale.last {
		return l.last
	}
	return max(tick, l.scale.first)
}

// pay adds the cost of the latest ID's tick to the debt, up to maxDebt. The cost of a tick is its
// length, or twice its length if the tick is further ahead of the wall clock than allowed, so that
// the wall clock catches up. It catches up only if, of two ticks taken at the same moment, the
// second one increases the debt, too. Therefore, maxDebt exceeds maxWait.
func (l *Lane) pay(tick, elapsed int64) {
	cost := min(l.scale.length, l.maxDebt)
	if l.last-tick > l.aheadTicks {
		cost *= 2
	}
	l.paidUntil = max(l.paidUntil, min(l.paidUntil+cost, elapsed+l.maxDebt))
}

// debt returns the debt in ns. The debt is at most maxDebt when elapsed is read, but elapsed may be
// up to MaxAge old. A debt of more than maxDebt plus MaxAge means that the process's clock has gone
// back, for example between two testing/synctest bubbles. In that case, debt returns 0.
func (l *Lane) debt(elapsed int64) int64 {
	debt := l.paidUntil - elapsed
	if debt > l.maxDebt+int64(MaxAge) {
		return 0
	}
	return max(debt, 0)
}

// wait returns the time for which the caller must wait for the latest ID. The wait ends when the
// ID's tick is no further ahead of the wall clock than allowed, or when the debt no longer exceeds
// the allowed lead, whichever comes first. It is at most maxWait. If the wall clock is past the
// last tick of the format, the wait depends only on the debt.
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

// followBack reports whether the lane returns to the earlier tick. If the lane is sequenced, it
// then uses its next clock sequence. The lane does not return to a tick that may contain IDs with
// the next sequence. If all sequences have been used, the lane instead moves to the tick after the
// latest one that it has reached.
func (l *Lane) followBack(tick int64) bool {
	s := &l.sequence
	switch {
	case !l.sequenced:
		return true
	case tick <= s.floor:
		return false
	}
	s.top = max(s.top, l.last)
	if s.unused == 0 {
		s.floor, s.unused = s.top, sequences-1 // no sequence has been used in a tick after top
		l.last, l.count = s.top, l.perTick     // full, so that the next ID is in a later tick
		return false
	}
	s.base = (s.base + l.perTick) % (sequences * l.perTick)
	s.unused--
	return true
}

// sequences is the number of clock sequences. A sequence occupies the 12 bits above an ID's index
// within its tick.
const sequences = 1 << 12

// A sequence is the state of a version 1 or 6 clock sequence. When the lane returns to a tick, it
// uses a sequence that it has not used in that tick. Once all sequences have been used, the lane
// moves to the tick after the latest one that it has reached, and floor becomes the latest one.
type sequence struct {
	base   int64 // number of the first ID in a tick, which is the current sequence times perTick
	unused int64 // number of sequences not used since the floor was set
	floor  int64 // latest tick in which each sequence may already have been used
	top    int64 // latest tick reached before the lane last returned to an earlier one
}
