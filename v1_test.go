package ids_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/oneclock/ids"
)

// TestV2Fields reads back what went into version 2.
func TestV2Fields(t *testing.T) {
	for _, domain := range []ids.Domain{ids.DomainPerson, ids.DomainGroup, ids.DomainOrg, 200} {
		g := ids.NewGenerator(&ids.GeneratorOptions{Clock: stopped(vectorTime), NodeID: vectorNode})
		for _, id := range []uint32{0, 1, 1000, 1 << 31, 1<<32 - 1} {
			u := g.NewV2(domain, id)
			if d, ok := u.Domain(); d != domain || !ok {
				t.Errorf("%v: domain %v, %v", u, d, ok)
			}
			if got, ok := u.LocalID(); got != id || !ok {
				t.Errorf("%v: local id %d, %v, want %d", u, got, ok, id)
			}
			if node, ok := u.NodeID(); node != vectorNode || !ok {
				t.Errorf("%v: node %x, %v", u, node, ok)
			}
			if seq, ok := u.ClockSequence(); seq != 0 || ok {
				t.Errorf("%v: clock sequence %d, %v", u, seq, ok)
			}
			// The start of the span of 2^32 ticks of 100 ns.
			at, ok := u.Time()
			if late := vectorTime.Sub(at); !ok || late < 0 || late >= 1<<32*100 {
				t.Errorf("%v: time %v, %v", u, at, ok)
			}
			if _, ok := u.ToV6(); ok {
				t.Errorf("%v has a version 6", u)
			}
		}
	}
	// Any 64 ids in a row of one local id and span are distinct, and those after them are the same.
	g := ids.NewGenerator(&ids.GeneratorOptions{Clock: stopped(vectorTime), NodeID: vectorNode})
	latest := map[ids.UUID]int{}
	for i := range 200 {
		u := g.NewV2(ids.DomainPerson, 7)
		if before, ok := latest[u]; ok != (i >= 64) || ok && i-before != 64 {
			t.Errorf("id %d, %v, was id %d before", i, u, before)
		}
		latest[u] = i
	}
	for d, want := range map[ids.Domain]string{
		ids.DomainPerson: "person", ids.DomainGroup: "group", ids.DomainOrg: "org", 3: "unknown", 255: "unknown",
	} {
		if d.String() != want {
			t.Errorf("domain %d is %q, want %q", d, d, want)
		}
	}
}

// TestV1At mints versions 1 and 6 of given times: all ids of one tick differ, up to 16,384 of them.
func TestV1At(t *testing.T) {
	for name, mintAt := range map[string]func(*ids.Generator, time.Time) (ids.UUID, error){
		"NewV1At": (*ids.Generator).NewV1At, "NewV6At": (*ids.Generator).NewV6At,
	} {
		g := ids.NewGenerator(&ids.GeneratorOptions{Clock: stopped(start), NodeID: vectorNode})
		mint := func(at time.Time) ids.UUID {
			t.Helper()
			u, err := mintAt(g, at)
			if err != nil {
				t.Fatalf("%s(%v): %v", name, at, err)
			}
			return u
		}
		seen := map[ids.UUID]bool{}
		at := vectorTime.Add(123_456_789)
		for range 16_384 {
			u := mint(at)
			if node, _ := u.NodeID(); !timeOf(u).Equal(at.Truncate(100)) || node != vectorNode || u.Variant() != ids.VariantRFC9562 ||
				u.Version() != int(name[4]-'0') {
				t.Fatalf("%s(%v) = %v of %v", name, at, u, timeOf(u))
			}
			seen[u] = true
		}
		if again := mint(at); len(seen) != 16_384 || !seen[again] {
			t.Errorf("%s: %d distinct of 16,384, and the next is among them: %v", name, len(seen), seen[again])
		}
		// They leave the clock alone.
		if u := g.NewV1(); !timeOf(u).Equal(start) {
			t.Errorf("NewV1 after %s: %v of %v", name, u, timeOf(u))
		}
	}
	// NewV1At and NewV6At count together: an id of the one is none of the other by ToV6.
	g := ids.NewGenerator(nil)
	for range 100 {
		a, _ := g.NewV1At(start)
		b, _ := g.NewV6At(start)
		if c, _ := a.ToV6(); c == b {
			t.Fatalf("%v and %v are the same id", a, b)
		}
	}
}

// TestV2Time mints version 2 at times in all its bits, and with a clock before the calendar: the time
// is the start of the span of 2^32 ticks that the clock is in.
func TestV2Time(t *testing.T) {
	first := time.Date(1582, 10, 15, 0, 0, 0, 0, time.UTC)
	check := func(at, want time.Time) {
		t.Helper()
		g := ids.NewGenerator(&ids.GeneratorOptions{Clock: stopped(at), NodeID: vectorNode})
		if got, ok := g.NewV2(ids.DomainGroup, 1<<32-1).Time(); !got.Equal(want) || !ok {
			t.Errorf("version 2 at %v is of %v, want %v", at, got, want)
		}
	}
	check(first, first)
	check(first.AddDate(-500, 0, 0), first)
	for bit := range 28 {
		ticks := int64(1) << (bit + 32)
		span := time.Unix(first.Unix()+ticks/1e7, ticks%1e7*100).UTC()
		check(span, span)
		check(span.Add(time.Minute), span)
	}
}

// TestV1AtConcurrently mints ids of one tick from several goroutines: 16,384 differ.
func TestV1AtConcurrently(t *testing.T) {
	g := ids.NewGenerator(nil)
	for round := range 50 {
		at := start.Add(time.Duration(round) * time.Second)
		var all [8][]ids.UUID
		var wg sync.WaitGroup
		for i := range all {
			wg.Go(func() {
				for range 2048 {
					u, _ := g.NewV1At(at)
					all[i] = append(all[i], u)
				}
			})
		}
		wg.Wait()
		seen := map[ids.UUID]bool{}
		for _, u := range slices.Concat(all[:]...) {
			if seen[u] {
				t.Fatalf("%v twice", u)
			}
			seen[u] = true
		}
	}
}
