package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/internal/lab/markdown"
)

const (
	goroutines   = 64
	historySize  = 1 << 17 // operations
	collectEvery = 50 * time.Millisecond
	oneRunIn     = 64 // calls

	mark = time.Minute // when the heap is measured that the heap at the end is compared with
)

// A soak mints all schemes for some time, until each thing has been tried, and checks them.
type soak struct {
	span time.Duration
	more time.Duration // for which it goes on, if it has not tried everything by then
	size int           // operations of a history
	disk int64         // bytes at the most
	dir  string        // where the runs are
	log  io.Writer

	order   *order
	shelves [kinds]*shelf

	began                  time.Time
	minted, equal          atomic.Int64
	tried                  atomic.Bool // everything
	ops, runs, near        int64
	lasted, merged         time.Duration
	full                   bool // the disk has reached its limit
	histories, collections int64
	first, middle, last    int64 // bytes of the heap in use
}

// run mints, checks and merges. It returns an error about the first fault that it finds.
func (s *soak) run() (err error) {
	for k := range s.shelves {
		if s.shelves[k], err = newShelf(s.dir, kind(k)); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, s.shelves[k].close()) }()
	}
	gc := newCollector(collectEvery)
	if err := s.mint(); err != nil {
		gc.close()
		return err
	}
	gc.close()
	s.collections = gc.runs
	for _, f := range s.shelves {
		if f.equal > 0 {
			return fmt.Errorf("%v: %d ids equal another of the same history", f.kind, f.equal)
		}
	}
	if most := s.middle + s.middle/4 + 32<<20; s.lasted > mark && s.last > most {
		return fmt.Errorf("the heap has grown from %d bytes after %v to %d", s.middle, mark, s.last)
	}
	fmt.Fprintf(s.log, "soak: %s ids minted, merging them\n", markdown.Grouped(s.minted.Load()))
	return s.merge()
}

// mint records histories, and checks each while the next one is recorded.
func (s *soak) mint() error {
	clock := newSetClock()
	steady := append(streamsOf(nil, 1, 3, false), randomStream())
	set := streamsOf(ids.NewClock(&ids.ClockOptions{Now: clock.now}), 101, 2, true)
	streams := append(steady, set...)
	s.order = newOrder(streams)
	workers := newWorkers(goroutines, streams, oneRunIn, clock)

	free, filled := make(chan *history, 2), make(chan *history)
	for range cap(free) {
		free <- newHistory(goroutines, s.size)
	}
	var failure error // of the check, which ends it
	done := make(chan struct{})
	go func() {
		defer close(done)
		for h := range filled {
			if failure = s.check(h); failure != nil {
				return
			}
			free <- h
		}
	}()
	s.began = time.Now()
	progress := s.progress()
	defer progress()
	goesOn := func() bool {
		past := time.Since(s.began)
		return past < s.span || past < s.span+s.more && !s.tried.Load()
	}
	for n, failed := 0, false; !failed && !s.full && goesOn(); n++ {
		if n == 2*cap(free) {
			runtime.GC() // all histories have their room
			s.first = live()
		}
		select {
		case h := <-free:
			h.record(workers, s.size)
			select {
			case filled <- h:
			case <-done:
				failed = true
			}
		case <-done:
			failed = true
		}
		if s.middle == 0 && time.Since(s.began) >= mark {
			s.middle = live()
		}
		s.full = s.onDisk() > s.disk
	}
	s.lasted = time.Since(s.began)
	close(filled)
	<-done
	runtime.GC()
	s.last = live()
	runtime.KeepAlive(free) // and the histories in it
	if failure == nil && !s.full && !s.tried.Load() {
		return fmt.Errorf("not everything was tried in %v:\n%s", s.lasted, s.table())
	}
	return failure
}

// check checks the order of a history, and puts its ids on the shelves.
func (s *soak) check(h *history) error {
	if err := s.order.check(h); err != nil {
		return err
	}
	ops, n := h.total()
	s.ops += int64(ops)
	s.minted.Add(int64(n))
	s.histories++
	for i := range h.parts {
		s.runs += int64(h.parts[i].runs)
		s.near += int64(h.parts[i].near)
	}
	tried := s.order.checked > 0 && s.order.leaps > 0 && s.near > 0 && s.runs > 0
	err := s.eachShelf(func(f *shelf) error {
		equal, err := f.add(h)
		f.equal += int64(equal)
		s.equal.Add(int64(equal))
		return err
	})
	for _, f := range s.shelves {
		tried = tried && f.ids > 0
	}
	s.tried.Store(tried)
	return err
}

