package nodelease

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/oneclock/ids/nodelease/internal/storekit"
)

// MemoryStore is a [Store] in memory, for tests: it serves one process, and forgets everything when
// that ends. Its leases end by time.Now, which in a testing/synctest bubble is the bubble's.
type MemoryStore struct {
	ttl time.Duration

	mu     sync.Mutex
	rows   []memoryRow
	header string // that of the first Take
}

type memoryRow struct {
	fence   int64 // how many times the number was taken or given back
	expires time.Time
	mark    time.Time
}

// NewMemoryStore returns a store of the numbers from 0 to nodes-1. It panics if nodes is negative.
func NewMemoryStore(nodes int, ttl time.Duration) *MemoryStore {
	return &MemoryStore{ttl: ttl, rows: make([]memoryRow, nodes)}
}

// Take implements [Store]. The layout of the first Take is that of all.
func (s *MemoryStore) Take(ctx context.Context, r Request) (Lease, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	header := storekit.Header(r.Layout)
	if s.header == "" {
		s.header = header
	}
	if err := storekit.CheckHeader("the store", s.header, header); err != nil {
		return nil, fmt.Errorf("nodelease: memory: %w", err)
	}
	var free []storekit.Candidate
	var marks []time.Time
	for n, row := range s.rows {
		marks = append(marks, row.mark)
		if !row.expires.After(time.Now()) {
			free = append(free, storekit.Candidate{Node: int64(n), Mark: row.mark})
		}
	}
	if len(free) == 0 {
		return nil, ErrNoNode
	}
	storekit.Prefer(free, storekit.Median(marks), r.Now)
	row := &s.rows[free[0].Node]
	row.fence++
	row.expires = time.Now().Add(s.ttl)
	return &memoryLease{store: s, node: free[0].Node, fence: row.fence, mark: row.mark, free: int64(len(free)) - 1}, nil
}

type memoryLease struct {
	store *MemoryStore
	node  int64
	fence int64
	mark  time.Time
	free  int64
}

func (l *memoryLease) Node() int64        { return l.node }
func (l *memoryLease) Mark() time.Time    { return l.mark }
func (l *memoryLease) TTL() time.Duration { return l.store.ttl }
func (l *memoryLease) Free() int64        { return l.free }

// Extend implements [Lease]. A mark that is lower than the one before comes from a request that was overtaken.
func (l *memoryLease) Extend(ctx context.Context, mark time.Time) error {
	return l.update(ctx, func(r *memoryRow) error {
		if mark.Before(r.mark) {
			return ErrLost
		}
		r.mark, r.expires = mark, time.Now().Add(l.store.ttl)
		return nil
	})
}

// Release implements [Lease].
func (l *memoryLease) Release(ctx context.Context, mark time.Time) error {
	return l.update(ctx, func(r *memoryRow) error {
		r.mark, r.expires = mark, time.Time{}
		r.fence++
		return nil
	})
}

func (l *memoryLease) update(ctx context.Context, f func(*memoryRow) error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	r := &l.store.rows[l.node]
	if r.fence != l.fence {
		return ErrLost
	}
	return f(r)
}
