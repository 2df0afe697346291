package nodelease

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
	return func() { m.stopMinting(t) }
}