// eachShelf calls f for all shelves at a time.
func (s *soak) eachShelf(f func(*shelf) error) error {
	var all sync.WaitGroup
	var errs [kinds]error
	for k, x := range s.shelves {
		all.Go(func() { errs[k] = f(x) })
	}
	all.Wait()
	return errors.Join(errs[:]...)
}

// merge merges the runs of each shelf.
func (s *soak) merge() error {
	began := time.Now()
	defer func() { s.merged = time.Since(began) }()
	return s.eachShelf(func(f *shelf) error {
		n, equal, err := f.merge()
		switch {
		case err != nil:
			return err
		case n != f.ids:
			return fmt.Errorf("%s: %d ids were written, and %d read", f.kind, f.ids, n)
		case equal > 0:
			return fmt.Errorf("%s: %d ids equal another", f.kind, equal)
		}
		return nil
	})
}

// onDisk returns how many bytes the runs take.
func (s *soak) onDisk() (n int64) {
	for _, f := range s.shelves {
		n += f.size.Load()
	}
	return n
}

// progress writes a line about the soak now and then, until the function that it returns is called.
func (s *soak) progress() (stop func()) {
	quit := make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() {
		tick := time.NewTicker(10 * time.Second)
		defer tick.Stop()
		for {
			select {
			case <-quit:
				return
			case <-tick.C:
				n, past := s.minted.Load(), time.Since(s.began)
				fmt.Fprintf(s.log, "soak: %v: %s ids, %.2f million a second, heap %d MB, disk %d MB, duplicates so far %d\n",
					past.Round(time.Second), markdown.Grouped(n), float64(n)/past.Seconds()/1e6, live()>>20, s.onDisk()>>20, s.equal.Load())
			}
		}
	})
	return func() {
		close(quit)
		done.Wait()
	}
}

// table returns what was done as a table in Markdown.
func (s *soak) table() string {
	var t table
	n := s.minted.Load()
	t.row("minted for · on", fmt.Sprintf("%v · %d processors, %d goroutines, %s/%s",
		s.lasted.Round(time.Second), runtime.GOMAXPROCS(0), goroutines, runtime.GOOS, runtime.GOARCH))
	t.row("ids", fmt.Sprintf("%s, %.1f million a second", markdown.Grouped(n), float64(n)/s.lasted.Seconds()/1e6))
	var each []int64
	for _, f := range s.shelves {
		each = append(each, f.ids)
	}
	t.row("of V1 · V4 · V6 · V7 · ULID · Snowflake", markdown.Join(each...))
	t.row("calls · of which runs, of up to 4,096 ids", markdown.Join(s.ops-s.order.leaps, s.runs))
	t.row("clock set within Tolerance · by up to two years", markdown.Join(s.near, s.order.leaps))
	t.row("garbage collections", markdown.Grouped(s.collections))
	t.row("sorted runs on disk · their bytes", markdown.Join(s.histories*int64(kinds), s.onDisk()))
	t.row("ids merged, in "+s.merged.Round(time.Second).String(), markdown.Grouped(n))
	t.row("duplicates", "0")
	t.row("calls whose order was checked · in progress when the clock was set", markdown.Join(s.order.checked, s.order.exempt))
	t.row("calls out of order", "0")
	t.row("heap in use at the beginning · after "+mark.String()+" · at the end",
		fmt.Sprintf("%d MB · %d MB · %d MB", s.first>>20, s.middle>>20, s.last>>20))
	return t.String()
}

// newSoak returns a soak in a new directory, which the function removes that it returns too.
func newSoak(span time.Duration, disk int64, parent string) (*soak, func() error, error) {
	dir, err := os.MkdirTemp(parent, "soak-")
	if err != nil {
		return nil, nil, err
	}
	s := &soak{span: span, more: time.Minute, size: historySize, disk: disk, dir: dir, log: os.Stderr}
	return s, func() error { return os.RemoveAll(dir) }, nil
}
