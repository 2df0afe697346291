package main

import (
	"math/rand/v2"
	"testing"
)

// TestSet adds to a set from several appenders, in ascending runs that overlap, and compares
// with a map.
func TestSet(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 0))
		s := new(set)
		appenders := make([]appender, 1+rng.IntN(4))
		for i := range appenders {
			appenders[i].set = s
		}
		next := make([]key, len(appenders))
		known := make(map[key]bool)
		news, olds := 0, 0
		for range 4000 {
			i := rng.IntN(len(appenders))
			switch rng.IntN(200) {
			case 0: // back, so that the next ones overlap
				next[i] = key{lo: uint64(rng.IntN(20_000))}
			case 1:
				appenders[i].close()
			case 2:
				s.merge()
			}
			next[i].lo += uint64(rng.IntN(50)) // or the one before again
			x := next[i]
			if got := appenders[i].add(x); got == known[x] {
				t.Fatalf("seed %d: %d is new: %v, want %v", seed, x.lo, got, !known[x])
			} else if got {
				news++
			} else {
				olds++
			}
			known[x] = true
		}
		if news == 0 || olds == 0 {
			t.Errorf("seed %d: %d were new and %d were not", seed, news, olds)
		}
	}
}

// TestSetReset shows that a set holds what it is reset to, and no more.
func TestSetReset(t *testing.T) {
	s := new(set)
	a := appender{set: s}
	for i := range uint64(10) {
		a.add(key{lo: i})
	}
	a.close()
	kept := s.merge()
	for i := range uint64(10) {
		a.add(key{lo: 10 + i})
	}
	a.close()
	s.reset(kept)
	if a.add(key{lo: 5}) {
		t.Error("it has lost an id that it was reset to")
	}
	if !a.add(key{lo: 15}) {
		t.Error("it has kept an id that came later")
	}
}
