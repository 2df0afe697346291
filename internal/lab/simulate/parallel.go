package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/metrics"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/internal/lab/markdown"
)

const (
	goroutines  = 64
	historySize = 1 << 17 // operations
	maxRun      = 1 << 12 // ids, more than are minted under one lock
)

// processors are the values of GOMAXPROCS, one history after the other.
var processors = [...]int{1, 2, 8}

// A soak mints ids from many goroutines on real time, and checks that all are in order and no two equal.
type soak struct {
	span  time.Duration // and it goes on until everything has been tried
	size  int           // operations of a history
	log   io.Writer
	table *table

	began          time.Time
	runs, near     int64
	calls          [len(processors)]int64
	histories, ids int64
	middle, last   int64 // bytes of the heap in use
	order          *order
}

// run mints and checks, and returns an error about the first fault that it finds.
func (s *soak) run() error {
	if err := s.mint(); err != nil {
		return err
	}
	fmt.Fprintf(s.log, "simulate: %s ids, looking for equal ones\n", markdown.Grouped(s.ids))
	return s.table.distinct(s.ids)
}

// mint mints one history after the other, and checks the order of each.
func (s *soak) mint() error {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go collectGarbage(ctx)
	clock := newSetClock()
	endless := &ids.ClockOptions{Now: clock.now, Tolerance: 1 << 62}
	s.order = newOrder(append(append(append(
		streamsOf("", nil, 1, false),
		streamsOf(", set", &ids.ClockOptions{Now: clock.now}, 101, true)...),
		streamsOf(", set, Tolerance without end", endless, 201, false)...),
		randomStream()))
	workers := newWorkers(goroutines, s.order.streams, clock)
	h := newHistory(goroutines, s.size)
	s.began = time.Now()
	for tell := s.began; time.Since(s.began) < s.span || !s.triedAll(); s.histories++ {
		processors := processors[s.histories%int64(len(processors))]
		runtime.GOMAXPROCS(processors)
		// All streams, or goroutines crowd at one.
		only := -1
		if n := s.histories / 3 % int64(2*len(s.order.streams)); n%2 == 1 {
			only = int(n / 2)
		}
		h.record(workers, s.size, only)
		if err := s.check(h); err != nil {
			return fmt.Errorf("GOMAXPROCS=%d: %w", processors, err)
		}
		if time.Since(tell) > 10*time.Second {
			tell = time.Now()
			fmt.Fprintf(s.log, "simulate: %v: %s ids, heap %d MB\n",
				time.Since(s.began).Round(time.Second), markdown.Grouped(s.ids), live()>>20)
		}
		if s.middle == 0 && time.Since(s.began) > s.span/4 {
			s.middle = live()
		}
	}
	s.last = live()
	if s.last > s.middle+s.middle/4+32<<20 {
		return fmt.Errorf("the heap has grown from %d bytes to %d", s.middle, s.last)
	}
	return nil
}

// triedAll reports whether each stream has been minted alone, on each number of processors, and the clock set.
func (s *soak) triedAll() bool {
	return s.histories >= int64(2*len(processors)*len(s.order.streams)) && s.near > 0 && s.order.leaps > 0
}

// check checks the order of a history, and keeps its ids.
func (s *soak) check(h *history) error {
	before := s.order.checked
	if err := s.order.check(h); err != nil {
		return err
	}
	s.calls[s.histories%int64(len(processors))] += s.order.checked - before
	for i := range h.parts {
		p := &h.parts[i]
		s.runs += int64(p.runs)
		s.near += int64(p.near)
		s.ids += int64(len(p.ids))
		if err := s.table.add(p.ids); err != nil {
			return err
		}
	}
	return nil
}

// report returns what was done as a table in Markdown.
func (s *soak) report() string {
	var b strings.Builder
	row := func(name, value string) { fmt.Fprintf(&b, "| %s | %s |\n", name, value) }
	row("what", "how many")
	row("---", "---")
	row("minted and checked for · on", fmt.Sprintf("%v · %d processors, %d goroutines, %s/%s",
		time.Since(s.began).Round(time.Second), runtime.NumCPU(), goroutines, runtime.GOOS, runtime.GOARCH))
	row("ids, each compared with all others", markdown.Grouped(s.ids))
	row("duplicates", "0")
	row("runs, of up to 4,096 ids", markdown.Grouped(s.runs))
	row("calls whose order was checked, with GOMAXPROCS 1 · 2 · 8", markdown.Join(s.calls[:]...))
	row("calls out of order", "0")
	row("clock set within Tolerance · by up to two years", markdown.Join(s.near, s.order.leaps))
	row("calls in progress at the latter, not checked", markdown.Grouped(s.order.exempt))
	row("heap in use after a quarter of the time · at the end", fmt.Sprintf("%d MB · %d MB", s.middle>>20, s.last>>20))
	return b.String()
}

