package nodelease_test

import (
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

// BenchmarkTryNext compares a Minter with the node that it stands on, alternately in one run. The
// ratio of their times is reported.
func BenchmarkTryNext(b *testing.B) {
	n, m := newPair(b)
	const run = 1000
	var node, minter time.Duration
	b.ReportAllocs()
	for i := 0; i < b.N; i += 2 * run {
		began := time.Now()
		for range run {
			if _, err := n.TryNext(); err != nil {
				b.Fatal(err)
			}
		}
		between := time.Now()
		for range run {
			if _, err := m.TryNext(); err != nil {
				b.Fatal(err)
			}
		}
		node += between.Sub(began)
		minter += time.Since(between)
	}
	count := float64((b.N + 2*run - 1) / (2 * run) * run)
	b.ReportMetric(float64(node)/count, "ns/node")
	b.ReportMetric(float64(minter)/count, "ns/minter")
	b.ReportMetric(float64(minter)/float64(node), "minter/node")
}
