package storekit_test

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/oneclock/ids"
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

// TestHeader reads the zero layout in any zone: it is Twitter's.
func TestHeader(t *testing.T) {
	want := storekit.Header(ids.TwitterLayout())
	for _, zone := range []*time.Location{time.UTC, time.FixedZone("", 3600)} {
		if got := storekit.Header(ids.SnowflakeLayout{Epoch: time.Time{}.In(zone)}); got != want {
			t.Errorf("header %q, want %q", got, want)
		}
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
	horizons := []time.Time{now.Add(2 * day), now, {}, now.Add(-time.Hour), now.Add(day)}
	if got := storekit.Median(horizons); !got.Equal(now) {
		t.Fatalf("the median is %v, want %v", got, now)
	}
	for _, test := range []struct {
		name   string
		median time.Time
		now    time.Time
		want   [][]int64 // groups of any order
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
	const want = "this machine's clock says 2036-01-01T00:00:00Z, the server's 2026-01-01T00:00:00Z: " +
		"more than 24h0m0s apart, so one of them is wrong"
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
