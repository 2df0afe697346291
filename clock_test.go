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
