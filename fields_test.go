package ids_test

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/oneclock/ids"
)

// Times, fields and layouts, compared with oracles in math/big that follow the drawings in RFC 9562
// and in the documentation.

// nanoseconds returns the nanoseconds of t since 1970.
func nanoseconds(t time.Time) *big.Int {
	n := new(big.Int).Mul(big.NewInt(t.Unix()), big.NewInt(1e9))
	return n.Add(n, big.NewInt(int64(t.Nanosecond())))
}

// instant is the inverse of nanoseconds.
func instant(n *big.Int) time.Time {
	sec, nsec := new(big.Int).DivMod(n, big.NewInt(1e9), new(big.Int))
	return time.Unix(sec.Int64(), nsec.Int64()).UTC()
}

// floor returns n*times/by, rounded down.
func floor(n *big.Int, times, by int64) *big.Int {
	n = new(big.Int).Mul(n, big.NewInt(times))
	return n.Div(n, big.NewInt(by)) // for a positive divisor, Euclidean division
}

// gregorian is the number of nanoseconds from 1970 to the first tick of versions 1 and 6.
var gregorian = nanoseconds(time.Date(1582, 10, 15, 0, 0, 0, 0, time.UTC))

// FuzzTimes makes an ID of each kind at any time and compares it with math/big. The ID has that
// time, to the tick, and lies within the bounds, or the error reports that the time is out of
// range.
func FuzzTimes(f *testing.F) {
	for _, at := range []struct {
		sec  int64
		nsec uint32
	}{
		{0, 0}, {-1, 999_999_999}, {1773500966, 535_897_932},
		// The first and the last time of versions 1 and 6, the last time of version 7 and ULIDs,
		// and the times just beyond.
		{-12219292800, 0}, {-12219292801, 999_999_999}, {103072857660, 684_697_599}, {103072857660, 684_697_600},
		{281474976710, 655_999_999}, {281474976710, 656_000_000},
		// The zero time, a time whose milliseconds overflow 63 bits, and the first and the last
		// time of all.
		{time.Time{}.Unix(), 0}, {math.MaxInt64/1000 + 1, 0}, {math.MinInt64, 0}, {math.MaxInt64, 999_999_999},
	} {
		f.Add(at.sec, at.nsec)
	}
	f.Fuzz(func(t *testing.T, sec int64, nsec uint32) {
		checkTime(t, time.Unix(sec, int64(nsec%1e9)))
	})
}

// TestTimes makes IDs at random times of any magnitude.
func TestTimes(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for range 10_000 {
		checkTime(t, time.Unix((r.Int64()-1<<62)>>r.IntN(63), r.Int64N(1e9)))
	}
}

