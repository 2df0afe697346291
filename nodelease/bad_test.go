package nodelease_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/internal/must"
	"github.com/oneclock/ids/nodelease/memstore"
)

func TestBadOptions(t *testing.T) {
	store := memstore.New(1, testTTL)
	for _, test := range []struct {
		store nodelease.Store
		opts  *nodelease.Options
		want  string
	}{
		{nil, nil, "nil Store"},
		{(*memstore.Store)(nil), nil, "nil Store"},
		{store, &nodelease.Options{Window: 24*time.Hour + 1}, "Window 24h0m0.000000001s is more than 24h0m0s"},
		{store, &nodelease.Options{Window: 101 * time.Hour, Layout: ids.SnowflakeLayout{Epoch: start2026, Tick: time.Hour}}, "more than 100h0m0s"},
		{store, &nodelease.Options{Window: -1}, "Window -1ns is less than 100 ticks"},
		{store, &nodelease.Options{Window: 99 * time.Millisecond}, "Window 99ms is less than 100 ticks of 1ms"},
		{store, &nodelease.Options{Window: time.Second - 1, Layout: ids.SonyflakeLayout()}, "100 ticks of 10ms"},
		{store, &nodelease.Options{Layout: ids.SnowflakeLayout{NodeBits: 10}}, "SnowflakeLayout.Epoch is not set"},
		{store, &nodelease.Options{Layout: ids.SnowflakeLayout{Epoch: start2026, NodeBits: 10}}, "SnowflakeLayout.Tick 0s"},
		{store, &nodelease.Options{Layout: ids.SnowflakeLayout{Epoch: start2026, Tick: time.Second, NodeBits: 63}}, "leaves no bit"},
	} {
		m, err := nodelease.NewMinter(test.store, test.opts)
		if m != nil || err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: got %v, %v, want an error with %q", test.opts, m, err, test.want)
		}
	}
}

func TestGoodOptions(t *testing.T) {
	for _, opts := range []*nodelease.Options{
		nil,
		{Window: 100 * time.Millisecond},
		{Window: 24 * time.Hour},
		{Layout: ids.SonyflakeLayout()},
		{Layout: ids.SnowflakeLayout{Epoch: start2026, Tick: time.Second, NodeBits: 8, SequenceBits: 12}},
		{Layout: ids.SnowflakeLayout{Epoch: time.Unix(0, 0), Tick: 365 * 24 * time.Hour, NodeBits: 10, SequenceBits: 20}},
		{Layout: ids.SnowflakeLayout{Epoch: start2026, Tick: time.Second, SequenceBits: 12}}, // one node
		{Layout: ids.SnowflakeLayout{Tick: 1, Epoch: start2026, NodeBits: 1}},
	} {
		m := must.Get(nodelease.NewMinter(memstore.New(1, time.Minute), opts))(t)
		mustNext(t, m)
		mustClose(t, m)
	}
}

// TestZeroLayout has processes read the zero layout in different ways: all mean Twitter's.
func TestZeroLayout(t *testing.T) {
	store := memstore.New(4, time.Minute)
	zone := ids.SnowflakeLayout{Epoch: time.Time{}.In(time.FixedZone("", 3600))}
	for _, l := range []ids.SnowflakeLayout{{}, zone, ids.TwitterLayout()} {
		m := must.Get(nodelease.NewMinter(store, &nodelease.Options{Layout: l}))(t)
		must.Do(t, m.Wait(t.Context()))
		g := must.Get(store.Take(t.Context(), nodelease.Request{Now: time.Now(), Layout: l}))(t)
		must.Do(t, g.Lease.Release(t.Context(), time.Time{}))
		mustClose(t, m)
	}
}

