package ids

import (
	"encoding/binary"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/oneclock/ids/internal/random"
)

// Generator mints UUIDs and ULIDs. The package-level functions use a default one. It is safe for
// concurrent use. Make one with [NewGenerator]; the zero value is not usable.
type Generator struct {
	clock  *Clock
	source *source // nil: internal/random

	once sync.Once // sets node
	node uint64    // of versions 1, 2 and 6: 48 bits

	ulid ulidLane // guarded by the mutex of clock
}

// GeneratorOptions are the options of [NewGenerator]. The zero value is the default.
type GeneratorOptions struct {
	// Clock is the clock of the generator. Nil means the default clock, which the package-level
	// functions use.
	Clock *Clock

	// Random replaces the random bytes. It is read for each id that takes any, one reader at a
	// time. A constructor panics with the text of an error that it returns. Nil means bytes
	// expanded from crypto/rand.
	Random io.Reader

	// Node is the node of versions 1, 2 and 6. The zero value means 6 random bytes with the
	// multicast bit set (RFC 9562, Section 6.10), drawn when the first such id is minted.
	Node [6]byte

	// ULIDMonotonic makes each ULID of a millisecond the previous one plus 1, as the
	// specification's monotonic mode has it. Such ULIDs can be guessed from
	// each other. By default they grow by a random stride of up to 2^48.
	ULIDMonotonic bool
}

// NewGenerator returns a generator. Nil options mean the default.
func NewGenerator(opts *GeneratorOptions) *Generator {
	if opts == nil {
		opts = new(GeneratorOptions)
	}
	g := &Generator{clock: opts.Clock}
	if g.clock == nil {
		g.clock = defaultClock
	}
	if opts.Random != nil {
		g.source = &source{r: opts.Random}
	}
	g.node = nodeUint(opts.Node)
	g.ulid.lane = g.clock.newLane(ulidScale, maxMilli, unlimited, g.clock.tolerance)
	g.ulid.monotonic = opts.ULIDMonotonic
	return g
}

// nodeUint returns the 48 bits of a node.
func nodeUint(node [6]byte) uint64 {
	var b [8]byte
	copy(b[2:], node[:])
	return binary.BigEndian.Uint64(b[:])
}

// nodeBits returns the node. At first it draws it, if it was not given, and starts the clock
// sequence at random.
func (g *Generator) nodeBits() uint64 {
	g.once.Do(func() {
		_, bits := g.random128()
		if g.node == 0 {
			const multicast = 1 << 40 // the least bit of the first byte
			g.node = bits>>16 | multicast
		}
		g.clock.mu.Lock()
		g.clock.sequence.seed(bits)
		g.clock.mu.Unlock()
	})
	return g.node
}

// source draws the bits of ids from a reader.
type source struct {
	mu  sync.Mutex
	r   io.Reader
	buf [16]byte // here, so that it is not allocated for each id
}

// draw reads n bytes, the first in the top byte of hi if there are 16 and, if there are 8, in
// the top byte of lo.
func (s *source) draw(n int) (hi, lo uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer clear(s.buf[:])
	if _, err := io.ReadFull(s.r, s.buf[len(s.buf)-n:]); err != nil {
		panic("ids: GeneratorOptions.Random: " + err.Error())
	}
	return binary.BigEndian.Uint64(s.buf[:8]), binary.BigEndian.Uint64(s.buf[8:])
}

// injected64 returns 64 bits of the reader that was given, if one was. Then it is read before the
// clock's mutex is taken, since it may be slow.
func (g *Generator) injected64() uint64 {
	if g.source == nil {
		return 0
	}
	_, lo := g.source.draw(8)
	return lo
}

// injected80 is injected64 for 80 bits.
func (g *Generator) injected80() (hi, lo uint64) {
	if g.source == nil {
		return 0, 0
	}
	return g.source.draw(10)
}

