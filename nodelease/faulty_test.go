package nodelease

import (
	"context"
	"sync"
	"time"
)

// faultyStore is a MemoryStore behind a network that a test provides, and with leases that end
// whenever the test likes.
type faultyStore struct {
	*MemoryStore
	// forget breaks the store on purpose: it shows no holder the mark.
	forget bool

	mu sync.Mutex
	// carry takes a request to the store and its answer back. Nil means at once.
	carry             func(ctx context.Context, request func() error) error
	granted, extended int
}

func newFaultyStore(nodes int, ttl time.Duration) *faultyStore {
	return &faultyStore{MemoryStore: NewMemoryStore(nodes, ttl)}
}

func (s *faultyStore) call(ctx context.Context, request func(ctx context.Context) error) error {
	s.mu.Lock()
	carry := s.carry
	s.mu.Unlock()
	if carry == nil {
		return request(ctx)
	}
	return carry(ctx, func() error { return request(context.WithoutCancel(ctx)) })
}

func (s *faultyStore) Take(ctx context.Context, now time.Time) (Lease, error) {
	taken := make(chan *faultyLease, 1)
	err := s.call(ctx, func(ctx context.Context) error {
		l, err := s.MemoryStore.Take(ctx, now)
		if err != nil {
			return err
		}
		s.mu.Lock()
		s.granted++
		s.mu.Unlock()
		select {
		case taken <- &faultyLease{l, s}:
		default: // the request has come twice
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return <-taken, nil
}

// expire ends the lease of a number at once, whatever its holder believes.
func (s *faultyStore) expire(node int64) {
	s.MemoryStore.mu.Lock()
	defer s.MemoryStore.mu.Unlock()
	s.rows[node].expires = time.Time{}
	s.rows[node].fence++
}

// counts returns how many tenures were granted and how many calls of Extend were carried out.
func (s *faultyStore) counts() (granted, extended int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.granted, s.extended
}

func (s *faultyStore) row(node int64) memoryRow {
	s.MemoryStore.mu.Lock()
	defer s.MemoryStore.mu.Unlock()
	return s.rows[node]
}

type faultyLease struct {
	Lease
	store *faultyStore
}

func (l *faultyLease) Mark() time.Time {
	if l.store.forget {
		return time.Time{}
	}
	return l.Lease.Mark()
}

func (l *faultyLease) Extend(ctx context.Context, mark time.Time) error {
	return l.store.call(ctx, func(ctx context.Context) error {
		if l.store.forget {
			l.store.MemoryStore.mu.Lock()
			l.store.rows[l.Node()].mark = time.Time{}
			l.store.MemoryStore.mu.Unlock()
		}
		err := l.Lease.Extend(ctx, mark)
		if err == nil {
			l.store.mu.Lock()
			l.store.extended++
			l.store.mu.Unlock()
		}
		return err
	})
}

func (l *faultyLease) Release(ctx context.Context, mark time.Time) error {
	return l.store.call(ctx, func(ctx context.Context) error { return l.Lease.Release(ctx, mark) })
}
