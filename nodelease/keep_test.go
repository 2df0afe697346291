package nodelease_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease"
)

// TestFirstMark checks how far ahead of the wall clock the first mark is: exactly as far as the options
// say, and in whole microseconds.
func TestFirstMark(t *testing.T) {
	const day = 24 * time.Hour
	with := func(tick time.Duration) ids.SnowflakeLayout {
		return ids.SnowflakeLayout{Epoch: start2026.AddDate(-1, 0, 0), Tick: tick, NodeBits: 10, SequenceBits: 22}
	}
	for _, test := range []struct {
		opts nodelease.MinterOptions
		held time.Duration // how far ahead the former holder's mark is
		want time.Duration
	}{
		{nodelease.MinterOptions{}, 0, 4 * testTTL},
		{nodelease.MinterOptions{Window: time.Second}, 0, testTTL},
		{nodelease.MinterOptions{Window: time.Hour}, 0, time.Hour},
		{nodelease.MinterOptions{Window: time.Hour + 1}, 0, time.Hour + time.Microsecond},
		{nodelease.MinterOptions{Window: time.Hour + 999}, 0, time.Hour + time.Microsecond},
		{nodelease.MinterOptions{Window: time.Minute}, time.Hour, time.Hour + time.Minute/100},
		{nodelease.MinterOptions{Layout: with(time.Second)}, 0, 100 * time.Second},
		{nodelease.MinterOptions{Layout: with(time.Second), Window: 100 * time.Second}, 0, 100 * time.Second},
		{nodelease.MinterOptions{Layout: with(day)}, 0, 100 * day},
		{nodelease.MinterOptions{Layout: with(30 * day)}, 0, 365 * day},
	} {
		store := newFaultyStore(1, testTTL)
		if test.held > 0 {
			store.SetRow(0, time.Time{}, start2026.Add(test.held))
		}
		bubble(t, store, &test.opts, func(t *testing.T, m *nodelease.Minter, w *wall) {
			if _, mark := store.Row(0); mark.Sub(w.now()) != test.want {
				t.Errorf("%+v: the mark is %v ahead, want %v", test.opts, mark.Sub(w.now()), test.want)
			}
		})
	}
}

// TestPace checks how long a Minter lets pass from one renewal to the next, and between its tries while
// they fail.
func TestPace(t *testing.T) {
	store := newFaultyStore(1, testTTL)
	bubble(t, store, nil, func(t *testing.T, m *nodelease.Minter, w *wall) {
		calls := make(chan time.Time, 1)
		answer := func(err error) {
			store.setCarry(func(_ context.Context, request func() error) error {
				calls <- time.Now()
				if err != nil {
					return err
				}
				return request()
			})
		}
		answer(nil)
		last := <-calls
		within := func(what string, least, most time.Duration) time.Duration {
			t.Helper()
			now := <-calls
			pause := now.Sub(last)
			if last = now; pause < least || pause > most {
				t.Fatalf("%s: a pause of %v, want %v to %v", what, pause, least, most)
			}
			return pause
		}
		spread := func(what string, least, most time.Duration, pause func() time.Duration) {
			t.Helper()
			shortest, longest := most, least
			for range 2000 {
				p := pause()
				shortest, longest = min(shortest, p), max(longest, p)
			}
			if edge := (most - least) / 100; shortest > least+edge || longest < most-edge {
				t.Errorf("%s: pauses of %v to %v, want %v to %v", what, shortest, longest, least, most)
			}
		}
		renewal := func() time.Duration { return within("a renewal", testTTL/4, testTTL/3) }
		try := func() time.Duration { return within("a try", testTTL/16, testTTL/8) }
		spread("renewals", testTTL/4, testTTL/3, renewal)
		for range 2 { // from the beginning again after each success
			answer(errors.New("out of order"))
			renewal()
			for d := 100 * time.Millisecond; d < testTTL/8; d *= 2 {
				within("tries", d/2, d)
			}
			spread("more tries", testTTL/16, testTTL/8, try)
			answer(nil)
			try()
		}
		spread("first tries", 50*time.Millisecond, 100*time.Millisecond, func() time.Duration {
			answer(errors.New("out of order"))
			renewal()
			answer(nil)
			return within("a first try", 50*time.Millisecond, 100*time.Millisecond)
		})
		synctest.Wait()
		mustMint(t, m)
		if granted, _ := store.counts(); granted != 1 {
			t.Errorf("%d tenures, want 1", granted)
		}
		store.setCarry(nil)
	})
}

