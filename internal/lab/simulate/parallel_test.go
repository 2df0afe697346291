package main

import (
	"io"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestSoak is a short soak, which goes on until everything has been tried.
func TestSoak(t *testing.T) {
	table, err := newTable(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer table.close()
	s := &soak{span: time.Millisecond, size: 1 << 11, log: io.Discard, table: table}
	if err := s.run(); err != nil {
		t.Fatal(err)
	}
	if slices.Contains(s.calls[:], 0) || s.order.leaps == 0 || s.near == 0 || s.runs == 0 {
		t.Errorf("a soak has not tried everything:\n%s", s.report())
	}
}

// TestTable keeps ids, of which one is there again after many others, in a later call.
func TestTable(t *testing.T) {
	for _, again := range []bool{false, true} {
		table, err := newTable(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		defer table.close()
		n := int64(0)
		for i := range uint64(10) {
			var ids []key
			for lo := range uint64(1000) {
				ids = append(ids, key{i, lo}, key{lo: i<<32 | lo<<1 | 1<<40})
			}
			if again && i == 9 {
				ids = append(ids, key{3, 7})
			}
			n += int64(len(ids))
			if err := table.add(ids); err != nil {
				t.Fatal(err)
			}
		}
		switch err := table.distinct(n); {
		case again && (err == nil || !strings.HasSuffix(err.Error(), "00000000000000030000000000000007")):
			t.Errorf("an id that is there twice: %v", err)
		case !again && err != nil:
			t.Error(err)
		}
		if err := table.distinct(n + 1); err == nil {
			t.Error("no error where an id is missing")
		}
	}
}