// checkTime makes an ID of each kind at a time.
func checkTime(t *testing.T, at time.Time) {
	t.Helper()
	since := nanoseconds(at)
	ticks := floor(new(big.Int).Sub(since, gregorian), 1, 100)
	want := instant(new(big.Int).Add(gregorian, new(big.Int).Mul(ticks, big.NewInt(100))))
	for version, mint := range map[int]func(time.Time) (ids.UUID, error){1: ids.NewV1At, 6: ids.NewV6At} {
		u, err := mint(at)
		switch outside := ticks.Sign() < 0 || ticks.BitLen() > 60; {
		case outside && (!errors.Is(err, ids.ErrRange) || !u.IsZero()), !outside && (err != nil || timeOf(u) != want || u.Version() != version):
			t.Fatalf("version %d at %v: %v of %v, %v", version, at, u, timeOf(u), err)
		}
	}

	ms := floor(since, 1, 1e6)
	nearest := ms
	if last := big.NewInt(1<<48 - 1); ms.Sign() < 0 {
		nearest = new(big.Int)
	} else if ms.Cmp(last) > 0 {
		nearest = last
	}
	v7, err := ids.NewV7At(at)
	ulid, errULID := ids.NewULIDAt(at)
	if nearest != ms {
		if !errors.Is(err, ids.ErrRange) || !errors.Is(errULID, ids.ErrRange) || !v7.IsZero() || !ulid.IsZero() {
			t.Fatalf("version 7 and ULID at %v: %v, %v, %v, %v", at, v7, err, ulid, errULID)
		}
	} else {
		// The milliseconds are in the upper 48 bits, and 1/4096 ms in the 12 bits after the
		// version.
		whole := join(48, bitsOf(v7, 0, 47), 12, bitsOf(v7, 52, 63))
		if tick := floor(since, 4096, 1e6); err != nil || whole.Cmp(tick) != 0 || v7.Version() != 7 || v7.Variant() != ids.VariantRFC9562 {
			t.Fatalf("version 7 at %v: %v, %v, want the tick %x", at, v7, err, tick)
		}
		if errULID != nil || bitsOf(ulid, 0, 47).Cmp(ms) != 0 {
			t.Fatalf("ULID at %v: %v, %v, want the millisecond %x", at, ulid, errULID, ms)
		}
	}
	ones := func(n uint) *big.Int { return new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), n), big.NewInt(1)) }
	tick := ticks // the nearest tick that 60 bits hold
	if last := ones(60); ticks.Sign() < 0 {
		tick = new(big.Int)
	} else if ticks.Cmp(last) > 0 {
		tick = last
	}
	upper, low := new(big.Int).Rsh(tick, 12), new(big.Int).And(tick, ones(12))
	for _, bound := range []struct {
		name      string
		got, want *big.Int
	}{
		{"MinV7At", number(ids.MinV7At(at)), join(48, nearest, 4, big.NewInt(7), 12, new(big.Int), 2, big.NewInt(2), 62, new(big.Int))},
		{"MaxV7At", number(ids.MaxV7At(at)), join(48, nearest, 4, big.NewInt(7), 12, ones(12), 2, big.NewInt(2), 62, ones(62))},
		{"MinV6At", number(ids.MinV6At(at)), join(48, upper, 4, big.NewInt(6), 12, low, 2, big.NewInt(2), 62, new(big.Int))},
		{"MaxV6At", number(ids.MaxV6At(at)), join(48, upper, 4, big.NewInt(6), 12, low, 2, big.NewInt(2), 62, ones(62))},
		{"MinULIDAt", number(ids.MinULIDAt(at)), join(48, nearest, 80, new(big.Int))},
		{"MaxULIDAt", number(ids.MaxULIDAt(at)), join(48, nearest, 80, ones(80))},
	} {
		if bound.got.Cmp(bound.want) != 0 {
			t.Fatalf("%s(%v) = %x, want %x", bound.name, at, bound.got, bound.want)
		}
	}
}

// bitsOf returns the bits of an ID from one number to another, inclusive. As in RFC 9562, the first
// bit is number 0.
func bitsOf[T ids.UUID | ids.ULID](id T, from, to uint) *big.Int {
	n := new(big.Int).SetBytes([]byte(string(id[:])))
	n.Rsh(n, 127-to)
	return n.And(n, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), to-from+1), big.NewInt(1)))
}

// join concatenates numbers, each of which follows its width in bits.
func join(parts ...any) *big.Int {
	n := new(big.Int)
	for i := 0; i < len(parts); i += 2 {
		n.Or(n.Lsh(n, uint(parts[i].(int))), parts[i+1].(*big.Int))
	}
	return n
}

// FuzzFields reads the fields of any 16 bytes as a UUID and as a ULID, and of the first 8 bytes as
// a Snowflake. It compares them with the drawings in RFC 9562, Section 5, and with the layouts.
func FuzzFields(f *testing.F) {
	f.Add(make([]byte, 15))
	for _, s := range []string{
		// Versions 1, 2, 6 and 7, the last time of version 1, and the NCS and Microsoft variants.
		edgeUUID, "000003e8-9414-21ec-8501-021122334455", "1ec9414c-232a-6b00-b3c8-9f6bdeced846", "017f22e2-79b0-7cc3-98c4-dc0c0c07398f",
		"ffffffff-ffff-1fff-bfff-ffffffffffff", "2489e9ad-2ee2-1e00-70c9-32d5f69181c0", "2489e9ad-2ee2-4e00-cec9-32d5f69181c0",
		"00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff",
		"00000000-0000-ffff-ffff-ffffffffffff", // a ULID without a successor in its millisecond
	} {
		id := ids.MustParseUUID(s)
		f.Add(id[:])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) == 16 {
			checkFields(t, ids.UUID(data))
		}
	})
}

// TestFields reads the fields of many IDs, with each version in the RFC's variant.
func TestFields(t *testing.T) {
	for _, n := range samples(128, 500) {
		u := toID[ids.UUID](n)
		checkFields(t, u)
		for version := range byte(16) {
			u[6], u[8] = u[6]&0x0f|version<<4, u[8]&0x3f|0x80
			checkFields(t, u)
		}
		u[8] |= 0xc0 // a different variant
		checkFields(t, u)
	}
	for b := range 1 << 16 { // a carry into the upper 16 of a ULID's 80 bits
		l := ids.ULID{6: byte(b >> 8), 7: byte(b)}
		copy(l[8:], full[:8])
		checkULIDFields(t, l)
	}
}

