package ids_test

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
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

// TestStepBack is the table of what each scheme does when the wall clock steps back.
func TestStepBack(t *testing.T) {
	const tolerance, ahead = 10 * time.Second, 10 * time.Millisecond
	for _, k := range kinds {
		for _, test := range []struct {
			back    time.Duration
			follows []string // the others keep ascending
		}{
			{0, nil},
			{1, nil},
			{time.Microsecond, nil},
			{ahead - 1, nil},
			{ahead, []string{"V1"}},
			{time.Second, []string{"V1"}},
			{tolerance, []string{"V1"}},
			{tolerance + 1, []string{"V1", "V6", "V7", "ULID"}},
			{time.Hour, []string{"V1", "V6", "V7", "ULID"}},
			{8766 * 15 * time.Hour, []string{"V1", "V6", "V7", "ULID"}}, // 15 years
		} {
			f, _, g, n := newFake(t)
			k.mint(g, n)
			before := k.mint(g, n)
			f.step(-test.back)
			after := k.mint(g, n)
			name := k.name + " set back by " + test.back.String()
			if before == after {
				t.Errorf("%s: the same id twice: %x", name, after)
			}
			if slices.Contains(test.follows, k.name) {
				if got, want := k.time(after), f.t; got.After(want) || want.Sub(got) >= k.tick {
					t.Errorf("%s: time %v, want that of the clock, %v", name, got, want)
				}
				sequenceChanges(t, k, name, before, after, true)
				continue
			}
			if k.ordered && !less(before, after) {
				t.Errorf("%s: %x then %x, want ascending", name, before, after)
			}
			if got := k.time(after); got.Before(start.Add(-ahead)) || got.After(start.Add(ahead)) {
				t.Errorf("%s: time %v, want still about %v", name, got, start)
			}
			sequenceChanges(t, k, name, before, after, false)
		}
	}
}

// sequenceChanges checks whether the clock sequence changed between two ids of a kind, if that
// has one.
func sequenceChanges(t *testing.T, k kind, name string, before, after [16]byte, want bool) {
	t.Helper()
	if k.name != "V1" && k.name != "V6" {
		return
	}
	a, _ := ids.UUID(before).ClockSequence()
	b, _ := ids.UUID(after).ClockSequence()
	if got := a>>2 != b>>2; got != want {
		t.Errorf("%s: clock sequence %#x then %#x; changed: %v, want %v", name, a, b, got, want)
	}
}

// TestRandomWalk sends the wall clock on walks of steps of 1 ns to 100 years, standing still
// and jittering in between, and checks that ids of all schemes stay distinct, that the ordered
// ones ascend but for steps that they follow, and that none is ahead of the clock but behind
// one of its earlier readings.
func TestRandomWalk(t *testing.T) {
	for seed := range uint64(40) {
		walk(t, rand.New(rand.NewPCG(seed, 1)), seed)
	}
}

func walk(t *testing.T, rnd *rand.Rand, seed uint64) {
	f, _, g, n := newFake(t)
	seen := map[[17]byte]bool{}
	last := make([][16]byte, len(kinds))
	peak := slices.Repeat([]time.Time{{}}, len(kinds)) // the latest reading since the scheme followed
	for range 4000 {
		switch rnd.IntN(8) {
		case 0, 1, 2: // stand still
		case 3: // jitter
			f.step(time.Duration(rnd.Int64N(int64(2*time.Millisecond))) - time.Millisecond)
		case 4, 5: // run
			f.step(time.Duration(rnd.Int64N(int64(10 * time.Millisecond))))
		default: // step, by a length of any magnitude up to 100 years
			d := time.Duration(math.Exp(rnd.Float64() * math.Log(100*365.25*24*float64(time.Hour))))
			if rnd.IntN(2) == 0 {
				d = -d
			}
			// Where the earliest format ends and the shortest begins.
			if to := f.t.Add(d); to.Year() > 2011 && to.Year() < 2079 {
				f.step(d)
			}
		}
		for i, k := range kinds {
			for range rnd.IntN(3) {
				id := k.mint(g, n)
				key := [17]byte{byte(i)}
				copy(key[1:], id[:])
				if seen[key] {
					t.Fatalf("seed %d: %s: %x twice", seed, k.name, id)
				}
				seen[key] = true
				at := k.time(id)
				back := peak[i].Sub(f.t)
				mayFollow := back > 10*time.Second && k.name != "Snowflake"
				if k.ordered && !less(last[i], id) && !mayFollow {
					t.Fatalf("seed %d: %s: %x then %x with the clock back by %v", seed, k.name, last[i], id, back)
				}
				if mayFollow || k.name == "V1" && back >= 10*time.Millisecond {
					if at.After(f.t) {
						t.Fatalf("seed %d: %s: set back by %v, time is %v ahead", seed, k.name, back, at.Sub(f.t))
					}
					peak[i] = f.t
				}
				if f.t.After(peak[i]) {
					peak[i] = f.t
				}
				if at.After(peak[i].Add(10 * time.Millisecond)) {
					t.Fatalf("seed %d: %s: time is %v ahead of all readings", seed, k.name, at.Sub(peak[i]))
				}
				if back < 0 && f.t.Sub(at) >= k.tick && !at.After(f.t) {
					t.Fatalf("seed %d: %s: time is %v behind a clock that runs forward", seed, k.name, f.t.Sub(at))
				}
				last[i] = id
			}
		}
	}
}

