package main

import (
	"context"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"time"

	"github.com/oneclock/ids"
)

// A process is one life of a program that mints ids. Streams are numbered as the schemes of the
// plan.
type process interface {
	// open makes a stream ready, or says why it cannot be now.
	open(stream int) error
	// next mints an id.
	next(stream int) key
	// try mints an id of a Snowflake stream, or says why not.
	try(stream int) (key, error)
	// run appends n ids to dst. There are no runs of V1 and V6.
	run(stream int, dst []key, n int) []key
	// nextContext mints an id of a Snowflake stream, or says why not.
	nextContext(ctx context.Context, stream int) (key, error)
	// latest is as of a clock.
	latest() time.Time
	// horizon, limit and end are NextHorizon, Set and EndAt of a limited clock.
	horizon(time.Duration) time.Time
	limit(t time.Time, cause error)
	end(t time.Time, cause error)
	// renumber gives the process the node and number of another, with the same clock.
	renumber(node [6]byte, number int64)
}

// A boot is what a process starts with.
type boot struct {
	schemes             []scheme
	now                 func() time.Time
	random              io.Reader
	after               time.Time
	tolerance, maxAhead time.Duration
	limited             bool    // the clock has a limit
	node                [6]byte // of V1 and V6
	number              int64   // of Snowflakes
}

// A maker starts a process.
type maker func(boot) process

// A library is a process that mints by package ids.
type library struct {
	boot
	clock      *ids.Clock
	clockLimit *ids.ClockLimit // nil if there is none
	node       *ids.Generator  // of V1, V6 and V7
	ulids      [2]*ids.Generator
	nodes      []*ids.SnowflakeNode // by stream
	uuids      []ids.UUID
	runs       []ids.ULID
	snowflakes []ids.Snowflake
}

// newLibrary is the maker of the package under test.
func newLibrary(b boot) process {
	p := &library{boot: b, nodes: make([]*ids.SnowflakeNode, len(b.schemes))}
	opts := &ids.ClockOptions{Now: b.now, Tolerance: b.tolerance, MaxAhead: b.maxAhead, After: b.after}
	if b.limited {
		p.clock, p.clockLimit = ids.NewLimitedClock(opts)
	} else {
		p.clock = ids.NewClock(opts)
	}
	p.node = p.generator(false)
	p.ulids = [2]*ids.Generator{p.generator(false), p.generator(true)}
	return p
}

func (p *library) generator(monotonic bool) *ids.Generator {
	return ids.NewGenerator(&ids.GeneratorOptions{
		Clock: p.clock, Random: p.random, NodeID: p.boot.node, ULIDMonotonic: monotonic,
	})
}

func (p *library) open(stream int) (err error) {
	if s := &p.schemes[stream]; s.kind == snowflake && p.nodes[stream] == nil {
		number := p.number & (1<<s.layout.NodeBits - 1)
		p.nodes[stream], err = ids.NewSnowflakeNode(number, &ids.SnowflakeOptions{Layout: s.given, Clock: p.clock})
	}
	return err
}

func (p *library) next(stream int) key {
	switch s := &p.schemes[stream]; s.kind {
	case v1:
		return fromBytes(p.node.NewV1())
	case v6:
		return fromBytes(p.node.NewV6())
	case v7:
		return fromBytes(p.node.NewV7())
	case ulid:
		return fromBytes(p.ulidsOf(s).NewULID())
	}
	return key{lo: uint64(p.nodes[stream].Next())}
}

func (p *library) ulidsOf(s *scheme) *ids.Generator {
	if s.monotonic {
		return p.ulids[1]
	}
	return p.ulids[0]
}

func (p *library) try(stream int) (key, error) {
	x, err := p.nodes[stream].TryNext()
	return key{lo: uint64(x)}, err
}

func (p *library) run(stream int, dst []key, n int) []key {
	switch s := &p.schemes[stream]; s.kind {
	case v7:
		p.uuids = p.node.AppendV7(p.uuids[:0], n)
		return appendKeys(dst, p.uuids, ofBytes)
	case ulid:
		p.runs = p.ulidsOf(s).AppendULID(p.runs[:0], n)
		return appendKeys(dst, p.runs, ofBytes)
	}
	p.snowflakes = p.nodes[stream].Append(p.snowflakes[:0], n)
	return appendKeys(dst, p.snowflakes, ofSnowflake)
}

func (p *library) latest() time.Time                 { return p.clock.Latest() }
func (p *library) horizon(d time.Duration) time.Time { return p.clockLimit.NextHorizon(d) }
func (p *library) limit(t time.Time, cause error)    { p.clockLimit.Set(t, cause) }
func (p *library) end(t time.Time, cause error)      { p.clockLimit.EndAt(t, cause) }

func (p *library) nextContext(ctx context.Context, stream int) (key, error) {
	x, err := p.nodes[stream].NextContext(ctx)
	return key{lo: uint64(x)}, err
}

func (p *library) renumber(node [6]byte, number int64) {
	p.boot.node, p.number = node, number
	p.node = p.generator(false)
	clear(p.nodes)
}

func ofBytes[T ~[16]byte](x T) key    { return fromBytes(x) }
func ofSnowflake(x ids.Snowflake) key { return key{lo: uint64(x)} }

// appendKeys appends ids to dst.
func appendKeys[T any](dst []key, xs []T, as func(T) key) []key {
	for _, x := range xs {
		dst = append(dst, as(x))
	}
	return dst
}

// fromBytes returns an id of 16 bytes.
func fromBytes(b [16]byte) key {
	return key{binary.BigEndian.Uint64(b[:8]), binary.BigEndian.Uint64(b[8:])}
}

// bytes is the inverse of fromBytes.
func (a key) bytes() (b [16]byte) {
	binary.BigEndian.PutUint64(b[:8], a.hi)
	binary.BigEndian.PutUint64(b[8:], a.lo)
	return b
}

// A seeded is a stream of bytes that follow from a seed, as a source of random bytes for ids.
type seeded struct {
	*rand.PCG
	steep  bool // the top bits are set, so that the random parts of ids soon overflow
	fails  int  // if not 0: the read that fails, counted from now
	failed bool // one has, in the call in progress
}

// Read fills b.
func (s *seeded) Read(b []byte) (int, error) {
	if s.fails > 0 {
		if s.fails--; s.fails == 0 {
			s.failed = true
			return 0, errBroken
		}
	}
	for i := 0; i < len(b); i += 8 {
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], s.Uint64())
		copy(b[i:], word[:])
	}
	if s.steep {
		b[max(len(b)-8, 0)] = 0xff
	}
	return len(b), nil
}
