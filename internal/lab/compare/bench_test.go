package compare

// Types and functions that all benchmarks share.

import (
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
)

// A group contains the benchmarks of one kind of ID. They run one after another, so that their
// ratios suffer least from a machine whose speed drifts.
type group struct {
	kind    string
	entries []entry
}

// An entry is the benchmark of one library, or of a floor. begin returns the measured call; workers
// that share nothing call begin once each.
type entry struct {
	library string
	begin   func(b *testing.B) call
}

// A call is a measured call. It goes through a function value, which costs each library the same
// nanosecond or two, and its result is stored, as a program that keeps the ID does. A 16-byte
// result that is discarded costs less than one that is copied immediately.
type call interface {
	serial(b *testing.B)
	parallel(pb *testing.PB, rounds int) // with that many rounds of work after each call
	once() (any, error)
}

type (
	returns[T any] func() T
	may[T any]     func() (T, error) // may fail
)

// kept is where a goroutine stores its results, away from other goroutines' results.
type kept[T any] struct {
	_   [64]byte
	v   T
	err error
	x   uint64 // state of work
	_   [64]byte
}

// someWork is the number of rounds that a program works between two IDs, in benchmarks with work.
// It takes about 0.14 µs.
const someWork = 100

// work returns x after the given number of rounds of xorshift.
func work(x uint64, rounds int) uint64 {
	for range rounds {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}

// store makes the compiler assume that stored results are read.
var store any

func (f returns[T]) serial(b *testing.B) {
	k := new(kept[T])
	store = k
	for b.Loop() {
		k.v = f()
	}
}

func (f returns[T]) parallel(pb *testing.PB, rounds int) {
	k := new(kept[T])
	defer runtime.KeepAlive(k)
	for pb.Next() {
		k.v = f()
		k.x = work(k.x, rounds)
	}
}

func (f may[T]) serial(b *testing.B) {
	k := new(kept[T])
	store = k
	for b.Loop() {
		k.v, k.err = f()
	}
}

func (f may[T]) parallel(pb *testing.PB, rounds int) {
	k := new(kept[T])
	defer runtime.KeepAlive(k)
	for pb.Next() {
		k.v, k.err = f()
		k.x = work(k.x, rounds)
	}
}

func (f returns[T]) once() (any, error) { return f(), nil }
func (f may[T]) once() (any, error)     { return f() }

// one returns the entry of a function with one result; either returns that of a function that may
// fail.
func one[T any](library string, f func() T) entry {
	return entry{library, func(*testing.B) call { return returns[T](f) }}
}

func either[T any](library string, f func() (T, error)) entry {
	return entry{library, func(*testing.B) call { return may[T](f) }}
}

// appended returns the entry of a function that writes into a buffer.
func appended(library string, write func(buf []byte) []byte) entry {
	buf := make([]byte, 0, 64)
	return one(library, func() []byte { return write(buf) })
}

// std contains the entries of Go's own package uuid, if there is one, by "<Operation>/<kind>".
var std = map[string]entry{}

// runGroups runs the benchmarks of an operation on one goroutine.
func runGroups(b *testing.B, operation string, groups []group) { runCrowd(b, operation, groups, 0, 0) }

// runCrowd runs the benchmarks of an operation on perProcessor goroutines for each processor, which
// work for the given number of rounds between two calls. If perProcessor is 0, it uses one
// goroutine that does not work.
func runCrowd(b *testing.B, operation string, groups []group, perProcessor, rounds int) {
	for _, g := range groups {
		entries := g.entries
		if e, ok := std[operation+"/"+g.kind]; ok {
			entries = append(slices.Clip(entries), e)
		}
		b.Run(g.kind, func(b *testing.B) {
			for _, e := range entries {
				b.Run(e.library, func(b *testing.B) {
					b.ReportAllocs()
					if perProcessor == 0 {
						e.begin(b).serial(b)
						return
					}
					b.SetParallelism(perProcessor)
					calls := make([]call, perProcessor*runtime.GOMAXPROCS(0))
					for i := range calls {
						calls[i] = e.begin(b)
					}
					var begun atomic.Int32
					b.ResetTimer()
					b.RunParallel(func(pb *testing.PB) { calls[begun.Add(1)-1].parallel(pb, rounds) })
				})
			}
		})
	}
}

// must returns v. It panics if a call that should never fail has failed.
func must[T any](v T, err error) T {
	if err != nil {
		panic(fmt.Sprintf("compare: %T: %v", v, err))
	}
	return v
}
