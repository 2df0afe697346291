// Package must has tests end at an error that they do not expect, and check those that they do.
package must

import (
	"errors"
	"strings"
	"testing"

	"github.com/oneclock/ids/nodelease"
)

// Do ends the test at an error.
func Do(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Get returns what a call has returned beside its error, which ends the test: must.Get(call())(t).
func Get[T any](value T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		Do(t, err)
		return value
	}
}

// Fail checks that err matches is, unless that is nil, and says all of the texts. It must not match ErrNoNode unless
// is does.
func Fail(t testing.TB, what string, err, is error, texts ...string) {
	t.Helper()
	none := errors.Is(err, nodelease.ErrNoNode) && !errors.Is(is, nodelease.ErrNoNode)
	if err == nil || is != nil && !errors.Is(err, is) || none {
		t.Errorf("%s: error %v, want one that matches %v", what, err, is)
		return
	}
	for _, text := range texts {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("%s: error %v, want one with %q", what, err, text)
		}
	}
}
