package ids_test

import (
	"testing"

	"github.com/oneclock/ids"
)

// TestMain lets crypto/rand begin outside all bubbles, whichever test comes first. With
// GODEBUG=fips140=on it measures the jitter of the clock for that, and the clock of a bubble has none.
func TestMain(m *testing.M) {
	ids.NewV4()
	m.Run()
}
