package ids_test

import (
	"context"
	"encoding/binary"
	"sync"
	"testing"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/internal/random"
)

// Each loop calls what it measures directly: b.Loop keeps the results alive.

// stamped returns 16 bytes in the way that constructors do: it is inlined, and what it calls is not.
func stamped(mu *sync.Mutex, anchor time.Time) (u ids.UUID) {
	stamp(&u, mu, anchor)
	return u
}

//go:noinline
func stamp(u *ids.UUID, mu *sync.Mutex, anchor time.Time) {
	mu.Lock()
	elapsed := uint64(time.Since(anchor))
	mu.Unlock()
	binary.BigEndian.PutUint64(u[:8], elapsed)
	binary.BigEndian.PutUint64(u[8:], elapsed)
}

// BenchmarkFloor measures what ids are made of: no id that tells the time can cost less than a
// reading of the clock.
func BenchmarkFloor(b *testing.B) {
	b.Run("time.Now", func(b *testing.B) {
		for b.Loop() {
			time.Now()
		}
	})
	b.Run("time.Since", func(b *testing.B) {
		anchor := time.Now()
		for b.Loop() {
			time.Since(anchor)
		}
	})
	b.Run("Mutex", func(b *testing.B) {
		var mu sync.Mutex
		for b.Loop() {
			mu.Lock()
			//lint:ignore SA2001 the empty section is what is measured
			mu.Unlock()
		}
	})
	b.Run("Mutex+time.Since", func(b *testing.B) {
		var mu sync.Mutex
		anchor := time.Now()
		for b.Loop() {
			mu.Lock()
			time.Since(anchor)
			mu.Unlock()
		}
	})
	b.Run("Mutex+time.Since+UUID", func(b *testing.B) { // as a result of 16 bytes, in memory
		var mu sync.Mutex
		anchor := time.Now()
		for b.Loop() {
			stamped(&mu, anchor)
		}
	})
	b.Run("Block.Uint64", func(b *testing.B) { // and what version 7 and ULID need beside it
		var block random.Block
		for b.Loop() {
			if !block.Ready() {
				block.Fill()
			}
			block.Uint64()
		}
	})
}

// wideNode returns a node with 18 bits of sequence in a tick, so that minting never has to wait.
func wideNode(b *testing.B) *ids.SnowflakeNode {
	n, err := ids.NewSnowflakeNode(1, &ids.SnowflakeOptions{Layout: ids.SnowflakeLayout{
		Epoch: time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC), Tick: time.Millisecond, NodeBits: 4, SequenceBits: 18,
	}})
	if err != nil {
		b.Fatal(err)
	}
	return n
}

func BenchmarkNew(b *testing.B) {
	b.Run("V1", func(b *testing.B) {
		for b.Loop() {
			ids.NewV1()
		}
	})
	b.Run("V4", func(b *testing.B) {
		for b.Loop() {
			ids.NewV4()
		}
	})
	b.Run("V6", func(b *testing.B) {
		for b.Loop() {
			ids.NewV6()
		}
	})
	b.Run("V7", func(b *testing.B) {
		for b.Loop() {
			ids.NewV7()
		}
	})
	b.Run("ULID", func(b *testing.B) {
		for b.Loop() {
			ids.NewULID()
		}
	})
	b.Run("Snowflake", func(b *testing.B) {
		n := wideNode(b)
		for b.Loop() {
			n.Next()
		}
	})
	b.Run("Snowflake/TryNext", func(b *testing.B) {
		n := wideNode(b)
		for b.Loop() {
			n.TryNext()
		}
	})
	b.Run("Snowflake/NextContext", func(b *testing.B) {
		n := wideNode(b)
		ctx, cancel := context.WithCancel(b.Context())
		defer cancel()
		for b.Loop() {
			n.NextContext(ctx)
		}
	})
}
