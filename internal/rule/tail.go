package rule

import (
	"cmp"
	"math/bits"
	"time"
)

// A Tail is the lane of a format whose ids end in random bits. They are fresh for the first id of a tick. For each later one
// they are raised by a random stride, so that ids ascend and do not reveal their neighbours (RFC 9562, Section 6.2,
// method 2). No limit binds it.
type Tail struct {
	tick   int64  // of hi and lo
	epoch  uint64 // the latest one of random bytes that an id was made in
	hi, lo uint64 // the random part of the latest id
	lane   Lane   // begins with what changes with each id: together that is in two cache lines

	maxHi, maxLo     uint64 // the largest random part
	freshHi, freshLo uint64 // the largest fresh one: half of that, so that strides fit above it
	strideMask       uint64 // the largest stride less 1, a power of two less 1
}

// unlimited is how many ids a tick holds, if random bits make them unique. One more is an int64 too.
const unlimited = 1<<63 - 2

// NewTail returns a tail whose ids end in width random bits, 62 or 80, with random strides of up to 2^48, or, if it is
// monotonic, strides of 1.
func NewTail(s Scale, width int, monotonic bool, tolerance, maxAhead time.Duration) Tail {
	t := Tail{lane: newLane(s, unlimited, tolerance, maxAhead, time.Time{}), maxLo: 1<<min(width, 64) - 1, strideMask: 1<<48 - 1}
	t.maxHi = 1<<max(width-64, 0) - 1
	t.freshHi, t.freshLo = t.maxHi>>1, t.maxLo
	if t.maxHi == 0 {
		t.freshLo >>= 1
	}
	if monotonic {
		t.strideMask = 0
	}
	t.tick = t.lane.last
	return t
}

// Take is Take of a lane, with 64 random bits, which were drawn in the given epoch. If ids have more random bits, it takes none
// that is the first of its tick. It is apart from Next, and calls nothing, so that no register goes to the stack and back
// while the mutex is held.
func (t *Tail) Take(now Reading, epoch, word uint64) (taken bool) {
	l := &t.lane
	last, count := l.last, l.count
	if epoch != t.epoch || !l.Take(now) {
		return false
	}
	switch {
	case !t.firstOfTick():
		if t.raise(word) {
			return true
		}
	case t.maxHi == 0:
		t.begin(0, word)
		return true
	}
	l.last, l.count = last, count
	return false
}

// Next is Next of a lane, with 64 random bits, which were drawn in the given epoch: Reseed begins a new one. If ids have more
// random bits, and this one is the first of its tick, upper returns them.
func (t *Tail) Next(now Reading, elapsed int64, epoch, word uint64, upper func() uint64) (wait time.Duration, why Refusal) {
	l := &t.lane
	if epoch != t.epoch {
		t.reseed(epoch, l.scale.at(now), word)
	}
	if !l.Take(now) {
		wait, why = l.Next(now, elapsed)
	}
	if why == Given && !t.firstOfTick() && !t.raise(word) {
		t.fill()
		wait, why = l.Next(now, elapsed)
	}
	if why != Given || !t.firstOfTick() {
		return wait, why
	}
	var hi uint64
	if t.maxHi != 0 {
		hi = upper()
	}
	t.begin(hi, word)
	return wait, Given
}

// Newest returns the tick and the random part of the latest id: 64 bits are in lo.
func (t *Tail) Newest() (tick, hi, lo uint64) { return uint64(t.lane.last), t.hi, t.lo }