// TestFirstTries checks the pauses between tries that fail from the start of a Minter and of a tenure: they
// begin anew when there was a success.
func TestFirstTries(t *testing.T) {
	outOfOrder := errors.New("out of order")
	store := &scriptedStore{}
	var calls chan func(error)
	answer := func() error {
		wait := make(chan error)
		calls <- func(err error) { wait <- err }
		return <-wait
	}
	synctest.Test(t, func(t *testing.T) {
		calls = make(chan func(error))
		store.set(func() (nodelease.Lease, error) {
			if err := answer(); err != nil {
				return nil, err
			}
			return &answeringLease{lease{store: store, ttl: testTTL}, answer}, nil
		})
		m, err := nodelease.NewMinter(store, &nodelease.MinterOptions{Now: func() time.Time { return start2026 }})
		if err != nil {
			t.Fatal(err)
		}
		next := func(what string, most time.Duration, err error) {
			t.Helper()
			began := time.Now()
			reply := <-calls
			if pause := time.Since(began); pause < most/2 || pause > most {
				t.Errorf("%s: a pause of %v, want %v to %v", what, pause, most/2, most)
			}
			reply(err)
		}
		next("first Take", 0, outOfOrder)
		for range 3 {
			for _, most := range []time.Duration{100, 200, 400, 800, 1600, 2000} {
				next("Take", most*time.Millisecond, outOfOrder)
			}
			next("Take", 2*time.Second, nil)
			next("first Extend", 0, outOfOrder)
			for _, most := range []time.Duration{100, 200, 400, 800, 1250} {
				next("Extend", most*time.Millisecond, outOfOrder)
			}
			next("Extend", testTTL/8, fmt.Errorf("another holder: %w", nodelease.ErrLost))
		}
		next("Take", 100*time.Millisecond, nil)
		next("first Extend", 0, nil)
		if err := m.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// answeringLease is a lease that asks what to answer.
type answeringLease struct {
	lease
	answer func() error
}

func (l *answeringLease) Extend(context.Context, time.Time) error { return l.answer() }

// TestCloseAfterLoss closes a Minter whose number another has taken.
func TestCloseAfterLoss(t *testing.T) {
	store := newFaultyStore(1, testTTL)
	bubble(t, store, nil, func(t *testing.T, m *nodelease.Minter, w *wall) {
		store.setCarry(func(context.Context, func() error) error {
			return fmt.Errorf("another holder: %w", nodelease.ErrLost)
		})
		if err := m.Close(t.Context()); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
}

// TestLateTimer has the timer that is to end a tenure come late: when the lease was renewed, and when
// another tenure has begun.
func TestLateTimer(t *testing.T) {
	store := newFaultyStore(1, testTTL)
	bubble(t, store, nil, func(t *testing.T, m *nodelease.Minter, w *wall) {
		first := m.Timer()
		time.Sleep(testTTL / 2)
		first()
		mustMint(t, m)

		store.Expire(0)
		store.SetRow(0, time.Now().Add(2*testTTL), w.now())
		time.Sleep(testTTL)
		synctest.Wait()
		_, before := m.TryNext()
		first()
		if _, after := m.TryNext(); after != before || !errors.Is(after, nodelease.ErrNoNode) {
			t.Errorf("with no number: %v, and then %v", before, after)
		}

		time.Sleep(2 * testTTL)
		synctest.Wait()
		first()
		mustMint(t, m)
	})
}

// TestRenewalWhileTheWallClockIsBehind checks that TryNext refuses then too, after Next has gone on, which
// has not waited for that.
func TestRenewalWhileTheWallClockIsBehind(t *testing.T) {
	store := newFaultyStore(1, testTTL)
	opts := &nodelease.MinterOptions{Observe: func(e nodelease.Event) {
		if e.Kind == nodelease.Waited {
			t.Errorf("an event says that Next waited for %v", e.Took)
		}
	}}
	bubble(t, store, opts, func(t *testing.T, m *nodelease.Minter, w *wall) {
		for range 2 {
			mustMint(t, m)
			if !m.Direct() {
				t.Error("a call has to lock the Minter")
			}
			time.Sleep(testTTL / 2)
		}
		w.step(-time.Hour)
		if _, err := m.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(testTTL / 2)
		if id, err := m.TryNext(); !errors.Is(err, ids.ErrClockBackward) || id != 0 {
			t.Errorf("got %v, %v after a renewal", id, err)
		}
	})
}

// TestNoNumberIsSkipped mints more than may be ahead of the clock: no sequence number is left out,
// whether a call waits or not.
func TestNoNumberIsSkipped(t *testing.T) {
	bubble(t, newFaultyStore(1, testTTL), nil, func(t *testing.T, m *nodelease.Minter, w *wall) {
		layout := ids.TwitterLayout()
		var last ids.SnowflakeParts
		for i := range 30 * 4096 {
			id, err := m.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			p := layout.Split(id)
			next := last.Sequence+1 == p.Sequence && p.Time.Equal(last.Time) ||
				last.Sequence == 4095 && p.Sequence == 0 && p.Time.After(last.Time)
			if i > 0 && !next || i == 0 && p.Sequence != 0 {
				t.Fatalf("%+v after %+v", p, last)
			}
			last = p
		}
	})
}

// TestSameTickAfterAnOutage has the wall clock stand still during an outage of the store: the tick goes on
// where it was.
func TestSameTickAfterAnOutage(t *testing.T) {
	store := newFaultyStore(1, testTTL)
	bubble(t, store, nil, func(t *testing.T, m *nodelease.Minter, w *wall) {
		first, began := mustMint(t, m), time.Now()
		store.setSilent(true)
		time.Sleep(2 * testTTL)
		if id, err := m.TryNext(); !errors.Is(err, ids.ErrSuspended) {
			t.Errorf("got %v, %v during an outage", id, err)
		}
		store.setSilent(false)
		time.Sleep(testTTL)
		w.step(-time.Since(began))
		if id := mustMint(t, m); id != first+1 {
			t.Errorf("%d after %d", id, first)
		}
	})
}

// TestSameTickAfterAStepBack has TryNext refuse while the wall clock is behind: that changes nothing.
func TestSameTickAfterAStepBack(t *testing.T) {
	bubble(t, newFaultyStore(1, testTTL), nil, func(t *testing.T, m *nodelease.Minter, w *wall) {
		first := mustMint(t, m)
		w.step(-time.Hour)
		if id, err := m.TryNext(); !errors.Is(err, ids.ErrClockBackward) || id != 0 {
			t.Errorf("got %v, %v while the wall clock is behind", id, err)
		}
		w.step(time.Hour)
		if id := mustMint(t, m); id != first+1 {
			t.Errorf("%d after %d", id, first)
		}
	})
}

// TestWallClockPastTheLayout sets the wall clock back, and then past all times of the layout, for a while.
func TestWallClockPastTheLayout(t *testing.T) {
	store := newFaultyStore(1, testTTL)
	bubble(t, store, nil, func(t *testing.T, m *nodelease.Minter, w *wall) {
		mustMint(t, m)
		w.step(-time.Hour)
		first, err := m.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		const century = 100 * 365 * 24 * time.Hour
		w.step(century)
		for range 2 {
			if id, err := m.Next(t.Context()); !errors.Is(err, ids.ErrRange) || id != 0 {
				t.Errorf("Next: %v, %v", id, err)
			}
			if id, err := m.TryNext(); !errors.Is(err, ids.ErrRange) || id != 0 {
				t.Errorf("TryNext: %v, %v", id, err)
			}
		}
		w.step(-century)
		store.setSilent(true) // what is left of the slow clock needs no store
		began := time.Now()
		if id, err := m.Next(t.Context()); err != nil || id <= first || time.Since(began) > 0 {
			t.Errorf("%d, %v after %v, and after %d", id, err, time.Since(began), first)
		}
		store.setSilent(false)
	})
}

// TestMarksOfASlowClock checks each mark that is asked for while the wall clock is behind: a hundredth of
// the window ahead of the slow clock, or a window ahead of the wall clock.
func TestMarksOfASlowClock(t *testing.T) {
	for _, back := range []time.Duration{testTTL / 2, time.Hour} {
		store := newFaultyStore(1, testTTL)
		bubble(t, store, &nodelease.MinterOptions{Window: time.Second}, func(t *testing.T, m *nodelease.Minter, w *wall) {
			time.Sleep(testTTL) // the bubble's first time is a whole second
			base := mustMint(t, m).Time()
			w.step(-back)
			began := time.Now()
			if _, err := m.Next(t.Context()); err != nil {
				t.Fatal(err)
			}
			var asked atomic.Int64 // when the last mark was
			store.setCarry(func(_ context.Context, request func() error) error {
				asked.Store(int64(time.Since(began)))
				return request()
			})
			raised := 0
			_, mark := store.Row(0)
			for range 20 {
				time.Sleep(testTTL / 3)
				synctest.Wait()
				_, now := store.Row(0)
				after := time.Duration(asked.Load())
				slow := base.Add(after/2 + testTTL/100)
				wall := w.now().Add(after - time.Since(began) + testTTL)
				if wall.After(slow) {
					slow = wall
				}
				if want := slow.Add(999).Truncate(time.Microsecond); want.After(mark) {
					raised++
					if now != want {
						t.Fatalf("%v back: the mark is %v, want %v", back, now, want)
					}
				} else if now != mark {
					t.Fatalf("%v back: the mark has gone from %v to %v", back, mark, now)
				}
				mark = now
			}
			if raised < 5 {
				t.Errorf("%v back: %d marks", back, raised)
			}
			store.setCarry(nil)
		})
	}
}

// TestMarkStaysWhileNothingIsMinted has the wall clock be behind the former holder's mark: as long as TryNext
// refuses, the mark rests.
func TestMarkStaysWhileNothingIsMinted(t *testing.T) {
	store := newFaultyStore(1, testTTL)
	store.SetRow(0, time.Time{}, start2026.Add(time.Hour))
	bubble(t, store, nil, func(t *testing.T, m *nodelease.Minter, w *wall) {
		_, mark := store.Row(0)
		for range 50 {
			if id, err := m.TryNext(); !errors.Is(err, ids.ErrClockBackward) || id != 0 {
				t.Fatalf("got %v, %v while the wall clock is behind", id, err)
			}
			time.Sleep(time.Minute)
		}
		if _, now := store.Row(0); now != mark {
			t.Errorf("the mark has gone from %v to %v", mark, now)
		}
	})
}

// TestTimeouts has a store that is silent from the start, and at the end.
func TestTimeouts(t *testing.T) {
	var failed atomic.Int64 // the sum of what failed requests took
	opts := &nodelease.MinterOptions{Observe: func(e nodelease.Event) {
		if e.Kind == nodelease.Failed {
			failed.Add(int64(e.Took))
		}
	}}
	store := newFaultyStore(1, testTTL)
	store.setSilent(true)
	bubble(t, store, opts, func(t *testing.T, m *nodelease.Minter, w *wall) {
		time.Sleep(6 * time.Second)
		if took := time.Duration(failed.Load()); took != 5*time.Second {
			t.Errorf("Take had %v", took)
		}
		store.setSilent(false)
		if _, err := m.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
		store.setSilent(true)
		began := time.Now()
		if err := m.Close(t.Context()); err == nil || time.Since(began) != 3*time.Second {
			t.Errorf("Close returns %v after %v", err, time.Since(began))
		}
	})
}

// TestWaitedForATick checks what is told of a call that waits for a tick of 10 ms.
func TestWaitedForATick(t *testing.T) {
	var waited []time.Duration
	opts := &nodelease.MinterOptions{Layout: ids.SonyflakeLayout(), Observe: func(e nodelease.Event) {
		if e.Kind == nodelease.Waited {
			waited = append(waited, e.Took)
		}
	}}
	bubble(t, newFaultyStore(1, testTTL), opts, func(t *testing.T, m *nodelease.Minter, w *wall) {
		for {
			if _, err := m.TryNext(); errors.Is(err, ids.ErrExhausted) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
		began := time.Now()
		if _, err := m.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took < 5*time.Millisecond || took > 20*time.Millisecond || !slices.Equal(waited, []time.Duration{took}) {
			t.Errorf("a call took %v, and the events say %v", took, waited)
		}
	})
}

// TestClockLeapsDuringARenewal has the wall clock leap past the mark while a renewal is under way, which
// does not know of it: one more follows at once.
func TestClockLeapsDuringARenewal(t *testing.T) {
	store := newFaultyStore(1, testTTL)
	bubble(t, store, nil, func(t *testing.T, m *nodelease.Minter, w *wall) {
		mustMint(t, m)
		store.setCarry(slow)
		time.Sleep(testTTL/3 + time.Millisecond) // a renewal is under way
		w.step(time.Hour)
		for range 3 {
			if id, err := m.TryNext(); !errors.Is(err, ids.ErrSuspended) {
				t.Errorf("got %v, %v past the mark", id, err)
			}
		}
		time.Sleep(2 * time.Second)
		mustMint(t, m)
	})
}

// TestNumberThatIsNotTakenBack has a store hand out a number that is of no use, and refuse to take it back.
func TestNumberThatIsNotTakenBack(t *testing.T) {
	store := &scriptedStore{}
	store.set(func() (nodelease.Lease, error) { return &stubborn{lease{store: store}}, nil })
	bubble(t, store, nil, func(t *testing.T, m *nodelease.Minter, w *wall) {
		_, err := m.TryNext()
		if !errors.Is(err, errStubborn) || !strings.HasSuffix(err.Error(), "leaves no time to mint: at least 112ms are needed\nnot taken back") {
			t.Errorf("TryNext: %v", err)
		}
	})
}

var errStubborn = errors.New("not taken back")

type stubborn struct{ lease }

func (*stubborn) Release(context.Context, time.Time) error { return errStubborn }
