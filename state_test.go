package ids_test

import (
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oneclock/ids"
)

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
