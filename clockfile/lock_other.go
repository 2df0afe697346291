//go:build !(aix || darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || solaris || windows)

package clockfile

import (
	"errors"
	"fmt"
	"io"
	"runtime"
)

// acquire refuses: the standard library has no lock here that ends with the process, and two
// processes with one file would repeat ids.
func acquire(string) (io.Closer, error) {
	return nil, fmt.Errorf("%s has no lock that ends with the process: %w", runtime.GOOS, errors.ErrUnsupported)
}
