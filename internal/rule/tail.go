package rule

// This file contains the Tail, which adds the random bits of version 7 UUIDs and ULIDs to a Lane.

import (
	"cmp"
	"math/bits"
	"time"
)

// A Tail is a Lane for a format whose IDs end in random bits. The first ID in a tick has fresh
// random bits. For each later ID in that tick, a random stride is added to the bits of the previous
// ID, so that IDs ascend and do not reveal their neighbors (RFC 9562, Section 6.2, method 2). The
// clock's limit does not apply to a Tail.
type Tail struct {
	// The first fields, up to lane.count, change with each ID. They fit on one cache line.

	tick       int64  // tick to which hi and lo belong
	generation uint64 // latest generation whose random bits were used; see Next
	hi, lo     uint64 // random part of the latest ID
	lane       Lane

	maxHi, maxLo uint64 // largest random part
	// freshHi and freshLo hold the largest fresh random part. It is half of the largest random
	// part, which leaves room for adding strides.
	freshHi, freshLo uint64
	strideMask       uint64 // largest stride minus 1; the largest stride is a power of two
}

// unlimited is the perTick of a lane whose IDs are made unique by their random bits. The sum of
// unlimited and 1 still fits in an int64.
const unlimited = 1<<63 - 2

// NewTail returns a Tail for IDs that end in width random bits. width must be 62 or 80. Strides are
// random and at most 2^48. If monotonic is true, every stride is 1.
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

