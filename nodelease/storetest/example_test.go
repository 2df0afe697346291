package storetest_test

import (
	"testing"
	"time"

	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/storetest"
)

// The test of a store. The suite asks for a new one, with two numbers, for each of its subtests.
func ExampleRun() {
	TestStore := func(t *testing.T) {
		storetest.Run(t, func(t *testing.T) (a, b nodelease.Store) {
			s := nodelease.NewMemoryStore(2, 2*time.Second)
			return s, s // another one has a database, and two stores over it
		})
	}
	_ = TestStore
}
