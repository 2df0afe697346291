// Package must ends a test where something that it stands on fails.
package must

import (
	"errors"
	"testing"

	"github.com/oneclock/ids/clockfile"
)

// Do ends the test if there is an error.
func Do(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Create makes the file of a first start. It skips the test where there are no files of clocks.
func Create(t testing.TB, path string) {
	t.Helper()
	err := clockfile.Create(path, "")
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	Do(t, err)
}
