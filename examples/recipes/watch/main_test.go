package main

import (
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/snowflake"
)

// TestGauges reads the gauges on an ordinary day, after a clock that was an hour ahead for one reading, and while ids
// are withheld.
func TestGauges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)))
		var wrong time.Duration
		clock := ids.NewClock(&ids.ClockOptions{Now: func() time.Time { return time.Now().Add(wrong) }})
		node, err := snowflake.NewNode(7, &snowflake.Options{Clock: clock})
		if err != nil {
			t.Fatal(err)
		}
		m := gauges(node, clock)
		check := func(when string, ahead, within float64, stopped int) {
			t.Helper()
			var got struct {
				Ahead   float64 `json:"ahead_seconds"`
				Stopped int
			}
			if err := json.Unmarshal([]byte(m.String()), &got); err != nil {
				t.Fatal(err)
			}
			if got.Ahead < ahead-within || got.Ahead > ahead+within || got.Stopped != stopped {
				t.Errorf("%s: ahead %v, stopped %v; want %v and %v", when, got.Ahead, got.Stopped, ahead, stopped)
			}
		}
		if got := m.Get("ahead_seconds").String(); got != "0" {
			t.Errorf("before the first id: ahead %s, want 0", got)
		}
		node.Next()
		check("on an ordinary day", 0, 0.02, 0)
		wrong = time.Hour
		node.Next()
		wrong = 0
		check("after an hour ahead", 3600, 1, 0)
		time.Sleep(30 * time.Minute)
		check("half an hour later", 1800, 1, 0)
		time.Sleep(time.Hour)
		node.Next()
		check("an hour later", 0, 0.02, 0)
		clock.SetLimit(time.Now().Add(-time.Second))
		check("while ids are withheld", 0, 2, 1)
		clock.EndAt(time.Time{})
		check("after the end", 0, 3, 1)
		clock.SetLimit(time.Now().Add(time.Hour)) // in vain
		check("for good", 0, 3, 1)
	})
}

// TestReport checks the gauge of saves that fail.
func TestReport(t *testing.T) {
	for _, test := range []struct {
		err  error
		want int64
	}{{ids.ErrRange, 1}, {nil, 0}, {ids.ErrRange, 1}, {nil, 0}} {
		report(test.err)
		if got := unsaved.Value(); got != test.want {
			t.Errorf("after %v: %d, want %d", test.err, got, test.want)
		}
	}
}
