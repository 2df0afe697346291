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

// TestULIDForms reads what is accepted, and names what is not, as text for people to check.
func TestULIDForms(t *testing.T) {
	want := ids.MustParseULID("01ARZ3NDEKTSV4RRFFQ69G5FAV")
	for _, s := range []string{"01ARZ3NDEKTSV4RRFFQ69G5FAV", "01arz3ndektsv4rrffq69g5fav", "01arZ3NdEkTsV4rRfFq69G5FaV"} {
		if got, err := ids.ParseULID(s); got != want || err != nil {
			t.Errorf("ParseULID(%q) = %v, %v", s, got, err)
		}
	}
	for _, c := range []struct {
		what, s string
		err     error
		at      int
	}{
		{"empty", "", ids.ErrLength, 0},
		{"27 characters", "01ARZ3NDEKTSV4RRFFQ69G5FAVV", ids.ErrLength, 27},
		{"line feed at the end", "01ARZ3NDEKTSV4RRFFQ69G5FAV\n", ids.ErrLength, 27},
		{"just above the largest", "80000000000000000000000000", ids.ErrRange, 0},
		{"above the largest, with a bad digit", "8000000000000000000000000U", ids.ErrSyntax, 25},
		{"letter I", "01ARZ3NDEKTSV4RRFFQ69G5FAI", ids.ErrSyntax, 25},
		{"letter u", "01ARZ3NDEKTSV4RRFFu69G5FAV", ids.ErrSyntax, 18},
		{"full-width digit", "01ARZ3NDEKTSV4RRFFQ69G5\uff16", ids.ErrSyntax, 23},
		{"high bit on a digit", "01ARZ3NDEKTSV4RRFFQ69G5FA\xd6", ids.ErrSyntax, 25},
		{"a UUID", "01563df3-5b93-d65b-b8bd-fbd83a8a1b5b", ids.ErrLength, 36},
		{"64 KiB", strings.Repeat("0", 64<<10), ids.ErrLength, 45},
	} {
		checkRefused(t, formULID, c.s, c.err, c.at, ids.ParseULID, ids.MustParseULID)
	}
}
