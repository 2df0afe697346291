package storetest

import (
	"testing"

	"github.com/oneclock/ids/nodelease"
)

// Checks returns the names of the subtests.
func Checks() (names []string) {
	for _, c := range checks {
		names = append(names, c.name)
	}
	return names
}

// Check runs a subtest with t in the place of the one of go test.
func Check(name string, t testing.TB, a, b nodelease.Store) {
	for _, c := range checks {
		if c.name == name {
			c.run(newTester(t, a, b))
		}
	}
}
