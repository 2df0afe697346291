package ids_test

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/oneclock/ids"
)

// TestMilliBounds checks Min, Max and At of version 7 and ULID at the edges of their 48 bits of
// milliseconds.
func TestMilliBounds(t *testing.T) {
	first, last := time.Unix(0, 0).UTC(), time.UnixMilli(1<<48-1).UTC()
	if got := last.Format(time.RFC3339Nano); got != "10889-08-02T05:31:50.655Z" { // as the docs have it
		t.Errorf("the last millisecond is %s", got)
	}
	for _, c := range []struct {
		at    time.Time
		milli time.Time
		ok    bool
	}{
		{first, first, true},
		{first.Add(-1), first, false},
		{first.Add(-time.Hour), first, false},
		{time.Time{}, first, false},
		{time.Unix(-1<<62, 0), first, false},
		{first.Add(999_999), first, true},
		{first.Add(1_000_000), time.UnixMilli(1), true},
		{vectorTime.Add(123_999_999), vectorTime.Add(123_000_000), true},
		{vectorTime.Add(123_999_999).In(time.FixedZone("", 12345)), vectorTime.Add(123_000_000), true},
		{last, last, true},
		{last.Add(999_999), last, true},
		{last.Add(time.Millisecond), last, false},
		{last.Add(time.Hour), last, false},
		{time.Unix(1<<62, 999_999_999), last, false},
	} {
		minV7, maxV7, minULID, maxULID := ids.MinV7At(c.at), ids.MaxV7At(c.at), ids.MinULIDAt(c.at), ids.MaxULIDAt(c.at)
		for name, got := range map[string]time.Time{
			"MinV7At": timeOf(minV7), "MaxV7At": timeOf(maxV7), "MinULIDAt": minULID.Time(), "MaxULIDAt": maxULID.Time(),
		} {
			if !got.Equal(c.milli) || got.Location() != time.UTC {
				t.Errorf("%s of %v is of %v, want %v", name, c.at, got, c.milli)
			}
		}
		if got := minV7.String()[14:]; got != "7000-8000-000000000000" {
			t.Errorf("MinV7At ends in %s", got)
		}
		if got := maxV7.String()[14:]; got != "7fff-bfff-ffffffffffff" {
			t.Errorf("MaxV7At ends in %s", got)
		}
		if minULID.Entropy() != [10]byte{} || maxULID.Entropy() != [10]byte(bytes.Repeat([]byte{0xff}, 10)) {
			t.Errorf("entropy of bounds: %x, %x", minULID.Entropy(), maxULID.Entropy())
		}
		u, errV7 := ids.NewV7At(c.at)
		l, errULID := ids.NewULIDAt(c.at)
		if c.ok {
			if errV7 != nil || u.Compare(minV7) < 0 || u.Compare(maxV7) > 0 || !timeOf(u).Equal(c.milli) {
				t.Errorf("NewV7At(%v) = %v, %v", c.at, u, errV7)
			}
			if errULID != nil || l.Compare(minULID) < 0 || l.Compare(maxULID) > 0 || !l.Time().Equal(c.milli) {
				t.Errorf("NewULIDAt(%v) = %v, %v", c.at, l, errULID)
			}
			continue
		}
		if !errors.Is(errV7, ids.ErrRange) || !u.IsZero() {
			t.Errorf("NewV7At(%v) = %v, %v, want ErrRange", c.at, u, errV7)
		}
		if !errors.Is(errULID, ids.ErrRange) || !l.IsZero() {
			t.Errorf("NewULIDAt(%v) = %v, %v, want ErrRange", c.at, l, errULID)
		}
	}
	// The bounds of neighbouring milliseconds do not meet.
	if next := vectorTime.Add(time.Millisecond); ids.MaxV7At(vectorTime).Compare(ids.MinV7At(next)) >= 0 ||
		ids.MaxULIDAt(vectorTime).Compare(ids.MinULIDAt(next)) >= 0 {
		t.Error("the bounds of neighbouring milliseconds meet")
	}
}

func timeOf(u ids.UUID) time.Time {
	at, _ := u.Time()
	return at
}

// TestV7AtFraction checks that NewV7At puts the fraction of the millisecond below it, rounded down.
func TestV7AtFraction(t *testing.T) {
	for _, ns := range []int64{0, 1, 244, 245, 488, 489, 500_000, 999_755, 999_756, 999_999} {
		u, err := ids.NewV7At(vectorTime.Add(time.Duration(ns)))
		if got, want := int64(u[6]&0x0f)<<8|int64(u[7]), ns*4096/1_000_000; got != want || err != nil {
			t.Errorf("fraction of %d ns: %d, want %d, error %v", ns, got, want, err)
		}
	}
}

