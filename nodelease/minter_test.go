package nodelease_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease"
)

const testTTL = 10 * time.Second

// wall is a wall clock that a test sets off by any amount. It counts its readings.
type wall struct {
	offset, readings atomic.Int64
	wrong            atomic.Int64 // so many of the next readings are an hour ahead
}

func (w *wall) now() time.Time {
	now := time.Now().Add(time.Duration(w.offset.Load()))
	w.readings.Add(1)
	if w.wrong.Add(-1) >= 0 {
		now = now.Add(time.Hour)
	}
	return now
}

func (w *wall) step(by time.Duration) { w.offset.Add(int64(by)) }

var start2026 = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// bubble runs test in a synctest bubble, where its year is one that Twitter's layout can name,
// with a Minter that has had time to get a number.
func bubble(t *testing.T, store nodelease.Store, opts *nodelease.Options, test func(t *testing.T, m *nodelease.Minter, w *wall)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := new(wall)
		w.step(time.Until(start2026))
		var o nodelease.Options
		if opts != nil {
			o = *opts
		}
		o.Now = w.now
		m, err := nodelease.NewMinter(store, &o)
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			_ = m.Close()
			time.Sleep(time.Minute) // for a store that ignores its context
		}()
		synctest.Wait()
		test(t, m, w)
	})
}

// scriptedStore hands out what a test tells it to.
type scriptedStore struct {
	take            atomic.Pointer[func() (nodelease.Lease, error)]
	taken, released atomic.Int64
}

func (s *scriptedStore) set(take func() (nodelease.Lease, error)) { s.take.Store(&take) }

func (s *scriptedStore) Take(context.Context, nodelease.Request) (nodelease.Lease, error) {
	s.taken.Add(1)
	return (*s.take.Load())()
}

// lease is a Lease that agrees to everything.
type lease struct {
	store *scriptedStore
	node  int64
	mark  time.Time
	ttl   time.Duration
}

func (l *lease) Node() int64                             { return l.node }
func (l *lease) Mark() time.Time                         { return l.mark }
func (l *lease) TTL() time.Duration                      { return l.ttl }
func (l *lease) Free() int64                             { return -1 }
func (l *lease) Extend(context.Context, time.Time) error { return nil }

func (l *lease) Release(context.Context, time.Time) error {
	l.store.released.Add(1)
	return nil
}

