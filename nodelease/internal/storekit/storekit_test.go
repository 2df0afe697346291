package storekit_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/oneclock/ids/nodelease/internal/storekit"
)

// TestComplete checks the defaults and the bounds of the options that stores share.
func TestComplete(t *testing.T) {
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	type options struct {
		holder string
		nodes  int64
		ttl    time.Duration
	}
	defaults := options{fmt.Sprintf("%s/%d", host, os.Getpid()), 1024, 15 * time.Second}
	const year = 365 * 24 * time.Hour
	for _, test := range []struct {
		given, want options
		err         string
	}{
		{options{}, defaults, ""},
		{options{"me", 1, time.Second}, options{"me", 1, time.Second}, ""},
		{options{"me", 1 << 20, year}, options{"me", 1 << 20, year}, ""},
		{options{"me", -1, 0}, options{}, "Options.Nodes -1 is not within 1 to 1048576"},
		{options{"me", 1<<20 + 1, 0}, options{}, "Options.Nodes 1048577 is not within 1 to 1048576"},
		{options{"me", 0, -1}, options{}, "Options.TTL -1ns is not within 1s to 8760h0m0s"},
		{options{"me", 0, time.Second - 1}, options{}, "Options.TTL 999.999999ms is not within 1s to 8760h0m0s"},
		{options{"me", 0, year + 1}, options{}, "Options.TTL 8760h0m0.000000001s is not within 1s to 8760h0m0s"},
	} {
		got := test.given
		err := storekit.Complete(&got.holder, &got.nodes, &got.ttl)
		switch {
		case test.err != "" && (err == nil || err.Error() != test.err):
			t.Errorf("%+v: %v, want %s", test.given, err, test.err)
		case test.err == "" && (err != nil || got != test.want):
			t.Errorf("%+v: %+v, %v, want %+v", test.given, got, err, test.want)
		}
	}
}

func TestNumbersWhoseMarkHasPassedComeFirst(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	first := map[int64]bool{}
	for range 100 {
		free := []storekit.Candidate{
			{Node: 0, Mark: now.Add(time.Hour)},
			{Node: 1, Mark: now.Add(time.Second)},
			{Node: 2, Mark: now},
			{Node: 3},
			{Node: 4, Mark: now.Add(-time.Hour)},
		}
		storekit.Prefer(free, now)
		if free[3].Node != 1 || free[4].Node != 0 {
			t.Fatalf("order %v", free)
		}
		first[free[0].Node] = true
	}
	if len(first) != 3 {
		t.Errorf("of the three whose mark has passed, only %v came first", first)
	}
}