// TestAtIsFresh draws many ids of one instant: all bits of the random part must occur as 0 and
// as 1.
func TestAtIsFresh(t *testing.T) {
	all, some := ids.MaxUUID(), ids.UUID{}
	allL, someL := ids.ULID(all), ids.ULID{}
	for range 200 {
		u, _ := ids.NewV7At(vectorTime)
		l, _ := ids.NewULIDAt(vectorTime)
		for i := range u {
			all[i], some[i] = all[i]&u[i], some[i]|u[i]
			allL[i], someL[i] = allL[i]&l[i], someL[i]|l[i]
		}
	}
	if want := ids.MinV7At(vectorTime); all != want {
		t.Errorf("bits that are always 1: %v, want %v", all, want)
	}
	if want := ids.MaxV7At(vectorTime).String()[19:]; some.String()[19:] != want {
		t.Errorf("bits that are ever 1: %v, want %v at the end", some, want)
	}
	if allL != ids.MinULIDAt(vectorTime) || someL != ids.MaxULIDAt(vectorTime) {
		t.Errorf("bits of ULIDs that are always 1: %v, and ever: %v", allL, someL)
	}
}

// TestExampleOfSynctest runs the test that Example_synctest shows.
func TestExampleOfSynctest(t *testing.T) {
	ids.NewV7() // at the real time, so that no bubble before this one was just ahead of it
	testAge(t)
}

// TestFreshInFirstTick shows a clock at the beginning of the format, and before it: the random part
// of the first id is as wide there as in any tick.
func TestFreshInFirstTick(t *testing.T) {
	for _, at := range []time.Time{time.Unix(0, 0), time.Unix(-1, 0)} {
		g := ids.NewGenerator(&ids.GeneratorOptions{Clock: stopped(at), Random: repeated(0xff)})
		if u := g.NewV7(); u != ids.MustParseUUID("00000000-0000-7000-9fff-ffffffffffff") {
			t.Errorf("version 7 at %v: %v", at, u)
		}
		if u := g.NewULID(); u.Entropy() != [10]byte{0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff} || u.Time().Unix() != 0 {
			t.Errorf("ULID at %v: %v, %x", at, u, u.Entropy())
		}
	}
}

// TestFreshBits mints ids in a tick each: all bits that are said to be random are ever 0 and ever 1.
func TestFreshBits(t *testing.T) {
	f, _, g, _ := newFake(t)
	for name, mint := range map[string]struct {
		id    func() [16]byte
		fixed [16]byte // which bits are not random
	}{
		"NewV4":      {func() [16]byte { return g.NewV4() }, [16]byte{6: 0xf0, 8: 0xc0}},
		"AppendV4":   {func() [16]byte { return g.AppendV4(nil, 1)[0] }, [16]byte{6: 0xf0, 8: 0xc0}},
		"NewV7":      {func() [16]byte { return g.NewV7() }, [16]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xe0}},
		"AppendV7":   {func() [16]byte { return g.AppendV7(nil, 1)[0] }, [16]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xe0}},
		"NewULID":    {func() [16]byte { return g.NewULID() }, [16]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x80}},
		"AppendULID": {func() [16]byte { return g.AppendULID(nil, 1)[0] }, [16]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x80}},
	} {
		zeros, ones := mint.fixed, mint.fixed
		for range 200 { // a bit stays the same by chance once in 2^199
			f.step(time.Millisecond)
			for i, b := range mint.id() {
				ones[i] |= b
				zeros[i] |= ^b
			}
		}
		for i := range ones {
			if ones[i]&zeros[i] != 0xff {
				t.Errorf("%s: of byte %d the bits %08b are ever 1 and %08b ever 0", name, i, ones[i], zeros[i])
			}
		}
	}
}

// TestFarMilliseconds takes times so far off that their milliseconds exceed 64 bits, and what is left
// of them looks like a time of the format.
func TestFarMilliseconds(t *testing.T) {
	for _, sec := range []int64{1<<64/1000 + 1, 1<<64/1000 + 1e9, 2 * (1<<64/1000 + 1e9), -(1<<64/1000 - 1e9)} {
		at := time.Unix(sec, 0)
		if u, err := ids.NewV7At(at); !errors.Is(err, ids.ErrRange) || !u.IsZero() {
			t.Errorf("version 7 of second %d: %v, %v", sec, u, err)
		}
		if least, last := ids.MinULIDAt(at).Time(), sec > 0; last != (least.Year() > 10_000) || last == (least.Unix() == 0) {
			t.Errorf("the least ULID of second %d is of %v", sec, least)
		}
	}
}
