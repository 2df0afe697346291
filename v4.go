package ids

// NewV4 returns a version 4 UUID: 122 random bits.
func (g *Generator) NewV4() UUID {
	hi, lo := g.random128()
	return makeUUID(4, hi, lo)
}

// AppendV4 appends n version 4 UUIDs to dst. It panics if n is negative.
func (g *Generator) AppendV4(dst []UUID, n int) []UUID {
	dst, run := extend(dst, n)
	var bits [pieceLen]uint64
	for len(run) > 0 {
		piece := run[:min(len(run), pieceLen/2)]
		run = run[len(piece):]
		g.words(bits[:2*len(piece)])
		for i := range piece {
			piece[i] = makeUUID(4, bits[2*i], bits[2*i+1])
		}
	}
	return dst
}
