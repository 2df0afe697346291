package main

import (
	"runtime"
	"runtime/metrics"
	"sync"
	"time"
)

// A collector runs the garbage collector again and again, which preempts goroutines wherever they
// are and drops blocks of random bytes that are not in use.
type collector struct {
	stop chan struct{}
	done sync.WaitGroup
	runs int64 // to read after close
}

func newCollector(period time.Duration) *collector {
	c := &collector{stop: make(chan struct{})}
	c.done.Go(func() {
		tick := time.NewTicker(period)
		defer tick.Stop()
		for {
			select {
			case <-c.stop:
				return
			case <-tick.C:
				runtime.GC()
				c.runs++
			}
		}
	})
	return c
}

func (c *collector) close() {
	close(c.stop)
	c.done.Wait()
}

// live returns how many bytes were in use after the latest garbage collection.
func live() int64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}
