package storekit_test

// Tests of the checks and of the choice among free numbers.

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/internal/must"
	"github.com/oneclock/ids/nodelease/storekit"
)

// TestComplete checks the defaults and the bounds of the options that stores share.
func TestComplete(t *testing.T) {
	host := must.Get(os.Hostname())(t)
	type options struct {
		holder  string
		numbers int64
		ttl     time.Duration
	}
	defaults := options{fmt.Sprintf("%s/%d", host, os.Getpid()), 1024, 15 * time.Second}
	const year = 365 * 24 * time.Hour
	wide := ids.SnowflakeLayout{Epoch: time.Unix(0, 0), Tick: time.Millisecond, NodeBits: 20}
	for _, test := range []struct {
		given, want options
		err         string
	}{
		{options{}, defaults, ""},
		{options{"me", 1, time.Second}, options{"me", 1, time.Second}, ""},
		{options{"me", 1 << 20, year}, options{"me", 1 << 20, year}, ""},
		{options{"me", -1, 0}, options{}, "Options.Numbers -1 is not within 1 to 1048576"},
		{options{"me", 1<<20 + 1, 0}, options{}, "Options.Numbers 1048577 is not within 1 to 1048576"},
		{options{"a\x00", 0, 0}, options{}, `Options.Holder "a\x00" is not UTF-8 without a NUL`},
		{options{"\xff", 0, 0}, options{}, `Options.Holder "\xff" is not UTF-8 without a NUL`},
		{options{"me", 0, -1}, options{}, "Options.TTL -1ns is not within 1s to 8760h0m0s"},
		{options{"me", 0, time.Second - 1}, options{}, "Options.TTL 999.999999ms is not within 1s to 8760h0m0s"},
		{options{"me", 0, year + 1}, options{}, "Options.TTL 8760h0m0.000000001s is not within 1s to 8760h0m0s"},
	} {
		got := test.given
		err := storekit.Complete(&got.holder, &got.numbers, &got.ttl, wide)
		switch {
		case test.err != "" && (err == nil || err.Error() != test.err):
			t.Errorf("%+v: %v, want %s", test.given, err, test.err)
		case test.err == "" && (err != nil || got != test.want):
			t.Errorf("%+v: %+v, %v, want %+v", test.given, got, err, test.want)
		}
	}
}

// TestHeader compares the headers of layouts that differ in one field, of one layout in two time
// zones, and of the zero layout, which is Twitter's.
func TestHeader(t *testing.T) {
	base := ids.SnowflakeLayout{Epoch: time.Date(2021, 1, 1, 0, 0, 0, 0, time.UTC), Tick: 10 * time.Millisecond, NodeBits: 16, SequenceBits: 8}
	headers := map[string]bool{}
	for _, change := range []func(*ids.SnowflakeLayout){
		func(*ids.SnowflakeLayout) {},
		func(l *ids.SnowflakeLayout) { l.Epoch = l.Epoch.Add(1) },
		func(l *ids.SnowflakeLayout) { l.Tick = time.Millisecond },
		func(l *ids.SnowflakeLayout) { l.NodeBits-- },
		func(l *ids.SnowflakeLayout) { l.SequenceBits-- },
		func(l *ids.SnowflakeLayout) { l.NodeLast = true },
	} {
		l := base
		change(&l)
		headers[storekit.Header(l)] = true
	}
	zone := time.FixedZone("", 3600)
	base.Epoch = base.Epoch.In(zone)
	if !headers[storekit.Header(base)] || len(headers) != 6 {
		t.Errorf("the headers are %v, and in another zone %q", headers, storekit.Header(base))
	}
	base.NodeLast = true
	for l, want := range map[ids.SnowflakeLayout]string{
		base:                          "schema 2: epoch 2021-01-01T00:00:00Z, tick 10ms, 16 node bits, 8 sequence bits, node last",
		{}:                            storekit.Header(ids.TwitterLayout()),
		{Epoch: time.Time{}.In(zone)}: storekit.Header(ids.TwitterLayout()),
	} {
		if got := storekit.Header(l); got != want {
			t.Errorf("the header of %+v is %q, want %q", l, got, want)
		}
	}
}

