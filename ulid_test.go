package ids_test

import (
	"strings"
	"testing"
	"time"

	"github.com/oneclock/ids"
)

// TestULIDVectors checks the vectors of the specification.
func TestULIDVectors(t *testing.T) {
	u := ids.MustParseULID("01ARZ3NDEKTSV4RRFFQ69G5FAV")
	if got := u.Time().UnixMilli(); got != 1469922850259 {
		t.Errorf("time of %v: %d ms", u, got)
	}
	if u.String() != "01ARZ3NDEKTSV4RRFFQ69G5FAV" {
		t.Errorf("String() = %s", u)
	}
	if got := ids.MinULIDAt(time.UnixMilli(1465824320894)).String(); got != "01AN4Z07BY0000000000000000" {
		t.Errorf("the time part of 1465824320894 ms: %s", got)
	}
	if got := ids.MaxULIDAt(time.UnixMilli(281474976710655)).String(); got != "7ZZZZZZZZZZZZZZZZZZZZZZZZZ" {
		t.Errorf("the largest: %s", got)
	}
	if got := ids.MustParseULID("7ZZZZZZZZZZZZZZZZZZZZZZZZZ").Time().UnixMilli(); got != 281474976710655 {
		t.Errorf("the time of the largest: %d ms", got)
	}
	// Minted from its parts: NewULIDAt takes all 80 bits.
	random := u.Entropy()
	got, err := ids.NewGenerator(&ids.GeneratorOptions{Random: strings.NewReader(string(random[:]))}).NewULIDAt(u.Time())
	if got != u || err != nil {
		t.Errorf("NewULIDAt = %v, %v, want %v", got, err, u)
	}
}

// TestULIDMonotonic mints the specification's example of the monotonic mode, and what follows an
// overflow.
func TestULIDMonotonic(t *testing.T) {
	first := ids.MustParseULID("01BX5ZZKBKACTAV9WEVGEMMVRZ")
	random := first.Entropy()
	g := ids.NewGenerator(&ids.GeneratorOptions{
		Clock:         stopped(first.Time()),
		Random:        strings.NewReader(strings.Repeat(string(random[:]), 3)),
		ULIDMonotonic: true,
	})
	for _, want := range []string{"01BX5ZZKBKACTAV9WEVGEMMVRZ", "01BX5ZZKBKACTAV9WEVGEMMVS0", "01BX5ZZKBKACTAV9WEVGEMMVS1"} {
		if got := g.NewULID().String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
