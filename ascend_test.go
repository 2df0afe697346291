package ids_test

// Random bits that ascend within a tick, in single calls and in runs: versions 4 and 7 and ULIDs.
// Runs of Snowflakes are tested here too.

import (
	"bytes"
	cryptorand "crypto/rand"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/internal/random"
)

// TestRuns appends runs of many lengths to slices, whose elements must not change. For a negative
// number of IDs, and for more than any slice can hold, Append panics as make does; it has then
// drawn no random bits, taken nothing from the clock and holds no lock.
func TestRuns(t *testing.T) {
	f, c, _, node := newFake(t)
	drawn, source := 0, rand.NewChaCha8([32]byte{})
	g := ids.NewGenerator(&ids.GeneratorOptions{Clock: c, Random: readerFunc(func(p []byte) (int, error) {
		drawn++
		return source.Read(p)
	})})
	used := func() [2]int { return [2]int{f.reads, drawn} }
	checkRun(t, "AppendV4", g.AppendV4, used)
	checkRun(t, "AppendV7", g.AppendV7, used)
	checkRun(t, "AppendULID", g.AppendULID, used)
	checkRun(t, "SnowflakeNode.Append", node.Append, used)
}

func checkRun[T comparable](t *testing.T, name string, f func([]T, int) []T, used func() [2]int) {
	t.Helper()
	var zero T
	before := f(nil, 2)
	was := used()
	for _, n := range []int{-1, math.MinInt} {
		checkPanic(t, name, "ids: negative number of IDs", func() { f(before, n) })
	}
	for _, n := range []int{math.MaxInt, math.MaxInt - 1, math.MaxInt / 2, math.MaxInt / 3} {
		if err, ok := panicOf(func() { f(before, n) }).(runtime.Error); !ok {
			t.Errorf("%s of %d panics with %v", name, n, err)
		}
	}
	if got := used(); got != was {
		t.Errorf("%s that panics reads the clock and the reader: %v times, %v before", name, got, was)
	}
	within(t, name+" afterwards", func() {
		for _, count := range []int{0, 1, 5, 4095, 4096, 4097, 10000} {
			spare := make([]T, 2, 4098)
			copy(spare, before)
			got := f(spare, count)
			if len(got) != 2+count || got[0] != before[0] || got[1] != before[1] {
				t.Fatalf("%s of %d gives %d ids after %v", name, count, len(got), before)
			}
			if count <= 4096 && &got[0] != &spare[0] {
				t.Errorf("%s of %d does not use the room that there is", name, count)
			}
			seen := map[T]bool{zero: true}
			for _, id := range got {
				if seen[id] {
					t.Fatalf("%s of %d gives %v twice", name, count, id)
				}
				seen[id] = true
			}
		}
	})
}

// TestAppendV4 checks that AppendV4 makes the same IDs as NewV4 from the same random bytes, and
// uses each byte once, also beyond the end of a block.
func TestAppendV4(t *testing.T) {
	const seed = 19
	seedRandom(t, seed)
	var block random.Block
	want := make([]ids.UUID, 3*random.Size/16)
	for i := range want {
		hi, lo := block.Uint128()
		binary.BigEndian.PutUint64(want[i][:8], hi)
		binary.BigEndian.PutUint64(want[i][8:], lo)
		want[i][6] = want[i][6]&0x0f | 4<<4
		want[i][8] = want[i][8]&0x3f | 1<<7
	}
	ids.Reseed()
	seedRandom(t, seed)
	if got := ids.NewV4(); got != want[0] {
		t.Errorf("NewV4 makes %v, want %v", got, want[0])
	}
	ids.Reseed()
	seedRandom(t, seed)
	if got := ids.AppendV4(nil, len(want)); !slices.Equal(got, want) {
		t.Errorf("AppendV4 makes %v …, want %v …", got[:3], want[:3])
	}
}

