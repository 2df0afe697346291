package rule

import (
	"math"
	"time"
)

const (
	never    = math.MaxInt64          // tolerance of a lane that never goes back
	maxWait  = 20 * time.Millisecond  // longest time that one call waits for the wall clock
	minSleep = 100 * time.Microsecond // shortest sleep of a call that must sleep
)

// A Lane assigns ticks to the IDs of one format on one clock. The IDs of one tick have different
// numbers.
type Lane struct {
	last      int64 // tick of the latest ID; before scale.first if there is none
	count     int64 // number of IDs taken in that tick
	limit     int64 // last tick that the clock's limit allows
	perTick   int64 // capacity of a tick, in IDs
	scale     Scale
	sequence  sequence
	paidUntil int64 // elapsed time at which the debt is paid off, in ns

	tolerance  int64 // in ticks
	aheadTicks int64 // allowance ahead of the wall clock, in whole ticks
	maxAhead   int64 // the same allowance in ns
	maxDebt    int64 // maxAhead plus two consecutive waits of maxWait, in ns
	sequenced  bool  // IDs contain the clock sequence
}

// NewLane returns a lane with perTick IDs in each tick of s. perTick must be a power of two. All
// IDs are in ticks after the given time. They may be ahead of the wall clock by maxAhead. A lane
// whose tolerance is the longest Duration never follows the wall clock back. The IDs of any other
// lane contain the clock sequence.
func NewLane(s Scale, perTick int64, tolerance, maxAhead time.Duration, after time.Time) Lane {
	l := newLane(s, perTick, tolerance, maxAhead, after)
	l.sequenced = true
	return l
}

// newLane is like NewLane, but without a clock sequence.
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
	l.sequence = sequence{unused: sequences - 1, floor: l.last, top: l.last}
	return l
}

// Take takes the next ID in the tick of now, the wall clock's time. It fails if that tick is before
// the latest ID's, is after the limit or is full, and always on an odd scale. An ID that Take has
// taken need not wait. If taken is false, nothing has changed, and the caller must call Next. Take
// is separate from Next so that it can be inlined.
func (l *Lane) Take(now Reading) (taken bool) {
	return l.take(l.scale.whole(now)) // on an odd scale, the tick is noTick, after every limit
}

// take is like Take, but is given the wall clock's tick.
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

// Next takes the next ID at the wall clock time now, when the process's clock has run for elapsed
// ns. The caller must let wait pass before it returns the ID.
func (l *Lane) Next(now Reading, elapsed int64) (wait time.Duration, refusal Refusal) {
	tick := l.scale.at(now)
	if l.take(tick) { // Take fails on an odd scale
		return 0, Given
	}
	return l.nextFrom(tick, elapsed)
}

// TryNext is like Next, but refuses an ID that would have to wait or would be further ahead of the
// wall clock than allowed.
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
	// Load puts a lane ahead by its debt. Any further distance is a step back of the wall clock.
	case wait == 0 || l.last-tick-l.debt(elapsed)/l.scale.length > l.aheadTicks:
		return ClockBehind
	}
	return Exhausted
}

// TakeMore takes up to n more IDs in the latest ID's tick and returns the number taken. Call it
// after an ID that need not wait; these IDs then need not wait either.
func (l *Lane) TakeMore(n int) int {
	n = int(min(int64(n), l.perTick-l.count))
	l.count += int64(n)
	return n
}

// Newest returns the tick and the number of the latest ID. The number is the ID's index in the
// tick, with the clock sequence above it if the lane has one. (With + instead of |, the compiler
// adds to a count that was just stored, which takes longer.)
func (l *Lane) Newest() (tick, number int64) { return l.last, l.sequence.base | (l.count - 1) }

// Latest returns the start of the latest tick that the lane has ever reached. ok reports whether
// there is one.
func (l *Lane) Latest() (t time.Time, ok bool) {
	tick := max(l.last, l.sequence.top)
	return l.scale.Time(tick), tick >= l.scale.first
}

// SetLimit makes the lane refuse IDs whose tick is after t's.
func (l *Lane) SetLimit(t time.Time) { l.limit = min(l.scale.at(NewReading(t)), l.scale.last) }

// MayGoOn reports whether the limit leaves room for an ID at some time of the wall clock. It is
// always true for versions 1 and 6, because they may follow the wall clock back below the limit. If
// it compared only last with limit, their calls would sleep forever.
func (l *Lane) MayGoOn() bool {
	return l.tolerance != never || l.last < l.limit || l.last == l.limit && l.count < l.perTick
}

// nextFrom is like Next, but is given the wall clock's tick.
func (l *Lane) nextFrom(tick, elapsed int64) (wait time.Duration, refusal Refusal) {
	before := *l
	wait, refusal = l.advance(tick, elapsed)
	if refusal != Given {
		*l = before
	}
	return wait, refusal
}

// advance is like nextFrom, but after a refusal the caller must undo its changes.
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

// inFormat returns the tick that the lane uses for a tick of the wall clock. It is the first tick
// of the format for an earlier tick, the latest ID's tick for a tick past the end, and otherwise
// the tick itself.
func (l *Lane) inFormat(tick int64) int64 {
	if tick > l.scale.last {
		return l.last
	}
	return max(tick, l.scale.first)
}

// pay adds the cost of the latest ID's tick to the debt, up to maxDebt. A tick costs its length, or
// twice its length if it is further ahead than allowed, so that the wall clock catches up. That
// works only if the second of two ticks taken at the same moment costs something too, so maxDebt
// exceeds maxWait.
func (l *Lane) pay(tick, elapsed int64) {
	cost := min(l.scale.length, l.maxDebt)
	if l.last-tick > l.aheadTicks {
		cost *= 2
	}
	l.paidUntil = max(l.paidUntil, min(l.paidUntil+cost, elapsed+l.maxDebt))
}

// debt returns the debt in ns. It is at most maxDebt when elapsed is read, and elapsed may be
// MaxAge old. If it is larger than maxDebt and MaxAge together, the process's clock has gone back,
// for example from one testing/synctest bubble to the next, and there is no debt.
func (l *Lane) debt(elapsed int64) int64 {
	debt := l.paidUntil - elapsed
	if debt > l.maxDebt+int64(MaxAge) {
		return 0
	}
	return max(debt, 0)
}

// wait returns the time that the latest ID must wait until its tick is within the allowance of the
// wall clock's tick, or until the debt is within the allowance, whichever is sooner. It is at most
// maxWait. If the wall clock is past the end of the format, its tick does not determine the first
// of these waits, so only the debt counts.
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

// followBack reports whether the lane goes back to tick, with its next clock sequence if it has
// one. The lane does not go back if tick may contain IDs of the next sequence. If all sequences are
// used, it moves above all ticks that it has reached instead.
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
		s.floor, s.unused = s.top, sequences-1 // no sequence has been used above top
		l.last, l.count = s.top, l.perTick     // full, so that the next ID is above all others
		return false
	}
	s.base = (s.base + l.perTick) % (sequences * l.perTick)
	s.unused--
	return true
}

// sequences is the number of clock sequences. A sequence takes the 12 bits above an ID's number in
// its tick.
const sequences = 1 << 12

// A sequence is the clock sequence of version 1 or 6. No tick is used with the same sequence twice.
// Once all sequences have been used, IDs continue above all ticks, and the floor rises.
type sequence struct {
	base   int64 // number of the first ID in a tick: the current sequence times perTick
	unused int64 // number of sequences not used since the floor was set
	floor  int64 // last tick that may contain IDs of any sequence
	top    int64 // latest tick before the lane last went back
}
