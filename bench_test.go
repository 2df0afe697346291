package ids_test

import (
	"context"
	"testing"
	"time"

	"github.com/oneclock/ids"
)

// Each loop calls what it measures directly: b.Loop keeps the results alive.

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
