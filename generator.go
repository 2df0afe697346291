package ids

// This file contains Generator, which generates UUIDs and ULIDs, and the source of its random bits.

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

// Generator generates UUIDs and ULIDs. The package-level functions use a default generator. A
// Generator is safe for concurrent use. Create one with [NewGenerator]. On the zero value, methods
// that need a clock or a node ID panic.
type Generator struct {
	// ulid is guarded by the clock's mutex. It is the first field, so that generating a ULID does
	// not write to the cache lines of the fields below.
	ulid rule.Tail

	clock  *Clock
	source *source // nil means internal/random

	fixedNode uint64        // node ID from the options, or 0
	node      atomic.Uint64 // 48-bit node ID for versions 1, 2 and 6; 0 until it is needed
	atCalls   atomic.Uint32 // number of calls to NewV1At and NewV6At plus a random start value

	_ [96]byte // padding, so that each generator begins on its own cache line
}

// GeneratorOptions are options for [NewGenerator]. The zero value selects the defaults.
type GeneratorOptions struct {
	// Clock is the generator's clock. Nil means the default clock, which the package-level
	// functions use.
	Clock *Clock

	// Random is the source of random bytes. Nil means crypto/rand. The generator reads from it for
	// each ID and never calls Read concurrently. Random must not call the generator. If Read fails,
	// the constructor panics with an error that wraps the reader's error, or [io.ErrUnexpectedEOF]
	// if the reader ends within an ID. The next call to a constructor reads from Random again. Two
	// generators that share a clock and read the same bytes can generate the same ULIDs.
	Random io.Reader

	// NodeID is the node ID in UUIDs of versions 1, 2 and 6. The zero value means 6 random bytes
	// with the multicast bit set (RFC 9562, Section 6.10), which are drawn when the first such UUID
	// is generated. Give each clock, and therefore each process, its own node ID, because two
	// clocks with the same node ID can generate the same UUIDs. A restarted process has a new
	// clock, too; see package [github.com/oneclock/ids/clockfile].
	NodeID [6]byte

	// ULIDMonotonic makes each ULID in a millisecond equal to the previous one plus 1, as in the
	// specification. Anyone who has one such ULID can guess others. By default, the difference is
	// random, up to 2^48.
	ULIDMonotonic bool
}

// NewGenerator returns a new generator. If opts is nil, it uses the default options.
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

// NodeID returns the node ID that g uses for UUIDs of versions 1, 2 and 6.
func (g *Generator) NodeID() (node [6]byte) {
	bits := g.fixedNode
	if bits == 0 {
		bits = g.nodeBits()
	}
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], bits)
	return [6]byte(b[2:])
}

// nodeBits returns the 48-bit node ID, and draws it if there is none yet.
func (g *Generator) nodeBits() uint64 {
	if node := g.node.Load(); node != 0 {
		return node
	}
	return g.drawNodeID()
}

// drawNodeID sets the node ID to fixedNode or, if that is 0, to random bits. If the clock's
// sequences have no start values yet, it sets these to random numbers.
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

// The package-level functions use this clock and this generator.
var (
	defaultClock     = NewClock(nil)
	defaultGenerator = NewGenerator(nil)
)

// Reseed discards the random bytes that were drawn in advance. Call it before anything else in each
// cloned or restored copy of a virtual machine, and in each child of a fork without exec (which Go
// does not support). Before the call, copies can generate the same version 4 UUIDs. They can also
// generate the same version 7 UUIDs and ULIDs if they read the same time, or if their wall clocks
// are behind the latest ID. After the call, the next version 7 UUID and the next ULID get a tick
// that is later than the latest one. If no later tick is within MaxAhead of the wall clock, they
// stay in the latest tick, and a large random number is added to the latest random part, if the sum
// fits.
//
// Reseed does not change node numbers, node IDs, clock sequences or the random bytes of a call in
// progress; see [SECURITY.md]. If no code can call Reseed, import package
// [github.com/oneclock/ids/nostock].
//
// [SECURITY.md]: https://github.com/oneclock/ids/blob/main/SECURITY.md#what-copies-of-a-machine-share
func Reseed() { random.Reseed() }

// source reads the random bits of IDs from a reader.
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

// drawsEach reports whether bits must be drawn separately for each ID, because Random is injected
// or because no bits may be drawn in advance.
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

// next returns the tick and the random part of t's next ID. If Random is injected, next draws n
// bytes from it. It panics if there is no next ID.
//
// If the mutex is free, next takes the bits from the clock's block, because that is faster than
// drawing them separately. A call that finds the mutex locked draws its own bits before it waits,
// so that each call holds the mutex for less time. If the mutex is still locked after that, several
// calls contend for it, so this call sets the crowded flag. While the flag is set, all calls draw
// their bits before they lock, so that no block moves from one processor's cache to another's.
// About one call in a thousand clears the flag. So a goroutine that no longer competes with others
// soon runs at full speed again.
func (g *Generator) next(t *rule.Tail, n int) (tick, hi, lo uint64) {
	c := g.clock
	generation := random.Generation() // before any bits are drawn
	drawn := g.drawsEach() || c.crowded.Load()
	if drawn {
		hi, lo = g.bits(n) // before the mutex is locked, because reading may take a long time
		// No ID contains the top 10 bits of hi, so they can decide at random whether this call
		// clears the flag. An injected reader may return the same bits each time, so its bits are
		// not used for this.
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
		hi, lo = g.bits(n) // another goroutine's Reseed does not discard these bits
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
			panic(err) // err is never a limit's error, because no limit applies to a tail
		}
	}
	tick, hi, lo = t.Newest()
	c.mu.Unlock()
	waitForClock(wait)
	return tick, hi, lo
}

const pieceLen = 256 // maximum number of IDs that a call takes before it unlocks the mutex

// A run generates many IDs from a tail. If the wall clock is injected, all IDs of the run share one
// reading.
type run struct {
	g      *Generator
	tail   *rule.Tail
	sample anchor.Sample // the shared reading of an injected clock

	latest rule.Tail // state of the tail after the run's latest ID, or zero before the first ID

	generation uint64 // generation in which the words were drawn, or an earlier one

	// words[0] supplies the upper bits of IDs, and the other words supply the lower bits. The words
	// in words[:last] have been drawn, and those in words[:next] have been used.
	words      [1 + pieceLen]uint64
	next, last int
}

// piece generates up to n IDs that have the same tick and the same upper random bits, and waits if
// necessary. It returns their tick, their upper bits and the lower bits of each ID. The lower bits
// are valid until the next call to piece. It panics if there is no next ID.
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

// take takes up to len(words) consecutive IDs from the tail and stores their lower bits in words.
// It returns the number of IDs and the time for which the caller must then wait.
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
