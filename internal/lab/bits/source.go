package main

import (
	"encoding/binary"
	"math/bits"
	"time"

	"github.com/oneclock/ids"
)

// A number is one of 128 bits.
type number struct{ hi, lo uint64 }

// A source is where random bits come from.
type source struct {
	name  string
	what  string
	width int // bits of a number
	fill  func(dst []number)
}

const (
	v7Random = 1<<62 - 1
	stride   = 48 // bits of a stride less 1
)

// sources returns all sources. They use the default generator, which internal/random supplies.
func sources() []source {
	now := time.Now()
	return []source{
		{"v4", "NewV4, AppendV4", 122, fillV4},
		{"v7", "NewV7At", 62, func(dst []number) {
			for i := range dst {
				u, _ := ids.NewV7At(now)
				dst[i] = number{0, binary.BigEndian.Uint64(u[8:]) & v7Random}
			}
		}},
		{"ulid", "NewULIDAt", 80, func(dst []number) {
			for i := range dst {
				u, _ := ids.NewULIDAt(now)
				dst[i] = random(u)
			}
		}},
		{"v7-stride", "strides less 1, AppendV7", stride, strides(func(dst []ids.UUID) []ids.UUID {
			return ids.AppendV7(dst, 1024)
		}, func(u ids.UUID) number { return number{0, binary.BigEndian.Uint64(u[8:])} },
			func(u, v ids.UUID) bool { return [8]byte(u[:8]) == [8]byte(v[:8]) })},
		{"ulid-stride", "strides less 1, NewULID", stride, strides(func(dst []ids.ULID) []ids.ULID {
			return append(dst, ids.NewULID())
		}, random, func(u, v ids.ULID) bool { return [6]byte(u[:6]) == [6]byte(v[:6]) })},
	}
}

// fillV4 takes half of the bits from single ids and half from a run.
func fillV4(dst []number) {
	half := len(dst) / 2
	for i := range dst[:half] {
		dst[i] = packV4(ids.NewV4())
	}
	for i, u := range ids.AppendV4(nil, len(dst)-half) {
		dst[half+i] = packV4(u)
	}
}

// packV4 returns the bits of a version 4 UUID without its version and variant.
func packV4(u ids.UUID) number {
	hi, lo := binary.BigEndian.Uint64(u[:8]), binary.BigEndian.Uint64(u[8:])
	hi = hi>>16<<12 | hi&0xfff
	return number{hi >> 2, hi<<62 | lo&v7Random}
}

// random returns the 80 random bits of a ULID.
func random(u ids.ULID) number {
	return number{uint64(u[6])<<8 | uint64(u[7]), binary.BigEndian.Uint64(u[8:])}
}

// strides returns a source of the differences, less 1, between the random parts of successive ids
// of one tick.
func strides[T any](mint func(dst []T) []T, part func(T) number, same func(u, v T) bool) func(dst []number) {
	var run []T // the first is the last of the run before
	next := 1
	return func(dst []number) {
		for len(dst) > 0 {
			if next >= len(run) {
				if n := len(run); n > 0 {
					run = append(run[:0], run[n-1])
				}
				run, next = mint(run), 1
				continue
			}
			if u, v := run[next-1], run[next]; same(u, v) {
				a, b := part(u), part(v)
				lo, borrow := bits.Sub64(b.lo, a.lo, 0)
				hi := b.hi - a.hi - borrow
				lo, borrow = bits.Sub64(lo, 1, 0)
				dst[0], dst = number{hi - borrow, lo}, dst[1:]
			}
			next++
		}
	}
}
