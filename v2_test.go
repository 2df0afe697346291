package ids_test

import (
	"testing"
	"time"

	"github.com/oneclock/ids"
)

// TestV2AfterCalendar mints version 2 with clocks past the last time of its calendar, and gets the last span.
func TestV2AfterCalendar(t *testing.T) {
	const span, ticks int64 = 1 << 32, 1 << 60
	last := time.Date(1582, 10, 15, 0, 0, 0, 0, time.UTC).Unix() + (ticks-span)/1e7
	for _, year := range []int{5237, 7000, 20_000} {
		at := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)
		u := ids.NewGenerator(&ids.GeneratorOptions{Clock: stopped(at)}).NewV2(1, 2)
		if got, ok := u.Time(); got.Unix() != last || !ok {
			t.Errorf("version 2 at %v is of %v, want %v", at, got, time.Unix(last, 0).UTC())
		}
	}
}