// TestRefusedNumbers has the store hand out what no id can be minted under. It gets it back, the
// error says what is wrong, and the Minter goes on when the store does better.
func TestRefusedNumbers(t *testing.T) {
	narrow := ids.TwitterLayout()
	narrow.NodeBits, narrow.SequenceBits = 1, 21
	for _, test := range []struct {
		name   string
		bad    nodelease.Grant
		layout ids.SnowflakeLayout
		match  error
		want   string
	}{
		{"a number too high", nodelease.Grant{Number: 2, TTL: testTTL}, narrow, ids.ErrRange, "number 2: ids: Snowflake node 2 is not within 0 to 1"},
		{"a negative number", nodelease.Grant{Number: -1, TTL: testTTL}, narrow, ids.ErrRange, "Snowflake node -1 is not within 0 to 1"},
		{"a horizon past the layout's end", nodelease.Grant{TTL: testTTL, Horizon: time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)},
			narrow, ids.ErrRange, "the horizon of number 0 leaves no time for ids: ids: time 2100-01-01T00:00:00Z"},
		{"a horizon past all layouts' ends", nodelease.Grant{TTL: testTTL, Horizon: time.Unix(1<<60, 0)}, narrow, ids.ErrRange, "the horizon of number 0"},
		{"no TTL", nodelease.Grant{}, narrow, nil, "a TTL of 0s for number 0 leaves no time"},
		{"a negative TTL", nodelease.Grant{TTL: -time.Hour}, narrow, nil, "a TTL of -1h0m0s for number 0"},
		{"a TTL as short as the margin", nodelease.Grant{TTL: 111_111_111}, narrow, nil, "a TTL of 111.111111ms for number 0"},
	} {
		t.Run(test.name, func(t *testing.T) {
			store := &scriptedStore{}
			store.set(func() (nodelease.Grant, error) { g := test.bad; g.Lease = &lease{store: store}; return g, nil })
			var log lockedText
			opts := &nodelease.Options{Layout: test.layout, Logger: slog.New(slog.NewTextHandler(&log, nil))}
			bubble(t, store, opts, func(t *testing.T, m *nodelease.Minter, w *wall) {
				want := fmt.Sprintf(`msg="cannot mint under a number" number=%d error="nodelease: `, test.bad.Number)
				if !strings.Contains(log.String(), want) {
					t.Errorf("the log lacks %s: %s", want, log.String())
				}
				id, err := m.TryNext()
				if !errors.Is(err, ids.ErrWithheld) || test.match != nil && !errors.Is(err, test.match) || !strings.Contains(err.Error(), test.want) {
					t.Errorf("TryNext: %v, %v, want %q", id, err, test.want)
				}
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
				defer cancel()
				id, err = m.NextContext(ctx)
				matches := errors.Is(err, context.DeadlineExceeded) && (test.match == nil || errors.Is(err, test.match))
				if !matches || !strings.Contains(err.Error(), test.want) {
					t.Errorf("NextContext: %v, %v, want %q", id, err, test.want)
				}
				if taken, released := store.taken.Load(), store.released.Load(); taken < 3 || released != taken {
					t.Errorf("took %d numbers, gave %d back", taken, released)
				}
				store.set(func() (nodelease.Grant, error) { return grant(&lease{store: store}), nil })
				mustNext(t, m)
			})
		})
	}
}

// TestUnusualAnswers has leases that are odd, but under which ids can be minted.
func TestUnusualAnswers(t *testing.T) {
	for _, test := range []struct {
		name string
		odd  nodelease.Grant
	}{
		{"a TTL without end", nodelease.Grant{TTL: 1<<63 - 1}},
		{"a horizon before the epoch", nodelease.Grant{TTL: testTTL, Horizon: time.Date(-5000, 1, 1, 0, 0, 0, 0, time.UTC)}},
		{"a horizon in another zone", nodelease.Grant{TTL: testTTL, Horizon: time.Date(2026, 1, 1, 1, 0, 0, 999, time.FixedZone("", 3600))}},
		{"a horizon years ahead", nodelease.Grant{TTL: testTTL, Horizon: time.Date(2060, 1, 1, 0, 0, 0, 0, time.UTC)}},
	} {
		t.Run(test.name, func(t *testing.T) {
			store := &scriptedStore{}
			store.set(func() (nodelease.Grant, error) { g := test.odd; g.Lease = &lease{store: store}; return g, nil })
			bubble(t, store, nil, func(t *testing.T, m *nodelease.Minter, w *wall) {
				for range 10_000 {
					id := mustNext(t, m)
					if !timeOf(id).After(test.odd.Horizon) {
						t.Fatalf("id of %v, horizon %v", timeOf(id), test.odd.Horizon)
					}
				}
			})
		})
	}
}

