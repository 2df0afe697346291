package ids_test

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oneclock/ids"
)

// TestAhead checks the state that covers a minute more: it counts from the later of the clock
// and the latest id, allows for one change of the clock sequence, also where that comes round,
// and is not behind the limit in force.
func TestAhead(t *testing.T) {
	restored := ids.ClockState{Time: start.Add(time.Hour), Sequence: 8, Floor: start.Add(-time.Hour)}
	last := ids.ClockState{Time: start, Sequence: 0x3ffc, Floor: start.Add(-time.Hour)}
	for _, test := range []struct {
		name  string
		now   time.Time
		state ids.ClockState
		limit ids.ClockState
		want  ids.ClockState
	}{
		{"clock", start.Add(2 * time.Hour), restored, ids.ClockState{},
			ids.ClockState{Time: start.Add(2*time.Hour + time.Minute), Sequence: 12, Floor: restored.Floor}},
		{"id", start, ids.ClockState{Time: restored.Time, Sequence: 4, Floor: restored.Floor}, ids.ClockState{},
			ids.ClockState{Time: restored.Time.Add(time.Minute), Sequence: 12, Floor: restored.Floor}}, // 8 at the first reading
		{"limit", start.Add(2 * time.Hour), restored, ids.ClockState{Time: start.Add(3 * time.Hour), Sequence: 8},
			ids.ClockState{Time: start.Add(3 * time.Hour), Sequence: 12, Floor: restored.Floor}},
		{"limit's sequence", start.Add(2 * time.Hour), restored, ids.ClockState{Time: start.Add(3 * time.Hour), Sequence: 40, Floor: start},
			ids.ClockState{Time: start.Add(3 * time.Hour), Sequence: 40, Floor: start}},
		{"round", start, last, ids.ClockState{},
			ids.ClockState{Time: start.Add(time.Minute), Sequence: 0, Floor: start.Add(time.Minute)}},
	} {
		_, c, _, _ := newFakeAt(t, test.now, test.state)
		c.Limit(test.limit)
		if got := c.Ahead(time.Minute); got != test.want {
			t.Errorf("%s: Ahead(time.Minute) = %v, want %v", test.name, got, test.want)
		}
	}
}

// TestAheadCovers puts the limit of a fresh clock a minute ahead: ids are minted, and after an
// idle hour they are again, once it is renewed.
func TestAheadCovers(t *testing.T) {
	f, c, _, n := newFake(t)
	for range 2 {
		c.Limit(c.Ahead(time.Minute))
		if _, err := n.TryNext(); err != nil {
			t.Errorf("at %v: %v", f.t, err)
		}
		f.step(time.Hour)
		if _, err := n.TryNext(); err != ids.ErrSuspended {
			t.Errorf("at %v: %v, want ErrSuspended", f.t, err)
		}
	}
}

// TestLives restarts a process more often than there are clock sequences, with the clock behind
// what was saved, without and with a mark ahead of it: no id may come twice, and the state must
// never get smaller.
func TestLives(t *testing.T) {
	for _, ahead := range []bool{false, true} {
		seen := map[ids.UUID]bool{}
		var saved ids.ClockState
		for life := range 6000 { // in the first 1000 of them the clock is not behind
			f, c, g, _ := newFakeAt(t, start.Add(time.Duration(life%1000)*time.Second), saved)
			if ahead {
				saved = c.Ahead(time.Minute)
				c.Limit(saved)
			}
			for range 2 {
				for _, u := range []ids.UUID{g.NewV1(), g.NewV6()} {
					if seen[u] {
						t.Fatalf("life %d: %v was there before (%d)", life, u, len(seen))
					}
					seen[u] = true
				}
				f.step(time.Second)
			}
			if ahead {
				continue // and crash
			}
			state := c.State()
			if state.Time.Before(saved.Time) || state.Floor.Before(saved.Floor) {
				t.Fatalf("life %d: state %v after %v", life, state, saved)
			}
			saved = state
		}
		if saved.Floor.IsZero() {
			t.Error("the clock sequence has not come round")
		}
	}
}

