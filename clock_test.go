package ids_test

// The clock itself: its readings, which formats follow a step back, how long calls wait, and
// extreme times.

import (
	"context"
	"encoding/binary"
	"errors"
	"maps"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oneclock/ids"
)

// A kind is a time-based format as the clock's tests see it. Its IDs are 16 bytes in the order of
// the IDs.
type kind struct {
	name    string
	tick    time.Duration // resolution, rounded up
	ordered bool
	mint    func(*ids.Generator, *ids.SnowflakeNode) [16]byte
	time    func([16]byte) time.Time
}

func uuidTime(b [16]byte) time.Time { t, _ := ids.UUID(b).Time(); return t }

func snowflakeBytes(s ids.Snowflake) (b [16]byte) {
	binary.BigEndian.PutUint64(b[:], uint64(s))
	return b
}

// snowflakeOf is the inverse of snowflakeBytes.
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

// within fails t if f hangs, that is, if f has not returned shortly before the go command ends all
// tests because they take too long. The load of the machine does not matter.
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

// startBlocked runs f in a goroutine and returns when one more goroutine than before waits within
// all the named functions.
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

// constructors returns all calls that read the clock, by name.
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

// TestNowPanics makes Now panic in each call that reads it. The panic reaches the caller, and the
// IDs after it are the same as from a clock whose Now has never panicked.
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
		out = append(out, n.Next().String(), g.NewV1().String()) // draws the node and the sequences
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
			within(t, "Latest after "+name, func() { c.Latest() }) // needs the mutex
		}
		return append(out, g.NewV1().String(), g.NewV6().String(), g.NewV7().String(), g.NewV2(1, 2).String(), g.NewULID().String(), n.Next().String())
	}
	if with, without := mint(true), mint(false); !slices.Equal(with, without) {
		t.Errorf("ids after panics of Now:\n%v, without:\n%v", with, without)
	}
}

// A gate stops one call that passes it.
type gate struct {
	shut           atomic.Bool
	stood, proceed chan bool
}

func newGate() *gate { return &gate{stood: make(chan bool), proceed: make(chan bool)} }

func (g *gate) pass() {
	if g.shut.CompareAndSwap(true, false) {
		g.stood <- true
		<-g.proceed
	}
}

// hold makes a call and returns when the call is stopped at the gate. The returned function lets
// the call continue.
func (g *gate) hold(call func() [16]byte) (end func() [16]byte) {
	done := make(chan [16]byte)
	g.shut.Store(true)
	go func() { done <- call() }()
	<-g.stood
	return func() [16]byte {
		g.proceed <- true
		return <-done
	}
}

// TestOvertakenReading stops a call after it has read the clock and before it takes the mutex. The
// clock then goes forward by more than Tolerance, and other calls mint; one of them may have begun
// to read before the late call. The late call must not treat its old reading as a step back: the
// other goroutine's calls stay in order, before it and after it.
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
			for i := range 100 { // an old reading that counts is noticed in half of them
				now, early, late := start, newGate(), newGate()
				c := ids.NewClock(&ids.ClockOptions{Now: func() time.Time {
					early.pass()
					t := now
					late.pass()
					return t
				}})
				g := ids.NewGenerator(&ids.GeneratorOptions{Clock: c})
				n := newNode(t, 7, &ids.SnowflakeOptions{Clock: c})
				last := k.mint(g, n)
				faster := func() [16]byte { return k.mint(g, n) }
				if i%2 == 0 {
					faster = early.hold(func() [16]byte { return k.mint(g, n) })
				}
				end := late.hold(func() [16]byte { return mint(g, n) })
				now = start.Add(11 * time.Second)
				a := faster()
				between := end()
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

// TestWildTimes sets a clock to the extremes of time.Time, and uses them as its limit and as the
// time after which it begins. Calls return, or panic with an error that matches ErrRange, and IDs
// continue afterwards.
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

// sequenceOf returns the upper 12 bits of a clock sequence. The lower two number the IDs of a tick.
func sequenceOf(u ids.UUID) int {
	seq, _ := u.ClockSequence()
	return seq >> 2
}

// TestIndependentSequences makes version 1 and version 6 UUIDs at the same time. Their sequences
// begin apart, so ToV6 does not turn one into the other.
func TestIndependentSequences(t *testing.T) {
	same := 0
	for range 100 {
		_, _, g, _ := newFake(t)
		if converted, _ := g.NewV1().ToV6(); converted == g.NewV6() {
			same++ // happens by chance once in 4,096
		}
	}
	if same > 3 {
		t.Errorf("version 1 is version 6 %d times in 100", same)
	}
}

// TestContentionIsNoStepBack mints from many goroutines. Their readings reach the mutex out of
// order, which must not be treated as a step back of the clock. It may be only where a call took so
// long that its reading is more than a millisecond old.
func TestContentionIsNoStepBack(t *testing.T) {
	g := ids.NewGenerator(&ids.GeneratorOptions{Clock: ids.NewClock(&ids.ClockOptions{MaxAhead: -1})})
	const workers, each = 8, 20_000
	var mu sync.Mutex
	// Clock sequences, and number of calls that took so long, or almost.
	all, long := map[int]bool{}, 0
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			seen, slow := map[int]bool{}, 0
			for range each {
				before := time.Now()
				seen[sequenceOf(g.NewV1())] = true
				if time.Since(before) > 800*time.Microsecond {
					slow++
				}
			}
			mu.Lock()
			defer mu.Unlock()
			maps.Copy(all, seen)
			long += slow
		})
	}
	wg.Wait()
	if changes := len(all) - 1; changes > long {
		t.Errorf("the clock sequence changed %d times, where %d calls were long", changes, long)
	}
}

