package nodelease

import "time"

// Direct reports whether a call need not lock the Minter for an id.
func (m *Minter) Direct() bool {
	_, err := m.node.Load().TryNext()
	return err == nil
}

// Timer returns what the timer calls that is to end the present tenure, so that a test can have it come late.
func (m *Minter) Timer() func() {
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.tenure
	return func() { m.expire(t) }
}

// Expire ends the lease of a number at once, whatever its holder believes.
func (s *MemoryStore) Expire(node int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rows[node].expires = time.Time{}
	s.rows[node].fence++
}

// Row returns until when a number is held, and its mark.
func (s *MemoryStore) Row(node int64) (expires, mark time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rows[node].expires, s.rows[node].mark
}

// SetRow sets them.
func (s *MemoryStore) SetRow(node int64, expires, mark time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rows[node].expires, s.rows[node].mark = expires, mark
}
