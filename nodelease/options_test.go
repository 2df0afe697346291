package nodelease_test

// Tests of NewMinter's arguments, and of the zero Minter.

import (
	"context"
	"log"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/internal/must"
	"github.com/oneclock/ids/nodelease/memstore"
)

// TestOptions tests options that are refused, and some that are just valid. Without a Logger,
// nothing is logged.
func TestOptions(t *testing.T) {
	var text lockedText
	defer log.SetOutput(log.Writer()) // which SetDefault changes
	defer slog.SetDefault(slog.Default())
	slog.SetDefault(slog.New(slog.NewTextHandler(&text, nil)))
	fresh := func() nodelease.Store { return memstore.New(1, time.Minute) }
	for _, test := range []struct {
		store nodelease.Store
		opts  *nodelease.Options
		want  string // of the error; empty if there is none
	}{
		{fresh(), nil, ""},
		{fresh(), &nodelease.Options{Window: 24 * time.Hour}, ""},
		{fresh(), &nodelease.Options{Window: 100 * time.Millisecond}, ""},
		{fresh(), &nodelease.Options{Layout: ids.SonyflakeLayout()}, ""},
		{fresh(), &nodelease.Options{Layout: ids.SnowflakeLayout{Epoch: start2026, Tick: time.Second, SequenceBits: 12}}, ""}, // one node
		{fresh(), &nodelease.Options{Layout: ids.SnowflakeLayout{Epoch: time.Unix(0, 0), Tick: 365 * 24 * time.Hour, NodeBits: 10, SequenceBits: 20}}, ""},
		{fresh(), &nodelease.Options{Layout: ids.SnowflakeLayout{Tick: 1, Epoch: start2026, NodeBits: 1}}, ""},
		{nil, nil, "nil Store"},
		{(*memstore.Store)(nil), nil, "nil Store"},
		{fresh(), &nodelease.Options{Window: 24*time.Hour + 1}, "Window 24h0m0.000000001s is more than 24h0m0s"},
		{fresh(), &nodelease.Options{Window: 101 * time.Hour, Layout: ids.SnowflakeLayout{Epoch: start2026, Tick: time.Hour}}, "more than 100h0m0s"},
		{fresh(), &nodelease.Options{Window: -1}, "Window -1ns is less than 100 ticks"},
		{fresh(), &nodelease.Options{Window: 99 * time.Millisecond}, "Window 99ms is less than 100 ticks of 1ms"},
		{fresh(), &nodelease.Options{Window: time.Second - 1, Layout: ids.SonyflakeLayout()}, "100 ticks of 10ms"},
		{fresh(), &nodelease.Options{Layout: ids.SnowflakeLayout{NodeBits: 10}}, "SnowflakeLayout.Epoch is not set"},
		{fresh(), &nodelease.Options{Layout: ids.SnowflakeLayout{Epoch: start2026, NodeBits: 10}}, "SnowflakeLayout.Tick 0s"},
		{fresh(), &nodelease.Options{Layout: ids.SnowflakeLayout{Epoch: start2026, Tick: time.Second, NodeBits: 63}}, "leaves no bit"},
	} {
		m, err := nodelease.NewMinter(test.store, test.opts)
		if test.want == "" {
			must.Do(t, err)
			mustNext(t, m)
			mustClose(t, m)
			continue
		}
		if m != nil || err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: got %v, %v, want an error with %q", test.opts, m, err, test.want)
		}
	}
	if text.String() != "" {
		t.Errorf("without a Logger, the log is told %s", &text)
	}
}

// TestZeroMinter calls each method of a Minter that was not made with NewMinter, twice, because a
// panic can leave a lock held.
func TestZeroMinter(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	var m nodelease.Minter
	for range 2 {
		for name, call := range map[string]func(){
			"Close": func() { m.Close() }, "Number": func() { m.Number() }, "Stats": func() { m.Stats() }, "TryNext": func() { m.TryNext() },
			"NextContext": func() { m.NextContext(t.Context()) }, "NextContext, ended": func() { m.NextContext(ended) },
			"Wait": func() { m.Wait(t.Context()) },
		} {
			func() {
				defer func() {
					if got := recover(); got != "nodelease: zero Minter: use NewMinter" {
						t.Errorf("%s panics with %v", name, got)
					}
				}()
				call()
			}()
		}
	}
}
