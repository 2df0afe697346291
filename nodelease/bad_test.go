package nodelease_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease"
)

func TestBadOptions(t *testing.T) {
	store := nodelease.NewMemoryStore(1, testTTL)
	for _, test := range []struct {
		store nodelease.Store
		opts  *nodelease.Options
		want  string
	}{
		{nil, nil, "nil Store"},
		{store, &nodelease.Options{Window: -1}, "Window -1ns is less than 100 ticks"},
		{store, &nodelease.Options{Window: 99 * time.Millisecond}, "Window 99ms is less than 100 ticks of 1ms"},
		{store, &nodelease.Options{Window: time.Second - 1, Layout: ids.SonyflakeLayout()}, "100 ticks of 10ms"},
		{store, &nodelease.Options{Layout: ids.SnowflakeLayout{NodeBits: 10}}, "SnowflakeLayout.Tick 0s"},
		{store, &nodelease.Options{Layout: ids.SnowflakeLayout{Tick: time.Second, NodeBits: 63}}, "leaves no bit"},
	} {
		m, err := nodelease.NewMinter(test.store, test.opts)
		if m != nil || err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: got %v, %v, want an error with %q", test.opts, m, err, test.want)
		}
	}
}

func TestGoodOptions(t *testing.T) {
	store := nodelease.NewMemoryStore(1, time.Minute)
	for _, opts := range []*nodelease.Options{
		nil,
		{Window: 100 * time.Millisecond},
		{Layout: ids.SonyflakeLayout()},
		{Layout: ids.SnowflakeLayout{Tick: time.Second, NodeBits: 8, SequenceBits: 12}}, // from the year 1
		{Layout: ids.SnowflakeLayout{Tick: 365 * 24 * time.Hour, NodeBits: 10, SequenceBits: 20}},
		{Layout: ids.SnowflakeLayout{Tick: time.Second, SequenceBits: 12}}, // one node
		{Layout: ids.SnowflakeLayout{Tick: 1, Epoch: start2026, NodeBits: 1}},
	} {
		m, err := nodelease.NewMinter(store, opts)
		if err != nil {
			t.Errorf("%+v: %v", opts, err)
			continue
		}
		if _, err := m.Next(t.Context()); err != nil {
			t.Errorf("%+v: %v", opts, err)
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
		store.SetRow(0, time.Time{}, time.Time{}) // the layouts do not agree
	}
}

// TestRefusedNumbers has the store hand out what no id can be minted under. It gets it back, the
// error says what is wrong, and the Minter goes on when the store does better.
func TestRefusedNumbers(t *testing.T) {
	narrow := ids.TwitterLayout()
	narrow.NodeBits, narrow.SequenceBits = 1, 21
	for _, test := range []struct {
		name   string
		bad    lease
		layout ids.SnowflakeLayout
		match  error
		want   string
	}{
		{"a number too high", lease{node: 2, ttl: testTTL}, narrow, ids.ErrRange, "node 2: ids: Snowflake node 2 is not within 0 to 1"},
		{"a negative number", lease{node: -1, ttl: testTTL}, narrow, ids.ErrRange, "Snowflake node -1 is not within 0 to 1"},
		{"a mark past the layout's end", lease{ttl: testTTL, mark: time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)},
			narrow, ids.ErrRange, "the mark of node 0 leaves no time for ids: ids: time 2100-01-01T00:00:00Z"},
		{"a mark past all layouts' ends", lease{ttl: testTTL, mark: time.Unix(1<<60, 0)}, narrow, ids.ErrRange, "the mark of node 0"},
		{"no TTL", lease{}, narrow, nil, "a TTL of 0s for node 0 leaves no time"},
		{"a negative TTL", lease{ttl: -time.Hour}, narrow, nil, "a TTL of -1h0m0s for node 0"},
		{"a TTL as short as the margin", lease{ttl: 111_111_111}, narrow, nil, "a TTL of 111.111111ms for node 0"},
	} {
		t.Run(test.name, func(t *testing.T) {
			store := &scriptedStore{}
			store.set(func() (nodelease.Lease, error) { l := test.bad; l.store = store; return &l, nil })
			var log lockedText
			opts := &nodelease.Options{Layout: test.layout, Logger: slog.New(slog.NewTextHandler(&log, nil))}
			bubble(t, store, opts, func(t *testing.T, m *nodelease.Minter, w *wall) {
				want := fmt.Sprintf(`msg="cannot mint under a node number" node=%d error="nodelease: `, test.bad.node)
				if !strings.Contains(log.String(), want) {
					t.Errorf("the log lacks %s: %s", want, log.String())
				}
				id, err := m.TryNext()
				if !errors.Is(err, ids.ErrSuspended) || test.match != nil && !errors.Is(err, test.match) || !strings.Contains(err.Error(), test.want) {
					t.Errorf("TryNext: %v, %v, want %q", id, err, test.want)
				}
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
				defer cancel()
				id, err = m.Next(ctx)
				matches := errors.Is(err, context.DeadlineExceeded) && (test.match == nil || errors.Is(err, test.match))
				if !matches || !strings.Contains(err.Error(), test.want) {
					t.Errorf("Next: %v, %v, want %q", id, err, test.want)
				}
				if taken, released := store.taken.Load(), store.released.Load(); taken < 3 || released != taken {
					t.Errorf("took %d numbers, gave %d back", taken, released)
				}
				store.set(func() (nodelease.Lease, error) { return &lease{store: store, ttl: testTTL}, nil })
				if _, err := m.Next(t.Context()); err != nil {
					t.Errorf("after the store has done better: %v", err)
				}
			})
		})
	}
}

