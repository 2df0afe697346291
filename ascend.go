package ids

import (
	"slices"
	"time"

	"github.com/oneclock/ids/internal/random"
	"github.com/oneclock/ids/internal/rule"
)

// next returns the tick and the random part of the next id of t. If Random is injected, it draws
// n bytes. It panics if there is no such id.
func (g *Generator) next(t *rule.Tail, n int) (tick, hi, lo uint64) {
	c := g.clock
	epoch := random.Epoch() // before any bits are drawn
	now, elapsed, drawn := g.enter(n)
	lo = drawn.takeLo()
	at := t.Multiply(now) // t.at(now): in the scale of each tail, a second is a whole number of ticks
	if epoch != t.Epoch {
		t.Reseed(epoch, at, lo)
	}
	var wait time.Duration
	var why rule.Refusal
	if !t.Take(at) {
		wait, why = t.Hold(at, elapsed)
	}
	if why == rule.Given && !t.Fresh() && !t.Raise(lo) {
		t.Close()
		wait, why = t.Hold(at, elapsed)
	}
	if why != rule.Given {
		err := c.reason(why)
		c.mu.Unlock()
		panic(err) // no limit binds a tail
	}
	if t.Fresh() {
		if t.MaxHi != 0 {
			hi = drawn.takeHi()
		}
		t.Renew(hi, lo)
	}
	tick, hi, lo = uint64(t.Last), t.Hi, t.Lo
	c.mu.Unlock()
	waitForClock(wait)
	return tick, hi, lo
}

const pieceLen = 256 // ids of a run that are minted under one lock at most

// A run mints many ids of a tail with one reading of the clock.
type run struct {
	g      *Generator
	tail   *rule.Tail
	sample sample // of an injected clock

	latest rule.Tail // as the latest id of the run left it; the zero value at first

	epoch   uint64               // of the words, or an earlier one
	words   [1 + pieceLen]uint64 // random: the first for hi, the others for lo
	at, end int                  // those not yet used
}

// started reports whether the run has ids.
func (r *run) started() bool { return r.latest.PerTick != 0 }

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
	return uint64(r.latest.Last), r.latest.Hi, words[:done]
}

// mint makes random words the lower bits of ids, up to the first id that must wait or has other
// upper bits, and returns how many. It panics if there is no next id.
func (r *run) mint(words []uint64) (done int, wait time.Duration) {
	c, t := r.g.clock, r.tail
	now, elapsed := c.enter(r.sample)
	defer c.mu.Unlock()
	at := t.At(now)
	if r.epoch != t.Epoch {
		t.Reseed(r.epoch, at, words[0])
	}
	// If not, another call has followed the wall clock back, and the run stays in order by itself.
	leading := !r.started() || !t.Before(&r.latest)
	var why rule.Refusal
	switch {
	case !r.started() && !t.Take(at):
		wait, why = t.Hold(at, elapsed)
	case !leading:
		t = &r.latest
	}
	if why == rule.Given && !t.Fresh() && (t.Closed() || !t.Raise(words[0])) {
		// The tick is full, and here too the run does not follow: a wall clock that is behind by more than
		// the patience counts as behind by just that.
		tick := max(at, t.Last-t.Patience)
		t.Close()
		wait, why = t.Hold(tick, elapsed)
	}
	if why != rule.Given {
		panic(c.reason(why))
	}
	if t.Fresh() {
		t.Renew(r.words[0], words[0])
	}
	lo := t.Lo
	words[0], done = lo, 1
	for ; done < len(words) && wait == 0; done++ {
		next := lo + t.Step(words[done])
		if next < lo || next > t.MaxLo {
			break
		}
		words[done], lo = next, next
	}
	t.Lo = lo
	r.latest = *t
	if leading {
		r.latest.Close() // other calls may issue what follows in this tick
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

// idBits are the bits of one id of a tail: those that its call has drawn, or the next ones of the clock's block, which
// takes less time.
type idBits struct {
	hi, lo uint64
	block  *random.Block // nil if the call has drawn hi and lo
}

// enter is enter of the clock, with the bits of an id at hand. If its call has to draw them, these are as those of
// bits, and the mutex is not held meanwhile, since to read may take long.
func (g *Generator) enter(n int) (now rule.Reading, elapsed int64, b idBits) {
	c := g.clock
	if g.apart() {
		b.hi, b.lo = g.bits(n)
		now, elapsed = c.enter(c.injected())
		return now, elapsed, b
	}
	injected := c.injected()
	now, elapsed = c.enter(injected)
	if c.block.Ready() {
		b.block = c.block
		return now, elapsed, b
	}
	c.restock()
	b.hi, b.lo = g.bits(n) // which a Reseed by another goroutine does not discard
	now, elapsed = c.enter(injected)
	return now, elapsed, b
}

// takeHi and takeLo return 64 bits each, and may be called once. The mutex is held.
func (b *idBits) takeHi() uint64 {
	if b.block != nil {
		return b.block.Uint64()
	}
	return b.hi
}

func (b *idBits) takeLo() uint64 {
	if b.block != nil {
		return b.block.Uint64()
	}
	return b.lo
}