// TestULIDRunStaysInOrder sets the clock back by more than Tolerance between two pieces of a run of
// ULIDs, while other calls of the same generator follow the clock. The run must stay in increasing
// order anyway. The generator's own reader could not call the generator, but crypto/rand's can. The
// other calls take the ULIDs after the run's before they follow the clock back, so the run must not
// continue with those.
func TestULIDRunStaysInOrder(t *testing.T) {
	system := cryptorand.Reader
	defer func() { cryptorand.Reader = system }()
	for _, test := range []struct {
		monotonic bool
		forth     time.Duration // by which the clock returns
	}{{false, 0}, {false, time.Hour}, {true, 0}, {true, time.Hour}} {
		f := &fakeClock{t: start}
		g := ids.NewGenerator(&ids.GeneratorOptions{
			Clock: ids.NewClock(&ids.ClockOptions{Now: f.now}), ULIDMonotonic: test.monotonic,
		})
		g.NewULID() // draws the clock's own random bytes
		ids.Reseed()
		var between []ids.ULID
		var reader readerFunc
		reader = func(p []byte) (int, error) {
			cryptorand.Reader = system
			for range 5 {
				between = append(between, g.NewULID())
			}
			f.step(-time.Hour)
			between = append(between, g.NewULID())
			f.step(test.forth)
			cryptorand.Reader = reader
			return system.Read(p)
		}
		cryptorand.Reader = reader
		run := g.AppendULID(nil, 10_000)
		cryptorand.Reader = system
		if !slices.IsSortedFunc(run, ids.ULID.Compare) || len(slices.Compact(run)) != 10_000 {
			t.Errorf("%+v: a run of ULIDs does not increase", test)
		}
		if len(between) == 0 || !between[len(between)-1].Time().Before(start) {
			t.Errorf("%+v: no other call has followed the clock back: %v", test, between)
		}
		for _, u := range between {
			if slices.Contains(run, u) {
				t.Errorf("%+v: a run repeats %v, which another call has given", test, u)
			}
		}
		if last := run[len(run)-1].Time(); last.Sub(start) > 10*time.Millisecond {
			t.Errorf("%+v: a run that waits for nothing ends at %v, from %v", test, last, start)
		}
	}
}

// TestRunsWaitAsCalls makes runs of version 7 wait, by random bits that leave room for about 8,000
// IDs in a tick, on clocks without an allowance ahead of the wall clock. A run must not wait longer
// than the same number of single calls, whether it is alone or others mint at the same time.
func TestRunsWaitAsCalls(t *testing.T) {
	n := 1_000_000
	if testing.Short() {
		n /= 4
	}
	for _, beside := range []bool{false, true} {
		took := func(mint func(*ids.Generator)) (took time.Duration) {
			synctest.Test(t, func(t *testing.T) {
				c := ids.NewClock(&ids.ClockOptions{Now: func() time.Time { return start }, MaxAhead: -1})
				other := ids.NewGenerator(&ids.GeneratorOptions{Clock: c, Random: repeated(0xff)})
				reads := 0
				g := ids.NewGenerator(&ids.GeneratorOptions{Clock: c, Random: readerFunc(func(p []byte) (int, error) {
					if reads++; beside && reads%100 == 0 {
						other.NewV7()
					}
					for i := range p {
						p[i] = 0xff
					}
					return len(p), nil
				})})
				began := time.Now()
				mint(g)
				took = time.Since(began)
			})
			return took
		}
		calls := took(func(g *ids.Generator) {
			for range n {
				g.NewV7()
			}
		})
		run := took(func(g *ids.Generator) { g.AppendV7(make([]ids.UUID, 0, n), n) })
		if run > calls+100*time.Microsecond { // the others' IDs fall on different places
			t.Errorf("others beside: %v: a run waits for %v, as many calls for %v", beside, run, calls)
		}
	}
}

// TestRunWaitsForTickOfOthers lets another run take the next tick, between two pieces of a run, and
// sleep until the wall clock reaches it. The first run continues in that tick, so it must wait too.
func TestRunWaitsForTickOfOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// The next tick belongs to the next millisecond, which Time shows.
		time.Sleep(time.Millisecond - 1)
		c := ids.NewClock(&ids.ClockOptions{MaxAhead: -1})
		// The largest strides.
		other := ids.NewGenerator(&ids.GeneratorOptions{Clock: c, Random: repeated(0xff)})
		reads := 0
		g := ids.NewGenerator(&ids.GeneratorOptions{Clock: c, Random: readerFunc(func(p []byte) (int, error) {
			if reads++; reads == 600 {
				go other.AppendV7(nil, 1<<14) // more than a tick holds
				synctest.Wait()
			}
			clear(p)
			return len(p), nil
		})})
		for i, u := range g.AppendV7(nil, 1000) {
			if ahead := time.Until(timeOf(u)); ahead > 0 {
				t.Fatalf("id %d is %v ahead when the run returns", i, ahead)
			}
		}
	})
}

