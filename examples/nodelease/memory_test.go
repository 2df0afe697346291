package main

import (
	"context"
	"sync"
	"time"
)

// memoryStore is a Store in memory whose leases end by time.Now, which is a synctest bubble's.
type memoryStore struct {
	mu   sync.Mutex
	rows []memoryRow
	ttl  time.Duration

	// carry takes a request to the store and its answer back. Nil means at once.
	carry func(ctx context.Context, request func() error) error
	// forget breaks the store on purpose: it shows no holder the mark.
	forget            bool
	granted, extended int
}

type memoryRow struct {
	fence   int64
	expires time.Time
	mark    time.Time
}

func newMemoryStore(nodes int, ttl time.Duration) *memoryStore {
	return &memoryStore{rows: make([]memoryRow, nodes), ttl: ttl}
}

func (s *memoryStore) call(ctx context.Context, request func() error) error {
	locked := func() error {
		s.mu.Lock()
		defer s.mu.Unlock()
		if err := ctx.Err(); err != nil && s.carry == nil {
			return err
		}
		return request()
	}
	s.mu.Lock()
	carry := s.carry
	s.mu.Unlock()
	if carry != nil {
		return carry(ctx, locked)
	}
	return locked()
}

func (s *memoryStore) Take(ctx context.Context, now time.Time) (Lease, error) {
	taken := make(chan *memoryLease, 1)
	err := s.call(ctx, func() error {
		var free []candidate
		for n, r := range s.rows {
			if !r.expires.After(time.Now()) {
				free = append(free, candidate{node: int64(n), mark: r.mark})
			}
		}
		if len(free) == 0 {
			return ErrNoNode
		}
		prefer(free, now)
		r := &s.rows[free[0].node]
		r.fence++
		r.expires = time.Now().Add(s.ttl)
		s.granted++
		l := &memoryLease{store: s, node: free[0].node, fence: r.fence, mark: r.mark}
		if s.forget {
			l.mark = time.Time{}
		}
		taken <- l
		return nil
	})
	if err != nil {
		return nil, err
	}
	return <-taken, nil
}

// expire ends the lease of a number at once, whatever its holder believes.
func (s *memoryStore) expire(node int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rows[node].expires = time.Time{}
	s.rows[node].fence++
}

// counts returns how many tenures were granted and how many calls of Extend were carried out.
func (s *memoryStore) counts() (granted, extended int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.granted, s.extended
}

func (s *memoryStore) row(node int64) memoryRow {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rows[node]
}

type memoryLease struct {
	store *memoryStore
	node  int64
	fence int64
	mark  time.Time
}

func (l *memoryLease) Node() int64        { return l.node }
func (l *memoryLease) Mark() time.Time    { return l.mark }
func (l *memoryLease) TTL() time.Duration { return l.store.ttl }

func (l *memoryLease) Extend(ctx context.Context, mark time.Time) error {
	return l.store.call(ctx, func() error {
		r := &l.store.rows[l.node]
		if r.fence != l.fence {
			return ErrLost
		}
		if mark.Before(r.mark) && !l.store.forget {
			return ErrLost
		}
		r.mark, r.expires = mark, time.Now().Add(l.store.ttl)
		l.store.extended++
		return nil
	})
}

func (l *memoryLease) Release(ctx context.Context, mark time.Time) error {
	return l.store.call(ctx, func() error {
		r := &l.store.rows[l.node]
		if r.fence != l.fence {
			return ErrLost
		}
		r.mark, r.expires = mark, time.Time{}
		r.fence++
		return nil
	})
}
