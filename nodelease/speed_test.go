package nodelease_test

import (
	"context"
	"testing"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease"
)

// roomy is a layout whose ticks are never exhausted.
func roomy() ids.SnowflakeLayout {
	l := ids.TwitterLayout()
	l.NodeBits, l.SequenceBits = 1, 21
	return l
}

func newPair(tb testing.TB) (*ids.SnowflakeNode, *nodelease.Minter) {
	n, err := ids.NewSnowflakeNode(0, &ids.SnowflakeOptions{Layout: roomy(), Clock: ids.NewClock(nil)})
	if err != nil {
		tb.Fatal(err)
	}
	m, err := nodelease.NewMinter(nodelease.NewMemoryStore(1, time.Hour), &nodelease.Options{Layout: roomy()})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := m.Close(); err != nil && tb.Context().Err() == nil {
			tb.Error(err)
		}
	})
	if _, err := m.Next(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	return n, m
}

func TestAllocations(t *testing.T) {
	_, m := newPair(t)
	empty, err := nodelease.NewMinter(nodelease.NewMemoryStore(0, time.Hour), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer empty.Close()
	ctx := t.Context()
	for _, test := range []struct {
		name string
		call func()
	}{
		{"TryNext", func() { _, _ = m.TryNext() }},
		{"Next", func() { _, _ = m.Next(ctx) }},
		{"TryNext without a number", func() { _, _ = empty.TryNext() }},
	} {
		if n := testing.AllocsPerRun(1000, test.call); n != 0 {
			t.Errorf("%s allocates %v times", test.name, n)
		}
	}
}

// BenchmarkNext compares a Minter with the node that it stands on, in turns in one run. The times of each are
// reported.
func BenchmarkNext(b *testing.B) {
	n, m := newPair(b)
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	calls := []struct {
		name string
		call func() (ids.Snowflake, error)
		took time.Duration
	}{
		{name: "node.TryNext", call: n.TryNext},
		{name: "minter.TryNext", call: m.TryNext},
		{name: "node.NextContext", call: func() (ids.Snowflake, error) { return n.NextContext(ctx) }},
		{name: "minter.Next", call: func() (ids.Snowflake, error) { return m.Next(ctx) }},
	}
	const run = 1000
	b.ReportAllocs()
	rounds := max(b.N/run/len(calls), 1)
	for range rounds {
		for i := range calls {
			began := time.Now()
			for range run {
				if _, err := calls[i].call(); err != nil {
					b.Fatal(err)
				}
			}
			calls[i].took += time.Since(began)
		}
	}
	for _, c := range calls {
		b.ReportMetric(float64(c.took)/float64(rounds*run), "ns/"+c.name)
	}
}
