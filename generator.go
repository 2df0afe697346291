package ids

// What makes UUIDs and ULIDs: Generator, where the bits of an id come from, runs of ids.

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/oneclock/ids/internal/anchor"
	"github.com/oneclock/ids/internal/random"
	"github.com/oneclock/ids/internal/rule"
)

// Generator makes UUIDs and ULIDs. The package-level functions use a default one. It is safe for concurrent
// use. Make one with [NewGenerator]; methods that need a clock or a node ID panic on the zero value.
type Generator struct {
	ulid rule.Tail // guarded by the mutex of clock; first, so that what follows is on cache lines that no call writes to

	clock  *Clock
	source *source // nil: internal/random

	fixedNode uint64        // the node of the options, or 0
	node      atomic.Uint64 // of versions 1, 2 and 6: 48 bits; 0 before it is needed
	atCalls   atomic.Uint32 // of NewV1At and NewV6At

	_ [96]byte // so that each generator begins on a cache line of its own
}

// GeneratorOptions are the options of [NewGenerator]. The zero value is the default.
type GeneratorOptions struct {
	// Clock is the clock of the generator. Nil means the default clock, which the package-level
	// functions use.
	Clock *Clock

	// Random is the source of random bytes. Nil means crypto/rand. It is read for each id, one Read at a time,
	// and must not call the generator. If a Read fails, the constructor panics with an error that wraps the
	// reader's, or [io.ErrUnexpectedEOF] if the reader ends within an id; the next call tries again. Two
	// generators of one clock that read the same bytes can make the same ULIDs.
	Random io.Reader

	// NodeID is the node ID of versions 1, 2 and 6. The zero value means 6 random bytes with the multicast bit
	// set (RFC 9562, Section 6.10), drawn when the first such id is made. Give each clock, and so each process,
	// its own: with one node ID, two can make the same ids. A restart
	// is a new clock, too: see package [github.com/oneclock/ids/clockfile].
	NodeID [6]byte

	// ULIDMonotonic makes each ULID of a millisecond the previous one plus 1, as the specification has it. Such
	// ULIDs can be guessed from each other. By default the step is random, up to 2^48.
	ULIDMonotonic bool
}

// NewGenerator returns a new generator. Nil options mean the default.
func NewGenerator(opts *GeneratorOptions) *Generator {
	opts = cmp.Or(opts, new(GeneratorOptions))
	g := &Generator{clock: cmp.Or(opts.Clock, defaultClock)}
	mustBe(g.clock.nodes != nil, "Clock")
	if opts.Random != nil {
		g.source = &source{r: opts.Random}
	}
	var node [8]byte
	copy(node[2:], opts.NodeID[:])
	g.fixedNode = binary.BigEndian.Uint64(node[:])
	g.ulid = rule.NewTail(ulidScale, ulidRandom, opts.ULIDMonotonic, g.clock.tolerance, g.clock.maxAhead)
	return g
}

// NodeID returns the node ID of versions 1, 2 and 6.
func (g *Generator) NodeID() (node [6]byte) {
	bits := g.fixedNode
	if bits == 0 {
		bits = g.nodeBits()
	}
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], bits)
	return [6]byte(b[2:])
}

// nodeBits returns the 48 bits of the node.
func (g *Generator) nodeBits() uint64 {
	if node := g.node.Load(); node != 0 {
		return node
	}
	return g.drawNodeID()
}

// drawNodeID draws the node, unless it is given, and starts the clock sequences at random.
func (g *Generator) drawNodeID() uint64 {
	mustBe(g.clock != nil, "Generator")
	c := g.clock
	hi, lo := g.bits(16)
	c.mu.Lock()
	defer c.mu.Unlock()
	if node := g.node.Load(); node != 0 {
		return node // another call was faster
	}
	const multicast = 1 << 40 // the least bit of the first byte
	node := cmp.Or(g.fixedNode, hi>>16|multicast)
	if !c.started {
		c.v1Start, c.v6Start, c.started = lo*gregorianPerTick, lo>>32*gregorianPerTick, true
	}
	g.atCalls.Store(uint32(hi))
	g.node.Store(node)
	return node
}

// These serve the package-level functions. Making them reads the process's clock once.
var (
	defaultClock     = NewClock(nil)
	defaultGenerator = NewGenerator(nil)
)

// Reseed drops the random bytes drawn in advance. Call it first in each copy of a virtual machine that was
// cloned or restored, and in each child of a fork without exec, which Go does not support. Before it, copies
// can make the same version 4 UUIDs, and, reading the same time, the same version 7 UUIDs and ULIDs. After it,
// the next version 7 UUID and ULID take a later tick, or, if none is within MaxAhead of the wall clock, a
// random part far above the latest, as far as the tick has room.
//
// Reseed changes no node number, node ID or clock sequence, and no bytes of a call in progress: see
// [SECURITY.md]. Where nobody can call it, import package [github.com/oneclock/ids/nostock].
//
// [SECURITY.md]: https://github.com/oneclock/ids/blob/main/SECURITY.md#what-copies-of-a-machine-share
func Reseed() { random.Reseed() }

// source draws the bits of ids from a reader.
type source struct {
	mu  sync.Mutex
	r   io.Reader
	buf [16]byte // here, so that it is not allocated for each id
}

