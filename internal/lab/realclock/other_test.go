//go:build !linux || (!amd64 && !arm64)

package realclock_test

import "testing"

func TestWallClock(t *testing.T) {
	t.Skip("the wall clock that a process sees can be moved by ptrace and seccomp only, and for Linux on amd64 and arm64 only")
}
