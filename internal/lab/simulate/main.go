package main

import (
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/oneclock/ids/internal/lab/markdown"
)

func main() {
	n := flag.Float64("ids", 1e7, "mint at least this many ids")
	seed := flag.Uint64("seed", 0, "the first scenario's seed; 0 means a random one")
	write := flag.String("write", "", "put the summary between the markers of this `page`, instead of printing it")
	flag.Parse()
	if flag.NArg() > 0 || !(*n >= 1 && *n <= 1e15) {
		fmt.Fprintln(os.Stderr, "simulate: -ids is from 1 to 1e15, and there are no arguments")
		os.Exit(2)
	}
	if err := markdown.CanPut(*write, "simulate"); err != nil { // before anything is done in vain
		fmt.Fprintln(os.Stderr, "simulate:", err)
		os.Exit(1)
	}
	if *seed == 0 {
		*seed = rand.Uint64()
	}
	s := &sweep{want: int64(*n), seed: *seed, make: newLibrary, log: os.Stderr}
	workers := runtime.GOMAXPROCS(0)
	fmt.Fprintf(os.Stderr, "simulate: first seed %d, %d scenarios at a time\n", *seed, workers)

	// A bubble of testing/synctest needs a test, so this is a program of one test for each
	// worker. Package testing reports to os.Stdout.
	out := os.Stdout
	os.Stdout = os.Stderr
	var tests []testing.InternalTest
	left := int64(workers)
	for range workers {
		tests = append(tests, testing.InternalTest{Name: "simulate", F: func(t *testing.T) {
			t.Parallel()
			s.work(t)
			if s.failed.Load() {
				t.Fail()
			} else if atomic.AddInt64(&left, -1) == 0 {
				os.Stdout = out
				if err := markdown.Put(*write, "simulate", s.total.table()); err != nil {
					t.Error(err)
				}
				os.Stdout = os.Stderr
			}
		}})
	}
	go s.progress()
	all := func(string, string) (bool, error) { return true, nil }
	testing.Main(all, tests, nil, nil)
}

// A sweep plays scenarios with successive seeds until they have minted as many ids as
// are wanted, or one breaks a promise.
type sweep struct {
	want int64
	seed uint64
	make maker
	log  io.Writer

	next   atomic.Uint64 // the number of the next scenario
	minted atomic.Int64
	failed atomic.Bool

	mu    sync.Mutex
	total stats
}

// work plays scenarios.
func (s *sweep) work(t *testing.T) {
	for !s.failed.Load() && s.minted.Load() < s.want {
		seed := s.seed + s.next.Add(1) - 1
		var one stats
		v := play(t, newPlan(seed), s.make, &one)
		s.minted.Add(one.total())
		s.mu.Lock()
		s.total.add(&one)
		s.mu.Unlock()
		if v != nil && s.failed.CompareAndSwap(false, true) {
			fmt.Fprint(s.log, report(t, seed, s.make))
		}
	}
}

// report returns the shortest history found of the promise that the scenario of a seed breaks.
func report(t *testing.T, seed uint64, mk maker) string {
	p, v := shortest(t, seed, mk)
	return fmt.Sprintf("simulate: seed %d: %s\nthe shortest history found:\n%s"+
		"the whole one: go -C internal/lab run ./simulate -ids 1 -seed %d\n", seed, v.text, p.text(), seed)
}

// shortest returns the shortest plan found in which a promise is broken as in the scenario of a
// seed.
func shortest(t *testing.T, seed uint64, mk maker) (*plan, *violation) {
	return shrink(newPlan(seed), func(p *plan) *violation { return play(t, p, mk, new(stats)) })
}

// progress writes a line about the sweep every half minute.
func (s *sweep) progress() {
	began := time.Now()
	for range time.Tick(30 * time.Second) {
		n := s.minted.Load()
		if n >= s.want || s.failed.Load() {
			return
		}
		rate := float64(n) / time.Since(began).Seconds()
		fmt.Fprintf(s.log, "%s of %s ids, %.1f million a second, %s to go\n", markdown.Grouped(n), markdown.Grouped(s.want),
			rate/1e6, time.Duration(float64(s.want-n)/max(rate, 1)*1e9).Round(time.Second))
	}
}