// TestRunOfWords injects random words in which each bit counts. The first ID of a run has the bits
// of the second word. Each following ID is larger by the upper 48 bits of its own word plus 1, so
// no stride is 0, whatever the word.
func TestRunOfWords(t *testing.T) {
	for _, factor := range []uint64{0x9e3779b97f4a7c15, 1 << 16, 0, 1} {
		reads := uint64(0)
		g := ids.NewGenerator(&ids.GeneratorOptions{Clock: stopped(start), Random: readerFunc(func(p []byte) (int, error) {
			reads++
			binary.BigEndian.PutUint64(p, reads*factor)
			return len(p), nil
		})})
		check := func(name string, i int, lo, first uint64) {
			want := 2 * factor & first
			for word := 3; word < i+3; word++ {
				want += uint64(word)*factor>>16 + 1
			}
			if lo != want {
				t.Fatalf("%s of words %#x apart: id %d has %#x, want %#x", name, factor, i, lo, want)
			}
		}
		for i, u := range g.AppendV7(nil, 200) {
			check("AppendV7", i, binary.BigEndian.Uint64(u[8:])&(1<<62-1), 1<<61-1)
		}
		reads = 0
		for i, u := range g.AppendULID(nil, 200) {
			check("AppendULID", i, binary.BigEndian.Uint64(u[8:]), 1<<64-1)
		}
	}
}

// lastMilli is the last millisecond of version 7 and ULID.
var lastMilli = time.UnixMilli(1<<48 - 1).UTC()

// checkSpent checks that f panics because the last tick of a format is exhausted.
func checkSpent(t *testing.T, what string, f func()) {
	t.Helper()
	if err := panicOf(f); !errors.Is(err, ids.ErrRange) || !strings.HasSuffix(err.Error(), " is exhausted") {
		t.Errorf("%s past the last tick: %v, want a panic that says that the tick is exhausted, and matches ErrRange", what, err)
	}
}

var (
	full    = [10]byte(bytes.Repeat([]byte{0xff}, 10))
	oneLeft = [10]byte(append(bytes.Repeat([]byte{0xff}, 9), 0xfe))
	drawn55 = [10]byte(bytes.Repeat([]byte{0x55}, 10)) // the bits from repeated(0x55)
)

// TestULIDOverflow exhausts the random part of a millisecond's ULIDs. The next ULID has the next
// millisecond and fresh bits; nothing wraps.
func TestULIDOverflow(t *testing.T) {
	for _, monotonic := range []bool{false, true} {
		g := ids.NewGenerator(&ids.GeneratorOptions{Clock: stopped(start), Random: repeated(0x55), ULIDMonotonic: monotonic})
		for name, mint := range map[string]func() ids.ULID{
			"NewULID":    g.NewULID,
			"AppendULID": func() ids.ULID { return g.AppendULID(nil, 1)[0] },
		} {
			first := g.NewULID()
			g.SetEntropy(full)
			u := mint()
			if !u.Time().Equal(first.Time().Add(time.Millisecond)) || u.Entropy() != drawn55 {
				t.Errorf("%s, monotonic %v: %v follows the last of %v", name, monotonic, u, first)
			}
			if next := mint(); u.Compare(next) >= 0 {
				t.Errorf("%s, monotonic %v: %v follows %v", name, monotonic, next, u)
			}
		}
		first := g.NewULID()
		g.SetEntropy(oneLeft)
		if u := g.NewULID(); monotonic != (u.Entropy() == full) || u.Time().Equal(first.Time()) != monotonic {
			t.Errorf("monotonic %v: %v follows the last but one of %v", monotonic, u, first)
		}
		if !monotonic {
			continue
		}
		g.SetEntropy(oneLeft)
		run := g.AppendULID(nil, 3) // the last of its millisecond, and two of the next
		if run[0].Entropy() != full || !run[1].Time().Equal(run[0].Time().Add(time.Millisecond)) || run[1].Entropy() != drawn55 || run[1].Compare(run[2]) >= 0 {
			t.Errorf("a run over the end of a millisecond: %v", run)
		}
	}
}

// TestOverflowWaits exhausts the random part of one millisecond after another. The IDs stay within
// MaxAhead of the clock.
func TestOverflowWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := ids.NewGenerator(&ids.GeneratorOptions{Clock: ids.NewClock(nil)})
		for range 50 {
			g.NewULID()
			g.SetEntropy(full)
			if ahead := time.Until(g.NewULID().Time()); ahead > maxAhead {
				t.Fatalf("a ULID is %v ahead", ahead)
			}
		}
	})
}

