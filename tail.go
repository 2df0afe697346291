package ids

import (
	"cmp"
	"math/bits"
)

// A tail is the lane of a scheme whose ids end in random bits: 62 in version 7 and 80 in ULID. They
// are fresh for the first id of a tick. For each later one they are raised by a random stride, so
// that ids ascend and do not reveal their neighbours (RFC 9562, Section 6.2, method 2).
//
// Version 7 has one tail for each Clock, since the ids of all its generators ascend together. ULID has one for each
// Generator, whose option ULIDMonotonic decides the strides.
type tail struct {
	lane
	maxHi, maxLo     uint64 // the largest random part
	freshHi, freshLo uint64 // the largest fresh one: half of that, so that strides fit above it
	strideMask       uint64 // the largest stride less 1, a power of two less 1

	tick   int64  // of hi and lo
	epoch  uint64 // the latest one of random bytes that an id was minted in
	hi, lo uint64 // the random part of the latest id
}

// fresh reports whether the next id is the first of its tick.
func (t *tail) fresh() bool { return t.tick != t.last }

// close has the next id take a later tick.
func (t *tail) close() { t.used = t.perTick }

// reseed keeps the next id apart from those of copies of the process, which go on from the same random part, once
// Reseed was called, and the epoch is a later one. The id takes a later tick. If there is none, or if it would be more
// than MaxAhead ahead of the wall clock, which is in the given tick, the random part leaps instead, as far as it has
// room: a loop of Reseed delays hardly any id.
func (t *tail) reseed(epoch uint64, tick int64, word uint64) {
	if epoch < t.epoch {
		return // another call has begun later, and was faster
	}
	t.epoch = epoch
	later := t.last < t.end && t.last-tick < t.aheadTicks
	if later || !t.leap(word) {
		t.close()
	}
}

// closed reports whether the next id takes a later tick.
func (t *tail) closed() bool { return t.used == t.perTick }

// before reports whether the latest id of t is smaller than that of u.
func (t *tail) before(u *tail) bool {
	return cmp.Or(cmp.Compare(t.last, u.last), cmp.Compare(t.hi, u.hi), cmp.Compare(t.lo, u.lo)) < 0
}

// step returns a stride, from 1 to 2^48, of a random word.
func (t *tail) step(word uint64) uint64 { return (word>>16)&t.strideMask + 1 }

// renew makes a random part from random bits.
func (t *tail) renew(hi, lo uint64) {
	t.tick, t.hi, t.lo = t.last, hi&t.freshHi, lo&t.freshLo
}

// raise raises the random part by a stride from a random word, and reports whether it fits.
func (t *tail) raise(word uint64) (fits bool) { return t.add(0, t.step(word)) }

// leap is raise by some 1/512 of the largest random part, on average.
func (t *tail) leap(word uint64) (fits bool) {
	if t.maxHi == 0 {
		return t.add(0, word>>10)
	}
	return t.add(word>>56, word<<8)
}

// add adds to the random part, and reports whether it fits.
func (t *tail) add(hi, lo uint64) (fits bool) {
	lo, carry := bits.Add64(t.lo, lo, 0)
	hi += t.hi + carry
	if hi > t.maxHi || lo > t.maxLo {
		return false
	}
	t.hi, t.lo = hi, lo
	return true
}
