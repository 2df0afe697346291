package main

import (
	"encoding/binary"
	"io"
	"math/rand/v2"

	"github.com/oneclock/ids"
)

// A process is one life of a program that mints ids.
type process struct {
	schemes      []scheme
	clock        *ids.Clock
	limit        *ids.ClockLimit // nil if there is none
	g, monotonic *ids.Generator
	nodes        []*ids.SnowflakeNode // by stream
}

// A flaw changes what a process starts with, to something that breaks a promise; nil changes nothing.
type flaw func(*ids.ClockOptions)

// newProcess starts a process of a machine with a number.
func newProcess(schemes []scheme, opts ids.ClockOptions, limited bool, random io.Reader, number int64) *process {
	p := &process{schemes: schemes, nodes: make([]*ids.SnowflakeNode, len(schemes))}
	if limited {
		p.clock, p.limit = ids.NewLimitedClock(&opts)
	} else {
		p.clock = ids.NewClock(&opts)
	}
	g := ids.GeneratorOptions{Clock: p.clock, Random: random, NodeID: [6]byte{2, 0, 0, 0, 0, byte(number)}}
	p.g = ids.NewGenerator(&g)
	g.ULIDMonotonic = true
	p.monotonic = ids.NewGenerator(&g)
	for i, s := range schemes {
		if s.kind != snowflake {
			continue
		}
		node, err := ids.NewSnowflakeNode(number, &ids.SnowflakeOptions{Layout: s.layout, Clock: p.clock})
		if err != nil {
			panic(problem("%s: %v", s.name, err))
		}
		p.nodes[i] = node
	}
	return p
}

// next mints an id of a stream.
func (p *process) next(stream int) key {
	switch p.schemes[stream].kind {
	case v1:
		return fromBytes(p.g.NewV1())
	case v6:
		return fromBytes(p.g.NewV6())
	case v7:
		return fromBytes(p.g.NewV7())
	case ulid:
		return fromBytes(p.g.NewULID())
	case monotonic:
		return fromBytes(p.monotonic.NewULID())
	}
	return fromSnowflake(p.nodes[stream].Next())
}

// run mints a run of n ids. There are none of V1 and V6.
func (p *process) run(stream int, n int) []key {
	switch p.schemes[stream].kind {
	case v7:
		return keys(p.g.AppendV7(nil, n), fromBytes)
	case ulid:
		return keys(p.g.AppendULID(nil, n), fromBytes)
	case monotonic:
		return keys(p.monotonic.AppendULID(nil, n), fromBytes)
	}
	return keys(p.nodes[stream].Append(nil, n), fromSnowflake)
}

func fromSnowflake(x ids.Snowflake) key { return key{lo: uint64(x)} }

func fromBytes[T ~[16]byte](x T) key {
	return key{binary.BigEndian.Uint64(x[:8]), binary.BigEndian.Uint64(x[8:])}
}

func keys[T any](xs []T, as func(T) key) (all []key) {
	for _, x := range xs {
		all = append(all, as(x))
	}
	return all
}

// A seeded is a stream of bytes that follow from a seed, as a source of random bytes for ids.
type seeded struct {
	*rand.ChaCha8
	steep bool // the top bits are set, so that the random parts of ids soon overflow
}

// Read fills b.
func (s seeded) Read(b []byte) (int, error) {
	n, err := s.ChaCha8.Read(b)
	if s.steep {
		b[max(len(b)-8, 0)] = 0xff
	}
	return n, err
}