// TestStoreThatAnswersNothing has Take return neither a lease nor an error. The Minter says so, and asks again.
func TestStoreThatAnswersNothing(t *testing.T) {
	store := &scriptedStore{}
	store.set(func() (nodelease.Grant, error) { return nodelease.Grant{}, nil })
	bubble(t, store, nil, func(t *testing.T, m *nodelease.Minter, w *wall) {
		const want = "nodelease: withheld: Take returned neither a lease nor an error"
		if id, err := m.TryNext(); !errors.Is(err, ids.ErrWithheld) || err.Error() != want {
			t.Errorf("TryNext: %v, %v, want %q", id, err, want)
		}
		if n, ok := m.Number(); ok {
			t.Errorf("Number reports %d", n)
		}
		store.set(func() (nodelease.Grant, error) { return grant(&lease{store: store}), nil })
		mustNext(t, m)
	})
}

// TestStoreThatIgnoresItsContext has a renewal hang for an hour, whatever its context says.
func TestStoreThatIgnoresItsContext(t *testing.T) {
	store := newFaultyStore(1, testTTL)
	bubble(t, store, nil, func(t *testing.T, m *nodelease.Minter, w *wall) {
		mustMint(t, m)
		store.setCarry(slow(time.Hour))
		time.Sleep(testTTL)
		synctest.Wait()
		refused(t, m, ids.ErrWithheld, "while the store hangs")
		began := time.Now()
		if err := m.Close(); err == nil || !strings.Contains(err.Error(), "has not answered within 5s") || time.Since(began) != 5*time.Second {
			t.Errorf("Close returns %v after %v", err, time.Since(began))
		}
		refused(t, m, nodelease.ErrClosed, "after Close")
		store.setCarry(nil)
		time.Sleep(time.Hour)
		if expires, _ := store.Row(0); !expires.IsZero() {
			t.Error("the number is held after the store has come back")
		}
	})
}

// TestAnswerAtTheDeadline has the answer to a renewal come at the moment when minting must have stopped,
// and a nanosecond before.
func TestAnswerAtTheDeadline(t *testing.T) {
	for _, before := range []time.Duration{0, 1} {
		began, opts := counted(nodelease.Began)
		store := &scriptedStore{}
		late := func() error {
			time.Sleep(testTTL - testTTL/10 - 100*time.Millisecond - before)
			return nil
		}
		store.set(func() (nodelease.Grant, error) { return grant(&lease{store: store, extend: late}), nil })
		bubble(t, store, opts, func(t *testing.T, m *nodelease.Minter, w *wall) {
			time.Sleep(testTTL)
			if got := time.Duration(began.Load()); got != before {
				t.Errorf("minting has begun %d times after an answer %v before the deadline", got, before)
			}
		})
	}
}

