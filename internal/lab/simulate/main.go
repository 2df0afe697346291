package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

func main() {
	n := flag.Float64("ids", 1e7, "mint at least this many ids")
	seed := flag.Uint64("seed", 0, "the first scenario's seed; 0 means a random one")
	flag.Parse()
	if flag.NArg() > 0 || !(*n >= 1 && *n <= 1e15) {
		fmt.Fprintln(os.Stderr, "simulate: -ids is from 1 to 1e15, and there are no arguments")
		os.Exit(2)
	}
	if *seed == 0 {
		*seed = rand.Uint64()
	}
	s := newSweep(int64(*n), *seed, nil)
	workers := runtime.GOMAXPROCS(0)
	fmt.Fprintf(os.Stderr, "simulate: first seed %d, %d scenarios at a time\n", *seed, workers)

	// A bubble of testing/synctest needs a test, so this is a program of one test, which reports to os.Stdout.
	out := os.Stdout
	os.Stdout = os.Stderr
	all := func(string, string) (bool, error) { return true, nil }
	testing.Main(all, []testing.InternalTest{{Name: "simulate", F: func(t *testing.T) {
		var done sync.WaitGroup
		for range workers {
			done.Go(func() { s.work(t) })
		}
		done.Wait()
		if s.broken != "" {
			t.Fatal(s.broken)
		}
		if _, err := fmt.Fprint(out, s.total.table()); err != nil {
			t.Error(err)
		}
	}}}, nil, nil)
}

// A sweep plays scenarios with successive seeds until they have minted as many ids as
// are wanted, or one breaks a promise.
type sweep struct {
	want int64
	seed uint64
	flaw flaw
	next atomic.Uint64 // the number of the next scenario

	mu     sync.Mutex
	total  stats
	broken string
}

func newSweep(want int64, seed uint64, f flaw) *sweep {
	return &sweep{want: want, seed: seed, flaw: f, total: stats{events: map[action]int64{}}}
}

// more reports whether a scenario is to be played.
func (s *sweep) more() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.broken == "" && s.total.total() < s.want
}

// work plays scenarios.
func (s *sweep) work(t *testing.T) {
	for s.more() {
		seed := s.seed + s.next.Add(1) - 1
		one := stats{events: map[action]int64{}}
		v := play(t, newPlan(seed), s.flaw, &one)
		s.mu.Lock()
		s.total.add(&one)
		if v != nil && s.broken == "" {
			s.broken = fmt.Sprintf("simulate: seed %d: %s\nto see it again: go -C internal/lab run ./simulate -ids 1 -seed %d", seed, v.text, seed)
		}
		s.mu.Unlock()
	}
}