// TestV7Overflow exhausts the random part of version 7 ticks on a clock that stands still and has
// no allowance ahead of the wall clock. The next ID has the next tick, after a wait.
func TestV7Overflow(t *testing.T) {
	for name, mint := range map[string]func(*ids.Generator) ids.UUID{
		"NewV7":    (*ids.Generator).NewV7,
		"AppendV7": func(g *ids.Generator) ids.UUID { return g.AppendV7(nil, 1)[0] },
	} {
		synctest.Test(t, func(t *testing.T) {
			clock := ids.NewClock(&ids.ClockOptions{Now: func() time.Time { return start }, MaxAhead: -1})
			g := ids.NewGenerator(&ids.GeneratorOptions{Clock: clock, Random: repeated(0xff)})
			last := ids.MinV7At(start)
			for i := range 3 * v7Room {
				began := time.Now()
				u := mint(g)
				waited := time.Since(began)
				if u.Compare(last) <= 0 {
					t.Fatalf("%s: %v then %v", name, last, u)
				}
				// The ID is one tick of 1/4096 ms ahead, and the shortest sleep is 100 µs.
				if ahead := i >= v7Room; ahead && i%v7Room == 0 && waited == 0 || !ahead && waited > 0 || waited > 100*time.Microsecond {
					t.Errorf("%s: id %d, %v, waited %v", name, i, u, waited)
				}
				if ticks := int(u[6]&0x0f)<<8 | int(u[7]); ticks != i/v7Room {
					t.Errorf("%s: id %d is of tick %d", name, i, ticks)
				}
				last = u
			}
		})
	}
}

// TestV7RunOverflow exhausts the random part of ticks in one run. Each tick must hold as many IDs
// of the run as of single calls.
func TestV7RunOverflow(t *testing.T) {
	g := ids.NewGenerator(&ids.GeneratorOptions{Clock: stopped(start), Random: repeated(0xff)})
	last := ids.MinV7At(start)
	for i, u := range g.AppendV7(nil, 3*v7Room) {
		if tick := int(u[6]&0x0f)<<8 | int(u[7]); u.Compare(last) <= 0 || tick != i/v7Room {
			t.Fatalf("id %d, %v, follows %v", i, u, last)
		}
		last = u
	}
}

// v7Room is the number of version 7 IDs for which the largest random bits leave room in a tick: the
// first ID has 2^61-1, and the strides in the rest of 2^62 are 2^48.
const v7Room = 1 + 1<<13

// TestLastMilli exhausts the last tick of version 7 and ULID. From then on, each call panics, and
// the clock stays usable.
func TestLastMilli(t *testing.T) {
	clock := stopped(lastMilli.Add(999_999))
	last, minted := ids.NilUUID(), 0
	g := ids.NewGenerator(&ids.GeneratorOptions{Clock: clock, Random: readerFunc(func(p []byte) (int, error) {
		if minted == v7Room {
			minted++
			return repeated(0)(p) // a stride of 1, which would lead just beyond the end
		}
		return repeated(0xff)(p)
	})})
	checkSpent(t, "NewV7", func() {
		for range 2 * v7Room {
			u := g.NewV7()
			if u.Compare(last) <= 0 {
				t.Fatalf("%v then %v", last, u)
			}
			last = u
			minted++
		}
	})
	if at, _ := last.Time(); !at.Equal(lastMilli) || minted != v7Room+1 || last.String()[19:] != "bfff-ffffffffffff" {
		t.Errorf("%d ids, the last of %v", minted, at)
	}
	// The random part must not wrap, however often a call tries.
	for range 60_000 {
		checkSpent(t, "NewV7", func() { g.NewV7() })
	}
	checkSpent(t, "AppendV7", func() { g.AppendV7(nil, 2) })

	if u := g.NewULID(); !u.Time().Equal(lastMilli) {
		t.Errorf("ULID %v", u)
	}
	g.SetEntropy(full)
	checkSpent(t, "NewULID", func() { g.NewULID() })
	checkSpent(t, "AppendULID", func() { g.AppendULID(nil, 2) })
	within(t, "another generator", func() {
		if u := ids.NewGenerator(&ids.GeneratorOptions{Clock: clock}).NewULID(); !u.Time().Equal(lastMilli) {
			t.Errorf("ULID of another generator after the panics: %v", u)
		}
	})
}