// TestLimitBehindTheSequence calls Limit with a state taken before the clock was set back: the
// sequence that it covers is gone, so that versions 1 and 6 wait for a later limit. Snowflake,
// which has none, goes on.
func TestLimitBehindTheSequence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, c, g, n := newFake(t)
		g.NewV1()
		mark := c.State()
		mark.Time = start.Add(time.Hour)
		f.step(-time.Minute)
		first := g.NewV1() // the next sequence
		c.Limit(mark)
		if _, err := n.TryNext(); err != nil {
			t.Errorf("TryNext of a Snowflake: %v", err)
		}
		var second ids.UUID
		var wg sync.WaitGroup
		wg.Go(func() { second = g.NewV1() })
		synctest.Wait() // which also orders the goroutine's writes before this
		if !second.IsZero() {
			t.Errorf("the limit's sequence is %#x, and %v was issued", mark.Sequence, second)
		}
		c.Limit(c.Ahead(0))
		wg.Wait()
		a, _ := first.ClockSequence()
		if b, _ := second.ClockSequence(); a&^3 != b&^3 || second.IsZero() || second == first {
			t.Errorf("%v, then under a limit that covers it %v", first, second)
		}
	})
}

// TestLimitWithinTick uses up the last tick that a limit covers: the next one is not entered.
func TestLimitWithinTick(t *testing.T) {
	_, c, _, n := newFake(t)
	c.Limit(ids.ClockState{Time: start})
	for range 4096 {
		if s, err := n.TryNext(); err != nil || !s.Time().Equal(start) {
			t.Fatalf("%v of %v, %v", s, s.Time(), err)
		}
	}
	if s, err := n.TryNext(); err != ids.ErrSuspended {
		t.Errorf("past the last id of the limit's tick: %v of %v, %v, want ErrSuspended", s, s.Time(), err)
	}
	c.Limit(ids.ClockState{Time: start.Add(time.Millisecond)})
	if s, err := n.TryNext(); err != nil || !s.Time().Equal(start.Add(time.Millisecond)) || s.Sequence() != 0 {
		t.Errorf("under a later limit: %v of %v, %v", s, s.Time(), err)
	}
}

// TestStepWhileWaiting sets the clock back or forth while a call waits for it to run a
// millisecond: that it runs counts, wherever it is, and the ids ascend.
func TestStepWhileWaiting(t *testing.T) {
	for _, step := range []time.Duration{-time.Hour, -time.Millisecond, time.Millisecond, time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			f, _, _, n := newFake(t)
			full := n.Append(nil, 11*4096) // as far ahead as may be
			var s ids.Snowflake
			var waited time.Duration
			var wg sync.WaitGroup
			wg.Go(func() {
				began := time.Now()
				s = n.Next()
				waited = time.Since(began)
			})
			time.Sleep(time.Millisecond)
			f.step(step)
			for range 10 {
				time.Sleep(time.Millisecond)
				f.step(time.Millisecond)
			}
			wg.Wait()
			if s <= full[len(full)-1] || waited < time.Millisecond || waited > 5*time.Millisecond {
				t.Errorf("step of %v: %v after %v, waited %v", step, s, full[len(full)-1], waited)
			}
			if next := n.Next(); next <= s {
				t.Errorf("step of %v: %v after %v", step, next, s)
			}
		})
	}
}

// TestAtTheFloor sets the clock back to the floor, and to the tick after it: only that is free
// for another clock sequence.
func TestAtTheFloor(t *testing.T) {
	floor := start.Add(30 * time.Minute)
	for _, c := range []struct {
		at     time.Time
		follow bool
	}{{floor.Add(100), true}, {floor.Add(99), false}, {floor, false}, {floor.Add(-100), false}} {
		f, _, g, _ := newFakeAt(t, start.Add(45*time.Minute), ids.ClockState{Time: start.Add(time.Hour), Floor: floor})
		first := timeOf(g.NewV1())
		f.t = c.at
		if second := timeOf(g.NewV1()); second.Equal(c.at) != c.follow || !c.follow && second.Before(first) {
			t.Errorf("set back from %v to %v: %v, want it to follow: %v", first, c.at, second, c.follow)
		}
	}
}

// TestTryNextAfterWait waits on a clock that stands still: what Next then issues is ahead of
// the clock by more than MaxAhead, so TryNext refuses, though there is room, and not because
// the clock went backward.
func TestTryNextAfterWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, _, _, n := newFake(t)
		n.Append(nil, 12*4096)
		if s, err := n.TryNext(); err != ids.ErrExhausted {
			t.Errorf("TryNext = %v, %v, want ErrExhausted", s, err)
		}
	})
}
