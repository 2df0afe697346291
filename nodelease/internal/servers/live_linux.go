package servers

import (
	"context"
	"errors"
	"io/fs"
	"testing"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/internal/must"
)

// StopsFirst cuts the links of a minter to its store and looks whether anybody can take the number
// while it is still minting. Then it heals them. The store must have one number; free asks
// it, over another connection, whether nobody holds that.
func StopsFirst(t *testing.T, n *Network, s nodelease.Store, free func() (bool, error), links ...Link) {
	m := must.Get(nodelease.NewMinter(s, nil))(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	defer m.Close()
	must.Get(m.Next(ctx))(t)
	n.Set(true, links...)
	for stopped := false; ; {
		gone, err := free() // before the attempt: an id that comes later than this is one too many
		must.Do(t, err)
		_, err = m.TryNext()
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
	n.Set(false, links...)
	if _, err := m.Next(ctx); err != nil {
		t.Fatalf("minting does not go on: %v", err)
	}
	must.Do(t, m.Close())
	if gone, err := free(); !gone {
		t.Errorf("the number is held after Close, %v", err)
	}
}

// First returns a store, after a first start unless there was one.
func First[S any](open func(first bool) (S, error)) (S, error) {
	s, err := open(true)
	if errors.Is(err, fs.ErrExist) {
		return open(false)
	}
	return s, err
}