// TestMedian computes the median of horizons in any order, and checks that their order does not
// change.
func TestMedian(t *testing.T) {
	for _, days := range [][]int{{4, 9, 1, 3, 7, 8, 2}, {9, 8, 7, 4, 3, 2, 1, 5, 1}, {4}, {9, 4, 5, 1}} {
		horizons := make([]time.Time, 1, 10)
		for _, d := range days {
			horizons = append(horizons, time.Date(2026, 1, d, 0, 0, 0, 0, time.UTC))
		}
		before := slices.Clone(horizons)
		if got := storekit.Median(horizons); got.Day() != 4 || !slices.Equal(horizons, before) {
			t.Errorf("the median of %v is %v, and leaves %v", before, got, horizons)
		}
	}
}

// TestRefused tests more numbers than a layout holds, invalid layouts, and headers with another
// version or layout.
func TestRefused(t *testing.T) {
	twitter := ids.TwitterLayout()
	own := storekit.Header(twitter)
	must.Do(t, storekit.CheckNumbers(1024, twitter))
	must.Do(t, storekit.CheckNumbers(1, ids.SnowflakeLayout{Epoch: twitter.Epoch, Tick: 1}))
	must.Do(t, storekit.CheckHeader("here", own, own))
	for want, err := range map[string]error{
		"Options.Numbers 1025 does not fit the layout, which has 1024": storekit.CheckNumbers(1025, ids.SnowflakeLayout{}),
		"Options.Numbers 2 does not fit the layout, which has 1":       storekit.CheckNumbers(2, ids.SnowflakeLayout{Epoch: twitter.Epoch, Tick: 1}),
		"Options.Layout: the time of its IDs ended on 2021-01-25T20:31:23Z": storekit.CheckNumbers(1,
			ids.SnowflakeLayout{Epoch: time.Date(2021, 1, 1, 0, 0, 0, 0, time.UTC), Tick: time.Millisecond, NodeBits: 20, SequenceBits: 12}),
		"Options.Layout: ids: SnowflakeLayout.Epoch is not set":    storekit.CheckNumbers(1, ids.SnowflakeLayout{Tick: 1}),
		"two layouts need two stores":                              storekit.CheckHeader("here", storekit.Header(ids.SonyflakeLayout()), own),
		`here contains "schema 3", but this process uses schema 2`: storekit.CheckHeader("here", "schema 3", own),
		`here contains "", but this process uses schema 2`:         storekit.CheckHeader("here", "", own),
	} {
		must.Fail(t, "checks", err, nodelease.ErrRefused, want)
	}
}

func TestPrefer(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	const day = 24 * time.Hour
	free := []storekit.Candidate{
		{Number: 0, Horizon: now.Add(2 * day)},
		{Number: 1, Horizon: now.Add(time.Second)},
		{Number: 2, Horizon: now},
		{Number: 3},
		{Number: 4, Horizon: now.Add(-time.Hour)},
		{Number: 5, Horizon: now.Add(day)},
	}
	for _, test := range []struct {
		name   string
		median time.Time
		now    time.Time
		want   [][]int64 // groups, each in any order
	}{
		{"a right clock", now, now, [][]int64{{2, 3, 4}, {1}, {5}, {0}}},
		{"a clock that is years ahead", now, now.AddDate(10, 0, 0), [][]int64{{0}, {1, 2, 3, 4, 5}}},
		{"no horizons", time.Time{}, now.AddDate(10, 0, 0), [][]int64{{0, 1, 2, 3, 4, 5}}},
		{"old horizons", now.AddDate(-1, 0, 0), now, [][]int64{{2, 4}, {3}, {1}, {5}, {0}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			first := map[int64]bool{}
			for range 200 {
				storekit.Prefer(free, test.median, test.now)
				rest := free
				for _, group := range test.want {
					for _, c := range rest[:len(group)] {
						if !slices.Contains(group, c.Number) {
							t.Fatalf("order %v, want %v", free, test.want)
						}
					}
					rest = rest[len(group):]
				}
				first[free[0].Number] = true
			}
			if len(first) != len(test.want[0]) {
				t.Errorf("of %v, only %v came first", test.want[0], first)
			}
		})
	}
}

func TestCheckNow(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	const day = 24 * time.Hour
	for by, want := range map[time.Duration]bool{0: true, day: true, -day: true, day + 1: false, -day - 1: false} {
		if err := storekit.CheckNow(now.Add(by), "the server's", now); (err == nil) != want {
			t.Errorf("%v apart: %v", by, err)
		}
	}
	err := storekit.CheckNow(now.AddDate(10, 0, 0), "the server's", now)
	const want = "this machine's clock shows 2036-01-01T00:00:00Z, the server's 2026-01-01T00:00:00Z: " +
		"they are more than 24h0m0s apart, so one is wrong"
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
