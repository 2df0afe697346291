package ownlayout_test

import (
	"testing"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/internal/ownlayout"
)

func TestParse(t *testing.T) {
	epoch := time.Date(2021, 1, 1, 0, 0, 0, 0, time.UTC)
	for text, want := range map[string]ids.SnowflakeLayout{
		"2021-01-01,1ms,10,12":                         {Epoch: epoch, Tick: time.Millisecond, NodeBits: 10, SequenceBits: 12},
		"2021-01-01T01:00:00+01:00,10ms,16,8,nodelast": {Epoch: epoch, Tick: 10 * time.Millisecond, NodeBits: 16, SequenceBits: 8, NodeLast: true},
		"2021-01-01T00:00:00Z,1s,0,0":                  {Epoch: epoch, Tick: time.Second},
	} {
		if got, err := ownlayout.Parse(text); err != nil || !got.Equal(want) {
			t.Errorf("Parse(%q) = %+v, %v, want %+v", text, got, err, want)
		}
	}
	const own, epochs = "is not " + ownlayout.Form, ": the epoch is neither a time, such as 2021-01-01T00:00:00Z, nor a date"
	for text, want := range map[string]string{
		"":                               own,
		"2021-01-01,1ms,10":              own,
		"2021-01-01,1ms,10,12,nodelast,": own,
		"1609459200000,1ms,10,12":        own + epochs,
		"2021-01-01,1,10,12":             own + ": the tick is not a duration",
		"2021-01-01,1ms,ten,12":          own + ": the bits are not whole numbers",
		"2021-01-01,0s,10,12":            "is not a layout: SnowflakeLayout.Tick 0s is not positive",
		"2021-01-01,1ms,-1,12":           "is not a layout: SnowflakeLayout with a negative number of bits: -1 of node, 12 of sequence",
		"0001-01-01,1ms,10,12":           "is not a layout: SnowflakeLayout.Epoch is not set",
	} {
		if _, err := ownlayout.Parse(text); err == nil || err.Error() != want {
			t.Errorf("Parse(%q): %v, want %s", text, err, want)
		}
	}
}