// TestUnusualAnswers has leases that are odd, but under which ids can be minted.
func TestUnusualAnswers(t *testing.T) {
	for _, test := range []struct {
		name string
		odd  lease
	}{
		{"a TTL without end", lease{ttl: 1<<63 - 1}},
		{"a mark before the epoch", lease{ttl: testTTL, mark: time.Date(-5000, 1, 1, 0, 0, 0, 0, time.UTC)}},
		{"a mark in another zone", lease{ttl: testTTL, mark: time.Date(2026, 1, 1, 1, 0, 0, 999, time.FixedZone("", 3600))}},
		{"a mark years ahead", lease{ttl: testTTL, mark: time.Date(2060, 1, 1, 0, 0, 0, 0, time.UTC)}},
	} {
		t.Run(test.name, func(t *testing.T) {
			store := &scriptedStore{}
			store.set(func() (nodelease.Lease, error) { l := test.odd; l.store = store; return &l, nil })
			bubble(t, store, nil, func(t *testing.T, m *nodelease.Minter, w *wall) {
				for range 10_000 {
					id, err := m.Next(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					if !id.Time().After(test.odd.mark) {
						t.Fatalf("id of %v, mark %v", id.Time(), test.odd.mark)
					}
				}
			})
		})
	}
}

// TestBrokenStores has Take answer nothing. The error says so, and the Minter asks again.
func TestBrokenStores(t *testing.T) {
	cause := errors.New("a cause")
	for _, test := range []struct {
		take func() (nodelease.Lease, error)
		want string
	}{
		{func() (nodelease.Lease, error) { return nil, nil }, "nodelease: no node number: Take returned neither a lease nor an error"},
		{func() (nodelease.Lease, error) { return nil, cause }, "nodelease: no node number: a cause"},
	} {
		store := &scriptedStore{}
		store.set(test.take)
		bubble(t, store, nil, func(t *testing.T, m *nodelease.Minter, w *wall) {
			for range 5 {
				time.Sleep(time.Second)
				if id, err := m.TryNext(); !errors.Is(err, ids.ErrSuspended) || err.Error() != test.want {
					t.Fatalf("TryNext: %v, %v, want %q", id, err, test.want)
				}
			}
			if _, ok := m.Node(); ok {
				t.Error("Node reports a number")
			}
			store.set(func() (nodelease.Lease, error) { return &lease{store: store, ttl: testTTL}, nil })
			if _, err := m.Next(t.Context()); err != nil {
				t.Errorf("after the store has done better: %v", err)
			}
		})
	}
}

// TestStoreEndsTheGoroutine has the store call runtime.Goexit, as FailNow of a test does.
func TestStoreEndsTheGoroutine(t *testing.T) {
	store := newFaultyStore(1, testTTL)
	bubble(t, store, nil, func(t *testing.T, m *nodelease.Minter, w *wall) {
		mustMint(t, m)
		store.setCarry(func(context.Context, func() error) error { runtime.Goexit(); return nil })
		time.Sleep(testTTL)
		if id, err := m.Next(t.Context()); !errors.Is(err, nodelease.ErrClosed) {
			t.Errorf("got %v, %v", id, err)
		}
		if err := m.Close(); err == nil || !strings.Contains(err.Error(), "ended the goroutine") {
			t.Errorf("Close: %v", err)
		}
	})
}

// TestStoreThatIgnoresItsContext has a renewal hang for an hour, whatever its context says.
func TestStoreThatIgnoresItsContext(t *testing.T) {
	store := newFaultyStore(1, testTTL)
	bubble(t, store, nil, func(t *testing.T, m *nodelease.Minter, w *wall) {
		mustMint(t, m)
		store.setCarry(func(_ context.Context, request func() error) error {
			time.Sleep(time.Hour)
			return request()
		})
		time.Sleep(testTTL)
		synctest.Wait()
		if id, err := m.TryNext(); !errors.Is(err, ids.ErrSuspended) {
			t.Fatalf("got %v, %v while the store hangs", id, err)
		}
		began := time.Now()
		if err := m.Close(); err == nil || !strings.Contains(err.Error(), "has not answered within 5s") || time.Since(began) != 5*time.Second {
			t.Errorf("Close returns %v after %v", err, time.Since(began))
		}
		if id, err := m.TryNext(); !errors.Is(err, nodelease.ErrClosed) {
			t.Errorf("got %v, %v after Close", id, err)
		}
		store.setCarry(nil)
		time.Sleep(time.Hour)
		if expires, _ := store.Row(0); !expires.IsZero() {
			t.Error("the number is held after the store has come back")
		}
	})
}

// TestLateAnswers has renewals whose answers come when the lease is over: they allow nothing.
func TestLateAnswers(t *testing.T) {
	began, opts := counted(nodelease.Began)
	store := newFaultyStore(1, testTTL)
	store.setCarry(func(_ context.Context, request func() error) error {
		err := request()
		time.Sleep(testTTL)
		return err
	})
	bubble(t, store, opts, func(t *testing.T, m *nodelease.Minter, w *wall) {
		for range 100 {
			time.Sleep(time.Second)
			if id, err := m.TryNext(); !errors.Is(err, ids.ErrSuspended) {
				t.Fatalf("got %v, %v under a lease that may be over", id, err)
			}
		}
		if n := began.Load(); n > 0 {
			t.Errorf("minting has begun %d times under a lease that may be over", n)
		}
		store.setCarry(nil)
	})
}

// TestAnswerAtTheDeadline has the answer to a renewal come at the moment when minting must have stopped,
// and a nanosecond before.
func TestAnswerAtTheDeadline(t *testing.T) {
	for _, before := range []time.Duration{0, 1} {
		began, opts := counted(nodelease.Began)
		store := &scriptedStore{}
		late := lateLease{lease{store: store, ttl: testTTL}, testTTL - testTTL/10 - 100*time.Millisecond - before}
		store.set(func() (nodelease.Lease, error) { return &late, nil })
		bubble(t, store, opts, func(t *testing.T, m *nodelease.Minter, w *wall) {
			time.Sleep(testTTL)
			if got := time.Duration(began.Load()); got != before {
				t.Errorf("minting has begun %d times after an answer %v before the deadline", got, before)
			}
		})
	}
}

// lateLease is a lease whose renewals take a while.
type lateLease struct {
	lease
	takes time.Duration
}

func (l *lateLease) Extend(context.Context, time.Time) error {
	time.Sleep(l.takes)
	return nil
}

// TestAnswerAfterClose has a renewal succeed after Close: nothing is minted any more.
func TestAnswerAfterClose(t *testing.T) {
	var begun atomic.Int64
	var ended time.Time
	opts := &nodelease.Options{Observe: func(e nodelease.Event) {
		if e.Kind == nodelease.Began {
			begun.Add(1)
		}
		if e.Kind == nodelease.Ended {
			ended = time.Now()
		}
	}}
	store := newFaultyStore(1, testTTL)
	bubble(t, store, opts, func(t *testing.T, m *nodelease.Minter, w *wall) {
		store.setCarry(slow)
		time.Sleep(testTTL/3 + time.Millisecond) // a renewal is under way
		closed := time.Now()
		if err := m.Close(); err != nil {
			t.Error(err)
		}
		if ended != closed {
			t.Errorf("minting ended, as was told, %v after Close", ended.Sub(closed))
		}
		if _, extended := store.counts(); extended != 2 || begun.Load() != 1 {
			t.Errorf("%d renewals, minting has begun %d times, want 2 and 1", extended, begun.Load())
		}
	})
}

// stopping runs test in a bubble with a Minter whose wall clock stops the call that reads it next after stop, or
// after as many readings as that says, until goOn is closed.
func stopping(
	t *testing.T, store nodelease.Store,
	test func(t *testing.T, m *nodelease.Minter, w *wall, stop func(look int), goOn chan<- struct{}),
) {
	synctest.Test(t, func(t *testing.T) {
		w := new(wall)
		w.step(time.Until(start2026))
		goOn := make(chan struct{})
		var stop atomic.Int64
		m, err := nodelease.NewMinter(store, &nodelease.Options{Now: func() time.Time {
			now := w.now()
			if stop.Add(-1) == 0 {
				<-goOn
			}
			return now
		}})
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		test(t, m, w, func(look int) { stop.Store(int64(look) + 1) }, goOn)
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestCallUnderWayAtClose has a call stop on its way to an id until the number has been handed back. Its id
// would be one of those that the next holder issues.
func TestCallUnderWayAtClose(t *testing.T) {
	stopping(t, newFaultyStore(1, testTTL), func(t *testing.T, m *nodelease.Minter, w *wall, stop func(look int), goOn chan<- struct{}) {
		mustMint(t, m)
		stop(0)
		var late sync.WaitGroup
		late.Go(func() {
			if id, err := m.TryNext(); !errors.Is(err, nodelease.ErrClosed) {
				t.Errorf("got %v, %v after the number was handed back", id, err)
			}
		})
		synctest.Wait()
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
		close(goOn)
		late.Wait()
	})
}

// TestCallUnderWayAtStepBack has a call stop on its way to an id while the wall clock is set back and others
// mint on.
func TestCallUnderWayAtStepBack(t *testing.T) {
	stopping(t, newFaultyStore(1, testTTL), func(t *testing.T, m *nodelease.Minter, w *wall, stop func(look int), goOn chan<- struct{}) {
		seen := map[ids.Snowflake]bool{mustMint(t, m): true}
		w.step(2 * time.Millisecond)
		stop(0)
		var late sync.WaitGroup
		var id ids.Snowflake
		var err error
		late.Go(func() { id, err = m.TryNext() })
		synctest.Wait()
		w.step(-time.Second)
		for range 5 * 4096 {
			id, err := m.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			seen[id] = true
		}
		close(goOn)
		late.Wait()
		if err == nil && seen[id] {
			t.Errorf("%d twice", id)
		}
	})
}

func TestAllNumbersHeld(t *testing.T) {
	store := newFaultyStore(1, testTTL)
	bubble(t, store, nil, func(t *testing.T, m *nodelease.Minter, w *wall) {
		second, err := nodelease.NewMinter(store, &nodelease.Options{Now: w.now})
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if id, err := second.TryNext(); !errors.Is(err, ids.ErrSuspended) || !errors.Is(err, nodelease.ErrNoNode) {
			t.Errorf("TryNext: %v, %v", id, err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if id, err := second.Next(ctx); !errors.Is(err, nodelease.ErrNoNode) || !errors.Is(err, context.DeadlineExceeded) || id != 0 {
			t.Errorf("Next: %v, %v", id, err)
		}
		// A context that has ended is an error, whether there is an id or not.
		done, end := context.WithCancelCause(t.Context())
		cause := errors.New("enough")
		end(cause)
		began := time.Now()
		for _, m := range []*nodelease.Minter{m, second} {
			id, err := m.Next(done)
			if !errors.Is(err, cause) || !errors.Is(err, context.Canceled) || errors.Is(err, nodelease.ErrNoNode) != (m == second) || id != 0 {
				t.Errorf("Next with a context that is done: %v, %v", id, err)
			}
		}
		if time.Since(began) > 0 {
			t.Errorf("Next with a context that is done has waited for %v", time.Since(began))
		}
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := second.Next(t.Context()); err != nil {
			t.Errorf("Next after the first Minter's Close: %v", err)
		}
		if err := second.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestCloseWhileNextWaits(t *testing.T) {
	store := newFaultyStore(0, testTTL)
	bubble(t, store, nil, func(t *testing.T, m *nodelease.Minter, w *wall) {
		var waiting sync.WaitGroup
		for range 10 {
			waiting.Go(func() {
				if id, err := m.Next(t.Context()); !errors.Is(err, nodelease.ErrClosed) || id != 0 {
					t.Errorf("Next: %v, %v", id, err)
				}
			})
		}
		synctest.Wait()
		began := time.Now()
		if err := m.Close(); err != nil {
			t.Error(err)
		}
		waiting.Wait()
		if took := time.Since(began); took > 0 {
			t.Errorf("took %v", took)
		}
	})
}

func TestUseAfterClose(t *testing.T) {
	store := newFaultyStore(1, testTTL)
	bubble(t, store, nil, func(t *testing.T, m *nodelease.Minter, w *wall) {
		mustMint(t, m)
		store.setCarry(slow)
		var closed sync.WaitGroup
		for range 3 {
			closed.Go(func() {
				began := time.Now()
				if err := m.Close(); err != nil || time.Since(began) != time.Second {
					t.Errorf("Close returns %v after %v", err, time.Since(began))
				}
			})
		}
		synctest.Wait()
		for range 2 { // before the number is handed back, and afterwards
			if id, err := m.TryNext(); err != nodelease.ErrClosed || id != 0 {
				t.Errorf("TryNext after Close: %v, %v", id, err)
			}
			if id, err := m.Next(t.Context()); err != nodelease.ErrClosed || id != 0 {
				t.Errorf("Next after Close: %v, %v", id, err)
			}
			if n, ok := m.Node(); ok || n != 0 {
				t.Errorf("Node after Close: %v, %v", n, ok)
			}
			closed.Wait()
		}
		if expires, _ := store.Row(0); !expires.IsZero() {
			t.Error("the number is held after Close")
		}
		if err := m.Close(); err != nil {
			t.Errorf("another Close: %v", err)
		}
	})
}

// TestCloseReportsWhatItCouldNotDo closes a Minter whose store is away.
func TestCloseReportsWhatItCouldNotDo(t *testing.T) {
	store := newFaultyStore(1, testTTL)
	var log lockedText
	opts := &nodelease.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}
	bubble(t, store, opts, func(t *testing.T, m *nodelease.Minter, w *wall) {
		mustMint(t, m)
		store.setSilent(true)
		for range 2 {
			if err := m.Close(); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "node 0 could not be handed back") {
				t.Errorf("Close: %v", err)
			}
		}
		if strings.Contains(log.String(), "handed a node number back") {
			t.Errorf("the log claims what has not happened:\n%s", log.String())
		}
	})
}

// TestEventsAndLog follows a Minter through a tenure, an outage, a loss and Close, on a store that
// takes a second for each request. Of events and lines that follow their like, one is compared.
func TestEventsAndLog(t *testing.T) {
	var mu sync.Mutex
	var events []string
	var text lockedText
	opts := &nodelease.Options{
		Observe: func(e nodelease.Event) {
			mu.Lock()
			defer mu.Unlock()
			events = append(events, fmt.Sprintln(e.Kind, e.Node, e.Took, e.Err))
		},
		Logger: slog.New(slog.NewTextHandler(&text, &slog.HandlerOptions{
			ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
				if a.Key == slog.TimeKey {
					return slog.Attr{}
				}
				return a
			},
		})),
	}
	expect := func(what, want string) {
		t.Helper()
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		if got := strings.Join(slices.Compact(events), ""); got != want {
			t.Errorf("%s: events\n%swant\n%s", what, got, want)
		}
		events = nil
	}
	// await waits for the next event, and returns for how long.
	await := func() time.Duration {
		began := time.Now()
		for n := 0; n == 0; {
			time.Sleep(time.Millisecond)
			synctest.Wait()
			mu.Lock()
			n = len(events)
			mu.Unlock()
		}
		return time.Since(began)
	}
	store := newFaultyStore(1, testTTL)
	store.setCarry(slow)
	bubble(t, store, opts, func(t *testing.T, m *nodelease.Minter, w *wall) {
		await()
		expect("start", "renewed 0 1s <nil>\nbegan 0 0s <nil>\n")
		mustMint(t, m)
		await()
		expect("a renewal", "renewed 0 1s <nil>\n")
		store.setSilent(true)
		time.Sleep(2 * testTTL)
		const late = "nodelease: the store has not renewed the lease of node 0 in time"
		const failed = "failed 0 4.45s context deadline exceeded\n"
		const longer = "failed 0 8.9s context deadline exceeded\n" // the TTL less its margin
		expect("silence", failed+"ended 0 0s "+late+"\n"+longer)
		await()
		expect("more silence", longer)
		if _, err := m.TryNext(); err == nil {
			t.Fatal("an id without a lease")
		}
		expect("TryNext", "refused -1 0s nodelease: no node number: "+strings.TrimPrefix(late, "nodelease: ")+"\n")
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		_, err := m.Next(ctx)
		expect("Next", fmt.Sprintln("waited -1 1ms", err))
		store.setCarry(slow)
		await()
		expect("back again", "renewed 0 1s <nil>\nbegan 0 0s <nil>\n")
		store.Expire(0)
		store.SetRow(0, time.Now().Add(time.Hour), w.now()) // it is another's
		await()
		expect("loss", "failed 0 1s nodelease: the node number is no longer held\n"+
			"ended 0 0s nodelease: the node number is no longer held\n")
		for _, most := range []time.Duration{100, 200, 400, 800, 1600, 2000, 2000} {
			most *= time.Millisecond
			if took := await(); took < time.Second+most/2 || took > time.Second+most {
				t.Errorf("another try after %v, want up to %v, and a second for the request", took, most)
			}
			expect("no other number", "failed -1 1s nodelease: all node numbers are held, or others were faster\n")
		}
		store.Expire(0)
		await()
		expect("another tenure", "renewed 0 1s <nil>\nbegan 0 0s <nil>\n")
		mustMint(t, m)
		if err := m.Close(); err != nil {
			t.Error(err)
		}
		expect("Close", "ended 0 0s <nil>\n")
	})
	const want = `level=INFO msg="minting has begun" node=0
level=WARN msg="a request to the store failed" node=0 error="context deadline exceeded"
level=WARN msg="minting has ended" node=0 error="nodelease: the store has not renewed the lease of node 0 in time"
level=WARN msg="a request to the store failed" node=0 error="context deadline exceeded"
level=INFO msg="minting has begun" node=0
level=WARN msg="a request to the store failed" node=0 error="nodelease: the node number is no longer held"
level=WARN msg="minting has ended" node=0 error="nodelease: the node number is no longer held"
level=INFO msg="no node number could be had" error="nodelease: all node numbers are held, or others were faster"
level=INFO msg="minting has begun" node=0
level=INFO msg="minting has ended" node=0
level=INFO msg="handed a node number back" node=0 mark=`
	got := strings.Join(slices.Compact(strings.SplitAfter(text.String(), "\n")), "")
	if !strings.HasPrefix(got, want) {
		t.Errorf("the log is\n%s\nwant\n%s", got, want)
	}
	if got := nodelease.EventKind(0).String() + nodelease.EventKind(99).String(); got != "unknownunknown" {
		t.Error(got)
	}
}

// TestPanicInNow has the wall clock panic in a call: no lock stays held.
func TestPanicInNow(t *testing.T) {
	var broken atomic.Bool
	w := new(wall)
	synctest.Test(t, func(t *testing.T) {
		w.step(time.Until(start2026))
		m, err := nodelease.NewMinter(newFaultyStore(1, testTTL), &nodelease.Options{Now: func() time.Time {
			if broken.Load() {
				panic("Now")
			}
			return w.now()
		}})
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		mustMint(t, m)
		broken.Store(true)
		for _, call := range []func(){func() { _, _ = m.TryNext() }, func() { _, _ = m.Next(t.Context()) }} {
			func() {
				defer func() {
					if v := recover(); v != "Now" {
						t.Errorf("recovered %v", v)
					}
				}()
				call()
			}()
		}
		broken.Store(false)
		if _, err := m.Next(t.Context()); err != nil {
			t.Error(err)
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestMemoryStoreAfterTheEnd calls a MemoryStore with a context that has ended: nothing is done.
func TestMemoryStoreAfterTheEnd(t *testing.T) {
	enough := errors.New("enough")
	ended, end := context.WithCancelCause(t.Context())
	end(enough)
	store := nodelease.NewMemoryStore(1, testTTL)
	if l, err := store.Take(ended, start2026); l != nil || !errors.Is(err, enough) {
		t.Errorf("Take: %v, %v", l, err)
	}
	l, err := store.Take(t.Context(), start2026)
	if err != nil {
		t.Fatal(err)
	}
	expires, mark := store.Row(0)
	if err := l.Extend(ended, start2026); !errors.Is(err, enough) {
		t.Errorf("Extend: %v", err)
	}
	if err := l.Release(ended, start2026); !errors.Is(err, enough) {
		t.Errorf("Release: %v", err)
	}
	if e, m := store.Row(0); e != expires || m != mark {
		t.Errorf("the store has %v and %v, want %v and %v as before", e, m, expires, mark)
	}
}
