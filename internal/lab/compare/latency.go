package compare

import (
	"runtime"
	"slices"
	"sync"
	"time"
)

// A Latency is how long single calls took while many goroutines made them.
type Latency struct {
	Kind, Library       string
	P50, P99, P999, Max time.Duration
}

// Timer is the Library of the Latency of no call at all: what reading the timer adds to the others.
const Timer = "timer"

// Latencies calls each minter from a number of goroutines at once, calls times from each, and
// times every call by itself. The first result is that of Timer. It calls progress before each
// minter.
func Latencies(goroutines, calls int, progress func(kind, library string)) []Latency {
	minters := append([]Minter{{Library: Timer, Mint: func() {}}}, Minters()...)
	samples := make([]time.Duration, goroutines*calls)
	var all []Latency
	for _, m := range minters {
		progress(m.Kind, m.Library)
		if m.Begin != nil {
			end := m.Begin()
			timeCalls(m.mint, samples, goroutines)
			end()
		} else {
			timeCalls(m.mint, samples, goroutines)
		}
		slices.Sort(samples)
		all = append(all, Latency{m.Kind, m.Library,
			quantile(samples, 0.5), quantile(samples, 0.99), quantile(samples, 0.999), samples[len(samples)-1]})
	}
	return all
}

// timeCalls fills samples, to equal parts from each goroutine. All begin together, and none
// allocates.
func timeCalls(worker func() (mint func()), samples []time.Duration, goroutines int) {
	clear(samples)
	runtime.GC()
	var ready, done sync.WaitGroup
	start := make(chan struct{})
	share := len(samples) / goroutines
	for g := range goroutines {
		mine := samples[g*share : (g+1)*share]
		mint := worker()
		mint() // what a library does only once is not what is asked here
		ready.Add(1)
		done.Go(func() {
			ready.Done()
			<-start
			for i := range mine {
				began := time.Now()
				mint()
				mine[i] = time.Since(began)
			}
		})
	}
	ready.Wait()
	close(start)
	done.Wait()
}

// quantile returns the q-quantile of sorted samples.
func quantile(sorted []time.Duration, q float64) time.Duration {
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}
