package nodelease_test

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/oneclock/ids/nodelease"
)

// faultyStore is a MemoryStore behind a network that a test provides.
type faultyStore struct {
	*nodelease.MemoryStore
	// forget breaks the store on purpose: it shows no holder the mark.
	forget bool

	mu                sync.Mutex
	carry             func(ctx context.Context, request func() error) error
	granted, extended int
}

func newFaultyStore(nodes int, ttl time.Duration) *faultyStore {
	return &faultyStore{MemoryStore: nodelease.NewMemoryStore(nodes, ttl)}
}

// setCarry provides what takes a request to the store and its answer back. Nil means at once.
func (s *faultyStore) setCarry(carry func(ctx context.Context, request func() error) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.carry = carry
}

// setSilent cuts the store off, or brings it back.
func (s *faultyStore) setSilent(on bool) {
	if !on {
		s.setCarry(nil)
		return
	}
	s.setCarry(func(ctx context.Context, _ func() error) error {
		<-ctx.Done()
		return ctx.Err()
	})
}

// slow is a carry for setCarry: each request takes a second.
func slow(_ context.Context, request func() error) error {
	time.Sleep(time.Second)
	return request()
}

// counted returns options with which the events of a kind are counted.
func counted(kind nodelease.EventKind) (*atomic.Int64, *nodelease.Options) {
	n := new(atomic.Int64)
	return n, &nodelease.Options{Observe: func(e nodelease.Event) {
		if e.Kind == kind {
			n.Add(1)
		}
	}}
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

func (s *faultyStore) count(n *int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	*n++
}

// counts returns how many tenures were granted and how many calls of Extend were carried out.
func (s *faultyStore) counts() (granted, extended int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.granted, s.extended
}

func (s *faultyStore) Take(ctx context.Context, r nodelease.Request) (nodelease.Lease, error) {
	taken := make(chan nodelease.Lease, 1)
	err := s.call(ctx, func(ctx context.Context) error {
		l, err := s.MemoryStore.Take(ctx, r)
		if err != nil {
			return err
		}
		s.count(&s.granted)
		select {
		case taken <- &faultyLease{l, s}:
		default: // the request has come twice: a number that nobody knows to be theirs
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return <-taken, nil
}

type faultyLease struct {
	nodelease.Lease
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
			expires, _ := l.store.Row(l.Node())
			l.store.SetRow(l.Node(), expires, time.Time{})
		}
		err := l.Lease.Extend(ctx, mark)
		if err == nil {
			l.store.count(&l.store.extended)
		}
		return err
	})
}

func (l *faultyLease) Release(ctx context.Context, mark time.Time) error {
	return l.store.call(ctx, func(ctx context.Context) error { return l.Lease.Release(ctx, mark) })
}

// lockedText is a text that goroutines write.
type lockedText struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lockedText) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lockedText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