// TestAnswerAfterClose has a renewal succeed after Close: nothing is minted any more.
func TestAnswerAfterClose(t *testing.T) {
	told := map[nodelease.EventKind][]time.Time{}
	opts := &nodelease.Options{Observe: func(e nodelease.Event) { told[e.Kind] = append(told[e.Kind], time.Now()) }}
	store := newFaultyStore(1, testTTL)
	bubble(t, store, opts, func(t *testing.T, m *nodelease.Minter, w *wall) {
		store.setCarry(slow(time.Second))
		time.Sleep(testTTL/3 + time.Millisecond) // a renewal is under way
		closed := time.Now()
		mustClose(t, m)
		if ended := told[nodelease.Ended]; len(ended) != 1 || ended[0] != closed {
			t.Errorf("minting ended, as was told, at %v, and Close was called at %v", ended, closed)
		}
		if extended := store.extended.Load(); extended != 2 || len(told[nodelease.Began]) != 1 {
			t.Errorf("%d renewals, minting has begun %d times, want 2 and 1", extended, len(told[nodelease.Began]))
		}
	})
}

// TestCallUnderWayAtClose has a call stop on its way to an id until the number has been handed back. Its id
// would be one of those that the next holder issues.
func TestCallUnderWayAtClose(t *testing.T) {
	bubble(t, newFaultyStore(1, testTTL), nil, func(t *testing.T, m *nodelease.Minter, w *wall) {
		mustMint(t, m)
		w.stop(0)
		var late sync.WaitGroup
		late.Go(func() { refused(t, m, nodelease.ErrClosed, "after the number was handed back") })
		synctest.Wait()
		mustClose(t, m)
		close(w.gate)
		late.Wait()
	})
}

func TestUseAfterClose(t *testing.T) {
	store := newFaultyStore(1, testTTL)
	bubble(t, store, nil, func(t *testing.T, m *nodelease.Minter, w *wall) {
		mustMint(t, m)
		store.setCarry(slow(time.Second))
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
			refused(t, m, nodelease.ErrClosed, "after Close")
			if id, err := m.NextContext(t.Context()); err != nodelease.ErrClosed || id != 0 {
				t.Errorf("NextContext after Close: %v, %v", id, err)
			}
			if n, ok := m.Number(); ok || n != 0 {
				t.Errorf("Number after Close: %v, %v", n, ok)
			}
			closed.Wait()
		}
		if expires, _ := store.Row(0); !expires.IsZero() {
			t.Error("the number is held after Close")
		}
		mustClose(t, m)
	})
}

