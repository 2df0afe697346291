package ids

// Generator, which generates UUIDs and ULIDs; the source of their random bits; runs of IDs.

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

// Generator generates UUIDs and ULIDs. The package-level functions use a default one. It is safe
// for concurrent use. Create one with [NewGenerator]; methods that need a clock or a node ID panic
// on the zero value.
type Generator struct {
	// ulid is guarded by the clock's mutex. It is first, so that the fields below are on cache
	// lines to which a new ULID does not write.
	ulid rule.Tail

	clock  *Clock
	source *source // nil means internal/random

	fixedNode uint64        // node ID of the options, or 0
	node      atomic.Uint64 // node ID of versions 1, 2 and 6, 48 bits; 0 until it is needed
	atCalls   atomic.Uint32 // number of calls to NewV1At and NewV6At, from a random start

	_ [96]byte // so that each generator begins on its own cache line
}

// GeneratorOptions are the options of [NewGenerator]. The zero value is the default.
type GeneratorOptions struct {
	// Clock is the clock of the generator. Nil means the default clock, which the package-level
	// functions use.
	Clock *Clock

	// Random is the source of random bytes. Nil means crypto/rand. Random is read for each ID, one
	// Read at a time, and must not call the generator. If a Read fails, the constructor panics with
	// an error that wraps the reader's error, or [io.ErrUnexpectedEOF] if the reader ends within an
	// ID. The next call tries again. Two generators of one clock that read the same bytes can
	// generate the same ULIDs.
	Random io.Reader

	// NodeID is the node ID of versions 1, 2 and 6. The zero value means 6 random bytes with the
	// multicast bit set (RFC 9562, Section 6.10), which are drawn when the first such ID is
	// generated. Give each clock, and so each process, its own node ID, because two clocks with the
	// same one can generate the same IDs. After a restart, the clock is a new one, too; see package
	// [github.com/oneclock/ids/clockfile].
	NodeID [6]byte

	// ULIDMonotonic makes each ULID of a millisecond the previous one plus 1, as in the
	// specification. Such ULIDs can be guessed from each other. By default, the step is random, up
	// to 2^48.
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

// nodeBits returns the 48 bits of the node ID.
func (g *Generator) nodeBits() uint64 {
	if node := g.node.Load(); node != 0 {
		return node
	}
	return g.drawNodeID()
}

// drawNodeID sets the node ID to fixedNode or, if that is 0, to random bits. If the clock sequences
// have not been started, it starts them at random numbers.
func (g *Generator) drawNodeID() uint64 {
	mustBe(g.clock != nil, "Generator")
	c := g.clock
	hi, lo := g.bits(16)
	c.mu.Lock()
	defer c.mu.Unlock()
	if node := g.node.Load(); node != 0 {
		return node // another call has set it in the meantime
	}
	const multicast = 1 << 40 // the lowest bit of the first byte
	node := cmp.Or(g.fixedNode, hi>>16|multicast)
	if !c.started {
		c.v1Start, c.v6Start, c.started = lo*gregorianPerTick, lo>>32*gregorianPerTick, true
	}
	g.atCalls.Store(uint32(hi))
	g.node.Store(node)
	return node
}

// The package-level functions use these. Creating them reads the process's clock once.
var (
	defaultClock     = NewClock(nil)
	defaultGenerator = NewGenerator(nil)
)

// Reseed discards the random bytes drawn in advance. Call it first in each copy of a virtual
// machine that was cloned or restored, and in each child of a fork without exec, which Go does not
// support. Before the call, copies can generate the same version 4 UUIDs and, if they read the same
// time, the same version 7 UUIDs and ULIDs. After it, the next version 7 UUID and the next ULID
// take a later tick. If no later tick is within MaxAhead of the wall clock, they take a random part
// far above the latest one, if the tick has room for that.
//
// Reseed does not change node numbers, node IDs, clock sequences or the bytes of a call in
// progress; see [SECURITY.md]. If no code can call Reseed, import package
// [github.com/oneclock/ids/nostock].
//
// [SECURITY.md]: https://github.com/oneclock/ids/blob/main/SECURITY.md#what-copies-of-a-machine-share
func Reseed() { random.Reseed() }

// source draws the random bits of IDs from a reader.
type source struct {
	mu  sync.Mutex
	r   io.Reader
	buf [16]byte // a field, so that it is not allocated for each ID
}

// draw reads n bytes into the low bytes of hi and lo, big-endian. The other bytes are zero. It
// panics if reading fails.
func (s *source) draw(n int) (hi, lo uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer clear(s.buf[:])
	if _, err := io.ReadFull(s, s.buf[len(s.buf)-n:]); err != nil {
		panic(fmt.Errorf("ids: reading GeneratorOptions.Random: %w", err))
	}
	return binary.BigEndian.Uint64(s.buf[:8]), binary.BigEndian.Uint64(s.buf[8:])
}

// Read reads from the reader. If the reader returns no bytes and no error 100 times in a row, Read
// returns io.ErrNoProgress.
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

// drawsEach reports whether each ID draws its own bits, from Random or because no bits may be drawn
// in advance.
func (g *Generator) drawsEach() bool { return g.source != nil || random.Unbuffered() }

// bits returns 128 random bits. If Random is injected, only the low n bytes are random.
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

// next returns the tick and the random part of the next ID of t. If Random is injected, next draws
// n bytes from it. It panics if there is no next ID.
//
// If the mutex is free, next takes the bits from the clock's block, which takes less time. A call
// that finds the mutex locked draws its own bits before it waits, so that each call holds the mutex
// for less time. If the mutex is still locked after that, calls collide, and the call sets crowded.
// While crowded is set, all calls draw their bits before they lock, so that no block moves from one
// processor's cache to another's. About one ID in a thousand clears crowded, so that a goroutine
// that is alone again soon runs at full speed.
func (g *Generator) next(t *rule.Tail, n int) (tick, hi, lo uint64) {
	c := g.clock
	generation := random.Generation() // before any bits are drawn
	drawn := g.drawsEach() || c.crowded.Load()
	if drawn {
		hi, lo = g.bits(n) // before the mutex is locked, because reading may take long
		// No ID contains these bits of hi. An injected reader may return the same bits each time,
		// so its bits do not count.
		if hi>>54 == 0 && g.source == nil && c.crowded.Load() {
			c.crowded.Store(false)
		}
	}
	injected := c.anchor.Injected()
	elapsed := c.anchor.SinceBase()
	buffered := !drawn && c.mu.TryLock()
	if buffered && !c.block.Ready() {
		c.restock()
		buffered = false
	}
	switch {
	case buffered:
	case drawn:
		c.mu.Lock()
	default:
		hi, lo = g.bits(n) // a Reseed by another goroutine does not discard them
		if !c.mu.TryLock() {
			c.crowded.Store(true)
			c.mu.Lock()
		}
	}
	now, valid := c.anchor.Read(elapsed)
	if !valid {
		now, elapsed = c.anchor.ReadAnew(injected)
	}
	if buffered {
		lo = c.block.Uint64()
	}
	var wait time.Duration
	if !t.Take(now, generation, lo) {
		upper, fromBlock := hi, buffered // copies, so that hi and buffered stay in registers
		var refusal rule.Refusal
		wait, refusal = t.Next(now, elapsed, generation, lo, func() uint64 {
			if fromBlock {
				upper = c.block.Uint64()
			}
			return upper
		})
		if refusal != rule.Given {
			err := c.reason(refusal)
			c.mu.Unlock()
			panic(err) // never a limit's error, because no limit applies to a tail
		}
	}
	tick, hi, lo = t.Newest()
	c.mu.Unlock()
	waitForClock(wait)
	return tick, hi, lo
}

const pieceLen = 256 // maximum number of IDs that a call takes before it unlocks the mutex

// A run makes many IDs of a tail. It uses one reading of an injected clock.
type run struct {
	g      *Generator
	tail   *rule.Tail
	sample anchor.Sample // reading of an injected clock

	latest rule.Tail // tail after the latest ID of the run; the zero value before the first one

	generation uint64 // generation of the words, or an earlier one

	// The first word is for the upper bits of IDs, and the others are for the lower bits. The words
	// before last have been drawn, and the words before next have been used.
	words      [1 + pieceLen]uint64
	next, last int
}

// piece makes up to n IDs that have the same tick and the same upper bits of their random parts,
// and waits if they must. It returns the lower bits of each, which are valid until the next call to
// piece. It panics if there is no next ID.
func (r *run) piece(n int) (tick, hi uint64, lo []uint64) {
	if r.next == r.last {
		r.next, r.last = 1, 1+min(n, pieceLen)
		r.generation = random.Generation()
		r.g.words(r.words[:r.last])
	}
	lo = r.words[r.next:r.last]
	done, wait := r.take(lo)
	r.next += done
	waitForClock(wait)
	tick, hi, _ = r.latest.Newest()
	return tick, hi, lo[:done]
}

// take sets words to the lower bits of consecutive IDs that the tail takes in one piece. It returns
// the number of these IDs.
func (r *run) take(words []uint64) (done int, wait time.Duration) {
	c := r.g.clock
	now, elapsed := c.lockAndRead(r.sample)
	defer c.mu.Unlock()
	done, wait, refusal := r.tail.Run(&r.latest, now, elapsed, r.generation, r.words[0], words)
	if refusal != rule.Given {
		panic(c.reason(refusal))
	}
	return done, wait
}

// extend appends n zero elements to dst and returns the result and the new part.
func extend[T any](dst []T, n int) (all, added []T) {
	if n < 0 {
		panic("ids: negative number of IDs")
	}
	dst = slices.Grow(dst, n)
	all = dst[:len(dst)+n]
	return all, all[len(dst):]
}
