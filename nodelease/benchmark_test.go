package nodelease_test

import (
	"testing"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/internal/must"
	"github.com/oneclock/ids/nodelease/memstore"
)

// roomy is a layout whose ticks are never exhausted.
var roomy = ids.SnowflakeLayout{Epoch: start2026, Tick: time.Millisecond, NodeBits: 1, SequenceBits: 21}

// BenchmarkMinter mints beside a node alone.
func BenchmarkMinter(b *testing.B) {
	m := must.Get(nodelease.NewMinter(memstore.New(1, time.Hour), &nodelease.Options{Layout: roomy}))(b)
	defer m.Close()
	must.Do(b, m.Wait(b.Context()))
	node := must.Get(ids.NewSnowflakeNode(1, &ids.SnowflakeOptions{Layout: roomy, Clock: ids.NewClock(nil)}))(b)
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