// TestEventsAndLog follows a Minter through a tenure, an outage, a loss and Close, on a store that
// takes a second for each request. Of events that follow their like, one is compared.
func TestEventsAndLog(t *testing.T) {
	var mu sync.Mutex
	var events []string
	var text lockedText
	opts := &nodelease.Options{
		Observe: func(e nodelease.Event) {
			mu.Lock()
			defer mu.Unlock()
			number := "none"
			if e.Held {
				number = fmt.Sprint(e.Number)
			} else if e.Number != 0 {
				t.Errorf("%+v has a number that is not held", e)
			}
			events = append(events, fmt.Sprintln(e.Kind, number, e.Took, e.Err))
		},
		Logger: slog.New(slog.NewTextHandler(&text, nil)),
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
	await := func() {
		for n := 0; n == 0; {
			time.Sleep(time.Millisecond)
			synctest.Wait()
			mu.Lock()
			n = len(events)
			mu.Unlock()
		}
	}
	store := newFaultyStore(1, testTTL)
	store.setCarry(slow(time.Second))
	bubble(t, store, opts, func(t *testing.T, m *nodelease.Minter, w *wall) {
		await()
		expect("start", "renewed 0 1s <nil>\nbegan 0 0s <nil>\n")
		mustMint(t, m)
		await()
		expect("a renewal", "renewed 0 1s <nil>\n")
		store.setSilent(true)
		time.Sleep(2 * testTTL)
		const late = "nodelease: the store has not renewed the lease of number 0 in time: context deadline exceeded"
		const failed = "failed 0 4.45s context deadline exceeded\n"
		const longer = "failed 0 8.9s context deadline exceeded\n" // the TTL less its margin
		const shorter = "failed 0 1.483333333s context deadline exceeded\n"
		expect("silence", failed+"ended 0 0s "+late+"\n"+longer+shorter)
		await()
		expect("more silence", shorter)
		if _, err := m.TryNext(); err == nil {
			t.Fatal("an id without a lease")
		}
		expect("TryNext", "refused none 0s nodelease: withheld: "+strings.TrimPrefix(late, "nodelease: ")+"\n")
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		_, err := m.NextContext(ctx)
		expect("NextContext", fmt.Sprintln("waited none 1ms", err))
		store.setCarry(slow(time.Second))
		await()
		expect("back again", "renewed 0 1s <nil>\nbegan 0 0s <nil>\n")
		store.setSilent(true)
		await()
		expect("a second silence", failed)
		store.setCarry(slow(time.Second))
		await()
		expect("a second return", "renewed 0 1s <nil>\n")
		store.Expire(0)
		store.SetRow(0, time.Now().Add(time.Hour), w.now()) // it is another's
		await()
		expect("loss", "failed 0 1s nodelease: the number is no longer held\n"+
			"ended 0 0s nodelease: the number is no longer held\n")
		time.Sleep(100 * time.Second) // the log is told of it twice
		expect("no other number", "failed none 1s nodelease: all numbers are held, or others were faster\n")
		store.Expire(0)
		await()
		expect("another tenure", "renewed 0 1s <nil>\nbegan 0 0s <nil>\n")
		mustMint(t, m)
		mustClose(t, m)
		expect("Close", "ended 0 0s <nil>\n")
	})
	const want = `level=INFO msg="minting has begun" number=0
level=WARN msg="a request to the store failed" number=0 error="context deadline exceeded"
level=WARN msg="minting has ended" number=0 error="nodelease: the store has not renewed the lease of number 0 in time: context deadline exceeded"
level=INFO msg="minting has begun" number=0
level=WARN msg="a request to the store failed" number=0 error="context deadline exceeded"
level=WARN msg="a request to the store failed" number=0 error="nodelease: the number is no longer held"
level=WARN msg="minting has ended" number=0 error="nodelease: the number is no longer held"
level=INFO msg="no number could be had" error="nodelease: all numbers are held, or others were faster"
level=INFO msg="no number could be had" error="nodelease: all numbers are held, or others were faster"
level=INFO msg="minting has begun" number=0
level=INFO msg="minting has ended" number=0
level=INFO msg="handed a number back" number=0 horizon=`
	if got := regexp.MustCompile(`time=\S+ `).ReplaceAllString(text.String(), ""); !strings.HasPrefix(got, want) {
		t.Errorf("the log is\n%s\nwant\n%s", got, want)
	}
	if got := nodelease.EventKind(0).String() + nodelease.EventKind(99).String(); got != "unknownunknown" {
		t.Error(got)
	}
}

// TestWrongReadings has the next readings of the wall clock be an hour ahead while the store is silent: a call has its
// id soon, although nobody raises the horizon. In the second half the wall clock is an hour behind the ids.
func TestWrongReadings(t *testing.T) {
	for _, behind := range []time.Duration{0, time.Hour} {
		longest := time.Duration(0)
		for wrong := range int64(6) {
			store := newFaultyStore(1, testTTL)
			store.SetRow(0, time.Time{}, start2026.Add(behind))
			bubble(t, store, nil, func(t *testing.T, m *nodelease.Minter, w *wall) {
				mustNext(t, m)
				store.setSilent(true)
				time.Sleep(testTTL / 2)
				w.wrong.Store(wrong)
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				began := time.Now()
				must.Get(m.NextContext(ctx))(t)
				longest = max(longest, time.Since(began))
			})
		}
		if longest < 50*time.Millisecond || longest > 250*time.Millisecond {
			t.Errorf("behind by %v: NextContext has taken up to %v, want one or two looks of 100 ms", behind, longest)
		}
	}
}

// TestManyWait has 10,000 goroutines wait for the store: since the horizon is reached, past the deadline, and since there
// is no number. None polls. Then all have ids.
func TestManyWait(t *testing.T) {
	const callers = 10_000
	store := newFaultyStore(1, testTTL)
	bubble(t, store, nil, func(t *testing.T, m *nodelease.Minter, w *wall) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		wait := func(ctx context.Context, want error) (end func()) {
			var all sync.WaitGroup
			for range callers {
				all.Go(func() {
					if id, err := m.NextContext(ctx); !errors.Is(err, want) || (id == 0) == (want == nil) {
						t.Errorf("NextContext: %v, %v, want %v", id, err, want)
					}
				})
			}
			synctest.Wait()
			return all.Wait
		}
		// The readings are those of the calls, and of what wakes them all at once.
		quiet := func(what string, most int64, length time.Duration) {
			t.Helper()
			before := w.readings.Load()
			time.Sleep(length)
			synctest.Wait()
			if n := w.readings.Load() - before; n > most {
				t.Errorf("%s: %d readings of the clock, want at most %d", what, n, most)
			}
		}
		mustMint(t, m)
		store.setSilent(true)
		w.step(time.Hour)
		end := wait(ctx, nil)
		quiet("past the horizon", 200, testTTL/2)
		quiet("at the deadline", callers+200, testTTL)
		quiet("past the deadline", 200, testTTL)
		store.setSilent(false)
		end()

		store.setSilent(true)
		time.Sleep(2 * testTTL)
		end = wait(ctx, context.Canceled)
		quiet("without a lease", 200, testTTL)
		cancel()
		end()

		store.Expire(0)
		store.SetRow(0, time.Now().Add(time.Hour), w.now()) // it is another's
		store.setSilent(false)
		time.Sleep(testTTL)
		end = wait(t.Context(), nodelease.ErrClosed)
		quiet("without a number", 200, testTTL)
		began := time.Now()
		mustClose(t, m)
		end()
		if took := time.Since(began); took > 0 {
			t.Errorf("calls have returned %v after Close", took)
		}
	})
}