// Take is like [Lane.Take], but also sets the random part of the ID. word contains 64 random bits,
// drawn in the given generation. If IDs have more than 64 random bits, and the next ID is the first
// in its tick, Take returns false. If taken is false, the Tail is unchanged, and the caller must
// call Next. Take is separate from Next, and all calls in it are inlined, so that no register is
// saved to the stack while the mutex is held.
func (t *Tail) Take(now Reading, generation, word uint64) (taken bool) {
	l := &t.lane
	last, count := l.last, l.count
	if generation != t.generation || !l.Take(now) {
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

// Next is like [Lane.Next], but also sets the random part of the ID. word contains 64 random bits,
// drawn in the given generation. Each call to Reseed begins a new generation. If IDs have more than
// 64 random bits, and this ID is the first in its tick, Next calls upper to get the remaining bits.
func (t *Tail) Next(now Reading, elapsed int64, generation, word uint64, upper func() uint64) (wait time.Duration, refusal Refusal) {
	l := &t.lane
	if generation != t.generation {
		t.reseed(generation, l.scale.at(now), word)
	}
	if !l.Take(now) {
		wait, refusal = l.Next(now, elapsed)
	}
	if refusal == Given && !t.firstOfTick() && !t.raise(word) {
		t.markFull()
		wait, refusal = l.Next(now, elapsed)
	}
	if refusal != Given || !t.firstOfTick() {
		return wait, refusal
	}
	var hi uint64
	if t.maxHi != 0 {
		hi = upper()
	}
	t.begin(hi, word)
	return wait, Given
}

// Newest returns the tick and the random part of the latest ID. lo contains the low 64 bits of the
// random part, and hi contains the other bits.
func (t *Tail) Newest() (tick, hi, lo uint64) { return uint64(t.lane.last), t.hi, t.lo }

// Run takes one or more IDs that have the same tick and the same high bits in their random parts.
// For each ID, it sets one element of words to the low bits of the random part. done is the number
// of IDs. If there is a next ID, Run takes it. If the caller must wait for that ID, Run takes no
// others. Otherwise, it takes an ID for each element of words, but stops before an ID whose tick or
// high bits would differ.
//
// hi and words contain random bits. The parameter generation is the number of calls to Reseed
// before these bits were drawn. A run can consist of several calls, all of which get the same
// latest. Run stores in it the state of the Tail after the run's latest ID. Before the run's first
// ID, it is the zero Tail.
func (t *Tail) Run(latest *Tail, now Reading, elapsed int64, generation, hi uint64, words []uint64) (done int, wait time.Duration, refusal Refusal) {
	tick := t.lane.scale.at(now)
	if generation != t.generation {
		t.reseed(generation, tick, words[0])
	}
	from, starts := t, latest.lane.perTick == 0
	// If leads is false, another call has moved the Tail back to an earlier tick. This run then
	// continues from its own latest ID, so that its IDs ascend.
	leads := starts || !t.before(latest)
	switch {
	case starts && !t.lane.Take(now):
		wait, refusal = t.lane.Next(now, elapsed)
	case !leads:
		from = latest
	}
	switch {
	case refusal != Given || from.firstOfTick():
	case !from.full() && from.raise(words[0]):
		if !starts {
			// Another call may have begun this tick and may still be waiting for it.
			wait = from.lane.wait(tick, elapsed)
		}
	default:
		// The tick is full. The run does not return to an earlier tick here, either. If the wall
		// clock is behind by more than the tolerance, it is treated as being behind by exactly the
		// tolerance.
		from.markFull()
		wait, refusal = from.lane.nextFrom(max(tick, from.lane.last-from.lane.tolerance), elapsed)
	}
	if refusal != Given {
		return 0, 0, refusal
	}
	if from.firstOfTick() {
		from.begin(hi, words[0])
	}
	done = from.raiseEach(words, wait == 0)
	*latest = *from
	if leads {
		latest.markFull() // other calls may take the next IDs in this tick
	}
	return done, wait, Given
}

// raiseEach sets words[0] to the low bits of the latest ID. If more is true, it also takes an ID
// for each remaining word and sets the word to the low bits of that ID. It stops before the low
// bits would overflow. It returns the number of words that it has set.
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

// firstOfTick reports whether the latest ID is the first in its tick and has no random part yet.
func (t *Tail) firstOfTick() bool { return t.tick != t.lane.last }

// begin sets the random part of the first ID in a tick from the random bits hi and lo.
func (t *Tail) begin(hi, lo uint64) { t.tick, t.hi, t.lo = t.lane.last, hi&t.freshHi, lo&t.freshLo }

// markFull marks the tick as full, so that the next ID takes a later tick.
func (t *Tail) markFull() { t.lane.count = t.lane.perTick }

// full reports whether the tick is full, so that the next ID takes a later tick.
func (t *Tail) full() bool { return t.lane.count == t.lane.perTick }

// reseed makes the next ID differ from the IDs of copies of the process, which continue from the
// same random part. It has an effect only if the given generation is later than t.generation,
// because Reseed has been called. tick is the wall clock's tick.
//
// The next ID takes a later tick. If there is none, or if that tick would be further ahead of the
// wall clock than allowed, a large random number is added to the random part instead, so that
// calling Reseed in a loop hardly ever delays an ID. If the sum does not fit, the tick is marked as
// full.
func (t *Tail) reseed(generation uint64, tick int64, word uint64) {
	if generation < t.generation {
		return // a call that began later has overtaken this one
	}
	t.generation = generation
	later := t.lane.last < t.lane.scale.last && t.lane.last-tick < t.lane.aheadTicks
	if later || !t.leap(word) {
		t.markFull()
	}
}

// before reports whether the latest ID of t is smaller than the latest ID of u.
func (t *Tail) before(u *Tail) bool {
	return cmp.Or(cmp.Compare(t.lane.last, u.lane.last), cmp.Compare(t.hi, u.hi), cmp.Compare(t.lo, u.lo)) < 0
}

// stride returns a stride computed from a random word. It is from 1 to 2^48, or always 1 if the
// tail is monotonic.
func (t *Tail) stride(word uint64) uint64 { return (word>>16)&t.strideMask + 1 }

// raise computes a stride from a random word and adds it to the random part. It reports whether the
// sum fits. If the sum does not fit, the random part is unchanged.
func (t *Tail) raise(word uint64) (fits bool) { return t.add(0, t.stride(word)) }

// leap is like raise, but the number that it adds is, on average, about 1/512 of the largest random
// part.
func (t *Tail) leap(word uint64) (fits bool) {
	if t.maxHi == 0 {
		return t.add(0, word>>10)
	}
	return t.add(word>>56, word<<8)
}

// add adds hi and lo to the random part. It reports whether the sum fits. If the sum does not fit,
// the random part is unchanged.
func (t *Tail) add(hi, lo uint64) (fits bool) {
	lo, carry := bits.Add64(t.lo, lo, 0)
	hi += t.hi + carry
	if hi > t.maxHi || lo > t.maxLo {
		return false
	}
	t.hi, t.lo = hi, lo
	return true
}
