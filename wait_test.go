package ids_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oneclock/ids"
)

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