// random128 returns 128 random bits.
func (g *Generator) random128() (hi, lo uint64) {
	if g.source != nil {
		return g.source.draw(16)
	}
	b := random.Get()
	hi, lo = b.Uint128()
	random.Put(b)
	return hi, lo
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

// pieceLen is how many ids of a run are minted under one lock, so that others need not wait for
// all of a long one.
const pieceLen = 256

// extend appends n zero elements to dst and returns the result and the new part.
func extend[T any](dst []T, n int) (all, added []T) {
	if n < 0 {
		panic("ids: negative number of ids")
	}
	dst = slices.Grow(dst, n)
	all = dst[:len(dst)+n]
	return all, all[len(dst):]
}

// defaultClock and defaultGenerator serve the package-level functions. Making them reads
// nothing: neither the time nor random bytes.
var (
	defaultClock     = NewClock(nil)
	defaultGenerator = NewGenerator(nil)
)

// Reseed drops all random bytes that were drawn from crypto/rand in advance, so that ids minted
// from now on owe nothing to what was in memory before. Call it in a virtual machine that was
// restored from a snapshot or cloned: until then, the copies share at most 4 KiB of such bytes
// for each processor and clock, and so may mint the same version 4 UUIDs. It does not help
// schemes that are told apart by a node, which the copies share too: versions 1 and 6 and
// Snowflake need another node, and monotonic ULIDs another millisecond.
func Reseed() { random.Reseed() }

// NewV1 returns a version 1 UUID: the time to 100 ns, a clock sequence and a random node. It
// does not sort by time; that of [NewV6] does.
func NewV1() UUID { return defaultGenerator.NewV1() }

// NewV2 returns a version 2 UUID of DCE Security: a local id of a domain, a time and a random
// node. It stands outside the promises of this package: after 64 ids within some 7 minutes, ids
// repeat. See [Generator.NewV2].
func NewV2(domain Domain, localID uint32) UUID { return defaultGenerator.NewV2(domain, localID) }

// NewV4 returns a version 4 UUID: 122 random bits.
func NewV4() UUID { return defaultGenerator.NewV4() }

// NewV6 returns a version 6 UUID: what version 1 holds, in an order that sorts. They strictly
// increase in the order of the calls, unless the wall clock is set back by more than 10 s.
func NewV6() UUID { return defaultGenerator.NewV6() }

// NewV7 returns a version 7 UUID: the time to 1/4096 ms, then random bits. They strictly
// increase in the order of the calls, unless the wall clock is set back by more than 10 s.
func NewV7() UUID { return defaultGenerator.NewV7() }

// NewV7At returns a version 7 UUID of time t with fresh random bits, to fill in ids for records
// of the past. The error matches [ErrRange] if t is before 1970 or after
// 10889-08-02T05:31:50.655Z.
func NewV7At(t time.Time) (UUID, error) { return defaultGenerator.NewV7At(t) }

// AppendV4 appends n version 4 UUIDs to dst. It panics if n is negative.
func AppendV4(dst []UUID, n int) []UUID { return defaultGenerator.AppendV4(dst, n) }

// AppendV7 appends n version 7 UUIDs to dst, in increasing order, with one reading of the clock
// for all of them. It panics if n is negative.
func AppendV7(dst []UUID, n int) []UUID { return defaultGenerator.AppendV7(dst, n) }

// NewULID returns a ULID of the current time. They strictly increase in the order of the calls,
// unless the wall clock is set back by more than 10 s.
func NewULID() ULID { return defaultGenerator.NewULID() }

// NewULIDAt returns a ULID of time t, to the millisecond, with 80 fresh random bits. The error
// matches [ErrRange] if t is before 1970 or after 10889-08-02T05:31:50.655Z.
func NewULIDAt(t time.Time) (ULID, error) { return defaultGenerator.NewULIDAt(t) }

// AppendULID appends n ULIDs to dst, in increasing order, with one reading of the clock for all
// of them. It panics if n is negative.
func AppendULID(dst []ULID, n int) []ULID { return defaultGenerator.AppendULID(dst, n) }
