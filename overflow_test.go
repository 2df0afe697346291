package ids_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oneclock/ids"
)

// lastMilli is the last millisecond of version 7 and ULID.
var lastMilli = time.UnixMilli(1<<48 - 1).UTC()

// repeated is a source of one byte.
func repeated(b byte) readerFunc {
	return func(p []byte) (int, error) {
		for i := range p {
			p[i] = b
		}
		return len(p), nil
	}
}

// checkSpent checks that f panics because the last tick of a format is exhausted.
func checkSpent(t *testing.T, what string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if err, ok := recover().(error); !ok || !errors.Is(err, ids.ErrRange) {
			t.Errorf("%s past the last tick: %v, want a panic that matches ErrRange", what, err)
		}
	}()
	f()
}

var (
	full    = [10]byte(bytes.Repeat([]byte{0xff}, 10))
	oneLeft = [10]byte(append(bytes.Repeat([]byte{0xff}, 9), 0xfe))
	drawn55 = [10]byte(bytes.Repeat([]byte{0x55}, 10)) // what repeated(0x55) gives
)

// TestULIDOverflow exhausts the random part of a millisecond's ULIDs: the next one is of the
// next millisecond, with fresh bits, and nothing wraps.
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

// TestULIDOverflowWaits exhausts millisecond after millisecond on a clock that stands still: no
// ULID is further ahead than MaxAhead of what time it can be, and no call waits for long.
func TestULIDOverflowWaits(t *testing.T) {
	for name, mint := range map[string]func(*ids.Generator) ids.ULID{
		"NewULID":    (*ids.Generator).NewULID,
		"AppendULID": func(g *ids.Generator) ids.ULID { return g.AppendULID(nil, 1)[0] },
	} {
		synctest.Test(t, func(t *testing.T) {
			m := &meter{wall: func() time.Time { return start }}
			g := ids.NewGenerator(&ids.GeneratorOptions{Clock: ids.NewClock(&ids.ClockOptions{Now: m.now})})
			last := g.NewULID()
			for i := range 1000 {
				began := time.Now()
				g.SetEntropy(full)
				u := mint(g)
				if u.Compare(last) <= 0 {
					t.Fatalf("%s: %v then %v", name, last, u)
				}
				if waited := time.Since(began); waited > maxWait || m.ahead(u.Time()) > maxAhead {
					t.Fatalf("%s: id %d is %v ahead, waited %v", name, i, m.ahead(u.Time()), waited)
				}
				last = u
			}
		})
	}
}

// TestV7Overflow exhausts the random part of ticks of version 7 on a clock that stands still and
// may not be run ahead of: the next id is of the next tick, after a wait.
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
				// It is one tick of 1/4096 ms ahead, and the shortest sleep is 100 µs.
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

