package ids

import "time"

// SetEntropy makes the given 80 bits the random part of the latest ULID of g, which no test
// could reach by minting.
func (g *Generator) SetEntropy(e [10]byte) {
	var b [16]byte
	copy(b[6:], e[:])
	g.clock.mu.Lock()
	g.ulid.hi, g.ulid.lo = split(b)
	g.clock.mu.Unlock()
}

// NextLate begins a call of Next that has read the clock and waits for the mutex. What it returns goes
// on once the call has the mutex, and returns the id and for how long it must wait.
func NextLate(n *SnowflakeNode) func() (s Snowflake, wait time.Duration, err error) {
	c := n.clock
	injected := c.injected()
	return func() (s Snowflake, wait time.Duration, err error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		now, elapsed := c.readAnew(injected)
		if wait, err = n.lane.hold(n.lane.at(now), elapsed); err == nil {
			s = n.newest()
		}
		return s, wait, err
	}
}

// Exempt is exempt, for tests that hash as versions 3 and 5 do.
func Exempt(f func()) { exempt(f) }

// Waiters returns how many calls the clock has noted as waiting for its limit.
func Waiters(c *Clock) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.waiters)
}