// TestFreshInFirstTick sets the clock to the beginning of the format and before it. The random part
// of the first ID is as wide there as in any other tick.
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

// TestFreshBits mints each ID in its own tick. Every bit documented as random is sometimes 0 and
// sometimes 1.
func TestFreshBits(t *testing.T) {
	defer ids.SetDefaultSnowflakeNode(nil)
	t.Setenv("IDS_SNOWFLAKE_NODE", "random") // random logs nothing
	f, _, g, _ := newFake(t)
	for name, mint := range map[string]struct {
		id    func() [16]byte
		fixed [16]byte // the bits that are not random
	}{
		"NewV4":              {func() [16]byte { return g.NewV4() }, [16]byte{6: 0xf0, 8: 0xc0}},
		"AppendV4":           {func() [16]byte { return g.AppendV4(nil, 1)[0] }, [16]byte{6: 0xf0, 8: 0xc0}},
		"NewV7":              {func() [16]byte { return g.NewV7() }, [16]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xe0}},
		"AppendV7":           {func() [16]byte { return g.AppendV7(nil, 1)[0] }, [16]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xe0}},
		"NewULID":            {func() [16]byte { return g.NewULID() }, [16]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x80}},
		"AppendULID":         {func() [16]byte { return g.AppendULID(nil, 1)[0] }, [16]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x80}},
		"NewV7 in a crowd":   {func() [16]byte { ids.Crowds["set"](g); return g.NewV7() }, [16]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xe0}},
		"NewULID in a crowd": {func() [16]byte { ids.Crowds["set"](g); return g.NewULID() }, [16]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x80}},
		// After Reseed, the clock's block is not ready, so the call draws its bits itself, as it
		// does when others hold the mutex.
		"NewV7 after Reseed":   {func() [16]byte { ids.Reseed(); return g.NewV7() }, [16]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xe0}},
		"NewULID after Reseed": {func() [16]byte { ids.Reseed(); return g.NewULID() }, [16]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x80}},
		// The IDs of a given time, in which all bits are random.
		"NewV7At":   {func() [16]byte { u, _ := g.NewV7At(start); return u }, [16]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xc0}},
		"NewULIDAt": {func() [16]byte { u, _ := g.NewULIDAt(start); return u }, [16]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}},
		// The clock sequence with which two processes with the same node begin, and the default
		// node's number.
		"NewV1At of new generators": {func() [16]byte {
			u, _ := ids.NewGenerator(&ids.GeneratorOptions{NodeID: vectorNode}).NewV1At(start)
			return u
		}, [16]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xc0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}},
		"NextSnowflake of new default nodes": {func() [16]byte {
			ids.SetDefaultSnowflakeNode(nil)
			return snowflakeBytes(ids.NextSnowflake())
		}, [16]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xc0, 0x0f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}},
	} {
		zeros, ones := mint.fixed, mint.fixed
		for range 200 { // a bit stays the same by chance with probability 2^-199
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

// TestFreshHalves compares the upper random bits of ULIDs with the lower ones, which must not
// reveal them.
func TestFreshHalves(t *testing.T) {
	f, _, g, _ := newFake(t)
	for name, mint := range map[string]func() ids.ULID{
		"NewULID":    g.NewULID,
		"NewULIDAt":  func() ids.ULID { u, _ := g.NewULIDAt(start); return u },
		"AppendULID": func() ids.ULID { return g.AppendULID(nil, 1)[0] },
	} {
		same := 0
		for range 32 {
			f.step(time.Millisecond)
			e := mint().Entropy()
			if e[0]&0x7f == e[8]&0x7f && e[1] == e[9] {
				same++
			}
		}
		if same > 4 {
			t.Errorf("%s: in %d of 32 the halves have 15 bits in common", name, same)
		}
	}
}

// TestDefaultClock takes IDs alternately from the package and from a generator without options.
// Both use the default clock, so the IDs are in order.
func TestDefaultClock(t *testing.T) {
	g, last := ids.NewGenerator(nil), ids.NewV7()
	for range 1000 {
		for _, u := range []ids.UUID{g.NewV7(), ids.NewV7()} {
			if u.Compare(last) <= 0 {
				t.Fatalf("%v after %v", u, last)
			}
			last = u
		}
	}
}