// TestWaitAcrossTenures has a call that waits for a horizon go on when its number is lost, and another is there.
func TestWaitAcrossTenures(t *testing.T) {
	store := newFaultyStore(1, testTTL)
	bubble(t, store, nil, func(t *testing.T, m *nodelease.Minter, w *wall) {
		mustMint(t, m)
		store.setSilent(true)
		w.step(time.Hour)
		var waiting sync.WaitGroup
		waiting.Go(func() { mustNext(t, m) })
		time.Sleep(time.Second)
		store.Expire(0)
		store.setSilent(false)
		waiting.Wait()
		if granted := store.granted.Load(); granted != 2 {
			t.Errorf("%d tenures, want 2", granted)
		}
	})
}

// TestStats follows a Minter through all that Stats tells.
func TestStats(t *testing.T) {
	store := newFaultyStore(3, testTTL)
	store.setSilent(true)
	bubble(t, store, nil, func(t *testing.T, m *nodelease.Minter, w *wall) {
		check := func(what string, want nodelease.Stats, cause error) {
			t.Helper()
			synctest.Wait()
			got := m.Stats()
			if !errors.Is(got.Err, cause) || (got.Err == nil) != (cause == nil) || cause != nil && cause != nodelease.ErrClosed && !errors.Is(got.Err, ids.ErrWithheld) {
				t.Errorf("%s: the error is %v, want %v", what, got.Err, cause)
			}
			got.Err = nil
			got.HorizonAhead = got.HorizonAhead.Truncate(time.Microsecond) // to which horizons are rounded up
			if got != want {
				t.Errorf("%s: got %+v, want %+v", what, got, want)
			}
		}
		const gives = testTTL - testTTL/10 - 100*time.Millisecond
		check("at the start", nodelease.Stats{}, ids.ErrWithheld)
		store.setSilent(false)
		id := mustNext(t, m)
		number := numberOf(id)
		with := func(ago time.Duration) nodelease.Stats {
			return nodelease.Stats{Number: number, Held: true, Deadline: gives - ago, HorizonAhead: 4*testTTL - ago, Free: 2, FreeKnown: true}
		}
		check("with a number", with(0), nil)
		time.Sleep(time.Second)
		check("a second later", with(time.Second), nil)
		w.step(-time.Minute)
		behind := with(time.Second)
		behind.HorizonAhead, behind.LatestAhead = behind.HorizonAhead+time.Minute, timeOf(id).Sub(w.now())
		check("the clock is set back", behind, nil)
		store.setSilent(true)
		w.step(2 * time.Minute)
		leapt := with(time.Second)
		leapt.HorizonAhead += time.Microsecond - time.Minute // truncated towards zero
		check("the clock has leapt past the horizon", leapt, ids.ErrWithheld)
		w.step(-time.Minute)
		check("and is right again", with(time.Second), nil)
		time.Sleep(testTTL)
		check("past the deadline", nodelease.Stats{Free: 2, FreeKnown: true}, context.DeadlineExceeded)
		for n := range int64(3) {
			store.Expire(n)
			store.SetRow(n, time.Now().Add(time.Hour), w.now())
		}
		store.setSilent(false)
		time.Sleep(2 * testTTL)
		check("when none is free", nodelease.Stats{FreeKnown: true}, nodelease.ErrNoNumber)
		store.Expire(1)
		mustNext(t, m)
		check("when one was free", nodelease.Stats{
			Number: 1, Held: true, Deadline: gives, HorizonAhead: m.Stats().HorizonAhead.Truncate(time.Microsecond), FreeKnown: true,
		}, nil)
		mustClose(t, m)
		check("after Close", nodelease.Stats{FreeKnown: true}, nodelease.ErrClosed)
	})
}

