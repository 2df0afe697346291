package nodelease_test

import (
	"log"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/memstore"
)

func TestBadOptions(t *testing.T) {
	store := memstore.New(1, testTTL)
	for _, test := range []struct {
		store nodelease.Store
		opts  *nodelease.Options
		want  string
	}{
		{nil, nil, "nil Store"},
		{(*memstore.Store)(nil), nil, "nil Store"},
		{store, &nodelease.Options{Window: 24*time.Hour + 1}, "Window 24h0m0.000000001s is more than 24h0m0s"},
		{store, &nodelease.Options{Window: 101 * time.Hour, Layout: ids.SnowflakeLayout{Epoch: start2026, Tick: time.Hour}}, "more than 100h0m0s"},
		{store, &nodelease.Options{Window: -1}, "Window -1ns is less than 100 ticks"},
		{store, &nodelease.Options{Window: 99 * time.Millisecond}, "Window 99ms is less than 100 ticks of 1ms"},
		{store, &nodelease.Options{Window: time.Second - 1, Layout: ids.SonyflakeLayout()}, "100 ticks of 10ms"},
		{store, &nodelease.Options{Layout: ids.SnowflakeLayout{NodeBits: 10}}, "SnowflakeLayout.Epoch is not set"},
		{store, &nodelease.Options{Layout: ids.SnowflakeLayout{Epoch: start2026, NodeBits: 10}}, "SnowflakeLayout.Tick 0s"},
		{store, &nodelease.Options{Layout: ids.SnowflakeLayout{Epoch: start2026, Tick: time.Second, NodeBits: 63}}, "leaves no bit"},
	} {
		m, err := nodelease.NewMinter(test.store, test.opts)
		if m != nil || err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: got %v, %v, want an error with %q", test.opts, m, err, test.want)
		}
	}
}

func TestGoodOptions(t *testing.T) {
	var text lockedText
	defer log.SetOutput(log.Writer()) // which SetDefault changes
	defer slog.SetDefault(slog.Default())
	slog.SetDefault(slog.New(slog.NewTextHandler(&text, nil)))
	for _, opts := range []*nodelease.Options{
		nil,
		{Window: 100 * time.Millisecond},
		{Window: 24 * time.Hour},
		{Layout: ids.SonyflakeLayout()},
		{Layout: ids.SnowflakeLayout{Epoch: start2026, Tick: time.Second, NodeBits: 8, SequenceBits: 12}},
		{Layout: ids.SnowflakeLayout{Epoch: time.Unix(0, 0), Tick: 365 * 24 * time.Hour, NodeBits: 10, SequenceBits: 20}},
		{Layout: ids.SnowflakeLayout{Epoch: start2026, Tick: time.Second, SequenceBits: 12}}, // one node
		{Layout: ids.SnowflakeLayout{Tick: 1, Epoch: start2026, NodeBits: 1}},
	} {
		m := newMinter(t, memstore.New(1, time.Minute), opts)
		mustNext(t, m)
		mustClose(t, m)
	}
	if text.String() != "" {
		t.Errorf("without a Logger, the log is told %s", &text)
	}
}
