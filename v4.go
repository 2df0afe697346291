package ids

// This file contains the constructors of version 4 UUIDs, which consist of random bits. Versions 3,
// 5 and 8 are in hash.go.

import (
	"encoding/binary"

	"github.com/oneclock/ids/internal/random"
)

// NewV4 returns a new version 4 UUID, which has 122 random bits.
func NewV4() UUID { return defaultGenerator.NewV4() }

// AppendV4 appends n version 4 UUIDs to dst. It panics if n is negative or more than a slice can
// hold.
func AppendV4(dst []UUID, n int) []UUID { return defaultGenerator.AppendV4(dst, n) }

// NewV4 returns a new version 4 UUID, which has 122 random bits.
func (g *Generator) NewV4() (u UUID) {
	if g.drawsEach() {
		hi, lo := g.bits(16)
		u.set(4, hi, lo)
		return u
	}
	b := random.Get()
	hi, lo := b.Uint128()
	u.set(4, hi, lo)
	random.Put(b)
	return u
}

// AppendV4 is like the function [AppendV4], but uses the random bits of g.
func (g *Generator) AppendV4(dst []UUID, n int) []UUID {
	dst, added := extend(dst, n)
	if g.source != nil {
		for i := range added {
			added[i] = g.NewV4()
		}
		return dst
	}
	b := random.Get()
	for len(added) > 0 {
		p := b.Next(16 * len(added))
		piece := added[:len(p)/16]
		added = added[len(piece):]
		for i := range piece {
			q := p[16*i:][:16]
			piece[i].set(4, binary.LittleEndian.Uint64(q), binary.LittleEndian.Uint64(q[8:]))
		}
		clear(p)
	}
	random.Put(b)
	return dst
}
