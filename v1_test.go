package ids_test

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"testing"
	"time"

	"github.com/oneclock/ids"
)

// TestV2Fields reads back what went into version 2.
func TestV2Fields(t *testing.T) {
	for _, domain := range []ids.Domain{ids.DomainPerson, ids.DomainGroup, ids.DomainOrg, 200} {
		g := ids.NewGenerator(&ids.GeneratorOptions{Clock: stopped(vectorTime), Node: vectorNode})
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
	g := ids.NewGenerator(&ids.GeneratorOptions{Clock: stopped(vectorTime), Node: vectorNode})
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

// TestGregorianTime mints versions 1 and 6 at the edges of their 60 bits, and beyond.
func TestGregorianTime(t *testing.T) {
	first := time.Date(1582, 10, 15, 0, 0, 0, 0, time.UTC)
	last := time.Date(5236, 3, 31, 21, 21, 0, 684697500, time.UTC)
	for _, c := range []struct{ now, want time.Time }{
		{first, first},
		{first.Add(100), first.Add(100)},
		{first.Add(99), first},
		{time.Unix(0, 0), time.Unix(0, 0)},
		{time.Unix(0, -1), time.Unix(0, -100)},
		{vectorTime.Add(123456789), vectorTime.Add(123456700)},
		{last, last},
		{last.Add(99), last},
		{first.Add(-1), first},
		{time.Date(-5000, 1, 1, 0, 0, 0, 0, time.UTC), first},
	} {
		g := ids.NewGenerator(&ids.GeneratorOptions{Clock: stopped(c.now)})
		for _, u := range []ids.UUID{g.NewV1(), g.NewV6()} {
			if at, ok := u.Time(); !at.Equal(c.want) || !ok {
				t.Errorf("%v at %v: time %v, %v, want %v", u, c.now, at, ok, c.want)
			}
		}
	}
	for _, late := range []time.Time{last.Add(100), time.Date(15000, 1, 1, 0, 0, 0, 0, time.UTC)} {
		g := ids.NewGenerator(&ids.GeneratorOptions{Clock: stopped(late)})
		checkSpent(t, "NewV1", func() { g.NewV1() })
		checkSpent(t, "NewV6", func() { g.NewV6() })
	}
}

// TestV1At mints versions 1 and 6 of given times: all ids of one tick differ, up to 16,384 of them.
func TestV1At(t *testing.T) {
	for name, mintAt := range map[string]func(*ids.Generator, time.Time) (ids.UUID, error){
		"NewV1At": (*ids.Generator).NewV1At, "NewV6At": (*ids.Generator).NewV6At,
	} {
		g := ids.NewGenerator(&ids.GeneratorOptions{Clock: stopped(start), Node: vectorNode})
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
		// The ends of the field, and times beyond.
		first := time.Date(1582, 10, 15, 0, 0, 0, 0, time.UTC)
		last := time.Date(5236, 3, 31, 21, 21, 0, 684697500, time.UTC)
		for _, at := range []time.Time{first, first.Add(99), last, last.Add(99), last.In(time.FixedZone("", 12345))} {
			if got := timeOf(mint(at)); !got.Equal(at.Add(-time.Duration(at.Nanosecond() % 100))) {
				t.Errorf("%s(%v) is of %v", name, at, got)
			}
		}
		for _, at := range []time.Time{first.Add(-1), last.Add(100), {}, time.Unix(-1<<62, 0), time.Unix(1<<62, 999_999_999), time.Unix(1<<39, 0)} {
			if u, err := mintAt(g, at); !errors.Is(err, ids.ErrRange) || !u.IsZero() {
				t.Errorf("%s(%v) = %v, %v, want ErrRange", name, at, u, err)
			}
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

// TestToV6 takes the fields of version 1 to version 6 and back, and refuses all other versions.
func TestToV6(t *testing.T) {
	for _, n := range samples(128, 500) {
		for version := range 16 {
			u := toID[ids.UUID](n)
			u[6] = u[6]&0x0f | byte(version)<<4
			u[8] = u[8]&0x3f | 0x80
			v6, ok6 := u.ToV6()
			v1, ok1 := u.ToV1()
			if version != 1 && version != 6 {
				if ok1 || ok6 || !v1.IsZero() || !v6.IsZero() {
					t.Fatalf("%v: ToV6 %v, %v; ToV1 %v, %v", u, v6, ok6, v1, ok1)
				}
				continue
			}
			from6, ok := v6.ToV1()
			from1, okToo := v1.ToV6()
			if !ok || !okToo || from6 != v1 || from1 != v6 || version == 1 && v1 != u || version == 6 && v6 != u {
				t.Fatalf("%v: ToV6 %v, and back %v; ToV1 %v, and back %v", u, v6, from6, v1, from1)
			}
			for _, v := range []ids.UUID{v1, v6} {
				got, _ := v.Time()
				want, _ := u.Time()
				gotSeq, _ := v.ClockSequence()
				wantSeq, _ := u.ClockSequence()
				gotNode, _ := v.NodeID()
				wantNode, _ := u.NodeID()
				if !got.Equal(want) || gotSeq != wantSeq || gotNode != wantNode {
					t.Fatalf("%v of %v: time %v, sequence %x, node %x", v, u, got, gotSeq, gotNode)
				}
			}
		}
		// Not of the RFC's variant.
		u := toID[ids.UUID](n)
		u[6], u[8] = 0x10, u[8]|0xc0
		if _, ok := u.ToV6(); ok {
			t.Fatalf("%v has a version 6", u)
		}
	}
}

// TestV6Order makes version 1 of ascending ticks: their versions 6 ascend.
func TestV6Order(t *testing.T) {
	ticks := samples(60, 500)
	slices.SortFunc(ticks, (*big.Int).Cmp)
	ticks = slices.CompactFunc(ticks, func(a, b *big.Int) bool { return a.Cmp(b) == 0 })
	var last ids.UUID
	for _, n := range ticks {
		s := fmt.Sprintf("%015x", n) // time_high, time_mid, time_low
		v6, ok := ids.MustParseUUID(s[7:] + "-" + s[3:7] + "-1" + s[:3] + "-8000-000000000000").ToV6()
		if !ok || last.Compare(v6) >= 0 {
			t.Fatalf("version 6 of tick %s is %v, not above %v", s, v6, last)
		}
		last = v6
	}
}

// TestV2Time mints version 2 at times in all its bits, and with a clock before the calendar: the time
// is the start of the span of 2^32 ticks that the clock is in.
func TestV2Time(t *testing.T) {
	first := time.Date(1582, 10, 15, 0, 0, 0, 0, time.UTC)
	check := func(at, want time.Time) {
		t.Helper()
		g := ids.NewGenerator(&ids.GeneratorOptions{Clock: stopped(at), Node: vectorNode})
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