// TestSequenceRounds toggles a clock between two times, so that version 1 needs more clock
// sequences than there are: then it must keep ascending, and not repeat one.
func TestSequenceRounds(t *testing.T) {
	f, _, g, _ := newFake(t)
	seen := map[ids.UUID]bool{}
	mint := func(name string, u ids.UUID) {
		if seen[u] {
			t.Fatalf("%s: %v twice", name, u)
		}
		seen[u] = true
	}
	followed := 0
	for range 3 { // rounds
		for range 5000 {
			mint("V1", g.NewV1())
			f.step(-11 * time.Second)
			u := g.NewV1()
			if at, _ := u.Time(); !at.After(f.t) {
				followed++
			}
			mint("V1", u)
			mint("V6", g.NewV6())
			f.step(11 * time.Second)
			mint("V6", g.NewV6())
		}
		f.step(time.Minute) // past all that was issued, so that a new round can begin
	}
	if followed < 3*1000 || followed > 3*4096 {
		t.Errorf("V1 followed the clock back %d times, want more than 3000 and at most %d", followed, 3*4096)
	}
}

// TestV6AscendsOverSequences checks that V6 keeps its order within a tick
// while V1 changes the clock sequence under it, which wraps to lower values.
func TestV6AscendsOverSequences(t *testing.T) {
	f, _, g, _ := newFake(t)
	last := g.NewV6()
	for range 6000 {
		g.NewV1()
		f.step(-time.Second)
		g.NewV1()
		u := g.NewV6()
		f.step(time.Second)
		if u.Compare(last) <= 0 {
			t.Fatalf("%v then %v", last, u)
		}
		last = u
	}
}

// TestFrozenClock checks a clock that stands still: ids go on, ascend, and are
// at most MaxAhead ahead until a call has waited.
func TestFrozenClock(t *testing.T) {
	for _, k := range kinds {
		synctest.Test(t, func(t *testing.T) {
			f, _, g, n := newFake(t)
			var last [16]byte
			waits := 0
			for i := range 500_000 {
				began := time.Now()
				id := k.mint(g, n)
				waited := time.Since(began)
				if k.ordered && !less(last, id) {
					t.Fatalf("%s: %x then %x", k.name, last, id)
				}
				if waited > 20*time.Millisecond {
					t.Fatalf("%s: a call waited %v", k.name, waited)
				}
				if waited > 0 {
					waits++
				}
				if ahead := k.time(id).Sub(f.t); waits == 0 && ahead > 10*time.Millisecond {
					t.Fatalf("%s: id %d is %v ahead", k.name, i, ahead)
				}
				last = id
			}
			// A wait of 20 ms makes room for 20 ms of ticks, so there are few.
			if most := 10; waits > most {
				t.Errorf("%s: %d waits, want at most %d", k.name, waits, most)
			}
		})
	}
}

