// Package must contains functions that set up a test. They end the test if the setup fails.
package must

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/oneclock/ids/clockfile"
)

// Do ends the test if err is not nil.
func Do(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Create creates a clockfile at path, as a program does before its first start. It skips the test
// on systems that do not support clockfiles.
func Create(t testing.TB, path string) {
	t.Helper()
	err := clockfile.Create(path, nil)
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	Do(t, err)
}

// Dir returns a directory and a function named fail. After fail(true) has been called, every check
// of a file in the directory fails. After fail(false) has been called, checks succeed again.
// Neither call closes files that are open.
func Dir(t testing.TB) (dir string, fail func(bool)) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "dir")
	lead := func(to string) {
		t.Helper()
		if err := os.Symlink(to, dir+".link"); err != nil {
			t.Skip("links need a privilege here: ", err)
		}
		Do(t, os.Rename(dir+".link", dir))
	}
	target := t.TempDir()
	lead(target)
	return dir, func(now bool) {
		if now {
			lead(dir) // a loop of links
		} else {
			lead(target)
		}
	}
}