// narrow returns a layout with few IDs, so that tests can use them all quickly.
func narrow(tick time.Duration, sequenceBits int) ids.SnowflakeLayout {
	return ids.SnowflakeLayout{Epoch: start.AddDate(-1, 0, 0), Tick: tick, SequenceBits: sequenceBits}
}

// TestCrowds lets crowds of goroutines mint all the time. IDs that are ahead, as after a crash,
// return to within MaxAhead. That is checked with the smallest crowd that opens two ticks at the
// same moment, and with the largest that still catches up, which has one goroutine fewer than there
// are IDs in 20 ms. On a clock that is never set back, no ID is more than MaxAhead ahead while no
// more calls wait at the same time than there are IDs in the whole ticks of 20 ms. That is less
// than the number of IDs in 20 ms if 20 ms is not a multiple of the tick.
func TestCrowds(t *testing.T) {
	type crowd struct {
		layout        ids.SnowflakeLayout
		size          int
		most          time.Duration // MaxAhead
		lead, minting time.Duration
	}
	crowds := []crowd{
		{ids.SonyflakeLayout(), 257, maxAhead, time.Second, 3 * time.Second},
		{ids.SonyflakeLayout(), 400, maxAhead, 300 * time.Millisecond, 2 * time.Second},
		{narrow(time.Millisecond, 4), 319, maxAhead, 20 * time.Millisecond, 6 * time.Second},
	}
	for _, tick := range []time.Duration{1, 3, 6, 7, 9, 10, 11, 13, 16, 17, 18, 19} {
		for _, width := range []int{1, 4} {
			for _, most := range []time.Duration{maxAhead, maxAhead / 2, -1} {
				l := narrow(tick*time.Millisecond, width)
				whole := int(maxWait/l.Tick) << width
				crowds = append(crowds, crowd{l, whole - 1, most, 0, time.Second / 2}, crowd{l, whole, most, 0, time.Second / 2})
			}
		}
	}
	for _, c := range crowds {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			c.layout.Epoch = began.AddDate(-1, 0, 0)
			opts := &ids.ClockOptions{MaxAhead: c.most}
			if c.lead > 0 {
				opts.After = began.Add(c.lead)
			}
			n := newNode(t, 0, &ids.SnowflakeOptions{Layout: c.layout, Clock: ids.NewClock(opts)})
			var mu sync.Mutex
			var longest, ahead time.Duration // in the last half second
			var wg sync.WaitGroup
			for i := range c.size {
				next := n.Next
				if i%2 == 1 {
					next = func() ids.Snowflake { return firstOf(n.NextContext(t.Context())) }
				}
				wg.Go(func() {
					for time.Since(began) < c.minting {
						asked := time.Now()
						s := next()
						mu.Lock()
						longest = max(longest, time.Since(asked))
						if time.Since(began) >= c.minting-time.Second/2 {
							ahead = max(ahead, time.Until(c.layout.Split(s).Time))
						}
						mu.Unlock()
					}
				})
			}
			wg.Wait()
			if longest > maxWait || ahead > max(c.most, 0) {
				t.Errorf("%+v: after all, ids are %v ahead, and the longest wait was %v", c, ahead, longest)
			}
		})
	}
}