// draw reads n bytes, the lowest of hi and lo. It panics if it cannot.
func (s *source) draw(n int) (hi, lo uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer clear(s.buf[:])
	if _, err := io.ReadFull(s, s.buf[len(s.buf)-n:]); err != nil {
		panic(fmt.Errorf("ids: reading GeneratorOptions.Random: %w", err))
	}
	return binary.BigEndian.Uint64(s.buf[:8]), binary.BigEndian.Uint64(s.buf[8:])
}

// Read reads from the reader, and gives up on one that returns nothing.
func (s *source) Read(p []byte) (n int, err error) {
	for range 100 {
		n, err = s.r.Read(p)
		switch {
		case n < 0 || n > len(p):
			return 0, errors.New("impossible count of bytes")
		case n > 0 || err != nil:
			return n, err
		}
	}
	return 0, io.ErrNoProgress
}

// drawsEach reports whether each id draws its bits for itself: from Random, or because nothing may be in stock.
func (g *Generator) drawsEach() bool { return g.source != nil || random.Stockless() }

// bits returns 128 random bits. If Random is injected, only the last n bytes of them are.
func (g *Generator) bits(n int) (hi, lo uint64) {
	if g.source != nil {
		return g.source.draw(n)
	}
	return random.Uint128()
}

// words sets each word of dst to 64 random bits.
func (g *Generator) words(dst []uint64) {
	if g.source != nil {
		for i := range dst {
			_, dst[i] = g.source.draw(8)
		}
		return
	}
	b := random.Get()
	b.Words(dst)
	random.Put(b)
}

// next returns the tick and the random part of the next id of t. If Random is injected, it draws n bytes. It panics if there is
// no such id.
//
// If the mutex is free, the bits are the next ones of the clock's block, which takes less time. A call that finds the mutex
// taken draws its bits itself before it waits: so each holds the mutex for less time. If the mutex is still taken then, calls
// collide, and the call sets crowded. While that is set, all calls draw their bits before they lock, so that no block
// moves from one processor's cache to another's. About one ID in a thousand clears it, so that a goroutine that is alone
// again is soon at full speed.
func (g *Generator) next(t *rule.Tail, n int) (tick, hi, lo uint64) {
	c := g.clock
	epoch := random.Epoch() // before any bits are drawn
	drawn := g.drawsEach() || c.crowded.Load()
	if drawn {
		hi, lo = g.bits(n) // without the mutex, since to read may take long
		// These bits of hi are in no ID. Those of an injected reader may be the same each time.
		if hi>>54 == 0 && g.source == nil && c.crowded.Load() {
			c.crowded.Store(false)
		}
	}
	injected := c.anchor.Injected()
	elapsed := c.anchor.SinceBase()
	stocked := !drawn && c.mu.TryLock()
	if stocked && !c.block.Ready() {
		c.restock()
		stocked = false
	}
	switch {
	case stocked:
	case drawn:
		c.mu.Lock()
	default:
		hi, lo = g.bits(n) // which a Reseed by another goroutine does not discard
		if !c.mu.TryLock() {
			c.crowded.Store(true)
			c.mu.Lock()
		}
	}
	now, serves := c.anchor.Read(elapsed)
	if !serves {
		now, elapsed = c.anchor.ReadAnew(injected)
	}
	if stocked {
		lo = c.block.Uint64()
	}
	var wait time.Duration
	if !t.Take(now, epoch, lo) {
		upper, fromBlock := hi, stocked // of their own, so that hi and stocked are kept in registers
		var why rule.Refusal
		wait, why = t.Next(now, elapsed, epoch, lo, func() uint64 {
			if fromBlock {
				upper = c.block.Uint64()
			}
			return upper
		})
		if why != rule.Given {
			err := c.reason(why)
			c.mu.Unlock()
			panic(err) // no limit binds a tail
		}
	}
	tick, hi, lo = t.Newest()
	c.mu.Unlock()
	waitForClock(wait)
	return tick, hi, lo
}

const pieceLen = 256 // ids of a run that are made under one lock at most

// A run makes many ids of a tail with one reading of the clock.
type run struct {
	g      *Generator
	tail   *rule.Tail
	sample anchor.Sample // of an injected clock

	latest rule.Tail // as the latest id of the run left it; the zero value at first

	epoch      uint64               // of the words, or an earlier one
	words      [1 + pieceLen]uint64 // random: the first for the upper bits, the others for the lower ones
	next, last int                  // those before last have been drawn, and those before next used
}

// piece makes up to n ids that have the tick and the upper bits of their random parts in common,
// and waits if they must. It returns the lower bits, which serve until the next call. It panics if there is no next id.
func (r *run) piece(n int) (tick, hi uint64, lo []uint64) {
	if r.next == r.last {
		r.next, r.last = 1, 1+min(n, pieceLen)
		r.epoch = random.Epoch()
		r.g.words(r.words[:r.last])
	}
	lo = r.words[r.next:r.last]
	done, wait := r.take(lo)
	r.next += done
	waitForClock(wait)
	tick, hi, _ = r.latest.Newest()
	return tick, hi, lo[:done]
}

// take makes words the lower bits of ids, as many as the tail gives in one piece.
func (r *run) take(words []uint64) (done int, wait time.Duration) {
	c := r.g.clock
	now, elapsed := c.enter(r.sample)
	defer c.mu.Unlock()
	done, wait, why := r.tail.Run(&r.latest, now, elapsed, r.epoch, r.words[0], words)
	if why != rule.Given {
		panic(c.reason(why))
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
