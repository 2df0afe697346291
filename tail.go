package ids

import (
	"cmp"
	"math/bits"
	"slices"
	"time"

	"github.com/oneclock/ids/internal/random"
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

// newTail returns a tail that has issued nothing, with random strides of up to 2^48.
func (c *Clock) newTail(s scale, end int64, maxHi, maxLo uint64) tail {
	t := tail{maxHi: maxHi, maxLo: maxLo, freshHi: maxHi >> 1, freshLo: maxLo, strideMask: 1<<48 - 1}
	if maxHi == 0 {
		t.freshLo >>= 1
	}
	t.lane = c.newLane(s, 0, end, unlimited, c.tolerance, time.Time{})
	t.tick = t.last
	return t
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

// next returns the tick and the random part of the next id of t. If Random is injected, it draws
// n bytes. It panics if there is no such id.
func (g *Generator) next(t *tail, n int) (tick, hi, lo uint64) {
	c := g.clock
	epoch := random.Epoch() // before any bits are drawn
	now, elapsed, drawn := g.enter(n)
	lo = drawn.takeLo()
	at := t.multiply(now) // t.at(now): in the scale of each tail, a second is a whole number of ticks
	if epoch != t.epoch {
		t.reseed(epoch, at, lo)
	}
	var wait time.Duration
	var err error
	if !t.take(at) {
		wait, err = t.hold(at, elapsed)
	}
	if err == nil && !t.fresh() && !t.raise(lo) {
		t.close()
		wait, err = t.hold(at, elapsed)
	}
	if err != nil {
		c.mu.Unlock()
		panic(err) // no limit binds a tail
	}
	if t.fresh() {
		if t.maxHi != 0 {
			hi = drawn.takeHi()
		}
		t.renew(hi, lo)
	}
	tick, hi, lo = uint64(t.last), t.hi, t.lo
	c.mu.Unlock()
	waitForClock(wait)
	return tick, hi, lo
}

const pieceLen = 256 // ids of a run that are minted under one lock at most

// A run mints many ids of a tail with one reading of the clock.
type run struct {
	g      *Generator
	tail   *tail
	sample sample // of an injected clock

	latest tail // as the latest id of the run left it; the zero value at first

	epoch   uint64               // of the words, or an earlier one
	words   [1 + pieceLen]uint64 // random: the first for hi, the others for lo
	at, end int                  // those not yet used
}

// started reports whether the run has ids.
func (r *run) started() bool { return r.latest.perTick != 0 }

// piece mints up to n ids that have the tick and the upper bits of their random parts in common,
// and waits if they must. It returns the lower bits, which serve until the next call.
func (r *run) piece(n int) (tick, hi uint64, lo []uint64) {
	if r.at == r.end {
		r.at, r.end = 1, 1+min(n, pieceLen)
		r.epoch = random.Epoch()
		r.g.words(r.words[:r.end])
	}
	words := r.words[r.at:r.end]
	done, wait := r.mint(words)
	r.at += done
	waitForClock(wait)
	return uint64(r.latest.last), r.latest.hi, words[:done]
}

// mint makes random words the lower bits of ids, up to the first id that must wait or has other
// upper bits, and returns how many. It panics if there is no next id.
func (r *run) mint(words []uint64) (done int, wait time.Duration) {
	c, t := r.g.clock, r.tail
	now, elapsed := c.enter(r.sample)
	defer c.mu.Unlock()
	at := t.at(now)
	if r.epoch != t.epoch {
		t.reseed(r.epoch, at, words[0])
	}
	// If not, another call has followed the wall clock back, and the run stays in order by itself.
	leading := !r.started() || !t.before(&r.latest)
	var err error
	switch {
	case !r.started() && !t.take(at):
		wait, err = t.hold(at, elapsed)
	case !leading:
		t = &r.latest
	}
	if err == nil && !t.fresh() && (t.closed() || !t.raise(words[0])) {
		// The tick is full, and here too the run does not follow: a wall clock that is behind by more than
		// the patience counts as behind by just that.
		tick := max(at, t.last-t.patience)
		t.close()
		wait, err = t.hold(tick, elapsed)
	}
	if err != nil {
		panic(err)
	}
	if t.fresh() {
		t.renew(r.words[0], words[0])
	}
	lo := t.lo
	words[0], done = lo, 1
	for ; done < len(words) && wait == 0; done++ {
		next := lo + t.step(words[done])
		if next < lo || next > t.maxLo {
			break
		}
		words[done], lo = next, next
	}
	t.lo = lo
	r.latest = *t
	if leading {
		r.latest.close() // other calls may issue what follows in this tick
	}
	return done, wait
}

// extend appends n zero elements to dst and returns the result and the new part.
func extend[T any](dst []T, n int) (all, added []T) {
	if n < 0 {
		panic("ids: negative number of ids")
	}
	dst = slices.Grow(dst, n)
	all = dst[:len(dst)+n]
	return all, all[len(dst):]
}