// TestCloseFromObserve has Observe call Close, which waits for it to return, for 5 s.
func TestCloseFromObserve(t *testing.T) {
	var minter atomic.Pointer[nodelease.Minter]
	var took atomic.Int64
	opts := &nodelease.Options{Observe: func(e nodelease.Event) {
		if m := minter.Load(); m != nil && e.Kind == nodelease.Renewed {
			began := time.Now()
			_ = m.Close()
			took.Store(int64(time.Since(began)))
		}
	}}
	bubble(t, newFaultyStore(1, testTTL), opts, func(t *testing.T, m *nodelease.Minter, w *wall) {
		minter.Store(m)
		time.Sleep(time.Minute)
		if got := time.Duration(took.Load()); got != 5*time.Second {
			t.Errorf("Close has taken %v", got)
		}
	})
}

// TestSilence has the store be silent for a while: requests get lost, and no connection breaks. Afterwards minting
// begins when the request that was lost last is given up, and the next one is answered.
func TestSilence(t *testing.T) {
	for _, ttl := range []time.Duration{15 * time.Second, time.Minute} {
		for _, silence := range []time.Duration{2 * ttl, 8 * ttl, 30 * ttl} {
			store := newFaultyStore(1, ttl)
			bubble(t, store, nil, func(t *testing.T, m *nodelease.Minter, w *wall) {
				var late []time.Duration
				for range 500 {
					time.Sleep(3*ttl + rand.N(ttl))
					store.setSilent(true)
					time.Sleep(silence/2 + rand.N(silence))
					store.setSilent(false)
					began := time.Now()
					mustNext(t, m)
					late = append(late, time.Since(began))
				}
				slices.Sort(late)
				t.Logf("TTL %v, silence of about %v: minting begins half of the time within %v, always within %v",
					ttl, silence, late[len(late)/2].Round(100*time.Millisecond), late[len(late)-1].Round(100*time.Millisecond))
				if most := ttl - ttl/10 + 2*time.Second; late[len(late)-1] > most || late[len(late)/2] > ttl*3/8 {
					t.Errorf("want half of the time at most %v, and always %v", ttl*3/8, most)
				}
			})
		}
	}
}
