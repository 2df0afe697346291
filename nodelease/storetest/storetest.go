// Package storetest holds stores to what nodelease.Store and nodelease.Lease promise.
package storetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/oneclock/ids/nodelease"
)

// Run holds a new store with two numbers to what Store and nodelease.Lease promise.
func Run(t *testing.T, open func(t *testing.T) nodelease.Store) {
	s := open(t)
	now := time.Now().UTC().Truncate(time.Microsecond)
	take := func() nodelease.Lease {
		t.Helper()
		l, err := s.Take(t.Context(), now)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	check := func(what string, got, want error) {
		t.Helper()
		if !errors.Is(got, want) {
			t.Fatalf("%s: error %v, want %v", what, got, want)
		}
	}
	mark := func(after time.Duration) time.Time { return now.Add(after) }
	holds := func(what string, l nodelease.Lease, want time.Time) {
		t.Helper()
		if got := l.Mark(); !got.Equal(want) {
			t.Fatalf("%s: mark %v, want %v", what, got, want)
		}
	}

	a, b := take(), take()
	if a.Node() == b.Node() || a.Node() < 0 || a.Node() > 1 || b.Node() < 0 || b.Node() > 1 {
		t.Fatalf("numbers %d and %d, want 0 and 1", a.Node(), b.Node())
	}
	if !a.Mark().IsZero() {
		t.Errorf("mark %v of a number that was never held", a.Mark())
	}
	check("Release of an unused number", b.Release(t.Context(), b.Mark()), nil)
	b = take()
	holds("of an unused number", b, time.Time{})
	_, err := s.Take(t.Context(), now)
	check("Take of a third number", err, nodelease.ErrNoNode)

	check("Extend", a.Extend(t.Context(), mark(time.Hour)), nil)
	check("Extend to the same mark", a.Extend(t.Context(), mark(time.Hour)), nil)
	check("Release", a.Release(t.Context(), mark(time.Minute)), nil)
	check("Extend after Release", a.Extend(t.Context(), mark(2*time.Hour)), nodelease.ErrLost)
	check("second Release", a.Release(t.Context(), mark(2*time.Hour)), nodelease.ErrLost)
	c := take()
	if c.Node() != a.Node() {
		t.Fatalf("took %d, want the released %d", c.Node(), a.Node())
	}
	holds("after Release", c, mark(time.Minute))
	check("Extend by a former holder", a.Extend(t.Context(), mark(2*time.Hour)), nodelease.ErrLost)

	// c asks for a mark and does not hear whether it was written; then it falls silent. b stays.
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.Extend(ended, mark(2*time.Hour)); err == nil {
		t.Error("Extend without a connection has succeeded")
	}
	check("Extend after an attempt without an answer", c.Extend(t.Context(), mark(3*time.Hour)), nil)
	check("Extend", b.Extend(t.Context(), mark(4*time.Hour)), nil)
	var d nodelease.Lease
	for limit := time.Now().Add(10 * c.TTL()); d == nil; time.Sleep(c.TTL() / 8) {
		check("Extend", b.Extend(t.Context(), mark(4*time.Hour)), nil)
		if d, err = s.Take(t.Context(), now); err != nil {
			check("Take", err, nodelease.ErrNoNode)
		}
		if time.Now().After(limit) {
			t.Fatal("the lease of a silent holder does not end")
		}
	}
	if d.Node() != c.Node() {
		t.Fatalf("took %d, want the silent holder's %d", d.Node(), c.Node())
	}
	holds("after a silent holder", d, mark(3*time.Hour))
	check("Extend by a former holder", c.Extend(t.Context(), mark(5*time.Hour)), nodelease.ErrLost)
	check("Release by a former holder", c.Release(t.Context(), mark(0)), nodelease.ErrLost)
	check("Extend", d.Extend(t.Context(), mark(3*time.Hour)), nil)

	// Of two free numbers, the one whose mark has passed, or else the one whose mark will pass
	// first.
	check("Release", d.Release(t.Context(), mark(3*time.Hour)), nil)
	check("Release", b.Release(t.Context(), mark(0)), nil)
	for range 5 {
		e := take()
		if e.Node() != b.Node() {
			t.Fatalf("took %d, whose mark is ahead, want %d", e.Node(), b.Node())
		}
		check("Release", e.Release(t.Context(), mark(2*time.Hour)), nil)
	}
}