// TestWaitsForClock checks that a full layout waits for a clock that runs, and no longer than
// it must.
func TestWaitsForClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(50 * 365 * 24 * time.Hour) // bubbles begin before Twitter's epoch
		c := ids.NewClock(&ids.ClockOptions{Now: time.Now})
		n, err := ids.NewSnowflakeNode(1, &ids.SnowflakeOptions{Clock: c})
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		var last ids.Snowflake
		for range 100 * 4096 {
			s := n.Next()
			if s <= last {
				t.Fatalf("%d then %d", last, s)
			}
			if ahead := time.Until(s.Time()); ahead > 10*time.Millisecond {
				t.Fatalf("%d is %v ahead", s, ahead)
			}
			last = s
		}
		if got := time.Since(began); got < 88*time.Millisecond || got > 92*time.Millisecond {
			t.Errorf("100 ticks of ids took %v, want about 90ms: 100 less the 10 ahead", got)
		}
	})
}

// TestNoWaitHoldsTheMutex lets one caller wait for the clock, and mints of another scheme
// meanwhile.
func TestNoWaitHoldsTheMutex(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, c, g, _ := newFake(t)
		n, err := ids.NewSnowflakeNode(0, &ids.SnowflakeOptions{Clock: c, Layout: ids.SnowflakeLayout{
			Epoch: start.Add(-time.Hour), Tick: time.Second}})
		if err != nil {
			t.Fatal(err)
		}
		n.Next()
		done := false
		go func() {
			n.Next() // one id a second: this one waits
			done = true
		}()
		synctest.Wait()
		if done {
			t.Fatal("the second id of a tick for one did not wait")
		}
		g.NewV7()
		g.NewV1()
		f.step(time.Second)
		time.Sleep(time.Second)
		synctest.Wait()
		if !done {
			t.Fatal("still waiting after the clock has moved")
		}
	})
}

// TestAppendWaitsOnce checks that a run of Snowflakes far larger than ticks have room for waits
// for 20 ms in all.
func TestAppendWaitsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, _, _, n := newFake(t)
		began := time.Now()
		run := n.Append(nil, 1_000_000)
		if got := time.Since(began); got != 20*time.Millisecond {
			t.Errorf("waited %v, want 20ms", got)
		}
		for i := range run[1:] {
			if run[i] >= run[i+1] {
				t.Fatalf("%d then %d", run[i], run[i+1])
			}
		}
	})
}

// TestBehindClockIsLive checks that a node behind a clock that was set back goes on at the full
// rate without waiting.
func TestBehindClockIsLive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var back time.Duration
		c := ids.NewClock(&ids.ClockOptions{Now: func() time.Time { return time.Now().Add(50*365*24*time.Hour - back) }})
		n, err := ids.NewSnowflakeNode(1, &ids.SnowflakeOptions{Clock: c})
		if err != nil {
			t.Fatal(err)
		}
		last := n.Next()
		back = time.Hour
		began := time.Now()
		for range 1000 { // a second at 2,000 an ms: half of what ticks hold
			for range 2000 {
				s := n.Next()
				if s <= last {
					t.Fatalf("%d then %d", last, s)
				}
				last = s
			}
			time.Sleep(time.Millisecond)
		}
		if got := time.Since(began); got != time.Second {
			t.Errorf("waited for %v", got-time.Second)
		}
		time.Sleep(2 * time.Hour)
		if got, want := n.Next().Time(), time.Now().Add(50*365*24*time.Hour-back); !got.Equal(want) {
			t.Errorf("time %v after the clock has caught up, want %v", got, want)
		}
	})
}

func TestTryNext(t *testing.T) {
	f, _, _, n := newFake(t)
	mint := func() ids.Snowflake {
		t.Helper()
		s, err := n.TryNext()
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	refuse := func(want error) {
		t.Helper()
		if s, err := n.TryNext(); !errors.Is(err, want) || s != 0 {
			t.Fatalf("got %d, %v, want %v", s, err, want)
		}
	}
	first := mint()
	f.step(-9 * time.Millisecond)
	if s := mint(); s != first+1 {
		t.Errorf("after jitter: %d, want %d", s, first+1)
	}
	f.step(-1 * time.Millisecond)
	refuse(ids.ErrClockBackward)
	f.step(-time.Hour)
	refuse(ids.ErrClockBackward)
	f.step(time.Hour + 10*time.Millisecond)
	if s := mint(); s != first+2 {
		t.Errorf("after refusals: %d, want %d: a refused id is not used up", s, first+2)
	}
	for range 11*4096 - 3 { // fill the tick and the ten ahead
		mint()
	}
	refuse(ids.ErrExhausted)
	f.step(time.Millisecond)
	mint()
	f.step(-time.Second)
	n.Next()
	refuse(ids.ErrClockBackward)
}

// TestOneNumberOneSequence checks that two nodes of one number on one clock share
// their sequence.
func TestOneNumberOneSequence(t *testing.T) {
	_, c, _, n := newFake(t)
	twin, err := ids.NewSnowflakeNode(7, &ids.SnowflakeOptions{Clock: c, Layout: ids.TwitterLayout()})
	if err != nil {
		t.Fatal(err)
	}
	if a, b := n.Next(), twin.Next(); b != a+1 {
		t.Errorf("%d then %d, want one more", a, b)
	}
}

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
	ids.MinV7(start)
	if f.reads != 0 {
		t.Errorf("functions that take no time from the clock read it %d times", f.reads)
	}
}

