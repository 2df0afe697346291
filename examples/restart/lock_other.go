//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
)

// acquire refuses: the standard library has no lock here that ends with the process, and two
// processes with one file would repeat ids.
func acquire(path string) (*os.File, error) {
	return nil, fmt.Errorf("lock %s: on %s, write your own acquire: %w", path, runtime.GOOS, errors.ErrUnsupported)
}
