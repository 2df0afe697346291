package ids_test

import (
	"encoding/binary"
	"errors"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oneclock/ids"
)

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

// snowflakeOf is the Snowflake that snowflakeBytes made bytes of.
func snowflakeOf(b [16]byte) ids.Snowflake { return ids.Snowflake(binary.BigEndian.Uint64(b[:])) }

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
		func(b [16]byte) time.Time { return partsOf(snowflakeOf(b)).Time }}
	kinds = []kind{kindV1, kindV6, kindV7, kindULID, kindSnowflake}
)

func less(a, b [16]byte) bool { return slices.Compare(a[:], b[:]) < 0 }

// within fails t if f hangs: if it has not returned shortly before the go command ends all tests for
// taking too long. How busy the machine is does not matter.
func within(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	var end <-chan time.Time
	if deadline, ok := t.Deadline(); ok {
		end = time.After(time.Until(deadline) * 19 / 20)
	}
	select {
	case <-done:
	case <-end:
		t.Fatal(what + " hangs")
	}
}

// startBlocked runs f, and returns when a goroutine more than before waits within all the functions
// that are named.
func startBlocked(f func(), in ...string) {
	waiting := func() (n int) {
		stacks := make([]byte, 1<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		for stack := range strings.SplitSeq(string(stacks), "\n\n") {
			runs := strings.Contains(stack, " [runn") // [running] or [runnable]
			if !runs && !slices.ContainsFunc(in, func(name string) bool { return !strings.Contains(stack, name) }) {
				n++
			}
		}
		return n
	}
	before := waiting()
	go f()
	for waiting() <= before {
		runtime.Gosched()
	}
}

// TestReadings counts readings of the clock where the documentation does: a run of version 7 or
// ULID reads it once, and functions that take a time never do.
func TestReadings(t *testing.T) {
	f, _, g, _ := newFake(t)
	for _, c := range []struct {
		name string
		want int
		mint func()
	}{
		{"AppendV7", 1, func() { g.AppendV7(nil, 10_000) }},
		{"AppendULID", 1, func() { g.AppendULID(nil, 10_000) }},
		{"NewV4", 0, func() { g.NewV4() }},
		{"NewV1At", 0, func() { g.NewV1At(start) }},
		{"NewV6At", 0, func() { g.NewV6At(start) }},
		{"NewV7At", 0, func() { g.NewV7At(start) }},
		{"NewULIDAt", 0, func() { g.NewULIDAt(start) }},
		{"MinV7At", 0, func() { ids.MinV7At(start) }},
	} {
		f.reads = 0
		c.mint()
		if f.reads != c.want {
			t.Errorf("%s read the clock %d times, want %d", c.name, f.reads, c.want)
		}
	}
}

// constructors returns all that reads the clock, by name.
func constructors(c *ids.Clock, limit *ids.ClockLimit, g *ids.Generator, n *ids.SnowflakeNode) map[string]func() {
	return map[string]func(){
		"NewV1": func() { g.NewV1() }, "NewV2": func() { g.NewV2(0, 0) }, "NewV6": func() { g.NewV6() },
		"NewV7": func() { g.NewV7() }, "AppendV7": func() { g.AppendV7(nil, 300) },
		"NewULID": func() { g.NewULID() }, "AppendULID": func() { g.AppendULID(nil, 300) },
		"Next": func() { n.Next() }, "TryNext": func() { n.TryNext() }, "Append": func() { n.Append(nil, 300) },
		"NewSnowflakeNode": func() { ids.NewSnowflakeNode(2, &ids.SnowflakeOptions{Clock: c}) },
		"Ahead":            func() { c.Ahead() },
		"NextHorizon":      func() { limit.NextHorizon(time.Second) },
	}
}

// TestNowPanics panics in Now at each call that reads it: the panic comes through, and then the
// ids are as from a clock whose Now has never panicked.
func TestNowPanics(t *testing.T) {
	mint := func(panics bool) (out []string) {
		bad := false
		c, limit := newUnbounded(&ids.ClockOptions{Now: func() time.Time {
			if bad {
				panic("no time")
			}
			return start
		}})
		g := ids.NewGenerator(&ids.GeneratorOptions{Clock: c, NodeID: vectorNode, Random: repeated(0x55)})
		n := newNode(t, 1, &ids.SnowflakeOptions{Clock: c})
		out = append(out, n.Next().String(), g.NewV1().String()) // which draws the node and the sequences
		for name, use := range constructors(c, limit, g, n) {
			if !panics {
				break
			}
			bad = true
			within(t, name, func() {
				defer func() {
					if recover() != "no time" {
						t.Errorf("%s: the panic of Now got lost", name)
					}
				}()
				use()
			})
			bad = false
			within(t, "Latest after "+name, func() { c.Latest() }) // which needs the mutex
		}
		return append(out, g.NewV1().String(), g.NewV6().String(), g.NewV7().String(), g.NewV2(1, 2).String(), g.NewULID().String(), n.Next().String())
	}
	if with, without := mint(true), mint(false); !slices.Equal(with, without) {
		t.Errorf("ids after panics of Now:\n%v, without:\n%v", with, without)
	}
}

// TestBubble checks the package-level functions in a testing/synctest bubble and out of it again: an id is
// of the time at which it was made, to the millisecond, or ahead of that by 10 ms at most.
func TestBubble(t *testing.T) {
	check := func(t *testing.T) {
		t.Helper()
		before := time.Now()
		times := map[string]time.Time{"NewULID": ids.NewULID().Time()}
		times["NewV1"], _ = ids.NewV1().Time()
		times["NewV6"], _ = ids.NewV6().Time()
		times["NewV7"], _ = ids.NewV7().Time()
		after := time.Now()
		for u, at := range times {
			if at.Before(before.Add(-time.Millisecond)) || at.After(after.Add(maxAhead)) {
				t.Errorf("%s between %v and %v gives the time %v", u, before, after, at)
			}
		}
	}
	for range 3 {
		check(t) // first, since an earlier test may have left the clock up to 10 s ahead of a bubble's
		synctest.Test(t, func(t *testing.T) {
			check(t)
			time.Sleep(time.Hour)
			check(t)
			time.Sleep(time.Nanosecond)
			check(t)
		})
	}
	check(t)
}

// TestNowReenters lets Now call the clock that it serves, which its documentation forbids, but once
// and not without end: nothing is held while Now runs, so the inner call gets its id before the outer.
func TestNowReenters(t *testing.T) {
	var inner func()
	c, limit := newUnbounded(&ids.ClockOptions{Now: func() time.Time {
		if use := inner; use != nil {
			inner = nil
			use()
		}
		return start
	}})
	g := ids.NewGenerator(&ids.GeneratorOptions{Clock: c})
	n := newNode(t, 1, &ids.SnowflakeOptions{Clock: c})
	for _, k := range kinds {
		var ahead [16]byte
		inner = func() { ahead = k.mint(g, n) }
		within(t, k.name+" in a call of itself", func() {
			if id := k.mint(g, n); id == ahead || k.ordered && !less(ahead, id) {
				t.Errorf("%s: %x in Now, then %x", k.name, ahead, id)
			}
		})
	}
	for outer, use := range constructors(c, limit, g, n) {
		for name, other := range constructors(c, limit, g, n) {
			inner = other
			within(t, name+" in the Now of "+outer, use)
		}
	}
	within(t, "Latest", func() { c.Latest() })
}

// TestOvertakenReading has a call read the clock, and lose its turn before it takes the mutex. The clock goes forward
// by more than Tolerance, and other calls mint. The late call must not take its old reading for a step back: the
// calls of the other goroutine stay in order, before it and after it.
func TestOvertakenReading(t *testing.T) {
	mints := map[string]func(*ids.Generator, *ids.SnowflakeNode) [16]byte{
		"AppendV7":   func(g *ids.Generator, _ *ids.SnowflakeNode) [16]byte { return g.AppendV7(nil, 300)[299] },
		"AppendULID": func(g *ids.Generator, _ *ids.SnowflakeNode) [16]byte { return g.AppendULID(nil, 300)[299] },
		"Append":     func(_ *ids.Generator, n *ids.SnowflakeNode) [16]byte { return snowflakeBytes(n.Append(nil, 300)[299]) },
	}
	kind := map[string]string{"AppendV7": "V7", "AppendULID": "ULID", "Append": "Snowflake"}
	for _, k := range kinds {
		mints[k.name], kind[k.name] = k.mint, k.name
	}
	for name, mint := range mints {
		for _, k := range kinds {
			if k.name != kind[name] || !k.ordered {
				continue
			}
			for range 50 { // an old reading that counts is seen in half of them
				now, read, proceed := start, make(chan bool), make(chan bool)
				var late atomic.Bool
				c := ids.NewClock(&ids.ClockOptions{Now: func() time.Time {
					t := now
					if late.CompareAndSwap(true, false) {
						read <- true
						<-proceed
					}
					return t
				}})
				g := ids.NewGenerator(&ids.GeneratorOptions{Clock: c})
				n := newNode(t, 7, &ids.SnowflakeOptions{Clock: c})
				last := k.mint(g, n)
				late.Store(true)
				done := make(chan [16]byte)
				go func() { done <- mint(g, n) }()
				<-read
				now = start.Add(11 * time.Second)
				a := k.mint(g, n)
				proceed <- true
				between := <-done
				b := k.mint(g, n)
				for _, next := range [][16]byte{a, between, b} {
					if !less(last, next) {
						t.Fatalf("a late %s, then %s: %x after %x", name, k.name, next, last)
					}
					last = next
				}
			}
		}
	}
}

// TestNowBlocks lets Now block in one call: the others go on, and that call then gets an id of its own.
func TestNowBlocks(t *testing.T) {
	for _, late := range []time.Duration{0, time.Second, time.Hour} {
		for _, k := range kinds {
			f := &fakeClock{t: start}
			entered, leave := make(chan bool), make(chan bool)
			var blocks atomic.Bool
			c := ids.NewClock(&ids.ClockOptions{Now: func() time.Time {
				at := f.now()
				if blocks.CompareAndSwap(true, false) {
					entered <- true
					<-leave
				}
				return at
			}})
			g := ids.NewGenerator(&ids.GeneratorOptions{Clock: c})
			n := newNode(t, 1, &ids.SnowflakeOptions{Clock: c})
			blocked := make(chan [16]byte)
			blocks.Store(true)
			go func() { blocked <- k.mint(g, n) }()
			<-entered
			f.step(late)
			seen := map[[16]byte]bool{}
			within(t, k.name+" beside a Now that blocks", func() {
				c.Latest()
				var last [16]byte
				for range 100 {
					id := k.mint(g, n)
					if seen[id] || k.ordered && !less(last, id) {
						t.Errorf("%s: %x, then %x", k.name, last, id)
					}
					last, seen[id] = id, true
				}
			})
			leave <- true
			within(t, k.name+" after a Now that blocked", func() {
				if id := <-blocked; seen[id] {
					t.Errorf("%s: %x twice", k.name, id)
				}
			})
		}
	}
}

// TestWildTimes shows the ends of time.Time to a clock, and gives them as its limit and as the time that it
// begins after: calls return, or panic with an error that matches ErrRange, and then the ids go on.
func TestWildTimes(t *testing.T) {
	for _, far := range []time.Time{
		time.Unix(math.MaxInt64, 999_999_999), // in the year 292277026596
		time.Unix(math.MaxInt64, 0), time.Unix(math.MinInt64, 0), time.Unix(math.MinInt64, 999_999_999),
	} {
		f, c, limit, g, n := newLimited(t)
		use := func(what string, c *ids.Clock, limit *ids.ClockLimit, g *ids.Generator, n *ids.SnowflakeNode) {
			for name, call := range constructors(c, limit, g, n) {
				if err := panicOf(call); err != nil && !errors.Is(err, ids.ErrRange) {
					t.Errorf("%s %s %v: %v", name, what, far, err)
				}
			}
		}
		use("before", c, limit, g, n)
		f.t = far
		use("at", c, limit, g, n)
		f.t = start
		limit.Set(far, nil)
		limit.NextHorizon(math.MaxInt64)
		limit.NextHorizon(math.MinInt64)
		if s, err := n.TryNext(); err != nil && err != ids.ErrWithheld && err != ids.ErrClockBehind && err != ids.ErrExhausted {
			t.Errorf("under the limit %v: %v, %v", far, s, err)
		}
		limit.Set(unbounded, nil)
		use("after the limit", c, limit, g, n)
		_, c, limit, g, n = newLimitedAt(t, start, far)
		use("after", c, limit, g, n)
		c.Latest()
	}
}
