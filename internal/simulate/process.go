package main

import (
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
	// state, ahead and limit are those of a clock.
	state() ids.ClockState
	ahead(time.Duration) ids.ClockState
	limit(ids.ClockState)
	// renumber gives the process the node and number of another, with the same clock.
	renumber(node [6]byte, number int64)
}

// A boot is what a process starts with.
type boot struct {
	schemes             []scheme
	now                 func() time.Time
	random              io.Reader
	state               ids.ClockState
	tolerance, maxAhead time.Duration
	node                [6]byte // of V1 and V6
	number              int64   // of Snowflakes
}

// A maker starts a process.
type maker func(boot) process

// A library is a process that mints by package ids.
type library struct {
	boot
	clock      *ids.Clock
	node       *ids.Generator // of V1, V6 and V7
	ulids      [2]*ids.Generator
	nodes      []*ids.SnowflakeNode // by stream
	uuids      []ids.UUID
	runs       []ids.ULID
	snowflakes []ids.Snowflake
}

// newLibrary is the maker of the package under test.
func newLibrary(b boot) process {
	p := &library{boot: b, nodes: make([]*ids.SnowflakeNode, len(b.schemes))}
	p.clock = ids.NewClock(&ids.ClockOptions{
		Now: b.now, Tolerance: b.tolerance, MaxAhead: b.maxAhead, State: b.state,
	})
	p.node = p.generator(false)
	p.ulids = [2]*ids.Generator{p.generator(false), p.generator(true)}
	return p
}

func (p *library) generator(monotonic bool) *ids.Generator {
	return ids.NewGenerator(&ids.GeneratorOptions{
		Clock: p.clock, Random: p.random, Node: p.boot.node, ULIDMonotonic: monotonic,
	})
}

func (p *library) open(stream int) (err error) {
	if s := &p.schemes[stream]; s.kind == snowflake && p.nodes[stream] == nil {
		p.nodes[stream], err = ids.NewSnowflakeNode(p.number, &ids.SnowflakeOptions{Layout: s.layout, Clock: p.clock})
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
		for _, u := range p.uuids {
			dst = append(dst, fromBytes(u))
		}
	case ulid:
		p.runs = p.ulidsOf(s).AppendULID(p.runs[:0], n)
		for _, u := range p.runs {
			dst = append(dst, fromBytes(u))
		}
	default:
		p.snowflakes = p.nodes[stream].Append(p.snowflakes[:0], n)
		for _, x := range p.snowflakes {
			dst = append(dst, key{lo: uint64(x)})
		}
	}
	return dst
}

func (p *library) state() ids.ClockState                { return p.clock.State() }
func (p *library) ahead(d time.Duration) ids.ClockState { return p.clock.Ahead(d) }
func (p *library) limit(s ids.ClockState)               { p.clock.Limit(s) }

func (p *library) renumber(node [6]byte, number int64) {
	p.boot.node, p.number = node, number
	p.node = p.generator(false)
	clear(p.nodes)
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

// A stream of bytes that follow from a seed, as a source of random bytes for ids.
type seeded struct{ *rand.PCG }

// reseed goes on with other bytes.
func (s seeded) reseed(a, b uint64) { s.Seed(a, b) }

// Read fills b.
func (s seeded) Read(b []byte) (int, error) {
	n := len(b)
	for ; len(b) >= 8; b = b[8:] {
		binary.LittleEndian.PutUint64(b, s.Uint64())
	}
	if len(b) > 0 {
		for i, rest := 0, s.Uint64(); i < len(b); i, rest = i+1, rest>>8 {
			b[i] = byte(rest)
		}
	}
	return n, nil
}
