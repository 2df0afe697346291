package nodelease_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease"
)

// TestCloseAsksAgain has connections break while a number is handed back, before the store has heard of it
// and afterwards.
func TestCloseAsksAgain(t *testing.T) {
	reset := errors.New("connection reset")
	for _, carriedOut := range []bool{false, true} {
		store := newFaultyStore(1, testTTL)
		bubble(t, store, nil, func(t *testing.T, m *nodelease.Minter, w *wall) {
			last := mustMint(t, m)
			failures := 5
			store.setCarry(func(_ context.Context, request func() error) error {
				if failures--; failures < 0 {
					return request()
				}
				if carriedOut {
					_ = request()
				}
				return reset
			})
			mustClose(t, m)
			if expires, mark := store.Row(0); !expires.IsZero() || !mark.Equal(last.Time()) {
				t.Errorf("the number is held until %v, the mark is %v", expires, mark)
			}
		})
	}
}

// TestCloseDuringTake closes a Minter that waits for a number. What the store grants nevertheless it gets back.
func TestCloseDuringTake(t *testing.T) {
	store := newFaultyStore(1, testTTL)
	store.setCarry(func(_ context.Context, request func() error) error {
		err := request()
		time.Sleep(time.Second) // whatever the context says
		return err
	})
	bubble(t, store, nil, func(t *testing.T, m *nodelease.Minter, w *wall) {
		began := time.Now()
		if err := m.Close(); err != nil || time.Since(began) != 2*time.Second {
			t.Errorf("Close returns %v after %v", err, time.Since(began))
		}
		granted, extended := store.counts()
		if expires, _ := store.Row(0); granted != 1 || extended != 0 || !expires.IsZero() {
			t.Errorf("%d numbers were granted, %d leases extended, and the number is held until %v", granted, extended, expires)
		}
	})
	store.setSilent(true)
	bubble(t, store, nil, func(t *testing.T, m *nodelease.Minter, w *wall) {
		began := time.Now()
		if err := m.Close(); err != nil || time.Since(began) > 0 {
			t.Errorf("Close of a silent store returns %v after %v", err, time.Since(began))
		}
	})
}

// TestBlockedReports has a Logger block, and an Observe: minting goes on, and so does Close, which waits for
// reports no longer than for anything else.
func TestBlockedReports(t *testing.T) {
	block := func(nodelease.Event) { time.Sleep(time.Hour) }
	for _, opts := range []*nodelease.Options{{Logger: slog.New(blockingHandler{slog.DiscardHandler})}, {Observe: block}} {
		store := newFaultyStore(1, testTTL)
		bubble(t, store, opts, func(t *testing.T, m *nodelease.Minter, w *wall) {
			time.Sleep(400 * testTTL) // more reports than can wait
			mustMint(t, m)
			began := time.Now()
			handed := make(chan bool)
			go func() {
				synctest.Wait()
				expires, _ := store.Row(0)
				handed <- expires.IsZero() && time.Since(began) == 0
			}()
			err := m.Close()
			if took := time.Since(began); err != nil || took != 5*time.Second {
				t.Errorf("Close returns %v after %v", err, took)
			}
			if !<-handed {
				t.Error("the number was not handed back at once")
			}
			time.Sleep(2000 * time.Hour)
		})
	}
}

type blockingHandler struct{ slog.Handler }

func (blockingHandler) Enabled(context.Context, slog.Level) bool { time.Sleep(time.Hour); return false }

// TestCallUnderWayAtLoss has calls stop at their first and second look at the clock until the number is lost,
// and until there is another one or none. They go on under that, or say why they cannot.
func TestCallUnderWayAtLoss(t *testing.T) {
	for look := range 2 {
		for _, another := range []bool{false, true} {
			for _, wait := range []bool{false, true} {
				store := newFaultyStore(1, testTTL)
				stopping(t, store, nodelease.Options{}, func(t *testing.T, m *nodelease.Minter, w *wall, stop func(look int), goOn chan<- struct{}) {
					mustMint(t, m)
					w.step(time.Duration(look) * time.Hour) // past the mark there is a second look
					stop(look)
					var late sync.WaitGroup
					ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
					defer cancel()
					late.Go(func() {
						var err error
						if wait {
							_, err = m.Next(ctx)
						} else {
							_, err = m.TryNext()
						}
						want := nodelease.ErrNoNode
						switch {
						case another && wait:
							want = nil
						case another && look == 0: // the mark is ahead
							want = ids.ErrClockBackward
						case another:
							want = nil
						}
						if !errors.Is(err, want) {
							t.Errorf("look %d: %v, want %v", look, err, want)
						}
					})
					synctest.Wait()
					store.Expire(0)
					if !another {
						store.SetRow(0, time.Now().Add(2*time.Hour), w.now()) // it is another holder's
					}
					time.Sleep(testTTL)
					close(goOn)
					late.Wait()
				})
			}
		}
	}
}

// TestLoopEndsWithItsContext loops over Next until its context ends.
func TestLoopEndsWithItsContext(t *testing.T) {
	bubble(t, newFaultyStore(1, testTTL), nil, func(t *testing.T, m *nodelease.Minter, w *wall) {
		cause := errors.New("enough")
		ctx, end := context.WithCancelCause(t.Context())
		defer end(nil)
		for n := 0; ; n++ {
			if n == 10 {
				end(cause)
			}
			id, err := m.Next(ctx)
			if (err != nil) != (n >= 10) {
				t.Fatalf("call %d: %v, %v", n, id, err)
			}
			if err != nil {
				if !errors.Is(err, cause) || !errors.Is(err, context.Canceled) || errors.Is(err, ids.ErrSuspended) || id != 0 {
					t.Errorf("got %v, %v", id, err)
				}
				return
			}
		}
	})
}
