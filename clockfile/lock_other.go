//go:build !windows && (!unix || aix || (solaris && !illumos))

package clockfile

import (
	"errors"
	"fmt"
	"os"
	"runtime"
)

// errNoLocks means that on this system the standard library has no file lock that is released when
// the process ends and that also excludes other descriptors of the same process. Without such a
// lock, two processes that use the same file could generate equal IDs.
var errNoLocks = fmt.Errorf("%s has no lock of an open file: %w", runtime.GOOS, errors.ErrUnsupported)

func openLocked(string) (*os.File, error) { return nil, errNoLocks }

func closeLocked(f *os.File) error { return f.Close() }

func linkCount(os.FileInfo) uint64 { return 1 }

func lookUp(path string) (os.FileInfo, error) { return os.Stat(path) }