// TestState restores a clock in the past and in the future of its state.
func TestState(t *testing.T) {
	f, c, g, n := newFake(t)
	if s := c.State(); !s.Time.IsZero() {
		t.Errorf("State().Time of an unused clock is %v", s.Time)
	}
	v1, v6, id := g.NewV1(), g.NewV6(), n.Next()
	f.step(3 * time.Millisecond)
	u := g.NewULID()
	saved := c.State()
	if !saved.Time.Equal(u.Time()) {
		t.Errorf("State().Time is %v, want that of the latest id, %v", saved.Time, u.Time())
	}
	if seq, _ := v1.ClockSequence(); uint16(seq)&^3 != saved.Sequence {
		t.Errorf("State().Sequence is %#x, want that of %#x", saved.Sequence, seq)
	}
	text, err := json.Marshal(saved)
	if err != nil {
		t.Fatal(err)
	}
	var restored ids.ClockState
	if err := json.Unmarshal(text, &restored); err != nil || restored != saved {
		t.Errorf("JSON round trip gives %v, %v, want %v", restored, err, saved)
	}

	for _, test := range []struct {
		at      time.Duration // of the restart, from the state's time
		changes bool
	}{
		{-time.Hour, true}, {-time.Millisecond, true}, {-1, true}, {0, false}, {1, false}, {time.Hour, false},
	} {
		f2, c2, g2, n2 := newFakeAt(t, saved.Time.Add(test.at), restored)
		if got := c2.State(); got.Time.Before(saved.Time) {
			t.Errorf("%v: State().Time goes back to %v", test.at, got.Time)
		}
		if got := n2.Next(); got <= id || !got.Time().After(saved.Time) && test.at <= 0 {
			t.Errorf("%v: Snowflake of %v does not start above the saved %v", test.at, got.Time(), saved.Time)
		}
		again1, again6 := g2.NewV1(), g2.NewV6()
		if again1 == v1 || again6 == v6 {
			t.Errorf("%v: an id of the earlier life again", test.at)
		}
		seq, _ := again1.ClockSequence()
		if changed := uint16(seq)&^3 != saved.Sequence; changed != test.changes {
			t.Errorf("%v: clock sequence changed: %v, want %v", test.at, changed, test.changes)
		}
		if test.changes {
			if at, _ := again6.Time(); at.After(f2.t) {
				t.Errorf("%v: V6 is %v ahead after a restart", test.at, at.Sub(f2.t))
			}
		}
	}
}

// TestLimit checks that nothing outside the limit is issued, and that calls go on once it is
// lifted.
func TestLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, c, g, n := newFake(t)
		g.NewV1()
		limit := c.State()
		limit.Time = start.Add(50 * time.Millisecond)
		c.Limit(limit)
		for f.t.Before(limit.Time) {
			for range 100 {
				g.NewV1()
				g.NewV6()
				if _, err := n.TryNext(); err != nil {
					t.Fatal(err)
				}
			}
			f.step(time.Millisecond)
		}
		// The clock steps back, but the next sequence is not covered.
		f.step(-time.Second)
		u := g.NewV1()
		if seq, _ := u.ClockSequence(); uint16(seq)&^3 != limit.Sequence {
			t.Errorf("clock sequence %#x is past the limit's %#x", seq, limit.Sequence)
		}
		f.step(time.Second + time.Millisecond)
		if _, err := n.TryNext(); !errors.Is(err, ids.ErrSuspended) {
			t.Fatalf("past the limit TryNext gives %v", err)
		}
		// What is unique by its random bits goes on.
		g.NewV7()
		g.NewULID()
		g.NewV4()

		minted := make([]bool, 4)
		var wg sync.WaitGroup
		for i, mint := range []func(){
			func() { g.NewV1() }, func() { g.NewV6() }, func() { n.Next() }, func() { n.Append(nil, 10_000) },
		} {
			wg.Go(func() {
				mint()
				minted[i] = true
			})
		}
		synctest.Wait()
		if slices.Contains(minted, true) {
			t.Errorf("past the limit calls returned: %v", minted)
		}
		limit.Time = limit.Time.Add(-time.Hour)
		c.Limit(limit) // still none
		synctest.Wait()
		if slices.Contains(minted, true) {
			t.Errorf("with the limit in the past calls returned: %v", minted)
		}
		c.Limit(ids.ClockState{})
		wg.Wait()
		if _, err := n.TryNext(); err != nil {
			t.Errorf("after the limit is lifted TryNext gives %v", err)
		}
	})
}

