package main

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/oneclock/ids"
)

// A kind is one of the kinds of ids within which no two are equal.
type kind uint8

const (
	v1 kind = iota
	v4
	v6
	v7
	ulid
	snowflake
	kinds
)

func (k kind) String() string { return [...]string{"V1", "V4", "V6", "V7", "ULID", "Snowflake"}[k] }

// A stream is where ids come from whose order is checked together.
type stream struct {
	name    string
	kind    kind
	ordered bool
	follows bool // it may go back when the clock is set back by more than Tolerance
	one     func() key
	run     func(w *worker, dst []key, n int) []key // nil if there are no runs
}

// streamsOf returns the streams of a clock. Its Snowflakes are of successive nodes from number on.
// follows tells whether the clock may be set back by more than its Tolerance.
func streamsOf(c *ids.Clock, number int64, nodes int, follows bool) []stream {
	g := ids.NewGenerator(&ids.GeneratorOptions{Clock: c})
	all := []stream{
		{name: "V1", kind: v1, one: func() key { return fromBytes(g.NewV1()) }},
		{name: "V6", kind: v6, ordered: true, follows: follows, one: func() key { return fromBytes(g.NewV6()) }},
		{name: "V7", kind: v7, ordered: true, follows: follows,
			one: func() key { return fromBytes(g.NewV7()) },
			run: func(w *worker, dst []key, n int) []key {
				w.uuids = g.AppendV7(w.uuids[:0], n)
				return appendKeys(dst, w.uuids)
			}},
	}
	for _, name := range []string{"ULID", "ULID monotonic"} {
		u := ids.NewGenerator(&ids.GeneratorOptions{Clock: c, ULIDMonotonic: name != "ULID"})
		all = append(all, stream{name: name, kind: ulid, ordered: true, follows: follows,
			one: func() key { return fromBytes(u.NewULID()) },
			run: func(w *worker, dst []key, n int) []key {
				w.ulids = u.AppendULID(w.ulids[:0], n)
				return appendKeys(dst, w.ulids)
			}})
	}
	for i := range nodes {
		node, err := ids.NewSnowflakeNode(number+int64(i), &ids.SnowflakeOptions{Clock: c})
		if err != nil {
			panic(err) // the number fits, and the clock is not before 2010
		}
		all = append(all, stream{name: "Snowflake", kind: snowflake, ordered: true,
			one: func() key { return key{lo: uint64(node.Next())} },
			run: func(w *worker, dst []key, n int) []key {
				w.snowflakes = node.Append(w.snowflakes[:0], n)
				for _, s := range w.snowflakes {
					dst = append(dst, key{lo: uint64(s)})
				}
				return dst
			}})
	}
	return all
}

// randomStream returns the stream of version 4, which has no clock.
func randomStream() stream {
	return stream{name: "V4", kind: v4,
		one: func() key { return fromBytes(ids.NewV4()) },
		run: func(w *worker, dst []key, n int) []key {
			w.uuids = ids.AppendV4(w.uuids[:0], n)
			return appendKeys(dst, w.uuids)
		}}
}

// fromBytes returns an id of 16 bytes.
func fromBytes(b [16]byte) key {
	return key{binary.BigEndian.Uint64(b[:8]), binary.BigEndian.Uint64(b[8:])}
}

func appendKeys[T ~[16]byte](dst []key, from []T) []key {
	for _, x := range from {
		dst = append(dst, fromBytes(x))
	}
	return dst
}

// arranged returns x with its bits in an order in which ids that are minted one after another differ
// little, so that they take less room on disk. No two ids become one.
func (k kind) arranged(x key) key {
	switch k {
	case v1:
		// The time, from its upper to its lower bits, and the version.
		x.hi = x.hi<<52 | x.hi>>16&0xffff<<36 | x.hi>>32<<4 | x.hi>>12&0xf
		fallthrough
	case v6:
		x.lo = bits.RotateLeft64(x.lo, 16) // the clock sequence below the node
	}
	return x
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
	runs    int       // one call in so many is a run; 0 for none
	clock   *setClock // nil unless it is the goroutine that sets it
	rng     *rand.Rand

	uuids      []ids.UUID
	ulids      []ids.ULID
	snowflakes []ids.Snowflake
}

// The goroutine that sets the clock does so at the beginning of each history, and then once in so
// many calls.
const (
	nearEvery = 64
	leapEvery = 4096
)

// newWorkers returns workers, the first of which sets the clock, if there is one.
func newWorkers(n int, streams []stream, runs int, clock *setClock) []*worker {
	all := make([]*worker, n)
	for i := range all {
		all[i] = &worker{streams: streams, runs: runs, rng: rand.New(rand.NewPCG(uint64(i), 2))}
	}
	all[0].clock = clock
	return all
}

// maxRun is the length of the longest run. It is more than is minted under one lock.
const maxRun = 1 << 12

// work does one operation, numbers it by the counter, and adds it to p.
func (w *worker) work(p *part, counter *atomic.Uint32) {
	if w.clock != nil {
		switch {
		case len(p.ops) == 0 || w.rng.IntN(leapEvery) == 0:
			began := counter.Add(1)
			w.clock.leap()
			p.ops = append(p.ops, operation{began: began - 1, returned: counter.Add(1) - 1, stream: step})
			return
		case len(p.ops) == 1 || w.rng.IntN(nearEvery) == 0:
			w.clock.near()
			p.near++
		}
	}
	i := w.rng.IntN(len(w.streams))
	s := &w.streams[i]
	n := 1
	if w.runs != 0 && s.run != nil && w.rng.IntN(w.runs) == 0 {
		n = 2 + w.rng.IntN((maxRun-1)>>w.rng.IntN(11)) // short ones too
		p.runs++
	}
	into := &p.ids[s.kind]
	if len(*into)+n > cap(*into) {
		p.full = true
		return
	}
	o := operation{at: uint32(len(*into)), n: uint32(n), stream: uint8(i)}
	if n == 1 {
		began := counter.Add(1)
		x := s.one()
		o.began, o.returned = began-1, counter.Add(1)-1
		*into = append(*into, x)
	} else {
		began := counter.Add(1)
		dst := s.run(w, *into, n)
		o.began, o.returned = began-1, counter.Add(1)-1
		*into = dst
	}
	p.ops = append(p.ops, o)
}
