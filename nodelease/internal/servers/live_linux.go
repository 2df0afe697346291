package servers

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease"
)

// StopsFirst cuts a minter off from its store and looks whether anybody can take the number
// while it is still minting. Then it heals the cut. The store must have one number; free asks
// it, over another connection, whether nobody holds that.
func StopsFirst(t *testing.T, s nodelease.Store, free func() bool, cut func(bool)) {
	m, err := nodelease.NewMinter(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	defer m.Close()
	if _, err := m.Next(ctx); err != nil {
		t.Fatal(err)
	}
	cut(true)
	for stopped := false; ; {
		gone := free() // before the attempt: an id that comes later than this is one too many
		_, err := m.TryNext()
		switch {
		case gone && err == nil:
			t.Fatal("minting goes on although the lease has ended")
		case gone && !stopped:
			t.Fatal("the lease has ended no later than the minting")
		case err == nil && stopped:
			t.Fatal("minting goes on behind a cut")
		case errors.Is(err, ids.ErrSuspended):
			stopped = true
		case err != nil && !errors.Is(err, ids.ErrExhausted):
			t.Fatal(err)
		}
		if gone {
			break
		}
		if ctx.Err() != nil {
			t.Fatal("the lease of a minter that is cut off does not end")
		}
		time.Sleep(time.Millisecond)
	}
	cut(false)
	if _, err := m.Next(ctx); err != nil {
		t.Fatalf("minting does not go on: %v", err)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	if !free() {
		t.Error("the number is held after Close")
	}
}

// AllNumbers has as many minters as the store has numbers start at once, and hand their
// numbers back at once.
func AllNumbers(t *testing.T, s nodelease.Store, numbers int) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	began := time.Now()
	all := make([]*nodelease.Minter, numbers)
	for i := range all {
		m, err := nodelease.NewMinter(s, nil)
		if err != nil {
			t.Fatal(err)
		}
		all[i] = m
	}
	holders := map[int64]int{}
	for i, m := range all {
		id, err := m.Next(ctx)
		if err != nil {
			t.Fatalf("minter %d: %v", i, err)
		}
		if other, ok := holders[id.Node()]; ok {
			t.Errorf("minters %d and %d both have the number %d", other, i, id.Node())
		}
		holders[id.Node()] = i
	}
	t.Logf("%d minters had numbers after %v", numbers, time.Since(began).Round(time.Millisecond))
	if _, err := s.Take(ctx, time.Now()); !errors.Is(err, nodelease.ErrNoNode) {
		t.Errorf("Take of one more: %v", err)
	}
	began = time.Now()
	var closed sync.WaitGroup
	for _, m := range all {
		closed.Go(func() {
			if err := m.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	closed.Wait()
	t.Logf("and had handed them back %v after Close", time.Since(began).Round(time.Millisecond))
	if _, err := s.Take(ctx, time.Now()); err != nil {
		t.Errorf("Take after Close: %v", err)
	}
}
