// Package memory implements the store of package memstore, and adds methods that the Minter's tests
// use to inspect and change the store.
package memory

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/internal/layout"
	"github.com/oneclock/ids/nodelease/storekit"
)

// Store is an in-memory [nodelease.Store].
type Store struct {
	ttl time.Duration

	mu     sync.Mutex
	rows   []row
	header string // header of the first Take
}

type row struct {
	changes int64 // number of Takes, releases and expirations so far; identifies a lease
	expires time.Time
	horizon time.Time
}

// New returns a store with the numbers from 0 to numbers-1, whose leases last for ttl. It panics if
// numbers is negative.
func New(numbers int64, ttl time.Duration) *Store {
	return &Store{ttl: ttl, rows: make([]row, numbers)}
}

// Take implements [nodelease.Store].
func (s *Store) Take(ctx context.Context, r nodelease.Request) (nodelease.Grant, error) {
	if ctx.Err() != nil {
		return nodelease.Grant{}, context.Cause(ctx)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	header := storekit.Header(r.Layout)
	if s.header == "" {
		s.header = header
	}
	if err := storekit.CheckHeader("the store", s.header, header); err != nil {
		return nodelease.Grant{}, fmt.Errorf("nodelease: memory: %w", err)
	}
	var free []storekit.Candidate
	var horizons []time.Time
	for n, row := range s.rows[:min(int64(len(s.rows)), 1<<layout.Plain(r.Layout).NodeBits)] {
		horizons = append(horizons, row.horizon)
		if !row.expires.After(time.Now()) {
			free = append(free, storekit.Candidate{Number: int64(n), Horizon: row.horizon})
		}
	}
	if len(free) == 0 {
		return nodelease.Grant{}, nodelease.ErrNoNumber
	}
	storekit.Prefer(free, storekit.Median(horizons), r.Now)
	number := free[0].Number
	row := &s.rows[number]
	row.changes++
	row.expires = time.Now().Add(s.ttl)
	return nodelease.Grant{
		Number: number, Horizon: row.horizon, TTL: s.ttl, Free: int64(len(free)) - 1, FreeKnown: true,
		Lease: &lease{store: s, number: number, changes: row.changes},
	}, nil
}

// Expire ends the lease of a number immediately, even if its holder still relies on it.
func (s *Store) Expire(number int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rows[number].expires = time.Time{}
	s.rows[number].changes++
}

// Row returns the time at which a number's lease ends, and the number's horizon.
func (s *Store) Row(number int64) (expires, horizon time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rows[number].expires, s.rows[number].horizon
}

// SetRow sets the time at which a number's lease ends, and the number's horizon.
func (s *Store) SetRow(number int64, expires, horizon time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rows[number].expires, s.rows[number].horizon = expires, horizon
}

type lease struct {
	store   *Store
	number  int64
	changes int64
}

// Extend implements [nodelease.Lease]. A horizon lower than the current one comes from a request
// that arrived out of order.
func (l *lease) Extend(ctx context.Context, horizon time.Time) error {
	return l.updateRow(ctx, func(r *row) error {
		if horizon.Before(r.horizon) {
			return nodelease.ErrLost
		}
		r.horizon, r.expires = horizon, time.Now().Add(l.store.ttl)
		return nil
	})
}

// Release implements [nodelease.Lease].
func (l *lease) Release(ctx context.Context, horizon time.Time) error {
	return l.updateRow(ctx, func(r *row) error {
		r.horizon, r.expires = horizon, time.Time{}
		r.changes++
		return nil
	})
}

func (l *lease) updateRow(ctx context.Context, f func(*row) error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	r := &l.store.rows[l.number]
	if r.changes != l.changes {
		return nodelease.ErrLost
	}
	return f(r)
}
