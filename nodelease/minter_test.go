package nodelease

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oneclock/ids"
)

const testTTL = 10 * time.Second

// wall is a wall clock that a test sets off by any amount.
type wall struct{ offset atomic.Int64 }

func (w *wall) now() time.Time        { return time.Now().Add(time.Duration(w.offset.Load())) }
func (w *wall) step(by time.Duration) { w.offset.Add(int64(by)) }

// silent lets no request reach the store.
func silent(ctx context.Context, _ func() error) error {
	<-ctx.Done()
	return ctx.Err()
}

// bubble runs test in a synctest bubble, where its year is one that Twitter's layout can name,
// with a Minter that has a number.
func bubble(t *testing.T, store *faultyStore, opts MinterOptions, test func(t *testing.T, m *Minter, w *wall)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := new(wall)
		w.step(time.Until(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)))
		opts.Now = w.now
		m, err := NewMinter(store, &opts)
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := m.Close(t.Context()); err != nil {
				t.Error(err)
			}
		}()
		synctest.Wait()
		test(t, m, w)
	})
}

func mustMint(t *testing.T, m *Minter) ids.Snowflake {
	t.Helper()
	id, err := m.TryNext()
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// setSilent cuts the store off, or brings it back.
func setSilent(s *faultyStore, on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.carry = nil
	if on {
		s.carry = silent
	}
}

func TestMintingStopsBeforeTheLeaseCanEnd(t *testing.T) {
	store := newFaultyStore(4, testTTL)
	store.carry = func(_ context.Context, request func() error) error {
		err := request()
		time.Sleep(2 * time.Second) // the answer's way
		return err
	}
	bubble(t, store, MinterOptions{}, func(t *testing.T, m *Minter, w *wall) {
		id, err := m.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		setSilent(store, true)
		deadline := store.row(id.Node()).expires.Add(-testTTL/10 - 100*time.Millisecond)
		time.Sleep(time.Until(deadline) - time.Nanosecond)
		mustMint(t, m)
		time.Sleep(time.Nanosecond)
		if id, err := m.TryNext(); !errors.Is(err, ids.ErrSuspended) {
			t.Fatalf("got %v, %v at the deadline, want ErrSuspended", id, err)
		}
		if _, ok := m.Node(); ok {
			t.Error("Node reports a number past the deadline")
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if id, err := m.Next(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("got %v, %v, want Next to wait until its context ends", id, err)
		}

		// The store answers again before anybody took the number: the tenure goes on.
		setSilent(store, false)
		if _, err := m.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
		if granted, _ := store.counts(); granted != 1 {
			t.Errorf("took %d numbers, want to go on with the first", granted)
		}
	})
}

func TestLossIsFollowedByAnotherTenure(t *testing.T) {
	store := newFaultyStore(4, testTTL)
	bubble(t, store, MinterOptions{}, func(t *testing.T, m *Minter, w *wall) {
		first := mustMint(t, m)
		node, _ := m.Node()
		store.expire(node)
		time.Sleep(testTTL)
		id, err := m.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
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
	bubble(t, store, MinterOptions{Window: testTTL}, func(t *testing.T, m *Minter, w *wall) {
		setSilent(store, true)
		mark := store.row(0).mark
		w.step(mark.Sub(w.now()))
		if id := mustMint(t, m); id.Time().After(mark) {
			t.Errorf("id of %v past the mark %v", id.Time(), mark)
		}
		w.step(time.Millisecond)
		if id, err := m.TryNext(); !errors.Is(err, ids.ErrSuspended) {
			t.Fatalf("got %v, %v past the mark, want ErrSuspended", id, err)
		}
		time.Sleep(time.Second) // a higher mark has been asked for, in vain
		if id, err := m.TryNext(); !errors.Is(err, ids.ErrSuspended) {
			t.Fatalf("got %v, %v past the mark that is written, want ErrSuspended", id, err)
		}
		if _, ok := m.Node(); !ok {
			t.Error("the number is gone before the deadline")
		}

		// The attempt has asked for a higher mark, ahead of the next regular one.
		setSilent(store, false)
		w.step(time.Hour)
		start := time.Now()
		id, err := m.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if id.Time().After(store.row(0).mark) {
			t.Errorf("id of %v past the mark %v", id.Time(), store.row(0).mark)
		}
		if waited := time.Since(start); waited > testTTL/3 {
			t.Errorf("waited %v for a higher mark", waited)
		}
	})
}

func TestMarkIsNotWrittenAtEveryBeat(t *testing.T) {
	store := newFaultyStore(1, testTTL)
	bubble(t, store, MinterOptions{Window: 4 * testTTL}, func(t *testing.T, m *Minter, w *wall) {
		marks := map[time.Time]bool{}
		for range 100 {
			marks[store.row(0).mark] = true
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
		bubble(t, store, MinterOptions{}, func(t *testing.T, m *Minter, w *wall) {
			// With the bubble's clock back at its start, only the mark that the last holder
			// left tells what it issued.
			for range 10_000 {
				id, err := m.Next(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if id <= last {
					t.Fatalf("%d after %d", id, last)
				}
				last = id
			}
			if err := m.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			row := store.row(0)
			if !row.expires.IsZero() {
				t.Error("the number is still held")
			}
			if !row.mark.Equal(last.Time()) {
				t.Errorf("mark %v, want the latest id's time %v", row.mark, last.Time())
			}
			if _, err := m.TryNext(); !errors.Is(err, ErrClosed) {
				t.Errorf("TryNext after Close: %v", err)
			}
			if _, err := m.Next(t.Context()); !errors.Is(err, ErrClosed) {
				t.Errorf("Next after Close: %v", err)
			}
		})
	}
}

func TestUnusedTenureKeepsTheMark(t *testing.T) {
	store := newFaultyStore(1, testTTL)
	mark := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	store.rows[0].mark = mark
	bubble(t, store, MinterOptions{}, func(t *testing.T, m *Minter, w *wall) {})
	if got := store.rows[0].mark; !got.Equal(mark) {
		t.Errorf("mark %v after a tenure without an id, want %v", got, mark)
	}
}

func TestClockBehindTheMark(t *testing.T) {
	store := newFaultyStore(1, testTTL)
	mark := time.Date(2026, 1, 1, 1, 0, 0, 0, time.UTC) // an hour ahead of the bubble's clock
	store.rows[0].mark = mark
	bubble(t, store, MinterOptions{}, func(t *testing.T, m *Minter, w *wall) {
		if id, err := m.TryNext(); !errors.Is(err, ids.ErrClockBackward) {
			t.Fatalf("got %v, %v, want ErrClockBackward", id, err)
		}
		var last ids.Snowflake
		for range 100_000 {
			id, err := m.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if id <= last || !id.Time().After(mark) {
				t.Fatalf("%d of %v after %d, mark %v", id, id.Time(), last, mark)
			}
			last = id
		}
	})
}

// TestEndWakesThoseWhoWait has a caller wait in the node for a higher limit when the number is
// lost. What it draws once the end of the tenure has lifted the limit must not come out.
func TestEndWakesThoseWhoWait(t *testing.T) {
	store := newFaultyStore(1, testTTL)
	bubble(t, store, MinterOptions{}, func(t *testing.T, m *Minter, w *wall) {
		id := mustMint(t, m)
		m.tenure.Load().clock.SetLimit(id.Time().Add(-time.Second))
		type result struct {
			id  ids.Snowflake
			err error
		}
		got := make(chan result, 1)
		go func() {
			id, err := m.mint(func(n *ids.SnowflakeNode) (ids.Snowflake, error) { return n.Next(), nil })
			got <- result{id, err}
		}()
		synctest.Wait()
		if len(got) > 0 {
			t.Fatalf("%v past the limit", <-got)
		}
		store.expire(0)
		time.Sleep(testTTL)
		if r := <-got; !errors.Is(r.err, ids.ErrSuspended) {
			t.Errorf("got %v, %v, want ErrSuspended", r.id, r.err)
		}
	})
}

// TestNextEndsWithItsContext has the wall clock leap from behind the issued ids to past the
// limit, between TryNext and Next.
func TestNextEndsWithItsContext(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	readings := []time.Duration{0, 0, -time.Hour, time.Hour} // those of NewSnowflakeNode, Next, TryNext, Next; the last for all to come
	now := func() time.Time {
		r := readings[0]
		readings = readings[min(1, len(readings)-1):]
		return start.Add(r)
	}
	synctest.Test(t, func(t *testing.T) {
		clock := ids.NewClock(&ids.ClockOptions{Now: now})
		clock.SetLimit(start.Add(time.Minute))
		n, err := ids.NewSnowflakeNode(0, &ids.SnowflakeOptions{Clock: clock})
		if err != nil {
			t.Fatal(err)
		}
		n.Next()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if id, err := ascend(ctx, n); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, %v past the limit", id, err)
		}
		synctest.Wait()
		if len(readings) > 1 {
			t.Errorf("%d readings are left", len(readings))
		}
		clock.SetLimit(time.Time{}) // ends the call that waits
	})
}

func TestTheLayoutsEnd(t *testing.T) {
	store := newFaultyStore(1, testTTL)
	store.rows[0].mark = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC) // Twitter's layout ends in 2080
	bubble(t, store, MinterOptions{}, func(t *testing.T, m *Minter, w *wall) {
		if id, err := m.Next(t.Context()); !errors.Is(err, ids.ErrRange) {
			t.Errorf("got %v, %v", id, err)
		}
	})
}

func TestANumberOutsideTheLayoutIsGivenBack(t *testing.T) {
	store := newFaultyStore(1, testTTL)
	layout := ids.TwitterLayout()
	layout.NodeBits, layout.SequenceBits = 1, 21
	store.rows = make([]memoryRow, 3)
	store.rows[0].expires = time.Now().AddDate(100, 0, 0)
	store.rows[1].expires = time.Now().AddDate(100, 0, 0)
	bubble(t, store, MinterOptions{Layout: layout}, func(t *testing.T, m *Minter, w *wall) {
		if _, err := m.TryNext(); !errors.Is(err, ids.ErrSuspended) {
			t.Errorf("got %v, want ErrSuspended", err)
		}
		time.Sleep(maxRetry)
		if granted, _ := store.counts(); granted < 2 {
			t.Errorf("%d attempts", granted)
		}
	})
}