func mustMint(t *testing.T, m *nodelease.Minter) ids.Snowflake {
	t.Helper()
	id, err := m.TryNext()
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// mustNext is mustMint with Next.
func mustNext(t *testing.T, m *nodelease.Minter) ids.Snowflake {
	t.Helper()
	id, err := m.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// refused checks that TryNext returns no id, and an error that matches want. what says when.
func refused(t *testing.T, m *nodelease.Minter, want error, what string) {
	t.Helper()
	if id, err := m.TryNext(); id != 0 || !errors.Is(err, want) {
		t.Fatalf("%s: TryNext returns %v, %v, want %v", what, id, err, want)
	}
}

func mustClose(t *testing.T, m *nodelease.Minter) {
	t.Helper()
	if err := m.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
}

func TestMintingStopsBeforeTheLeaseCanEnd(t *testing.T) {
	store := newFaultyStore(4, testTTL)
	store.setCarry(func(_ context.Context, request func() error) error {
		err := request()
		time.Sleep(2 * time.Second) // the answer's way
		return err
	})
	bubble(t, store, nil, func(t *testing.T, m *nodelease.Minter, w *wall) {
		id := mustNext(t, m)
		store.setSilent(true)
		w.step(-time.Minute) // the lease ends all the same
		expires, _ := store.Row(id.Node())
		deadline := expires.Add(-testTTL/10 - 100*time.Millisecond)
		time.Sleep(time.Until(deadline) - time.Nanosecond)
		mustNext(t, m)
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		refused(t, m, ids.ErrSuspended, "at the deadline")
		if _, ok := m.Node(); ok {
			t.Error("Node reports a number past the deadline")
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if id, err := m.Next(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("got %v, %v, want Next to wait until its context ends", id, err)
		}

		// The store answers again before anybody took the number: the tenure goes on.
		store.setSilent(false)
		mustNext(t, m)
		if granted, _ := store.counts(); granted != 1 {
			t.Errorf("took %d numbers, want to go on with the first", granted)
		}
	})
}

// TestShortLeaseOutlastsAnOutage lets the store fail, again and again, for most of a short TTL after a
// renewal: there is still a try before the minting must stop.
func TestShortLeaseOutlastsAnOutage(t *testing.T) {
	const ttl = 2 * time.Second
	store := newFaultyStore(1, ttl)
	bubble(t, store, nil, func(t *testing.T, m *nodelease.Minter, w *wall) {
		for range 100 {
			before, _ := store.Row(0)
			renewed := before
			for ; renewed.Equal(before); renewed, _ = store.Row(0) {
				time.Sleep(time.Millisecond)
			}
			store.setCarry(func(context.Context, func() error) error { return errors.New("out of order") })
			time.Sleep(time.Until(renewed.Add(-ttl * 3 / 10)))
			store.setCarry(nil)
			time.Sleep(ttl / 8)
			synctest.Wait()
			if renewed, _ = store.Row(0); time.Until(renewed) < ttl*3/4 {
				t.Fatalf("the lease was not renewed within %v after the outage: %v are left of %v", ttl/8, time.Until(renewed), ttl)
			}
			mustMint(t, m)
		}
		if granted, _ := store.counts(); granted != 1 {
			t.Errorf("%d tenures, want 1", granted)
		}
	})
}

func TestLossIsFollowedByAnotherTenure(t *testing.T) {
	store := newFaultyStore(4, testTTL)
	bubble(t, store, nil, func(t *testing.T, m *nodelease.Minter, w *wall) {
		first := mustMint(t, m)
		node, _ := m.Node()
		store.Expire(node)
		time.Sleep(testTTL)
		id := mustNext(t, m)
		if granted, _ := store.counts(); granted != 2 {
			t.Errorf("took %d numbers, want 2", granted)
		}
		if id == first {
			t.Errorf("%v twice", id)
		}
	})
}

func TestNoIDBeyondTheMark(t *testing.T) {
	store := newFaultyStore(1, testTTL)
	bubble(t, store, &nodelease.Options{Window: testTTL}, func(t *testing.T, m *nodelease.Minter, w *wall) {
		store.setSilent(true)
		_, mark := store.Row(0)
		w.step(mark.Sub(w.now()))
		if id := mustMint(t, m); id.Time().After(mark) {
			t.Errorf("id of %v past the mark %v", id.Time(), mark)
		}
		w.step(time.Millisecond)
		refused(t, m, ids.ErrSuspended, "past the mark")
		time.Sleep(time.Second) // a higher mark has been asked for, in vain
		refused(t, m, ids.ErrSuspended, "past the mark that is written")
		if _, ok := m.Node(); !ok {
			t.Error("the number is gone before the deadline")
		}

		// The attempt has asked for a higher mark, ahead of the next regular one.
		store.setSilent(false)
		w.step(time.Hour)
		start := time.Now()
		id := mustNext(t, m)
		if _, mark := store.Row(0); id.Time().After(mark) {
			t.Errorf("id of %v past the mark %v", id.Time(), mark)
		}
		if waited := time.Since(start); waited > testTTL/2 {
			t.Errorf("waited %v for a higher mark", waited)
		}
	})
}

func TestMarkIsNotWrittenAtEveryBeat(t *testing.T) {
	store := newFaultyStore(1, testTTL)
	bubble(t, store, &nodelease.Options{Window: 4 * testTTL}, func(t *testing.T, m *nodelease.Minter, w *wall) {
		marks := map[time.Time]bool{}
		for range 100 {
			_, mark := store.Row(0)
			marks[mark] = true
			mustMint(t, m)
			time.Sleep(testTTL / 3)
			synctest.Wait()
		}
		// One for each 3 TTLs, which are 9 to 10 beats.
		if len(marks) < 10 || len(marks) > 12 {
			t.Errorf("%d marks in 100 beats", len(marks))
		}
		if _, extended := store.counts(); extended < 100 {
			t.Errorf("%d renewals in 100 beats", extended)
		}
	})
}

func TestCloseHandsTheNumberBack(t *testing.T) {
	store := newFaultyStore(1, testTTL)
	var last ids.Snowflake
	for range 3 {
		bubble(t, store, nil, func(t *testing.T, m *nodelease.Minter, w *wall) {
			// With the bubble's clock back at its start, only the mark that the last holder
			// left tells what it issued.
			for range 10_000 {
				id := mustNext(t, m)
				if id <= last {
					t.Fatalf("%d after %d", id, last)
				}
				last = id
			}
			mustClose(t, m)
			expires, mark := store.Row(0)
			if !expires.IsZero() {
				t.Error("the number is still held")
			}
			if !mark.Equal(last.Time()) {
				t.Errorf("mark %v, want the latest id's time %v", mark, last.Time())
			}
		})
	}
}

func TestUnusedTenureKeepsTheMark(t *testing.T) {
	store := newFaultyStore(1, testTTL)
	mark := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	store.SetRow(0, time.Time{}, mark)
	bubble(t, store, nil, func(t *testing.T, m *nodelease.Minter, w *wall) {})
	if _, got := store.Row(0); !got.Equal(mark) {
		t.Errorf("mark %v after a tenure without an id, want %v", got, mark)
	}
}

func TestClockBehindTheMark(t *testing.T) {
	store := newFaultyStore(1, testTTL)
	mark := time.Date(2026, 1, 1, 1, 0, 0, 0, time.UTC) // an hour ahead of the bubble's clock
	store.SetRow(0, time.Time{}, mark)
	bubble(t, store, nil, func(t *testing.T, m *nodelease.Minter, w *wall) {
		refused(t, m, ids.ErrClockBackward, "behind the mark")
		var last ids.Snowflake
		for range 100_000 {
			id := mustNext(t, m)
			if id <= last || !id.Time().After(mark) {
				t.Fatalf("%d of %v after %d, mark %v", id, id.Time(), last, mark)
			}
			last = id
		}
	})
}
