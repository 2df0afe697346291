// Package must contains helpers that end a test if an unexpected error occurs or if the test hangs.
// It also contains helpers that check expected errors.
package must

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oneclock/ids/nodelease"
)

// Do fails the test immediately if err is not nil.
func Do(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Bubble runs test in a synctest bubble. If the test hangs, for example because a timer resets
// itself forever, Bubble ends all tests with a short message. Otherwise, the tests would run until
// they time out, and then dump the stacks of all goroutines.
func Bubble(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	const limit = time.Minute // the longest test takes 0.6 s, or 3 s with -race on a busy machine
	hangs := time.AfterFunc(limit, func() { panic(fmt.Sprintf("%s hangs: a bubble of it has not ended for %v", t.Name(), limit)) })
	defer hangs.Stop()
	synctest.Test(t, test)
}

// Soon calls f repeatedly until f returns nil. If f still returns an error after a minute, Soon
// ends the test by calling t.Fatalf. Therefore call Soon only from the test's own goroutine.
func Soon(t testing.TB, f func() error) {
	t.Helper()
	limit := time.Now().Add(time.Minute)
	err := f()
	for ; err != nil && time.Now().Before(limit); err = f() {
		time.Sleep(50 * time.Millisecond)
	}
	if err != nil {
		t.Fatalf("for a minute: %v", err)
	}
}

// Get returns the value that a call returned, and ends the test if the call also returned an error.
// It is used like this: must.Get(call())(t).
func Get[T any](value T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		Do(t, err)
		return value
	}
}

// Fail checks that err is not nil, that errors.Is(err, is) is true, and that the text of err
// contains each of texts. If the expected error is nil, err may be any error. If the expected error
// does not match ErrNoNumber, err must not match it either.
func Fail(t testing.TB, what string, err, is error, texts ...string) {
	t.Helper()
	none := errors.Is(err, nodelease.ErrNoNumber) && !errors.Is(is, nodelease.ErrNoNumber)
	if err == nil || is != nil && !errors.Is(err, is) || none {
		t.Errorf("%s: error %v, want one that matches %v and says %q", what, err, is, texts)
		return
	}
	for _, text := range texts {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("%s: error %v, want one with %q", what, err, text)
		}
	}
}
