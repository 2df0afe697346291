package ids_test

// The fractions of a millisecond where the wall clock shows whole milliseconds only.

import (
	"testing"
	"time"

	"github.com/oneclock/ids"
)

// TestFractions makes version 7 UUIDs a few milliseconds apart. Although the wall clock shows whole
// milliseconds, the 12 bits for 1/4096 ms have many values.
func TestFractions(t *testing.T) {
	values := map[uint16]int{}
	for range 200 {
		u := ids.NewV7()
		values[uint16(u[6]&0x0f)<<8|uint16(u[7])]++
		time.Sleep(2 * time.Millisecond)
	}
	if len(values) < 100 {
		t.Errorf("200 ids have %d values: %v", len(values), values)
	}
}