// checkFields compares the fields of 16 bytes with the oracle's.
func checkFields(t *testing.T, u ids.UUID) {
	t.Helper()
	b := func(from, to uint) *big.Int { return bitsOf(u, from, to) }
	version, octet8 := b(48, 51).Int64(), b(64, 71).Int64()
	variant := ids.VariantFuture
	switch {
	case octet8 < 0x80:
		variant = ids.VariantNCS
	case octet8 < 0xc0:
		variant = ids.VariantRFC9562
	case octet8 < 0xe0:
		variant = ids.VariantMicrosoft
	}
	if int64(u.Version()) != version || u.Variant() != variant {
		t.Fatalf("%v is of version %d and variant %v", u, u.Version(), u.Variant())
	}
	if variant != ids.VariantRFC9562 {
		version = -1
	}
	var ticks *big.Int // of 100 ns
	switch version {
	case 1:
		ticks = join(12, b(52, 63), 16, b(32, 47), 32, b(0, 31))
	case 2:
		ticks = join(12, b(52, 63), 16, b(32, 47), 32, new(big.Int))
	case 6:
		ticks = join(32, b(0, 31), 16, b(32, 47), 12, b(52, 63))
	}
	var want time.Time
	if ticks != nil {
		want = instant(new(big.Int).Add(gregorian, new(big.Int).Mul(ticks, big.NewInt(100))))
	}
	if version == 7 {
		want = instant(new(big.Int).Mul(b(0, 47), big.NewInt(1e6)))
	}
	timed := ticks != nil || version == 7
	if got, ok := u.Time(); got != want || ok != timed {
		t.Fatalf("%v is of %v, %v, want %v", u, got, ok, want)
	}
	sequenced := version == 1 || version == 6
	seq, okSeq := u.ClockSequence()
	node, okNode := u.NodeID()
	domain, okDomain := u.Domain()
	local, okLocal := u.LocalID()
	if okSeq != sequenced || okNode != (sequenced || version == 2) || okDomain != (version == 2) || okLocal != okDomain {
		t.Fatalf("%v has a clock sequence: %v, a node: %v, a domain: %v, a local id: %v", u, okSeq, okNode, okDomain, okLocal)
	}
	if okSeq && int64(seq) != b(66, 79).Int64() || okNode && new(big.Int).SetBytes(node[:]).Cmp(b(80, 127)) != 0 ||
		okDomain && (int64(domain) != b(72, 79).Int64() || int64(local) != b(0, 31).Int64()) {
		t.Fatalf("%v has the clock sequence %d, the node %x, the domain %d and the local id %d", u, seq, node, domain, local)
	}
	checkConversions(t, u, ticks, sequenced)
	checkULIDFields(t, u.ULID())
	checkSnowflakeFields(t, ids.Snowflake(b(0, 63).Uint64()))
}

// checkConversions converts a UUID with the given tick to versions 1 and 6, if it has a clock
// sequence.
func checkConversions(t *testing.T, u ids.UUID, ticks *big.Int, sequenced bool) {
	t.Helper()
	b := func(from, to uint) *big.Int { return bitsOf(u, from, to) }
	v1, ok1 := u.ToV1()
	v6, ok6 := u.ToV6()
	if ok1 != sequenced || ok6 != sequenced || !sequenced && (!v1.IsZero() || !v6.IsZero()) {
		t.Fatalf("%v becomes version 1: %v, version 6: %v", u, ok1, ok6)
	}
	if sequenced {
		low, middle, high := new(big.Int).And(ticks, big.NewInt(1<<32-1)), new(big.Int).Rsh(ticks, 32), new(big.Int).Rsh(ticks, 48)
		middle.And(middle, big.NewInt(1<<16-1))
		as1 := join(32, low, 16, middle, 4, big.NewInt(1), 12, high, 64, b(64, 127))
		as6 := join(48, new(big.Int).Rsh(ticks, 12), 4, big.NewInt(6), 12, new(big.Int).And(ticks, big.NewInt(1<<12-1)), 64, b(64, 127))
		if number(v1).Cmp(as1) != 0 || number(v6).Cmp(as6) != 0 {
			t.Fatalf("%v is %v as version 1 and %v as version 6, want %x and %x", u, v1, v6, as1, as6)
		}
	}
}

