package ids_test

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oneclock/ids"
)

// mintOnce returns what mints with g and fails t at an id that was there before.
func mintOnce(t *testing.T, seen map[ids.UUID]bool) func(*ids.Generator) ids.UUID {
	return func(g *ids.Generator) ids.UUID {
		t.Helper()
		u := g.NewV1()
		if seen[u] {
			t.Fatalf("%v twice (of %d)", u, len(seen))
		}
		seen[u] = true
		return u
	}
}

// TestRoundEndsAfterRestart starts in the past of a restored state and sets the clock back
// until all clock sequences are used. The next round enters the sequences of the former life,
// and must stay above its ticks.
func TestRoundEndsAfterRestart(t *testing.T) {
	mint := mintOnce(t, map[ids.UUID]bool{})
	f, c, g, _ := newFake(t)
	first := start.Add(time.Hour)
	// The former life uses two sequences, the second at the ticks that are tried again.
	f.t = first
	mint(g)
	f.t = start.Add(time.Second)
	mint(g)
	for i := range 100 {
		f.t = first.Add(time.Duration(i) * time.Second)
		mint(g)
	}
	saved := c.State()
	f, c, g, _ = newFakeAt(t, start, saved)
	for range 4096 {
		f.t = start.Add(time.Second)
		mint(g)
		f.t = start
		u := mint(g)
		if at, _ := u.Time(); !at.After(c.State().Floor) {
			t.Fatalf("%v of %v is not above the floor %v", u, at, c.State().Floor)
		}
	}
	if c.State().Floor.Before(saved.Time) {
		t.Errorf("the floor %v is before the restored %v", c.State().Floor, saved.Time)
	}
	for i := range 4096 {
		f.t = first.Add(time.Duration(i%100) * time.Second)
		mint(g)
		f.t = start.Add(10 * time.Second)
		mint(g)
	}
}

// TestFloorAfterRestart restores a state with a floor in a life whose first reading is above
// it, and sets the clock back below it before the first id: the sequence at hand has served
// there.
func TestFloorAfterRestart(t *testing.T) {
	for _, k := range []kind{kindV1, kindV6} {
		saved := ids.ClockState{Time: start.Add(time.Hour), Floor: start.Add(30 * time.Minute)}
		f, c, g, n := newFakeAt(t, start.Add(45*time.Minute), saved)
		if s := c.State(); s.Sequence == saved.Sequence {
			t.Fatalf("restored before the saved time, the clock sequence stays %#x", s.Sequence)
		}
		f.t = start
		if at := k.time(k.mint(g, n)); !at.After(saved.Floor) {
			t.Errorf("%s of %v is not above the floor %v", k.name, at, saved.Floor)
		}
	}
}

// TestLimitBeforeFirstReading puts the restored state in force before the clock is read: its
// sequence is covered and the next is not, so that the clock, behind the state, must not move
// on to that.
func TestLimitBeforeFirstReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		saved := ids.ClockState{Time: start.Add(time.Hour), Sequence: 8}
		f := &fakeClock{t: start}
		c := ids.NewClock(&ids.ClockOptions{Now: f.now, State: saved})
		g := ids.NewGenerator(&ids.GeneratorOptions{Clock: c})
		c.Limit(saved)
		var u ids.UUID
		var wg sync.WaitGroup
		wg.Go(func() { u = g.NewV1() })
		synctest.Wait()
		if !u.IsZero() {
			t.Errorf("%v under a limit that covers nothing new", u)
		}
		saved.Time = saved.Time.Add(time.Second)
		c.Limit(saved)
		wg.Wait()
		seq, _ := u.ClockSequence()
		if at, _ := u.Time(); uint16(seq)&^3 != saved.Sequence || !at.After(start.Add(time.Hour)) {
			t.Errorf("%v of %v, sequence %#x; want the restored sequence and a later time", u, at, seq&^3)
		}
	})
}

// TestRoundEndsLive checks that ids of versions 1 and 6 need not wait when all clock sequences
// are used, though the clock is an hour behind what was issued.
func TestRoundEndsLive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, c, g, _ := newFake(t)
		f.t = start.Add(time.Hour)
		g.NewV1()
		began := time.Now()
		for range 5000 {
			f.t = start
			g.NewV1()
			f.t = start.Add(time.Second)
			g.NewV1()
			g.NewV6()
		}
		if c.State().Floor.IsZero() {
			t.Error("the clock sequence has not come round")
		}
		if waited := time.Since(began); waited > 0 {
			t.Errorf("15,000 ids waited %v", waited)
		}
	})
}
