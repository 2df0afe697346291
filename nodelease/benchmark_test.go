package nodelease_test

import (
	"testing"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/memstore"
)

// BenchmarkMinter mints beside a node of its own, in a layout whose ticks are never exhausted.
func BenchmarkMinter(b *testing.B) {
	roomy := ids.SnowflakeLayout{Epoch: start2026, Tick: time.Millisecond, NodeBits: 1, SequenceBits: 21}
	m, err := nodelease.NewMinter(memstore.New(1, time.Hour), &nodelease.Options{Layout: roomy})
	if err != nil {
		b.Fatal(err)
	}
	defer m.Close()
	if _, err := m.NextContext(b.Context()); err != nil {
		b.Fatal(err)
	}
	node, err := ids.NewSnowflakeNode(1, &ids.SnowflakeOptions{Layout: roomy, Clock: ids.NewClock(nil)})
	if err != nil {
		b.Fatal(err)
	}
	ctx := b.Context()
	for _, test := range []struct {
		name string
		next func() (ids.Snowflake, error)
	}{
		{"TryNext", m.TryNext},
		{"NextContext", func() (ids.Snowflake, error) { return m.NextContext(ctx) }},
		{"node/TryNext", node.TryNext},
		{"node/NextContext", func() (ids.Snowflake, error) { return node.NextContext(ctx) }},
	} {
		b.Run(test.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := test.next(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
