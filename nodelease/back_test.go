package nodelease_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease"
)

// TestMarkIsNearWhileTheWallClockIsBehind has a Minter crash again and again while its wall clock is far
// behind. Each time carries the mark two hundredths of the window ahead at most, and what the ids need.
func TestMarkIsNearWhileTheWallClockIsBehind(t *testing.T) {
	const window = 100 * time.Second
	store := newFaultyStore(1, testTTL)
	base := start2026.Add(24 * time.Hour)
	store.SetRow(0, time.Time{}, base)
	for range 20 {
		bubble(t, store, &nodelease.Options{Window: window}, func(t *testing.T, m *nodelease.Minter, w *wall) {
			for range 5 {
				mustNext(t, m)
				time.Sleep(testTTL / 3) // there is a renewal in between
			}
			_, mark := store.Row(0)
			store.setSilent(true) // it cannot hand the number back
			defer store.setSilent(false)
			_ = m.Close()
			store.SetRow(0, time.Time{}, mark)
		})
	}
	// A slow clock has run for half of 5/3 of a TTL each time.
	if _, mark := store.Row(0); mark.Sub(base) > 20*(testTTL*5/6+2*window/100) {
		t.Errorf("the mark is %v ahead after 20 crashes", mark.Sub(base))
	}
}

// TestRestlessWallClock has a wall clock jump to and fro by up to a second while many goroutines mint.
func TestRestlessWallClock(t *testing.T) {
	rng := &lockedRand{rand: newRand(drawSeed(t))}
	store := newFaultyStore(1, testTTL)
	bubble(t, store, nil, func(t *testing.T, m *nodelease.Minter, w *wall) {
		var mu sync.Mutex
		seen := map[ids.Snowflake]bool{}
		var all sync.WaitGroup
		began := time.Now()
		for range 4 {
			all.Go(func() {
				var last ids.Snowflake
				for time.Since(began) < 20*time.Second {
					for range 5 {
						id, err := m.Next(t.Context())
						if err != nil {
							t.Error(err)
							return
						}
						mu.Lock()
						if seen[id] || id <= last {
							t.Errorf("%d after %d", id, last)
						}
						seen[id] = true
						mu.Unlock()
						last = id
					}
					if _, err := m.TryNext(); err != nil && !errors.Is(err, ids.ErrClockBackward) && !errors.Is(err, ids.ErrSuspended) {
						t.Error(err)
					}
					time.Sleep(rng.within(30 * time.Millisecond))
				}
			})
		}
		for time.Since(began) < 20*time.Second {
			time.Sleep(rng.within(50 * time.Millisecond))
			w.step(rng.within(2*time.Second) - time.Second)
		}
		all.Wait()
	})
}

// TestNextEndsWithItsContext has the wall clock leap past the mark while the store is silent.
func TestNextEndsWithItsContext(t *testing.T) {
	store := newFaultyStore(1, testTTL)
	bubble(t, store, nil, func(t *testing.T, m *nodelease.Minter, w *wall) {
		mustMint(t, m)
		store.setSilent(true)
		w.step(time.Hour)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if id, err := m.Next(ctx); !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, ids.ErrSuspended) {
			t.Errorf("got %v, %v past the mark", id, err)
		}
		w.step(-2 * time.Hour) // and now it is behind: what is left up to the mark can be had
		ctx, cancel = context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := m.Next(ctx); err != nil {
			t.Error(err)
		}
		synctest.Wait()
	})
}

// TestLastIDBelowTheMark has a call stop on its way to an id while others take all up to the mark, and no more:
// none of those has asked for a higher one.
func TestLastIDBelowTheMark(t *testing.T) {
	store := newFaultyStore(1, testTTL)
	store.SetRow(0, time.Time{}, start2026.Add(time.Hour)) // the next mark is a hundredth of the window after that
	layout := ids.TwitterLayout()
	layout.NodeBits, layout.SequenceBits = 20, 2
	stopping(t, store, nodelease.Options{Layout: layout}, func(t *testing.T, m *nodelease.Minter, w *wall, stop func(look int), goOn chan<- struct{}) {
		stop(2) // after those of two TryNext
		var late sync.WaitGroup
		var took time.Duration
		var began time.Time
		late.Go(func() {
			id, err := m.Next(t.Context())
			if took = time.Since(began); err != nil {
				t.Errorf("got %d, %v", id, err)
			}
		})
		synctest.Wait()
		_, mark := store.Row(0)
		for last := (ids.SnowflakeParts{}); last.Sequence < 3 || last.Time.Before(mark.Truncate(time.Millisecond)); {
			last = layout.Split(mustNext(t, m))
		}
		began = time.Now()
		close(goOn)
		late.Wait()
		if took > 150*time.Millisecond { // it was helped by the next look
			t.Errorf("a call has waited for %v although the store answers", took)
		}
	})
}