// TestNearlyFull leaves the random part of a tick so full that no stride fits. The next tick of the
// clock has room, and its id is of that tick.
func TestNearlyFull(t *testing.T) {
	for _, run := range []bool{false, true} {
		f := &fakeClock{t: start}
		g := ids.NewGenerator(&ids.GeneratorOptions{Clock: ids.NewClock(&ids.ClockOptions{Now: f.now}), Random: repeated(0xff)})
		v7, newULID := g.NewV7, g.NewULID
		if run {
			v7 = func() ids.UUID { return g.AppendV7(nil, 1)[0] }
			newULID = func() ids.ULID { return g.AppendULID(nil, 1)[0] }
		}
		for range v7Room {
			v7()
		}
		f.step(time.Millisecond)
		if u, least := v7(), ids.MinV7At(f.t); !slices.Equal(u[:8], least[:8]) {
			t.Errorf("run: %v: %v, the tick begins with %v", run, u, least)
		}
		newULID()
		g.SetEntropy([10]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
		f.step(time.Millisecond)
		if u := newULID(); !u.Time().Equal(f.t) {
			t.Errorf("run: %v: %v of %v, want %v", run, u, u.Time(), f.t)
		}
	}
}

// TestOverflowWithinPiece begins a run after one id, so that the random part of version 7 overflows
// within a piece of the run: a tick has as many ids as single calls give it, and they ascend.
func TestOverflowWithinPiece(t *testing.T) {
	g := ids.NewGenerator(&ids.GeneratorOptions{Clock: stopped(start), Random: repeated(0xff)})
	all := g.AppendV7([]ids.UUID{g.NewV7()}, 2*v7Room)
	for i, u := range all {
		if tick := int(u[6]&0x0f)<<8 | int(u[7]); tick != i/v7Room || i > 0 && u.Compare(all[i-1]) <= 0 {
			t.Fatalf("id %d is %v, of tick %d", i, u, tick)
		}
	}
}

// TestRunOverflowsAtTheEnd fills the last tick of version 7 and of ULID within a run: it panics, and
// gives no id twice.
func TestRunOverflowsAtTheEnd(t *testing.T) {
	g := ids.NewGenerator(&ids.GeneratorOptions{Clock: stopped(lastMilli.Add(999_999)), Random: repeated(0xff)})
	g.NewV7()
	checkSpent(t, "AppendV7", func() { g.AppendV7(nil, v7Room) })
	g.NewULID()
	g.SetEntropy([10]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
	checkSpent(t, "AppendULID", func() { g.AppendULID(nil, 1) })
}

// TestPastTheEndAfterTheFirst shows a clock past the end to a node that has issued one id, of the
// first tick: it goes on there.
func TestPastTheEndAfterTheFirst(t *testing.T) {
	f, _, _, n := newFakeAt(t, ids.TwitterLayout().Epoch, time.Time{})
	first := n.Next()
	f.t = f.t.AddDate(100, 0, 0)
	if s := n.Next(); s != first+1 {
		t.Errorf("%v after %v", s, first)
	}
}

// TestRunWaitsToo begins a run while another call waits since it is ahead of the clock: the run is
// ahead as well, and waits.
func TestRunWaitsToo(t *testing.T) {
	for name, mint := range map[string]func(*ids.Generator){
		"NewV7":    func(g *ids.Generator) { g.NewV7() },
		"AppendV7": func(g *ids.Generator) { g.AppendV7(nil, 2) },
	} {
		synctest.Test(t, func(t *testing.T) {
			g := ids.NewGenerator(&ids.GeneratorOptions{Clock: ids.NewClock(&ids.ClockOptions{Now: func() time.Time { return start }, MaxAhead: -1}),
				Random: repeated(0xff)})
			for range v7Room {
				g.NewV7()
			}
			began := time.Now()
			go g.NewV7()
			synctest.Wait()
			if mint(g); time.Since(began) == 0 {
				t.Errorf("%s does not wait", name)
			}
		})
	}
}

// v7Room is how many ids of version 7 the largest random bits leave room for in a tick: the
// first has 2^61-1, and the rest of 2^62 is in strides of 2^48.
const v7Room = 1 + 1<<13

// TestLastMilli exhausts the last tick of version 7 and ULID: then each call panics, and the clock
// is usable afterwards.
func TestLastMilli(t *testing.T) {
	clock := stopped(lastMilli.Add(999_999))
	last, minted := ids.NilUUID(), 0
	g := ids.NewGenerator(&ids.GeneratorOptions{Clock: clock, Random: readerFunc(func(p []byte) (int, error) {
		if minted == v7Room {
			minted++
			return repeated(0)(p) // a stride of 1, which would lead just beyond
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
	// The random part must not come round, however often it is tried.
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
		synctest.Test(t, func(t *testing.T) {
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
		})
	}
}

// TestPastTheEndAtFirst shows a clock past the end of each format before the first id: that is
// refused, and changes nothing. What comes then is as if it had not been.
func TestPastTheEndAtFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeClock{t: start}
		c := ids.NewClock(&ids.ClockOptions{Now: f.now})
		g := ids.NewGenerator(&ids.GeneratorOptions{Clock: c, Node: vectorNode, Random: repeated(0)})
		n, err := ids.NewSnowflakeNode(3, &ids.SnowflakeOptions{Clock: c})
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		for _, far := range []time.Time{time.Date(12_000, 1, 1, 0, 0, 0, 0, time.UTC), time.Unix(1<<50, 0), time.Unix(1<<62, 0)} {
			f.t = far
			for _, k := range kinds {
				checkSpent(t, k.name, func() { k.mint(g, n) })
			}
			checkSpent(t, "AppendV7", func() { g.AppendV7(nil, 2) })
			checkSpent(t, "AppendULID", func() { g.AppendULID(nil, 2) })
			checkSpent(t, "Append", func() { n.Append(nil, 2) })
			if s, err := n.TryNext(); s != 0 || !errors.Is(err, ids.ErrRange) {
				t.Errorf("TryNext past the last tick gives %v, %v", s, err)
			}
			if _, err := ids.NewSnowflakeNode(4, &ids.SnowflakeOptions{Clock: c}); !errors.Is(err, ids.ErrRange) {
				t.Errorf("NewSnowflakeNode past the last tick gives %v", err)
			}
			if !c.Latest().IsZero() {
				t.Errorf("Latest() = %v without an id", c.Latest())
			}
		}
		f.t = start
		for _, k := range kinds {
			id := k.mint(g, n)
			if !k.time(id).Equal(start) || k.name == "Snowflake" && snowflakeOf(id).Sequence() != 0 {
				t.Errorf("%s after readings past the end: %x of %v", k.name, id, k.time(id))
			}
		}
		if waited := time.Since(began); waited > 0 {
			t.Errorf("waited for %v", waited)
		}
	})
}

// TestPastTheEndRunAhead shows a clock past the end of the layout to a node that has issued ids,
// and then loads it: it must not run away, whether the clock stays there, or is there now and then.
func TestPastTheEndRunAhead(t *testing.T) {
	for _, now := range []func(time.Duration) bool{
		func(d time.Duration) bool { return d > time.Second },
		func(d time.Duration) bool { return d/time.Second%2 == 1 },
		func(d time.Duration) bool { return d/time.Millisecond%2 == 1 },
	} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			right := func() time.Time { return start.Add(time.Since(began)) }
			n, err := ids.NewSnowflakeNode(0, &ids.SnowflakeOptions{
				Layout: ids.SnowflakeLayout{Epoch: start, Tick: time.Millisecond, NodeBits: 30, SequenceBits: 1}, // 49 days
				Clock: ids.NewClock(&ids.ClockOptions{Now: func() time.Time {
					if now(time.Since(began)) {
						return start.AddDate(100, 0, 0)
					}
					return right()
				}}),
			})
			if err != nil {
				t.Fatal(err)
			}
			load(t, n, 10*time.Second, func(at time.Time) time.Duration { return at.Sub(right()) }, maxAhead)
		})
	}
}

