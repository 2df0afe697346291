package ids

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/oneclock/ids/internal/random"
)

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
