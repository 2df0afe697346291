//go:build !unix && !windows

package clockfile

import (
	"errors"
	"fmt"
	"runtime"
)

// acquire refuses: the standard library has no lock here that ends with the process, and two
// processes with one file would repeat ids.
func acquire(string) (fileLock, error) {
	return nil, fmt.Errorf("%s has no lock that ends with the process: %w", runtime.GOOS, errors.ErrUnsupported)
}
