package nodelease

// This file gives the tests access to the internals of a Minter.

// Direct reports whether a call can make an ID without locking the Minter.
func (m *Minter) Direct() bool {
	_, err := m.state.node.Load().TryNext()
	return err == nil
}

// Timer returns the function of the timer that ends the current tenure, so that a test can call it
// late.
func (m *Minter) Timer() func() {
	t, _, _ := m.state.get()
	return func() { m.state.stopMinting(t) }
}
