// Package random hands out the random bytes of identifiers.
//
// Reading crypto/rand for each id costs more than all the rest of an id, so a
// [Block] reads one key from crypto/rand for [Size] bytes and expands it with
// AES-256-CTR. Bytes are wiped as they are handed out, and the key as soon as it
// is expanded, so a copy of the memory shares with the original at most what was
// left of its blocks: nothing after [SetStockless]. But crypto/aes leaves its key
// schedule on the heap, where nothing wipes it: whoever can read the memory of the
// process may recover bytes that were handed out.
package random

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/fips140"
	"crypto/rand"
	"encoding/binary"
	"sync"
	"sync/atomic"
)

// Size is the number of bytes that a full block holds, which one key yields.
const Size = 4096

// epoch counts the calls of [Reseed]. A block filled in an earlier epoch is
// filled anew before it hands out another byte. 32 bits would not do: a program may
// call Reseed before each id.
var epoch atomic.Uint64

// Reseed drops every byte drawn so far and not yet handed out, in every block.
func Reseed() { epoch.Add(1) }

// Epoch returns how often [Reseed] was called.
func Epoch() uint64 { return epoch.Load() }

// stockless is set once, at init. Other goroutines may run by then.
var stockless atomic.Bool

// Stockless reports whether [SetStockless] was called.
func Stockless() bool { return stockless.Load() }

// SetStockless has every call read what it hands out, and no more, and drops what is in stock.
func SetStockless() {
	stockless.Store(true)
	Reseed() // afterwards, for blocks that were filled meanwhile
}

// Block is a supply of random bytes. It is not safe for concurrent use. The
// zero value is an empty block, which fills itself when first asked, except by Uint64.
type Block struct {
	// buf holds random bytes from next on and zeros before it.
	buf  [Size]byte
	left int // bytes of buf not yet handed out, at its end
	born uint64
	key  [32]byte // zero except while fill runs; here, so that it is not allocated
}

// Ready reports whether 16 bytes are in stock.
func (b *Block) Ready() bool { return b.left >= 16 && b.born == epoch.Load() }

// Uint64 returns 64 random bits of those in stock: b must be [Block.Ready]. It serves twice then, even
// if Reseed is called meanwhile, and never asks the system for bytes.
func (b *Block) Uint64() uint64 {
	p := b.word(0)
	u := binary.LittleEndian.Uint64(p)
	binary.LittleEndian.PutUint64(p, 0)
	b.left -= 8
	return u
}

// Uint128 returns 128 random bits.
func (b *Block) Uint128() (hi, lo uint64) {
	if !b.Ready() {
		b.fill(16)
	}
	p, q := b.word(0), b.word(8)
	hi, lo = binary.LittleEndian.Uint64(p), binary.LittleEndian.Uint64(q)
	binary.LittleEndian.PutUint64(p, 0)
	binary.LittleEndian.PutUint64(q, 0)
	b.left -= 16
	return hi, lo
}

// word returns the eight bytes that lie ahead bytes after the next one. The mask changes
// nothing, since left is a multiple of 8: it spares the bounds check.
func (b *Block) word(ahead int) []byte {
	i := (Size - b.left + ahead) & (Size - 8)
	return b.buf[i : i+8]
}

// Words sets each word of dst to 64 random bits.
func (b *Block) Words(dst []uint64) {
	for len(dst) > 0 {
		if b.left < 8 || b.born != epoch.Load() {
			b.fill(8 * len(dst))
		}
		p := b.buf[Size-b.left:]
		p = p[:min(len(p), 8*len(dst))]
		b.left -= len(p)
		q := p
		for ; len(q) >= 32 && len(dst) >= 4; q, dst = q[32:], dst[4:] {
			dst[0] = binary.LittleEndian.Uint64(q)
			dst[1] = binary.LittleEndian.Uint64(q[8:])
			dst[2] = binary.LittleEndian.Uint64(q[16:])
			dst[3] = binary.LittleEndian.Uint64(q[24:])
		}
		for ; len(q) >= 8 && len(dst) > 0; q, dst = q[8:], dst[1:] {
			dst[0] = binary.LittleEndian.Uint64(q)
		}
		clear(p)
	}
}

// Next returns random bytes, which the caller wipes: n of them, or the lesser number that is in
// stock. n must be a positive multiple of 16, and so is their number.
func (b *Block) Next(n int) []byte {
	if !b.Ready() {
		b.fill(n)
	}
	n = min(n, b.left&^15)
	at := Size - b.left
	b.left -= n
	return b.buf[at : at+n]
}

// Fill makes all of b random again.
func (b *Block) Fill() { b.fill(Size) }

// fill makes all of b random again, or the last n bytes if nothing may be in stock. Until they are, b is empty, so that
// a rand.Reader that panics, which a test's may, leaves no block that hands out zeros.
func (b *Block) fill(n int) {
	clear(b.buf[Size-b.left:]) // what Reseed or a short remainder left behind; before it all is zero
	b.left = 0
	born := epoch.Load() // before stockless is read, which is set before epoch
	stocks := !Stockless()
	if n > Size || stocks {
		n = Size
	}
	p := b.buf[Size-n:]
	if expands && stocks {
		b.expand(p)
	} else {
		read(p)
	}
	b.born, b.left = born, n
}

// expand fills p, which is all zeros, from a new key.
func (b *Block) expand(p []byte) {
	defer clear(b.key[:])
	read(b.key[:])
	block, _ := aes.NewCipher(b.key[:]) // a key of 32 bytes is always valid
	cipher.NewCTR(block, counter[:]).XORKeyStream(p, p)
}

// read fills p with bytes of crypto/rand. In FIPS 140 mode crypto/rand keeps one generator for whoever reads at
// a time, and seeds one more for each that comes meanwhile, by the jitter of a clock. In a testing/synctest bubble
// the clock stands still, and to seed panics. So reads take turns there, and one outside of bubbles is enough.
// A Reader that a test puts in place of crypto/rand's may call back, and takes no turn.
func read(p []byte) {
	if fips140.Enabled() && rand.Reader == system {
		turn.Lock()
		defer turn.Unlock()
	}
	rand.Read(p)
}

var (
	turn   sync.Mutex
	system = rand.Reader
)

// counter is where each key starts to count. A key is used once, so no count repeats.
var counter [aes.BlockSize]byte

// pool keeps a block for each processor, so that goroutines do not meet.
var pool = sync.Pool{New: func() any { return new(Block) }}

// Get returns a block for the caller's own use until [Put].
func Get() *Block { return pool.Get().(*Block) }

// Put gives b back.
func Put(b *Block) { pool.Put(b) }

// Uint128 returns 128 random bits.
func Uint128() (hi, lo uint64) {
	if Stockless() {
		return draw()
	}
	b := Get()
	hi, lo = b.Uint128()
	Put(b)
	return hi, lo
}

// draw returns 128 bits that it reads from crypto/rand. It needs no block, and so spares the pool.
func draw() (hi, lo uint64) {
	var p [16]byte
	read(p[:])
	hi, lo = binary.LittleEndian.Uint64(p[:8]), binary.LittleEndian.Uint64(p[8:])
	clear(p[:])
	return hi, lo
}
