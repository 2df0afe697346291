package storekit_test

import (
	"testing"
	"time"

	"github.com/oneclock/ids/nodelease/internal/storekit"
)

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
