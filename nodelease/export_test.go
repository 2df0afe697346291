package nodelease

// What tests see of the inside of a Minter.

// Direct reports whether a call need not lock the Minter for an id.
func (m *Minter) Direct() bool {
	_, err := m.state.node.Load().TryNext()
	return err == nil
}

// Timer returns what the timer calls that is to end the present tenure, so that a test can have it come late.
func (m *Minter) Timer() func() {
	t, _, _ := m.state.get()
	return func() { m.state.stopMinting(t) }
}
