package nodelease_test

// A simulation of Minters whose store fails and whose clocks jump.

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/internal/memory"
	"github.com/oneclock/ids/nodelease/internal/must"
)

// faultyStore is an in-memory store behind a network that a test simulates.
type faultyStore struct {
	*memory.Store
	granted, extended atomic.Int64 // number of tenures, and number of calls to Extend that were carried out

	mu              sync.Mutex
	carry           func(ctx context.Context, request func() error) error
	times, horizons []time.Time
}

func newFaultyStore(numbers int64, ttl time.Duration) *faultyStore {
	return &faultyStore{Store: memory.New(numbers, ttl)}
}

// setCarry sets the function that carries a request to the store and its answer back. Nil means
// that requests and answers are carried without delay.
func (s *faultyStore) setCarry(carry func(ctx context.Context, request func() error) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.carry = carry
}

// setSilent disconnects the store, or connects it again.
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

// slow returns a function for setCarry that makes each request take d, even if its context is done
// earlier.
func slow(d time.Duration) func(context.Context, func() error) error {
	return func(_ context.Context, request func() error) error {
		time.Sleep(d)
		return request()
	}
}

// counted returns options that count the events of the given kind, and the count.
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

// asked returns the times passed to Take and the horizons passed to Extend, in the calls that have
// reached the store.
func (s *faultyStore) asked() (times, horizons []time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.times), slices.Clone(s.horizons)
}

// note appends one to a list that asked returns.
func (s *faultyStore) note(all *[]time.Time, one time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	*all = append(*all, one)
}

func (s *faultyStore) Take(ctx context.Context, r nodelease.Request) (nodelease.Grant, error) {
	taken := make(chan nodelease.Grant, 1)
	err := s.call(ctx, func(ctx context.Context) error {
		s.note(&s.times, r.Now)
		g, err := s.Store.Take(ctx, r)
		if err != nil {
			return err
		}
		s.granted.Add(1)
		g.Lease = &faultyLease{g.Lease, s}
		select {
		case taken <- g:
		default: // the request arrived twice, so no call returns this number
		}
		return nil
	})
	if err != nil {
		return nodelease.Grant{}, err
	}
	return <-taken, nil
}

type faultyLease struct {
	nodelease.Lease
	store *faultyStore
}

func (l *faultyLease) Extend(ctx context.Context, horizon time.Time) error {
	return l.store.call(ctx, func(ctx context.Context) error {
		l.store.note(&l.store.horizons, horizon)
		err := l.Lease.Extend(ctx, horizon)
		if err == nil {
			l.store.extended.Add(1)
		}
		return err
	})
}

func (l *faultyLease) Release(ctx context.Context, horizon time.Time) error {
	return l.store.call(ctx, func(ctx context.Context) error { return l.Lease.Release(ctx, horizon) })
}

// lockedText is a buffer to which several goroutines can write.
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

// simulate lets Minters with skewed and stepping clocks share the numbers of a store that ends
// leases at random, over a network that delays and loses requests and answers. It returns the
// number of IDs that were made and the number of IDs that were made twice.
func simulate(t *testing.T) (minted, twice int) {
	const minters, numbers, length = 12, 5, 5 * time.Minute
	must.Bubble(t, func(t *testing.T) {
		store := newFaultyStore(numbers, testTTL)
		store.setCarry(lossy)
		seen := map[ids.Snowflake]bool{}
		var mu sync.Mutex
		ctx, cancel := context.WithTimeout(t.Context(), length)
		defer cancel()
		var all sync.WaitGroup
		for range minters {
			all.Go(func() {
				w := new(wall)
				w.step(time.Until(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)))
				for ctx.Err() == nil {
					m, err := nodelease.NewMinter(store, &nodelease.Options{Window: time.Second + rand.N(4*testTTL), Now: w.now})
					if err != nil {
						t.Error(err)
						return
					}
					var last ids.Snowflake
					life := time.Now().Add(rand.N(time.Minute))
					for time.Now().Before(life) && ctx.Err() == nil {
						if rand.N(50) == 0 {
							w.step(rand.N(30*time.Second) - 15*time.Second)
						}
						call, cancel := context.WithTimeout(ctx, time.Second)
						id, err := m.NextContext(call)
						cancel()
						if err == nil {
							if numberOf(id) == numberOf(last) && id <= last {
								t.Errorf("%d after %d", id, last)
							}
							last = id
							mu.Lock()
							if seen[id] {
								twice++
							}
							seen[id] = true
							mu.Unlock()
						} else if !errors.Is(err, context.DeadlineExceeded) {
							t.Error(err)
						}
						// Because all Minters wake at the same times, two holders may make IDs in
						// the same tick.
						time.Sleep(time.Until(time.Now().Truncate(10 * time.Millisecond).Add(10 * time.Millisecond)))
					}
					_ = m.Close()
				}
			})
		}
		all.Go(func() {
			for ctx.Err() == nil {
				time.Sleep(rand.N(testTTL / 2))
				store.Expire(rand.N(int64(numbers)))
			}
		})
		all.Wait()
		minted = len(seen) + twice
		time.Sleep(time.Minute) // for the last delayed requests and Closes to end
	})
	return minted, twice
}

// lossy is a network on which a request may arrive after its caller has given up, or twice, and an
// answer may never arrive.
func lossy(ctx context.Context, request func() error) error {
	delay := func() time.Duration {
		if rand.N(5) == 0 {
			return rand.N(2 * testTTL)
		}
		return rand.N(10 * time.Millisecond)
	}
	answer := make(chan error, 1)
	there, back, again := delay(), delay(), time.Duration(0)
	if rand.N(5) == 0 {
		again = delay()
	}
	go func() {
		time.Sleep(there)
		err := request()
		if again > 0 {
			go func() {
				time.Sleep(again)
				_ = request()
			}()
		}
		time.Sleep(back)
		answer <- err
	}()
	select {
	case err := <-answer:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func TestSimulation(t *testing.T) {
	runs := 10
	if testing.Short() {
		runs = 1
	}
	total := 0
	for range runs {
		minted, twice := simulate(t)
		if twice > 0 || minted == 0 {
			t.Errorf("%d of %d ids twice", twice, minted)
		}
		total += minted
	}
	t.Logf("%d ids", total)
}
