package nodelease_test

// The benchmark of a Minter, which the README mentions.

import (
	"errors"
	"testing"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/internal/must"
	"github.com/oneclock/ids/nodelease/memstore"
)

// BenchmarkMinter compares a Minter with a plain node, in a layout whose ticks are never exhausted.
// It also measures TryNext without a number and past the horizon, where it returns an error.
// TestCommands checks that these calls do not allocate.
func BenchmarkMinter(b *testing.B) {
	w := new(wall)
	roomy := ids.SnowflakeLayout{Epoch: start2026, Tick: time.Millisecond, NodeBits: 1, SequenceBits: 21}
	open := func(store nodelease.Store, now func() time.Time) *nodelease.Minter {
		m := must.Get(nodelease.NewMinter(store, &nodelease.Options{Layout: roomy, Now: now}))(b)
		b.Cleanup(func() { m.Close() })
		return m
	}
	m, none, silent := open(memstore.New(1, time.Hour), nil), open(memstore.New(0, time.Hour), nil), newFaultyStore(1, time.Hour)
	late := open(silent, w.now)
	must.Do(b, errors.Join(m.Wait(b.Context()), late.Wait(b.Context())))
	silent.setSilent(true)
	w.step(24 * time.Hour)
	node := must.Get(ids.NewSnowflakeNode(1, &ids.SnowflakeOptions{Layout: roomy, Clock: ids.NewClock(nil)}))(b)
	if !m.Direct() {
		b.Error("a call has to lock the Minter")
	}
	ctx := b.Context()
	for _, test := range []struct {
		name string
		next func() (ids.Snowflake, error)
		want error
	}{
		{"TryNext", m.TryNext, nil},
		{"NextContext", func() (ids.Snowflake, error) { return m.NextContext(ctx) }, nil},
		{"node/TryNext", node.TryNext, nil},
		{"node/NextContext", func() (ids.Snowflake, error) { return node.NextContext(ctx) }, nil},
		{"TryNext/none", none.TryNext, nodelease.ErrNoNumber},
		{"TryNext/late", late.TryNext, ids.ErrWithheld},
	} {
		b.Run(test.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := test.next(); !errors.Is(err, test.want) {
					b.Fatal(err)
				}
			}
		})
	}
}
