// Package storekit holds what stores share: their options and the choice among free node numbers.
package storekit

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"time"
)

const (
	defaultNodes = 1024 // what Twitter's layout can name
	maxNodes     = 1 << 20
	defaultTTL   = 15 * time.Second
	minTTL       = time.Second
	maxTTL       = 365 * 24 * time.Hour
)

// Complete puts the defaults in place of zeros and checks the rest.
func Complete(holder *string, nodes *int64, ttl *time.Duration) error {
	if *holder == "" {
		host, err := os.Hostname()
		if err != nil {
			host = "unknown"
		}
		*holder = fmt.Sprintf("%s/%d", host, os.Getpid())
	}
	if *nodes == 0 {
		*nodes = defaultNodes
	}
	if *nodes < 0 || *nodes > maxNodes {
		return fmt.Errorf("Options.Nodes %d is not within 1 to %d", *nodes, maxNodes)
	}
	if *ttl == 0 {
		*ttl = defaultTTL
	}
	if *ttl < minTTL || *ttl > maxTTL {
		return fmt.Errorf("Options.TTL %v is not within %v to %v", *ttl, minTTL, maxTTL)
	}
	return nil
}

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
