package main

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/oneclock/ids"
)

// An operation is one call: when it began and returned, by a counter that all goroutines share,
// and the first and last of the ids that it gave.
type operation struct {
	began, returned int64
	first, last     key
}

// check reports the first operation found whose ids are not above the ids of all operations that
// had returned before it began. That is what a history of ascending ids is linearizable by: the
// order of the ids is then one in which the calls can have happened one by one.
func check(ops []operation) error {
	type moment struct {
		at     int64
		op     int
		begins bool
	}
	moments := make([]moment, 0, 2*len(ops))
	for i, o := range ops {
		moments = append(moments, moment{o.began, i, true}, moment{o.returned, i, false})
	}
	slices.SortFunc(moments, func(a, b moment) int { return int(a.at - b.at) })
	highest := -1 // the operation with the highest id of those that have returned
	for _, m := range moments {
		o := ops[m.op]
		switch {
		case m.begins && highest >= 0 && !ops[highest].last.less(o.first):
			return fmt.Errorf("%x began at %d, when %x had returned at %d", o.first, o.began, ops[highest].last, ops[highest].returned)
		case !m.begins && (highest < 0 || ops[highest].last.less(o.last)):
			highest = m.op
		}
	}
	return nil
}

// A mintFunc gives the ids of one call, in ascending order, appended to dst. n counts the calls
// of a goroutine.
type mintFunc func(dst []key, n int) []key

// history mints from several goroutines at a time, under pressure, and returns the operations.
func history(t *testing.T, mint func(goroutine int) mintFunc, goroutines, calls int) []operation {
	t.Helper()
	var now atomic.Int64
	var all sync.WaitGroup
	start := make(chan struct{})
	ops := make([][]operation, goroutines)
	for g := range goroutines {
		mint := mint(g)
		all.Go(func() {
			<-start
			buf := make([]key, 0, 1024)
			for n := range calls {
				o := operation{began: now.Add(1)}
				buf = mint(buf[:0], n)
				o.returned = now.Add(1)
				o.first, o.last = buf[0], buf[len(buf)-1]
				if !slices.IsSortedFunc(buf, compare) {
					t.Error("a run does not ascend")
				}
				ops[g] = append(ops[g], o)
				if n%256 == 16*g {
					runtime.Gosched()
				}
				if g == 0 && n%512 == 8 {
					runtime.GC() // which preempts the others wherever they are
				}
			}
		})
	}
	stop := pressure()
	close(start)
	all.Wait()
	stop()
	return slices.Concat(ops...)
}

// pressure starts goroutines that spin and yield, so that others wait for a processor. The
// function that it returns stops them.
func pressure() (stop func()) {
	var done atomic.Bool
	var all sync.WaitGroup
	spin := func(f func()) {
		all.Go(func() {
			for !done.Load() {
				f()
			}
		})
	}
	spin(func() {
		for began := time.Now(); time.Since(began) < 100*time.Microsecond; {
			continue
		}
		runtime.Gosched()
	})
	spin(runtime.Gosched)
	return func() {
		done.Store(true)
		all.Wait()
	}
}

// procs runs f with 1, 2 and 8 processors.
func procs(t *testing.T, f func(t *testing.T)) {
	for _, n := range []int{1, 2, 8} {
		t.Run(fmt.Sprintf("GOMAXPROCS=%d", n), func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(n))
			f(t)
		})
	}
}

// restless is a wall clock that is set by up to 5 s now and then, to and fro.
func restless() func() time.Time {
	var mu sync.Mutex
	rng := rand.New(rand.NewPCG(1, 1))
	var off time.Duration
	return func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		if rng.IntN(100) == 0 {
			off = time.Duration(rng.Int64N(int64(5 * time.Second)))
		}
		return time.Now().Add(off)
	}
}

// TestLinearizable checks that each id is above all ids whose calls had returned before its own
// began, whatever the goroutine, for single calls and runs, on the system's clock and on one
// that is set back and forth.
func TestLinearizable(t *testing.T) {
	const goroutines, calls, each = 6, 1500, 50 // one call in fifty is a run
	steady := func() *ids.ClockOptions { return &ids.ClockOptions{Tolerance: 1 << 62} }
	set := func() *ids.ClockOptions { return &ids.ClockOptions{Now: restless()} }
	procs(t, func(t *testing.T) {
		for name, options := range map[string]func() *ids.ClockOptions{"steady": steady, "restless": set} {
			for stream, s := range streams() {
				if !s.ordered() {
					continue
				}
				t.Run(name+" "+s.name, func(t *testing.T) {
					p := newUnseeded(options())
					if err := p.open(stream); err != nil {
						t.Fatal(err)
					}
					var runs sync.Mutex // of p's buffers
					ops := history(t, func(g int) mintFunc {
						return func(dst []key, n int) []key {
							if n%each != g || s.sequenced() {
								return append(dst, p.next(stream))
							}
							runs.Lock()
							defer runs.Unlock()
							return p.run(stream, dst, 600) // more than is minted under one lock
						}
					}, goroutines, calls)
					if err := check(ops); err != nil {
						t.Error(err)
					}
				})
			}
		}
	})
}

