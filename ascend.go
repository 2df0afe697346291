package ids

import (
	"slices"
	"time"

	"github.com/oneclock/ids/internal/random"
)

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

// idBits are the bits of one id of a tail: those that its call has drawn, or the next ones of the clock's block, which
// takes less time.
type idBits struct {
	hi, lo uint64
	block  *random.Block // nil if the call has drawn hi and lo
}

// enter is enter of the clock, with the bits of an id at hand. If its call has to draw them, these are as those of
// bits, and the mutex is not held meanwhile, since to read may take long.
func (g *Generator) enter(n int) (now reading, elapsed int64, b idBits) {
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