// TestLoadIsNoStepBack calls TryNext while other calls wait for a clock that is never set back. It
// reports that all IDs are taken, not that the clock is behind.
func TestLoadIsNoStepBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		layout := narrow(time.Millisecond, 0)
		layout.Epoch = time.Now()
		n := newNode(t, 0, &ids.SnowflakeOptions{Layout: layout, Clock: ids.NewClock(nil)})
		var wg sync.WaitGroup
		for range 16 {
			wg.Go(func() { n.Next() })
		}
		synctest.Wait() // some have returned, and the others sleep
		if s, err := n.TryNext(); err != ids.ErrExhausted {
			t.Errorf("TryNext gives %v, %v, want %v", s, err, ids.ErrExhausted)
		}
		wg.Wait()
	})
}

// TestNoWaitHoldsTheMutex lets calls of each kind sleep until the clock is nearer, and uses the
// clock meanwhile, which takes no time. In a bubble, time also stands still while a goroutine waits
// for a mutex, so a call that sleeps with the mutex held would hang. The watchdog ends that.
func TestNoWaitHoldsTheMutex(t *testing.T) {
	layout := narrow(10*time.Millisecond, 0)
	for name, mint := range map[string]func(*ids.ClockLimit, *ids.Generator, *ids.SnowflakeNode){
		"Next":        func(_ *ids.ClockLimit, _ *ids.Generator, n *ids.SnowflakeNode) { n.Next() },
		"NextContext": func(_ *ids.ClockLimit, _ *ids.Generator, n *ids.SnowflakeNode) { n.NextContext(context.Background()) },
		"NextContext after a limit": func(limit *ids.ClockLimit, _ *ids.Generator, n *ids.SnowflakeNode) {
			limit.Set(start, nil)
			time.AfterFunc(time.Millisecond, func() { limit.Set(unbounded, nil) })
			n.NextContext(context.Background())
		},
		"Append":   func(_ *ids.ClockLimit, _ *ids.Generator, n *ids.SnowflakeNode) { n.Append(nil, 3) },
		"NewV1":    func(_ *ids.ClockLimit, g *ids.Generator, _ *ids.SnowflakeNode) { g.NewV1() },
		"NewV6":    func(_ *ids.ClockLimit, g *ids.Generator, _ *ids.SnowflakeNode) { g.NewV6() },
		"NewV7":    func(_ *ids.ClockLimit, g *ids.Generator, _ *ids.SnowflakeNode) { g.NewV7() },
		"AppendV7": func(_ *ids.ClockLimit, g *ids.Generator, _ *ids.SnowflakeNode) { g.AppendV7(nil, 1<<15) },
	} {
		watch := time.AfterFunc(5*time.Minute, func() { panic(name + " sleeps with the mutex held") })
		synctest.Test(t, func(t *testing.T) {
			c, limit := newUnbounded(&ids.ClockOptions{Now: func() time.Time { return start }, MaxAhead: -1})
			// The largest random bits fill ticks soon.
			g := ids.NewGenerator(&ids.GeneratorOptions{Clock: c, Random: repeated(0xff)})
			n := newNode(t, 0, &ids.SnowflakeOptions{Clock: c, Layout: layout})
			began, done := time.Now(), make(chan bool)
			go func() {
				defer close(done)
				for time.Since(began) == 0 {
					mint(limit, g, n)
				}
			}()
			for {
				synctest.Wait() // the call sleeps, or waits for the limit
				before := time.Now()
				c.Latest()
				c.Ahead()
				limit.NextHorizon(time.Second)
				g.NewV2(0, 0)
				if got := time.Since(before); got != 0 {
					t.Errorf("beside a call of %s that waits, others took %v", name, got)
				}
				select {
				case <-done:
					return
				case <-time.After(50 * time.Microsecond):
				}
			}
		})
		watch.Stop()
	}
}
