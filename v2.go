package ids

// NewV2 returns a version 2 UUID of DCE Security: a local id of a domain, a time and a random
// node. The promises do not cover it: after 64 ids within some 7 minutes, ids repeat.
func NewV2(domain Domain, localID uint32) UUID { return defaultGenerator.NewV2(domain, localID) }

// NewV2 returns a version 2 UUID of DCE Security: a local id, such as a POSIX user id, of a domain,
// with the node of g. The promises of this package do not cover it: the time has 28 bits, in units
// of 429.4967296 s, and after 64 ids in one unit, ids repeat.
func (g *Generator) NewV2(domain Domain, localID uint32) (u UUID) {
	node, c := g.nodeBits(), g.clock
	now, _ := c.enter(c.injected())
	tick := min(max(gregorianScale.at(now), 0), gregorianMax)
	place := c.v2 % 64
	c.v2++
	c.mu.Unlock()
	// As version 1, except that the local id stands for time_low and the domain for
	// clock_seq_low.
	u.setGregorian(1, uint64(tick), place<<8|uint64(domain), node)
	hi, lo := split(u)
	u.set(2, hi&0xffffffff|uint64(localID)<<32, lo)
	return u
}

// Domain says what the local id of a version 2 UUID identifies.
type Domain uint8

// The domains of DCE Security.
const (
	DomainPerson Domain = iota // a POSIX user id
	DomainGroup                // a POSIX group id
	DomainOrg                  // an organization
)

// String returns "person", "group", "org" or "unknown".
func (d Domain) String() string {
	return [...]string{"person", "group", "org", "unknown"}[min(d, DomainOrg+1)]
}

// Domain returns the domain. ok is false unless u is of version 2.
func (u UUID) Domain() (d Domain, ok bool) {
	if !u.is(2) {
		return 0, false
	}
	return Domain(u[9]), true
}

// LocalID returns the local id. ok is false unless u is of version 2.
func (u UUID) LocalID() (id uint32, ok bool) {
	if !u.is(2) {
		return 0, false
	}
	hi, _ := split(u)
	return uint32(hi >> 32), true
}
