// Package tiny has faults planted in it by the test of mutate.
package tiny

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// width is a constant, outside functions.
const width = 4

// Clamp returns n, or the bound that it exceeds.
func Clamp(n int) int {
	if n > 9 {
		return 9
	}
	return max(n, 0)
}

// Fill returns width bytes.
func Fill() []byte { return make([]byte, width) }

// Unseen is called by no test.
func Unseen(a, b int) int { return a - b }

// Same returns n.
func Same(n int) int { return n * 1 }

// Loop returns the sum of 0 to n-1.
func Loop(n int) (sum int) {
	for i := 0; i < n; i++ {
		sum += i
	}
	return sum
}

// Share counts in two ways, under a mutex.
type Share struct {
	mu        sync.Mutex
	odd, even int64
}

// Add counts n.
func (s *Share) Add(n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch n % 2 {
	case 0:
		s.even += n
	default:
		s.odd++
	}
}

// Release gives back what is taken elsewhere.
func (s *Share) Release(a int64) (sum int64) {
	sum = s.odd + min(a, 9)
	s.mu.Unlock()
	return sum
}

// Log reports when it is written.
type Log struct {
	at     time.Time
	report func(time.Time)
}

// New returns a log that reports what l does.
func (l Log) New() Log { return Log{l.at.UTC(), l.report} }

var errRest = errors.New("no letters are left")

// Append appends the letters from at on.
func (l Log) Append(dst []byte, at uint32) ([]byte, error) {
	const letters = "abcdefghijklmnopqrstuvwxyz"
	l.at = l.at.Add(time.Second)
	l.report(l.at)
	if at > uint32(len(letters)) {
		return nil, fmt.Errorf("at %d: %w", int(at), errRest)
	}
	defer Fill()
	return append(slices.Clone(dst), letters[at:]...), nil
}