// collectGarbage runs the garbage collector again and again, which preempts goroutines wherever they are
// and drops blocks of random bytes that are not in use, until the context ends.
func collectGarbage(ctx context.Context) {
	for ctx.Err() == nil {
		runtime.GC()
		time.Sleep(50 * time.Millisecond)
	}
}

// live returns how many bytes were in use after the latest garbage collection.
func live() int64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

// A stream is where ids come from whose order is checked together.
type stream struct {
	name    string
	ordered bool
	follows bool // it may go back when the clock is set back by more than Tolerance
	one     func() key
	run     func(dst []key, n int) []key // nil if there are no runs
}

// streamsOf returns the streams of a clock. Its Snowflakes are of the node number. follows tells whether
// the clock may be set back by more than its Tolerance.
func streamsOf(of string, options *ids.ClockOptions, number int64, follows bool) []stream {
	c := ids.NewClock(options)
	g := ids.NewGenerator(&ids.GeneratorOptions{Clock: c})
	monotonic := ids.NewGenerator(&ids.GeneratorOptions{Clock: c, ULIDMonotonic: true})
	node, err := ids.NewSnowflakeNode(number, &ids.SnowflakeOptions{Clock: c})
	if err != nil {
		panic(err) // the number fits, and the clock is not before 2010
	}
	return []stream{
		{"V1" + of, false, false, func() key { return fromBytes(g.NewV1()) }, nil},
		{"V6" + of, true, follows, func() key { return fromBytes(g.NewV6()) }, nil},
		{"V7" + of, true, follows, func() key { return fromBytes(g.NewV7()) }, runs(g.AppendV7, toKey)},
		{"ULID" + of, true, follows, func() key { return fromBytes(g.NewULID()) }, runs(g.AppendULID, toKey)},
		{"ULID monotonic" + of, true, follows, func() key { return fromBytes(monotonic.NewULID()) }, runs(monotonic.AppendULID, toKey)},
		{"Snowflake" + of, true, false, func() key { return ofSnowflake(node.Next()) }, runs(node.Append, ofSnowflake)},
	}
}

// randomStream returns the stream of version 4, which has no clock.
func randomStream() stream {
	return stream{name: "V4", one: func() key { return fromBytes(ids.NewV4()) }, run: runs(ids.AppendV4, toKey)}
}

func toKey[T ~[16]byte](x T) key { return fromBytes(x) }

// runs returns a function that mints runs, from many goroutines.
func runs[T any](mint func([]T, int) []T, as func(T) key) func([]key, int) []key {
	free := sync.Pool{New: func() any { return new([]T) }}
	return func(dst []key, n int) []key {
		all := free.Get().(*[]T)
		defer free.Put(all)
		*all = mint((*all)[:0], n)
		return appendKeys(dst, *all, as)
	}
}

// A setClock is a wall clock that is set to and fro. One goroutine sets it.
type setClock struct {
	began  time.Time
	offset atomic.Int64 // ns
	rng    *rand.Rand
	base   int64 // ns
}

const (
	band = 9 * time.Second        // how far apart two settings are that Tolerance covers, of 10 s
	year = 365 * 24 * time.Hour   // how far the clock is set at the most
	far  = int64(2 * time.Minute) // how far at least, if by more than Tolerance
)

func newSetClock() *setClock {
	return &setClock{began: time.Now(), rng: rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))}
}

// now returns the time that the clock shows. It does not depend on settings of the system's clock.
func (c *setClock) now() time.Time {
	return c.began.Add(time.Since(c.began)).Add(time.Duration(c.offset.Load()))
}

// near sets the clock by less than Tolerance. It stays within a band, so that several such steps
// in a row are no further apart either.
func (c *setClock) near() { c.offset.Store(c.base + c.rng.Int64N(int64(band))) }