// TestLastTick exhausts the ticks of a layout: then Next panics, TryNext refuses, and both leave
// the node usable.
func TestLastTick(t *testing.T) {
	layout := ids.SnowflakeLayout{Epoch: start, Tick: time.Second, NodeBits: 60} // 8 ticks for one id each
	f := &fakeClock{t: start.Add(7 * time.Second)}
	c := ids.NewClock(&ids.ClockOptions{Now: f.now})
	n, err := ids.NewSnowflakeNode(1, &ids.SnowflakeOptions{Layout: layout, Clock: c})
	if err != nil {
		t.Fatal(err)
	}
	n.Next()
	for _, at := range []time.Duration{7, 8, 100, 3} {
		f.t = start.Add(at * time.Second)
		if _, err := n.TryNext(); !errors.Is(err, ids.ErrRange) {
			t.Errorf("TryNext past the last tick gives %v", err)
		}
		checkSpent(t, "Next", func() { n.Next() })
		checkSpent(t, "Append", func() { n.Append(nil, 3) })
	}
	if got, want := c.Latest(), start.Add(7*time.Second); !got.Equal(want) {
		t.Errorf("Latest() = %v, want %v", got, want)
	}
	// Past the last tick of which ids are left, the node stays where it can.
	layout.NodeBits, layout.SequenceBits = 30, 30
	f = &fakeClock{t: start.Add(7 * time.Second)}
	n, err = ids.NewSnowflakeNode(1, &ids.SnowflakeOptions{Layout: layout, Clock: ids.NewClock(&ids.ClockOptions{Now: f.now})})
	if err != nil {
		t.Fatal(err)
	}
	first := n.Next()
	f.step(time.Second)
	if second := n.Next(); second <= first || !layout.Split(second).Time.Equal(start.Add(7*time.Second)) {
		t.Errorf("past the last tick: %v after %v", layout.Split(second), layout.Split(first))
	}
}