// streams are the streams of a process that newUnseeded returns.
func streams() []scheme {
	return append(uuidSchemes(), snowflakeScheme("Twitter", ids.TwitterLayout(), 5))
}

// newUnseeded returns a process with a clock of the options given, and the random bytes that
// package ids draws itself.
func newUnseeded(o *ids.ClockOptions) *library {
	p := &library{boot: boot{schemes: streams(), number: 1}, clock: ids.NewClock(o)}
	p.nodes = make([]*ids.SnowflakeNode, len(p.schemes))
	p.node = p.generator(false)
	p.ulids = [2]*ids.Generator{p.generator(false), p.generator(true)}
	return p
}

// TestNotLinearizable shows that the check fails for generators that are wrong only where
// goroutines meet.
func TestNotLinearizable(t *testing.T) {
	procs(t, func(t *testing.T) {
		for name, broken := range map[string]func() func(goroutine int) mintFunc{
			"reads the clock outside the lock": staleReading,
			"leases ids to goroutines":         leases,
			"caches the time by goroutine":     cached,
		} {
			t.Run(name, func(t *testing.T) {
				const rounds = 100
				for range rounds {
					if check(history(t, broken(), 4, 2000)) != nil {
						return
					}
				}
				t.Errorf("not found in %d histories", rounds)
			})
		}
	})
}

// staleReading is a Snowflake generator that takes its lock after it has read the clock, and
// starts the sequence anew whenever the tick has changed.
func staleReading() func(int) mintFunc {
	var mu sync.Mutex
	var last, seq uint64
	began := time.Now()
	return func(int) mintFunc {
		return func(dst []key, n int) []key {
			tick := uint64(time.Since(began).Milliseconds())
			if n%16 == 0 {
				runtime.Gosched() // as preemption would
			}
			mu.Lock()
			defer mu.Unlock()
			if tick != last {
				last, seq = tick, 0
			}
			seq++
			return append(dst, key{tick, seq})
		}
	}
}

// leases gives each goroutine a hundred numbers at a time, as databases do it with sequences.
func leases() func(int) mintFunc {
	var next atomic.Uint64
	return func(int) mintFunc {
		var at, end uint64
		return func(dst []key, _ int) []key {
			if at == end {
				end = next.Add(100)
				at = end - 100
			}
			at++
			return append(dst, key{lo: at})
		}
	}
}

// cached tells ids apart by a counter, below a time that each goroutine reads every hundred calls.
func cached() func(int) mintFunc {
	var next atomic.Uint64
	began := time.Now()
	return func(int) mintFunc {
		var tick uint64
		return func(dst []key, n int) []key {
			if n%100 == 0 {
				tick = uint64(time.Since(began))
			}
			return append(dst, key{tick, next.Add(1)})
		}
	}
}

// TestCheck checks histories by hand.
func TestCheck(t *testing.T) {
	op := func(began, returned int64, id uint64) operation {
		return operation{began, returned, key{lo: id}, key{lo: id}}
	}
	for _, test := range []struct {
		name string
		ops  []operation
		fine bool
	}{
		{"one after the other", []operation{op(1, 2, 1), op(3, 4, 2)}, true},
		{"one after the other, the wrong way round", []operation{op(1, 2, 2), op(3, 4, 1)}, false},
		{"the same twice", []operation{op(1, 2, 1), op(3, 4, 1)}, false},
		{"at the same time", []operation{op(1, 3, 2), op(2, 4, 1)}, true},
		{"a long call around two", []operation{op(1, 6, 9), op(2, 3, 1), op(4, 5, 2)}, true},
		{"below one that returned long ago", []operation{op(1, 2, 9), op(3, 4, 10), op(5, 6, 5)}, false},
		{"a run whose end is above the next call", []operation{{1, 2, key{lo: 1}, key{lo: 9}}, op(3, 4, 5)}, false},
		{"a run that begins above the call before", []operation{op(1, 2, 3), {3, 4, key{lo: 4}, key{lo: 9}}}, true},
	} {
		if err := check(test.ops); (err == nil) != test.fine {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}