// leap sets the clock by more than Tolerance.
func (c *setClock) leap() {
	for {
		base := c.rng.Int64N(int64(2*year)) - int64(year)
		if d := base - c.base; d > far || d < -far {
			c.base = base
			c.near()
			return
		}
	}
}

// A worker is what a goroutine mints with.
type worker struct {
	streams []stream
	clock   *setClock // nil unless it is the goroutine that sets it
	rng     *rand.Rand
}

// Once in so many calls, a call is a run, or the clock is set.
const (
	runEvery  = 64
	nearEvery = 64
	leapEvery = 4096
)

// newWorkers returns workers, the first of which sets the clock, if there is one.
func newWorkers(n int, streams []stream, clock *setClock) []*worker {
	all := make([]*worker, n)
	for i := range all {
		all[i] = &worker{streams: streams, rng: rand.New(rand.NewPCG(uint64(i), 2))}
	}
	all[0].clock = clock
	return all
}

// work does one operation, on a stream or on any, numbers it by the counter, and adds it to p.
func (w *worker) work(p *part, counter *atomic.Uint32, only int) {
	if w.clock != nil {
		switch {
		case len(p.ops) == 0 || w.rng.IntN(leapEvery) == 0:
			began := counter.Add(1)
			w.clock.leap()
			p.ops = append(p.ops, operation{began: began - 1, returned: counter.Add(1) - 1, stream: setting})
			return
		case len(p.ops) == 1 || w.rng.IntN(nearEvery) == 0:
			w.clock.near()
			p.near++
		}
	}
	i := only
	if i < 0 {
		i = w.rng.IntN(len(w.streams))
	}
	s := &w.streams[i]
	o := operation{at: uint32(len(p.ids)), stream: uint8(i)}
	if s.run != nil && w.rng.IntN(runEvery) == 0 {
		n := 2 + w.rng.IntN((maxRun-1)>>w.rng.IntN(11)) // short ones too
		p.runs++
		o.began = counter.Add(1) - 1
		p.ids = s.run(p.ids, n)
		o.returned = counter.Add(1) - 1
	} else {
		o.began = counter.Add(1) - 1
		x := s.one()
		o.returned = counter.Add(1) - 1
		p.ids = append(p.ids, x)
	}
	o.n = uint32(len(p.ids)) - o.at
	p.ops = append(p.ops, o)
}

// An operation is a call that mints ids, or a step of the clock.
type operation struct {
	began, returned uint32 // numbers, from the first of the history on
	at, n           uint32 // its ids are ids[at:at+n] of the goroutine
	stream          uint8  // or setting
}

// setting is the stream of an operation that sets the clock by more than Tolerance.
const setting = 255

// A part is what one goroutine did in a history.
type part struct {
	ops        []operation
	ids        []key
	runs, near int // calls that gave many ids; times that the clock was set by up to Tolerance
}

// A history is all that the goroutines did between two moments at which none was in a call.
type history struct {
	parts  []part
	events []int32 // scratch of the checker
}

// newHistory returns an empty history for a number of goroutines and, in all, about size operations.
func newHistory(goroutines, size int) *history {
	h := &history{parts: make([]part, goroutines)}
	for i := range h.parts {
		h.parts[i].ops = make([]operation, 0, 2*size/goroutines+1) // some do more than others, but not all
	}
	return h
}

// record makes the goroutines work through about size operations, and records them.
func (h *history) record(workers []*worker, size, only int) {
	var now atomic.Uint32
	var all sync.WaitGroup
	start := make(chan struct{})
	for i, w := range workers {
		p := &h.parts[i]
		p.ops, p.ids, p.runs, p.near = p.ops[:0], p.ids[:0], 0, 0
		all.Go(func() {
			<-start
			for len(p.ops) < cap(p.ops) && len(p.ids) < 8*cap(p.ops) && now.Load() < 2*uint32(size) {
				w.work(p, &now, only)
			}
		})
	}
	close(start)
	all.Wait()
}

// soakMain is what main does with the flag -parallel.
func soakMain(span time.Duration, page string) error {
	if err := markdown.CanPut(page, "parallel"); err != nil { // before anything is done in vain
		return err
	}
	t, err := newTable("")
	if err != nil {
		return err
	}
	defer t.close()
	s := &soak{span: span, size: historySize, log: os.Stderr, table: t}
	if err := s.run(); err != nil {
		return err
	}
	return markdown.Put(page, "parallel", s.report())
}
