package servers

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease"
)

// StopsFirst cuts the links of a minter to its store and looks whether anybody can take the number
// while it is still minting. Then it heals them. The store must have one number; free asks
// it, over another connection, whether nobody holds that.
func StopsFirst(t *testing.T, n *Network, s nodelease.Store, free func() (bool, error), links ...Link) {
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
	n.Set(true, links...)
	for stopped := false; ; {
		gone, err := free() // before the attempt: an id that comes later than this is one too many
		if err != nil {
			t.Fatal(err)
		}
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
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	if gone, err := free(); !gone {
		t.Errorf("the number is held after Close, %v", err)
	}
}

// Wants checks that err matches is, unless that is nil, does not match ErrNoNode, and says all of the texts.
func Wants(t *testing.T, what string, err, is error, texts ...string) {
	t.Helper()
	if err == nil || is != nil && !errors.Is(err, is) || errors.Is(err, nodelease.ErrNoNode) {
		t.Errorf("%s: error %v, want one that matches %v", what, err, is)
		return
	}
	for _, text := range texts {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("%s: error %v, want one with %q", what, err, text)
		}
	}
}
