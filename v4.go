package ids

// NewV4 returns a version 4 UUID: 122 random bits.
func (g *Generator) NewV4() UUID {
	hi, lo := g.random128()
	return makeUUID(4, hi, lo)
}

// AppendV4 appends n version 4 UUIDs to dst. It panics if n is negative.
func (g *Generator) AppendV4(dst []UUID, n int) []UUID {
	dst, run := extend(dst, n)
	fill(g, run, 16)
	for i := range run {
		hi, lo := split(run[i])
		run[i] = makeUUID(4, hi, lo)
	}
	return dst
}
