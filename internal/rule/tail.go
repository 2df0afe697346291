package rule

import (
	"cmp"
	"math/bits"
	"time"
)

// A Tail is the lane of a scheme whose ids end in random bits: 62 in version 7 and 80 in ULID. They
// are fresh for the first id of a tick. For each later one they are raised by a random stride, so
// that ids ascend and do not reveal their neighbours (RFC 9562, Section 6.2, method 2).
//
// Version 7 has one tail for each Clock, since the ids of all its generators ascend together. ULID has one for each
// Generator, whose option ULIDMonotonic decides the strides.
type Tail struct {
	Lane
	MaxHi, MaxLo     uint64 // the largest random part
	freshHi, freshLo uint64 // the largest fresh one: half of that, so that strides fit above it
	StrideMask       uint64 // the largest stride less 1, a power of two less 1

	tick   int64  // of hi and lo
	Epoch  uint64 // the latest one of random bytes that an id was minted in
	Hi, Lo uint64 // the random part of the latest id
}

// Fresh reports whether the next id is the first of its tick.
func (t *Tail) Fresh() bool { return t.tick != t.Last }

// Close has the next id take a later tick.
func (t *Tail) Close() { t.Used = t.PerTick }

// Reseed keeps the next id apart from those of copies of the process, which go on from the same random part, once
// Reseed was called, and the epoch is a later one. The id takes a later tick. If there is none, or if it would be more
// than MaxAhead ahead of the wall clock, which is in the given tick, the random part leaps instead, as far as it has
// room: a loop of Reseed delays hardly any id.
func (t *Tail) Reseed(epoch uint64, tick int64, word uint64) {
	if epoch < t.Epoch {
		return // another call has begun later, and was faster
	}
	t.Epoch = epoch
	later := t.Last < t.End && t.Last-tick < t.aheadTicks
	if later || !t.leap(word) {
		t.Close()
	}
}

// Closed reports whether the next id takes a later tick.
func (t *Tail) Closed() bool { return t.Used == t.PerTick }

// Before reports whether the latest id of t is smaller than that of u.
func (t *Tail) Before(u *Tail) bool {
	return cmp.Or(cmp.Compare(t.Last, u.Last), cmp.Compare(t.Hi, u.Hi), cmp.Compare(t.Lo, u.Lo)) < 0
}

// Step returns a stride, from 1 to 2^48, of a random word.
func (t *Tail) Step(word uint64) uint64 { return (word>>16)&t.StrideMask + 1 }

// Renew makes a random part from random bits.
func (t *Tail) Renew(hi, lo uint64) {
	t.tick, t.Hi, t.Lo = t.Last, hi&t.freshHi, lo&t.freshLo
}

// Raise raises the random part by a stride from a random word, and reports whether it fits.
func (t *Tail) Raise(word uint64) (fits bool) { return t.add(0, t.Step(word)) }

// leap is raise by some 1/512 of the largest random part, on average.
func (t *Tail) leap(word uint64) (fits bool) {
	if t.MaxHi == 0 {
		return t.add(0, word>>10)
	}
	return t.add(word>>56, word<<8)
}

// add adds to the random part, and reports whether it fits.
func (t *Tail) add(hi, lo uint64) (fits bool) {
	lo, carry := bits.Add64(t.Lo, lo, 0)
	hi += t.Hi + carry
	if hi > t.MaxHi || lo > t.MaxLo {
		return false
	}
	t.Hi, t.Lo = hi, lo
	return true
}

// NewTail returns a tail in which no id has been made, with random strides of up to 2^48. maxHi and maxLo are the largest
// random part.
func NewTail(s Scale, end int64, maxHi, maxLo uint64, patience, maxAhead time.Duration) Tail {
	t := Tail{MaxHi: maxHi, MaxLo: maxLo, freshHi: maxHi >> 1, freshLo: maxLo, StrideMask: 1<<48 - 1}
	if maxHi == 0 {
		t.freshLo >>= 1
	}
	t.Lane = NewLane(s, 0, end, unlimited, patience, maxAhead, time.Time{})
	t.tick = t.Last
	return t
}
