package ids

// SetEntropy makes the given 80 bits the random part of the latest ULID of g, which no test
// could reach by minting.
func (g *Generator) SetEntropy(e [10]byte) {
	var b [16]byte
	copy(b[6:], e[:])
	g.clock.mu.Lock()
	g.ulid.hi, g.ulid.lo = split(b)
	g.clock.mu.Unlock()
}