// checkULIDFields compares the fields of a ULID and its successor with the oracle's.
func checkULIDFields(t *testing.T, l ids.ULID) {
	t.Helper()
	b := func(from, to uint) *big.Int { return bitsOf(l, from, to) }
	entropy := l.Entropy()
	if l.Time() != instant(new(big.Int).Mul(b(0, 47), big.NewInt(1e6))) || new(big.Int).SetBytes(entropy[:]).Cmp(b(48, 127)) != 0 {
		t.Fatalf("%v is of %v, with %x", l, l.Time(), entropy)
	}
	next, ok := l.Increment()
	if up := new(big.Int).Add(number(l), big.NewInt(1)); b(48, 127).Cmp(new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 80), big.NewInt(1))) == 0 {
		if ok || !next.IsZero() {
			t.Fatalf("%v is followed by %v", l, next)
		}
	} else if !ok || number(next).Cmp(up) != 0 {
		t.Fatalf("%v is followed by %v, %v", l, next, ok)
	}
}

// checkSnowflakeFields compares the fields of a Snowflake in Twitter's layout with the oracle's.
func checkSnowflakeFields(t *testing.T, s ids.Snowflake) {
	t.Helper()
	n := big.NewInt(int64(s))
	since := new(big.Int)
	if n.Sign() > 0 { // there is no tick before the epoch
		since.Rsh(n, 22)
	}
	ms := since.Add(since, big.NewInt(1288834974657))
	field := func(shift uint, width int64) int64 {
		return new(big.Int).And(new(big.Int).Rsh(n, shift), big.NewInt(1<<width-1)).Int64()
	}
	got := partsOf(s)
	datacenter, worker := ids.TwitterDatacenterWorker(got.Node)
	number, err := ids.TwitterNumber(datacenter, worker)
	if want := (ids.SnowflakeParts{Time: instant(ms.Mul(ms, big.NewInt(1e6))), Node: field(12, 10), Sequence: field(0, 12)}); got != want ||
		datacenter != field(17, 5) || worker != field(12, 5) || number != got.Node || err != nil {
		t.Fatalf("%v is of %v, datacenter %d, worker %d, which are of number %d, %v; want %v", s, got, datacenter, worker, number, err, want)
	}
}

// TestV2Fields reads the fields back from version 2 UUIDs.
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
	// Any 64 consecutive IDs of the same local ID and span are distinct, and the following IDs
	// repeat them.
	g := ids.NewGenerator(&ids.GeneratorOptions{Clock: stopped(vectorTime), NodeID: vectorNode})
	latest := map[ids.UUID]int{}
	for i := range 200 {
		u := g.NewV2(ids.DomainPerson, 7)
		if before, ok := latest[u]; ok != (i >= 64) || ok && i-before != 64 {
			t.Errorf("id %d, %v, was id %d before", i, u, before)
		}
		latest[u] = i
	}
	first := time.Date(1582, 10, 15, 0, 0, 0, 0, time.UTC)
	early := ids.NewGenerator(&ids.GeneratorOptions{Clock: stopped(first.AddDate(-500, 0, 0))}).NewV2(ids.DomainGroup, 1<<32-1)
	if at, ok := early.Time(); !at.Equal(first) || !ok {
		t.Errorf("before the calendar: %v, %v", at, ok)
	}
	for d, want := range map[ids.Domain]string{
		ids.DomainPerson: "person", ids.DomainGroup: "group", ids.DomainOrg: "org", 3: "unknown", 255: "unknown",
	} {
		if d.String() != want {
			t.Errorf("domain %d is %q, want %q", d, d, want)
		}
	}
}

// TestV1At makes version 1 and 6 UUIDs of a given time. Both versions share one counter, so ToV6
// does not turn an ID of one version into an ID of the other. They do not change the clock.
func TestV1At(t *testing.T) {
	g := ids.NewGenerator(&ids.GeneratorOptions{Clock: stopped(start), NodeID: vectorNode})
	for range 100 {
		a, b := firstOf(g.NewV1At(vectorTime)), firstOf(g.NewV6At(vectorTime))
		if c, _ := a.ToV6(); c == b {
			t.Fatalf("%v and %v are the same id", a, b)
		}
	}
	for _, u := range []ids.UUID{g.NewV1(), g.NewV6()} {
		if !timeOf(u).Equal(start) {
			t.Errorf("afterwards %v is of %v", u, timeOf(u))
		}
	}
}

// TestV1AtConcurrently makes IDs of the same tick from several goroutines. All 16,384 differ.
func TestV1AtConcurrently(t *testing.T) {
	g := ids.NewGenerator(nil)
	for round := range 50 {
		at := start.Add(time.Duration(round) * time.Second)
		noneTwice(t, 8, 2048, func(all []ids.UUID) []ids.UUID { return append(all, firstOf(g.NewV1At(at))) })
	}
}