// Run takes ids that have the tick and hi in common: as many as there are words, up to the first that must wait or has
// another hi, but one at least. It makes the words their lower bits. latest is t as the latest id of the run left it, a zero
// Tail at first, and hi is random.
func (t *Tail) Run(latest *Tail, now Reading, elapsed int64, epoch, hi uint64, words []uint64) (done int, wait time.Duration, why Refusal) {
	tick := t.lane.scale.at(now)
	if epoch != t.epoch {
		t.reseed(epoch, tick, words[0])
	}
	from, starts := t, latest.lane.perTick == 0
	// If it does not lead, another call has followed the wall clock back, and the run stays in order by itself.
	leads := starts || !t.before(latest)
	switch {
	case starts && !t.lane.Take(now):
		wait, why = t.lane.Next(now, elapsed)
	case !leads:
		from = latest
	}
	switch {
	case why != Given || from.firstOfTick():
	case !from.full() && from.raise(words[0]):
		if !starts {
			wait = from.lane.wait(tick, elapsed) // another call may have taken this tick, and waits for it
		}
	default:
		// The tick is full, and here too the run does not follow: a wall clock that is behind by more than
		// the tolerance counts as behind by just that.
		from.fill()
		wait, why = from.lane.nextFrom(max(tick, from.lane.last-from.lane.tolerance), elapsed)
	}
	if why != Given {
		return 0, 0, why
	}
	if from.firstOfTick() {
		from.begin(hi, words[0])
	}
	done = from.raiseEach(words, wait == 0)
	*latest = *from
	if leads {
		latest.fill() // other calls may make what follows in this tick
	}
	return done, wait, Given
}

// raiseEach makes the first word, and if more is true as many others as there is room for, the lower bits of ids from the
// latest one on, and returns how many.
func (t *Tail) raiseEach(words []uint64, more bool) (done int) {
	lo := t.lo
	words[0], done = lo, 1
	for ; done < len(words) && more; done++ {
		next := lo + t.stride(words[done])
		if next < lo || next > t.maxLo {
			break
		}
		words[done], lo = next, next
	}
	t.lo = lo
	return done
}

// firstOfTick reports whether the latest id is the first of its tick, and has no random part yet.
func (t *Tail) firstOfTick() bool { return t.tick != t.lane.last }

// begin makes a random part from random bits.
func (t *Tail) begin(hi, lo uint64) { t.tick, t.hi, t.lo = t.lane.last, hi&t.freshHi, lo&t.freshLo }

// fill has the next id take a later tick.
func (t *Tail) fill() { t.lane.count = t.lane.perTick }

// full reports whether the next id takes a later tick.
func (t *Tail) full() bool { return t.lane.count == t.lane.perTick }

// reseed keeps the next id apart from those of copies of the process, which go on from the same random part, once
// Reseed was called, and the epoch is a later one. The id takes a later tick. If there is none, or if it would be further
// ahead of the wall clock, which is in the given tick, than allowed, the random part leaps instead, as far as it has
// room: a loop of Reseed delays hardly any id.
func (t *Tail) reseed(epoch uint64, tick int64, word uint64) {
	if epoch < t.epoch {
		return // another call has begun later, and was faster
	}
	t.epoch = epoch
	later := t.lane.last < t.lane.scale.last && t.lane.last-tick < t.lane.aheadTicks
	if later || !t.leap(word) {
		t.fill()
	}
}

// before reports whether the latest id of t is smaller than that of u.
func (t *Tail) before(u *Tail) bool {
	return cmp.Or(cmp.Compare(t.lane.last, u.lane.last), cmp.Compare(t.hi, u.hi), cmp.Compare(t.lo, u.lo)) < 0
}

// stride returns a stride, from 1 to 2^48, of a random word.
func (t *Tail) stride(word uint64) uint64 { return (word>>16)&t.strideMask + 1 }

// raise raises the random part by a stride from a random word, and reports whether it fits.
func (t *Tail) raise(word uint64) (fits bool) { return t.add(0, t.stride(word)) }

// leap is raise by some 1/512 of the largest random part, on average.
func (t *Tail) leap(word uint64) (fits bool) {
	if t.maxHi == 0 {
		return t.add(0, word>>10)
	}
	return t.add(word>>56, word<<8)
}

// add adds to the random part, and reports whether it fits.
func (t *Tail) add(hi, lo uint64) (fits bool) {
	lo, carry := bits.Add64(t.lo, lo, 0)
	hi += t.hi + carry
	if hi > t.maxHi || lo > t.maxLo {
		return false
	}
	t.hi, t.lo = hi, lo
	return true
}