// TestLimitCoversNewNodes checks that a node made under a limit obeys it.
func TestLimitCoversNewNodes(t *testing.T) {
	_, c, _, _ := newFake(t)
	c.Limit(ids.ClockState{Time: start.Add(-time.Hour)})
	n, err := ids.NewSnowflakeNode(8, &ids.SnowflakeOptions{Clock: c})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := n.TryNext(); !errors.Is(err, ids.ErrSuspended) {
		t.Errorf("TryNext gives %v, want %v", err, ids.ErrSuspended)
	}
}

// TestOutsideTheFormat sets the clock to times that a format cannot name.
func TestOutsideTheFormat(t *testing.T) {
	for _, at := range []time.Time{
		time.Date(1500, 1, 1, 0, 0, 0, 0, time.UTC),
		time.Date(1969, 12, 31, 0, 0, 0, 0, time.UTC),
		time.Date(2500, 1, 1, 0, 0, 0, 0, time.UTC),
		time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC),
		time.Date(50000, 1, 1, 0, 0, 0, 0, time.UTC),
		time.Unix(-1<<62, 0), time.Unix(1<<62, 0),
	} {
		f, _, g, n := newFake(t)
		seen := map[[16]byte]bool{}
		for i, to := range []time.Time{start, at, at.Add(1), start.Add(time.Minute), at} {
			f.t = to
			for _, k := range kinds {
				for range 10 {
					id := k.mint(g, n)
					if seen[id] {
						t.Errorf("%v: %s: %x twice", at, k.name, id)
					}
					seen[id] = true
					if i == 3 && k.name != "Snowflake" && at.Year() < 2000 && to.Sub(k.time(id)) >= k.tick {
						t.Errorf("%v: %s: time %v after the clock came back to %v", at, k.name, k.time(id), to)
					}
				}
			}
		}
	}
}

