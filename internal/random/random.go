// Package random supplies random bytes for IDs.
//
// Reading crypto/rand for each ID would take longer than the rest of generating the ID. So a
// [Block] reads one key from crypto/rand and expands it to [Size] bytes with AES-256-CTR. Bytes are
// wiped from the block when they are returned, and a key is wiped as soon as it is expanded. So the
// process and a copy of its memory share at most the unused bytes of their blocks, and no bytes
// after [SetUnbuffered]. But crypto/aes leaves its key schedule on the heap, where nothing wipes
// it. Anyone who can read the memory of the process may therefore recover bytes that were returned.
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

// Size is the number of bytes in a full block. One key yields all of them.
const Size = 4096

// generation counts the calls to [Reseed]. All methods except Uint64 refill a block that was filled
// in an earlier generation before they return bytes from it. The counter has 64 bits because a
// 32-bit counter could wrap around in a program that calls Reseed before each ID.
var generation atomic.Uint64

// Reseed discards all unused bytes of every block.
func Reseed() { generation.Add(1) }

// Generation returns the number of calls to [Reseed].
func Generation() uint64 { return generation.Load() }

// unbuffered is set once, during package initialization. It is atomic because other goroutines may
// already be running then.
var unbuffered atomic.Bool

// Unbuffered reports whether [SetUnbuffered] was called.
func Unbuffered() bool { return unbuffered.Load() }

// SetUnbuffered makes every call read exactly the bytes that it returns. It also discards all
// unused bytes.
func SetUnbuffered() {
	unbuffered.Store(true)
	Reseed() // called last, because blocks may have been filled in the meantime
}

// Block is a buffer of random bytes. It is not safe for concurrent use. The zero value is an empty
// block, which all methods except Uint64 fill before they return bytes from it.
type Block struct {
	// buf ends with the random bytes that are unused. All other bytes of buf are zero as soon as
	// the callers of Next have wiped the bytes that it returned.
	buf      [Size]byte
	left     int      // number of unused bytes in buf
	filledIn uint64   // generation in which the block was filled
	key      [32]byte // all zeros except during fill; a field to avoid an allocation
}

// Ready reports whether b has at least 16 unused bytes that were drawn after the latest call to
// [Reseed].
func (b *Block) Ready() bool { return b.left >= 16 && b.filledIn == generation.Load() }

// Uint64 returns 64 unused random bits and never reads crypto/rand. Call it only after
// [Block.Ready] has returned true. Each time Ready returns true, Uint64 can be called twice, even
// if Reseed is called in the meantime.
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

// word returns eight bytes of the buffer. ahead is the distance of the first of them from the first
// unused byte. Because left is a multiple of 8, the mask does not change the index, but it avoids a
// bounds check.
func (b *Block) word(ahead int) []byte {
	i := (Size - b.left + ahead) & (Size - 8)
	return b.buf[i : i+8]
}

// Words sets each word of dst to 64 random bits.
func (b *Block) Words(dst []uint64) {
	for len(dst) > 0 {
		if b.left < 8 || b.filledIn != generation.Load() {
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

// Next returns n random bytes, or fewer if b has fewer unused bytes. The caller must wipe them. n
// must be a positive multiple of 16, and the number of bytes returned is also a multiple of 16.
func (b *Block) Next(n int) []byte {
	if !b.Ready() {
		b.fill(n)
	}
	n = min(n, b.left&^15)
	at := Size - b.left
	b.left -= n
	return b.buf[at : at+n]
}

// Fill fills all of b with new random bytes.
func (b *Block) Fill() { b.fill(Size) }

// fill fills all of b with new random bytes. After SetUnbuffered, it fills only the last n bytes. b
// counts as empty until the bytes are written, so if rand.Reader panics, for example in a test, b
// does not return zeros afterwards.
func (b *Block) fill(n int) {
	clear(b.buf[Size-b.left:]) // discarded by Reseed, or too few to use; all other bytes are zero
	b.left = 0
	filledIn := generation.Load() // loaded first, because SetUnbuffered changes it last
	buffers := !Unbuffered()
	if n > Size || buffers {
		n = Size
	}
	p := b.buf[Size-n:]
	if expands && buffers {
		b.expand(p)
	} else {
		read(p)
	}
	b.filledIn, b.left = filledIn, n
}

// expand fills p from a new key. All bytes of p must be zero.
func (b *Block) expand(p []byte) {
	defer clear(b.key[:])
	read(b.key[:])
	block, _ := aes.NewCipher(b.key[:]) // a key of 32 bytes is always valid
	cipher.NewCTR(block, counter[:]).XORKeyStream(p, p)
}

// read fills p from crypto/rand. In FIPS 140 mode, crypto/rand keeps one generator. If a read
// begins while this generator is in use, crypto/rand seeds another generator for the read. Seeding
// uses the jitter of a clock, so it panics in a testing/synctest bubble, where the clock stands
// still. To prevent this, reads hold a mutex in FIPS 140 mode. They then all use one generator, and
// one read outside of bubbles is enough to seed it. If a test has replaced rand.Reader, its Reader
// may call this function, so read then does not lock the mutex.
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

// counter is the initial counter value for every key. Each key is used only once, so it never
// encrypts the same counter value twice.
var counter [aes.BlockSize]byte

// pool has a block for each processor, so that goroutines do not contend for a single block.
var pool = sync.Pool{New: func() any { return new(Block) }}

// Get returns a block for the caller's exclusive use until the caller passes it to [Put].
func Get() *Block { return pool.Get().(*Block) }

// Put returns b to the pool. The caller must not use b afterwards.
func Put(b *Block) { pool.Put(b) }

// Uint128 returns 128 random bits.
func Uint128() (hi, lo uint64) {
	if Unbuffered() {
		return draw()
	}
	b := Get()
	hi, lo = b.Uint128()
	Put(b)
	return hi, lo
}

// draw returns 128 bits from crypto/rand. It uses no block, so it need not access the pool.
func draw() (hi, lo uint64) {
	var p [16]byte
	read(p[:])
	hi, lo = binary.LittleEndian.Uint64(p[:8]), binary.LittleEndian.Uint64(p[8:])
	clear(p[:])
	return hi, lo
}
