package storetest

import (
	"testing"

	"github.com/oneclock/ids/nodelease"
)

// Checks are the subtests, by name. They run with t in the place of the one of go test.
var Checks = map[string]func(t testing.TB, a, b nodelease.Store){}

func init() {
	for _, c := range checks {
		Checks[c.name] = func(t testing.TB, a, b nodelease.Store) { c.run(newTester(t, a, b)) }
	}
}

// Trial is one of those of Silence.
func Trial(t *testing.T, n Network, call string, request int, answer bool) error {
	trial := &silence{Network: n, call: call, proxy: newProxy(t, n.Server), limit: inCall}
	return trial.run(t, request, answer)
}
