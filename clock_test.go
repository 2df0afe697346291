package ids_test

import (
	"encoding/binary"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oneclock/ids"
)

// start is where fake clocks begin: a whole second.
var start = time.Date(2026, 3, 14, 15, 9, 26, 0, time.UTC)

// A fakeClock is a wall clock that a test sets.
type fakeClock struct {
	mu    sync.Mutex
	t     time.Time
	reads int
}

func (f *fakeClock) now() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reads++
	return f.t
}

func (f *fakeClock) step(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.t = f.t.Add(d)
}

// newFake returns a fake clock, and a generator and a node on a clock that reads it.
func newFake(t *testing.T) (*fakeClock, *ids.Clock, *ids.Generator, *ids.SnowflakeNode) {
	t.Helper()
	return newFakeAt(t, start, ids.ClockState{})
}

// newFakeAt is newFake at a given time with a restored state.
func newFakeAt(t *testing.T, at time.Time, state ids.ClockState) (*fakeClock, *ids.Clock, *ids.Generator, *ids.SnowflakeNode) {
	t.Helper()
	f := &fakeClock{t: at}
	c := ids.NewClock(&ids.ClockOptions{Now: f.now, State: state})
	g := ids.NewGenerator(&ids.GeneratorOptions{Clock: c, Node: [6]byte{1, 2, 3, 4, 5, 6}})
	n, err := ids.NewSnowflakeNode(7, &ids.SnowflakeOptions{Clock: c})
	if err != nil {
		t.Fatal(err)
	}
	return f, c, g, n
}

// A kind is a time-based scheme as the tests of the clock see it: an id is
// 16 bytes that sort as the ids do.
type kind struct {
	name    string
	tick    time.Duration // its resolution, rounded up
	ordered bool
	mint    func(*ids.Generator, *ids.SnowflakeNode) [16]byte
	time    func([16]byte) time.Time
}

func uuidTime(b [16]byte) time.Time { t, _ := ids.UUID(b).Time(); return t }

func snowflakeBytes(s ids.Snowflake) (b [16]byte) {
	binary.BigEndian.PutUint64(b[:], uint64(s))
	return b
}

var (
	kindV1 = kind{"V1", 100, false,
		func(g *ids.Generator, _ *ids.SnowflakeNode) [16]byte { return g.NewV1() }, uuidTime}
	kindV6 = kind{"V6", 100, true,
		func(g *ids.Generator, _ *ids.SnowflakeNode) [16]byte { return g.NewV6() }, uuidTime}
	kindV7 = kind{"V7", time.Millisecond, true,
		func(g *ids.Generator, _ *ids.SnowflakeNode) [16]byte { return g.NewV7() }, uuidTime}
	kindULID = kind{"ULID", time.Millisecond, true,
		func(g *ids.Generator, _ *ids.SnowflakeNode) [16]byte { return g.NewULID() },
		func(b [16]byte) time.Time { return ids.ULID(b).Time() }}
	kindSnowflake = kind{"Snowflake", time.Millisecond, true,
		func(_ *ids.Generator, n *ids.SnowflakeNode) [16]byte { return snowflakeBytes(n.Next()) },
		func(b [16]byte) time.Time { return ids.Snowflake(binary.BigEndian.Uint64(b[:])).Time() }}
	kinds = []kind{kindV1, kindV6, kindV7, kindULID, kindSnowflake}
)

func less(a, b [16]byte) bool { return slices.Compare(a[:], b[:]) < 0 }

func TestClockIsReadOnce(t *testing.T) {
	f, _, g, n := newFake(t)
	for name, mint := range map[string]func(){
		"NewV1": func() { g.NewV1() }, "NewV2": func() { g.NewV2(0, 0) }, "NewV6": func() { g.NewV6() },
		"NewV7": func() { g.NewV7() }, "NewULID": func() { g.NewULID() },
		"AppendV7": func() { g.AppendV7(nil, 10_000) }, "AppendULID": func() { g.AppendULID(nil, 10_000) },
		"Next": func() { n.Next() }, "TryNext": func() { n.TryNext() }, "Append": func() { n.Append(nil, 100) },
	} {
		f.reads = 0
		mint()
		if f.reads != 1 {
			t.Errorf("%s read the clock %d times", name, f.reads)
		}
	}
	f.reads = 0
	g.NewV4()
	g.NewV7At(start)
	g.NewULIDAt(start)
	ids.MinV7At(start)
	if f.reads != 0 {
		t.Errorf("functions that take no time from the clock read it %d times", f.reads)
	}
}

// TestNowPanics checks that a clock whose Now panicked is still usable.
func TestNowPanics(t *testing.T) {
	bad := true
	c := ids.NewClock(&ids.ClockOptions{Now: func() time.Time {
		if bad {
			panic("no time")
		}
		return start
	}})
	bad = false
	g := ids.NewGenerator(&ids.GeneratorOptions{Clock: c})
	n, err := ids.NewSnowflakeNode(1, &ids.SnowflakeOptions{Clock: c})
	if err != nil {
		t.Fatal(err)
	}
	for name, use := range map[string]func(){
		"NewV1": func() { g.NewV1() }, "NewV2": func() { g.NewV2(0, 0) }, "NewV7": func() { g.NewV7() },
		"AppendV7": func() { g.AppendV7(nil, 2) }, "NewULID": func() { g.NewULID() }, "AppendULID": func() { g.AppendULID(nil, 2) },
		"Next": func() { n.Next() }, "TryNext": func() { n.TryNext() }, "Append": func() { n.Append(nil, 2) },
		"NewSnowflakeNode": func() { ids.NewSnowflakeNode(2, &ids.SnowflakeOptions{Clock: c}) },
		"State": func() {
			ids.NewClock(&ids.ClockOptions{Now: func() time.Time { panic("no time") }, State: ids.ClockState{Time: start}}).State()
		},
	} {
		bad = true
		func() {
			defer func() {
				if recover() != "no time" {
					t.Errorf("%s: the panic of Now got lost", name)
				}
			}()
			use()
		}()
		bad = false
		g.NewV7()
	}
}

// TestBubble checks the package-level functions in a testing/synctest bubble and out of it again.
func TestBubble(t *testing.T) {
	check := func(t *testing.T) {
		t.Helper()
		times := map[string]time.Time{"NewULID": ids.NewULID().Time()}
		times["NewV1"], _ = ids.NewV1().Time()
		times["NewV6"], _ = ids.NewV6().Time()
		times["NewV7"], _ = ids.NewV7().Time()
		for u, at := range times {
			if off := time.Since(at); off < -10*time.Millisecond || off > time.Second {
				t.Errorf("%s gives the time %v, now is %v", u, at, time.Now())
			}
		}
	}
	for range 3 {
		synctest.Test(t, func(t *testing.T) {
			check(t)
			time.Sleep(time.Hour)
			check(t)
			time.Sleep(time.Nanosecond)
			check(t)
		})
		check(t)
	}
}