// TestLastTick uses up the ticks of a layout: then Next panics and TryNext refuses.
func TestLastTick(t *testing.T) {
	f := &fakeClock{t: start}
	layout := ids.SnowflakeLayout{Epoch: start, Tick: time.Second, NodeBits: 30, SequenceBits: 30} // 8 ticks
	n, err := ids.NewSnowflakeNode(1, &ids.SnowflakeOptions{
		Layout: layout, Clock: ids.NewClock(&ids.ClockOptions{Now: f.now})})
	if err != nil {
		t.Fatal(err)
	}
	f.step(8 * time.Second)
	n.Next() // the clock is past the last tick: the node stays where it can
	layout.SequenceBits, layout.NodeBits = 0, 60
	n, err = ids.NewSnowflakeNode(1, &ids.SnowflakeOptions{
		Layout: layout, Clock: ids.NewClock(&ids.ClockOptions{Now: func() time.Time { return start.Add(7 * time.Second) }})})
	if err != nil {
		t.Fatal(err)
	}
	n.Next()
	if _, err := n.TryNext(); !errors.Is(err, ids.ErrRange) {
		t.Errorf("TryNext past the last tick gives %v", err)
	}
	defer func() {
		if err, ok := recover().(error); !ok || !errors.Is(err, ids.ErrRange) {
			t.Errorf("Next past the last tick panics with %v", err)
		}
	}()
	n.Next()
	t.Error("Next past the last tick returned")
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

// TestGolden checks that an injected clock and injected random bytes give the same ids in every
// run.
func TestGolden(t *testing.T) {
	mint := func() (out []string) {
		f := &fakeClock{t: start}
		c := ids.NewClock(&ids.ClockOptions{Now: f.now})
		g := ids.NewGenerator(&ids.GeneratorOptions{Clock: c, Random: rand.NewChaCha8([32]byte{1})})
		for range 3 {
			ulid, err := g.NewULIDAt(start)
			if err != nil {
				t.Fatal(err)
			}
			v7, err := g.NewV7At(start)
			if err != nil {
				t.Fatal(err)
			}
			for _, u := range []ids.UUID{g.NewV1(), g.NewV2(1, 2), g.NewV4(), g.NewV6(), g.NewV7(), v7,
				g.NewULID().UUID(), ulid.UUID(), g.AppendV4(nil, 2)[1], g.AppendV7(nil, 2)[1], g.AppendULID(nil, 2)[1].UUID()} {
				out = append(out, u.String())
			}
			f.step(time.Millisecond)
		}
		return out
	}
	a, b := mint(), mint()
	if !slices.Equal(a, b) {
		t.Errorf("two runs differ:\n%s\n%s", strings.Join(a, "\n"), strings.Join(b, "\n"))
	}
}

// TestRandomParts checks how V7 and ULID grow within a tick, from random bytes that are known.
func TestRandomParts(t *testing.T) {
	f := &fakeClock{t: start}
	c := ids.NewClock(&ids.ClockOptions{Now: f.now})
	ones := readerFunc(func(p []byte) (int, error) {
		for i := range p {
			p[i] = 0xff
		}
		return len(p), nil
	})
	g := ids.NewGenerator(&ids.GeneratorOptions{Clock: c, Random: ones})
	rand := func(u ids.UUID) uint64 { return binary.BigEndian.Uint64(u[8:]) & (1<<62 - 1) }
	a, b := g.NewV7(), g.NewV7()
	if rand(a) != 1<<61-1 {
		t.Errorf("a fresh rand_b of all ones is %#x, want its top bit clear", rand(a))
	}
	if rand(b)-rand(a) != 1<<48 {
		t.Errorf("the largest stride is %#x, want 2^48", rand(b)-rand(a))
	}
	// 2^61 more are left, in strides of 2^48: then the next tick, never a wrap.
	last := b
	for range 20_000 {
		u := g.NewV7()
		if u.Compare(last) <= 0 {
			t.Fatalf("%v then %v", last, u)
		}
		last = u
	}
	if at, _ := last.Time(); !at.Equal(start) {
		t.Errorf("20,000 ids moved to %v", at)
	}
	if got := binary.BigEndian.Uint64(last[:]) & 0xfff; got != 2 {
		t.Errorf("after 20,000 largest strides rand_a is %d, want 2", got)
	}

	one := ids.NewGenerator(&ids.GeneratorOptions{Clock: c, ULIDStepOne: true})
	u := one.NewULID()
	for range 1000 {
		next, ok := u.Next()
		if got := one.NewULID(); !ok || got != next {
			t.Fatalf("ULIDStepOne: %v then %v, want %v", u, got, next)
		}
		u = next
	}
	x, y := g.NewULID(), g.NewULID()
	if x[6] != 0x7f {
		t.Errorf("a fresh ULID of all ones has entropy %x, want its top bit clear", x.Entropy())
	}
	if got := binary.BigEndian.Uint64(y[8:]) - binary.BigEndian.Uint64(x[8:]); got != 1<<48 {
		t.Errorf("the largest stride is %#x, want 2^48", got)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// TestRandomFails checks that the error of an injected reader is not swallowed, and that the
// generator is usable afterwards.
func TestRandomFails(t *testing.T) {
	var err error
	g := ids.NewGenerator(&ids.GeneratorOptions{Random: readerFunc(func(p []byte) (int, error) {
		if err != nil {
			return 0, err
		}
		return len(p), nil
	})})
	for name, mint := range map[string]func(){
		"NewV4": func() { g.NewV4() }, "NewV7": func() { g.NewV7() }, "NewULID": func() { g.NewULID() },
		"AppendV7": func() { g.AppendV7(nil, 2) },
	} {
		func() {
			err = errors.New("device unplugged")
			defer func() {
				if text, _ := recover().(string); !strings.Contains(text, "device unplugged") {
					t.Errorf("%s panics with %q", name, text)
				}
			}()
			mint()
		}()
		err = nil
		mint()
	}
}
