package storetest

// This file gives the tests access to unexported identifiers.

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/oneclock/ids/nodelease"
)

// Checks are the subtests, by name. They use t in place of the *testing.T of go test.
var Checks = map[string]func(t testing.TB, a, b nodelease.Store){}

func init() {
	for _, c := range checks {
		Checks[c.name] = func(t testing.TB, a, b nodelease.Store) { c.run(newTester(t, a, b)) }
	}
}

// ErrMaybeSlow is matched by the error of a trial that failed because the machine may be slow.
var ErrMaybeSlow = errMaybeSlow

// Trial runs one trial of Silence. The failures parameter is the number of times that this trial
// has already failed.
func Trial(t *testing.T, n Network, call string, request int, answer bool, failures int) error {
	trial := &silence{Network: n, call: call, proxy: newProxy(t, n.Server), limit: callTimeout << failures}
	return trial.run(t, request, answer)
}

// Refused is like Refusals, but returns an error instead of failing a test.
func Refused(ctx context.Context, p Place) error {
	if err := p.testInit(ctx); err != nil {
		return err
	}
	var all []error
	for _, h := range p.allHarms() {
		if err := p.testHarm(ctx, h); err != nil {
			all = append(all, fmt.Errorf("%s: %w", h, err))
		}
	}
	return errors.Join(all...)
}
