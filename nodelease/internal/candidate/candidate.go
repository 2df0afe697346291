// Package candidate orders the free node numbers of a store.
package candidate

import (
	"math/rand/v2"
	"slices"
	"time"
)

// A Candidate is a free node number with its mark.
type Candidate struct {
	Node    int64
	Mark    time.Time
	Version int64 // of the mark, for stores that have one
}

// Prefer puts the numbers whose mark has passed first, in random order so that processes which
// start together seldom want the same one. After them come those whose mark is ahead, the nearest
// first: ids under such a number carry a time later than the wall clock's.
func Prefer(free []Candidate, now time.Time) {
	rand.Shuffle(len(free), func(i, j int) { free[i], free[j] = free[j], free[i] })
	slices.SortStableFunc(free, func(a, b Candidate) int {
		return later(a.Mark, now).Compare(later(b.Mark, now))
	})
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
