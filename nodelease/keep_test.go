package nodelease_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
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
		want time.Duration
	}{
		{nodelease.MinterOptions{}, 4 * testTTL},
		{nodelease.MinterOptions{Window: time.Second}, testTTL},
		{nodelease.MinterOptions{Window: time.Hour}, time.Hour},
		{nodelease.MinterOptions{Window: time.Hour + 1}, time.Hour + time.Microsecond},
		{nodelease.MinterOptions{Window: time.Hour + 999}, time.Hour + time.Microsecond},
		{nodelease.MinterOptions{Layout: with(time.Second)}, 100 * time.Second},
		{nodelease.MinterOptions{Layout: with(time.Second), Window: 100 * time.Second}, 100 * time.Second},
		{nodelease.MinterOptions{Layout: with(day)}, 100 * day},
		{nodelease.MinterOptions{Layout: with(30 * day)}, 365 * day},
	} {
		store := newFaultyStore(1, testTTL)
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
		var answer error
		store.setCarry(func(_ context.Context, request func() error) error {
			calls <- time.Now()
			if answer != nil {
				return answer
			}
			return request()
		})
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
		spread := func(what string, n int, least, most time.Duration) {
			t.Helper()
			shortest, longest := most, least
			for range n {
				pause := within(what, least, most)
				shortest, longest = min(shortest, pause), max(longest, pause)
			}
			if edge := (most - least) / 20; shortest > least+edge || longest < most-edge {
				t.Errorf("%s: %d pauses of %v to %v, want %v to %v", what, n, shortest, longest, least, most)
			}
		}
		spread("renewals", 500, testTTL/4, testTTL/3)
		for range 2 { // from the beginning again after each success
			answer = errors.New("out of order")
			within("the last success", testTTL/4, testTTL/3)
			for d := 100 * time.Millisecond; d < testTTL/8; d *= 2 {
				within("tries", d/2, d)
			}
			spread("more tries", 500, testTTL/16, testTTL/8)
			answer = nil
			within("the last failure", testTTL/16, testTTL/8)
		}
		synctest.Wait()
		mustMint(t, m)
		if granted, _ := store.counts(); granted != 1 {
			t.Errorf("%d tenures, want 1", granted)
		}
		store.setCarry(nil)
	})
}

// TestLossInOtherWords has a store wrap ErrLost.
func TestLossInOtherWords(t *testing.T) {
	store := newFaultyStore(1, testTTL)
	bubble(t, store, nil, func(t *testing.T, m *nodelease.Minter, w *wall) {
		store.setCarry(func(context.Context, func() error) error {
			store.setCarry(nil)
			store.Expire(0)
			return fmt.Errorf("another holder: %w", nodelease.ErrLost)
		})
		time.Sleep(testTTL / 2)
		if _, err := m.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
		if granted, _ := store.counts(); granted != 2 {
			t.Errorf("%d tenures, want 2", granted)
		}
		store.setCarry(func(context.Context, func() error) error {
			return fmt.Errorf("another holder: %w", nodelease.ErrLost)
		})
		if err := m.Close(t.Context()); err != nil {
			t.Errorf("Close, with a number that another has: %v", err)
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
		mustMint(t, m)
		w.step(-time.Hour)
		if _, err := m.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(testTTL / 2)
		if id, err := m.TryNext(); !errors.Is(err, ids.ErrClockBackward) {
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
		store.setCarry(func(_ context.Context, request func() error) error {
			time.Sleep(time.Second)
			return request()
		})
		time.Sleep(testTTL/3 + time.Millisecond) // a renewal is under way
		w.step(time.Hour)
		for range 3 {
			if id, err := m.TryNext(); !errors.Is(err, ids.ErrSuspended) {
				t.Errorf("got %v, %v past the mark", id, err)
			}
		}
		began := time.Now()
		if _, err := m.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("Next waits for %v", took)
		}
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
