package nodelease_test

// Tests of the reports to Logger and Observe, and of Stats.

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
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
	"github.com/oneclock/ids/nodelease/internal/memory"
	"github.com/oneclock/ids/nodelease/internal/must"
)

// TestEventsAndLog follows a Minter through a tenure, an outage, a loss and Close, with a store
// that takes a second for each request. Of consecutive events of one kind, only one is compared.
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
		expect("TryNext", "")
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
		store.SetRow(0, time.Now().Add(time.Hour), w.now()) // another holder has it
		await()
		expect("loss", "failed 0 1s nodelease: the number is no longer held\n"+
			"ended 0 0s nodelease: the number is no longer held\n")
		time.Sleep(100 * time.Second) // logged twice
		expect("no other number", "failed none 1s nodelease: all numbers are held, or other processes were faster\n")
		store.Expire(0)
		await()
		expect("another tenure", "renewed 0 1s <nil>\nbegan 0 0s <nil>\n")
		mustMint(t, m)
		mustClose(t, m)
		expect("Close", "ended 0 0s <nil>\n")
	})
	const want = `level=INFO msg="IDs have begun" number=0
level=WARN msg="a request to the store failed" number=0 error="context deadline exceeded"
level=WARN msg="IDs have ended" number=0 error="nodelease: the store has not renewed the lease of number 0 in time: context deadline exceeded"
level=INFO msg="IDs have begun" number=0
level=WARN msg="a request to the store failed" number=0 error="context deadline exceeded"
level=WARN msg="a request to the store failed" number=0 error="nodelease: the number is no longer held"
level=WARN msg="IDs have ended" number=0 error="nodelease: the number is no longer held"
level=INFO msg="no number could be taken" error="nodelease: all numbers are held, or other processes were faster"
level=INFO msg="no number could be taken" error="nodelease: all numbers are held, or other processes were faster"
level=INFO msg="IDs have begun" number=0
level=INFO msg="IDs have ended" number=0
level=INFO msg="released a number" number=0 horizon=`
	if got := regexp.MustCompile(`time=\S+ `).ReplaceAllString(text.String(), ""); !strings.HasPrefix(got, want) {
		t.Errorf("the log is\n%s\nwant\n%s", got, want)
	}
	if got := fmt.Sprint(nodelease.EventKind(0), nodelease.Warned, nodelease.Warned+1); got != "unknown warned unknown" {
		t.Error(got)
	}
}

// TestStats follows a Minter through all values of Stats.
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
			if n, ok := m.Number(); n != want.Number || ok != want.Held {
				t.Errorf("%s: Number returns %d, %t", what, n, ok)
			}
			got.Err = nil
			got.HorizonAhead = got.HorizonAhead.Truncate(time.Microsecond) // horizons are rounded up to that
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
		time.Sleep(testTTL / 2) // a later horizon is requested, without success
		w.step(-time.Minute)
		check("and is right again", with(time.Second+testTTL/2), nil)
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

// TestBlockedReports uses a Logger that blocks, and an Observe function that blocks. Minting
// continues, and Close waits for reports no longer than for anything else.
func TestBlockedReports(t *testing.T) {
	block := func(nodelease.Event) { time.Sleep(time.Hour) }
	for _, opts := range []*nodelease.Options{{Logger: slog.New(blockingHandler{slog.DiscardHandler})}, {Observe: block}} {
		store := newFaultyStore(1, testTTL)
		bubble(t, store, opts, func(t *testing.T, m *nodelease.Minter, w *wall) {
			time.Sleep(400 * testTTL) // more reports than can be queued
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

// TestReportsAtClose closes the Minter while its Observe function is busy and more reports are
// queued. All reports are made before Close returns.
func TestReportsAtClose(t *testing.T) {
	for range 30 { // because a select chooses between two channels at random
		var log lockedText
		var busy atomic.Bool
		opts := &nodelease.Options{Logger: slog.New(slog.NewTextHandler(&log, nil)), Observe: func(e nodelease.Event) {
			if e.Kind == nodelease.Renewed {
				busy.Store(true)
				time.Sleep(time.Second)
			}
		}}
		bubble(t, newFaultyStore(1, testTTL), opts, func(t *testing.T, m *nodelease.Minter, _ *wall) {
			mustMint(t, m)
			for busy.Store(false); !busy.Load(); time.Sleep(time.Millisecond) {
			}
			mustClose(t, m)
			for _, want := range []string{"IDs have ended", "released a number"} {
				if !strings.Contains(log.String(), want) {
					t.Errorf("the log lacks %q: %s", want, &log)
				}
			}
		})
	}
}

// TestHorizonFarAhead checks the reports of two horizons that are more than 24 h ahead. Take finds
// one of them, and the Minter requests the other because its clock jumps ahead.
func TestHorizonFarAhead(t *testing.T) {
	const day = 24 * time.Hour
	const found = "is 2400h0m0s ahead of"
	for _, test := range []struct {
		ttl, held, leap time.Duration
		want            string
	}{
		{testTTL, 0, 0, ""}, {testTTL, day / 2, 0, ""}, {testTTL, day + time.Second, 0, "is 24h0m1s ahead of"}, {testTTL, 100 * day, 0, found},
		{testTTL, 100 * day, 200 * day, found}, {testTTL, 0, 100 * day, "is 24"}, {2 * day, 0, 0, ""},
	} {
		store := newFaultyStore(1, test.ttl)
		store.SetRow(0, time.Time{}, start2026.Add(test.held))
		var log lockedText
		warned, opts := counted(nodelease.Warned)
		opts.Logger, opts.Window = slog.New(slog.NewTextHandler(&log, nil)), day
		bubble(t, store, opts, func(t *testing.T, m *nodelease.Minter, w *wall) {
			w.step(test.leap)
			_, _ = m.TryNext()
			synctest.Wait()
			w.step(-test.leap)
			time.Sleep(testTTL)
			w.step(test.leap)
			time.Sleep(10 * testTTL)
			const text = `level=WARN msg="the horizon of a number is far ahead" number=0 error="nodelease: the horizon 20`
			want := min(len(test.want), 1)
			if got := log.String(); strings.Count(got, text) != want || !strings.Contains(got, test.want) || warned.Load() != int64(want) {
				t.Errorf("%v ahead: %d events, and the log lacks %q: %s", test.held, warned.Load(), test.want, got)
			}
		})
	}
}

// warningStore warns at each Take.
type warningStore struct{ *memory.Store }

func (s warningStore) Take(ctx context.Context, r nodelease.Request) (nodelease.Grant, error) {
	r.Warn(errEnough)
	return s.Store.Take(ctx, r)
}

// TestWarned uses a store that warns in two tenures. Each warning is reported.
func TestWarned(t *testing.T) {
	store := warningStore{memory.New(1, testTTL)}
	var log lockedText
	var events []nodelease.Event
	opts := &nodelease.Options{Logger: slog.New(slog.NewTextHandler(&log, nil)), Observe: func(e nodelease.Event) {
		if e.Kind == nodelease.Warned {
			events = append(events, e)
		}
	}}
	bubble(t, store, opts, func(t *testing.T, m *nodelease.Minter, w *wall) {
		store.Expire(0)
		time.Sleep(testTTL)
		mustNext(t, m)
	})
	want := nodelease.Event{Kind: nodelease.Warned, Err: errEnough}
	if n := strings.Count(log.String(), `level=WARN msg="the store has a warning" error=enough`); n != 2 || !slices.Equal(events, []nodelease.Event{want, want}) {
		t.Errorf("the events are %v, and the log %s", events, &log)
	}
}

// lastStore grants a single number, and fails after that.
type lastStore struct {
	*memory.Store
	taken atomic.Bool
}

func (s *lastStore) Take(ctx context.Context, r nodelease.Request) (nodelease.Grant, error) {
	if s.taken.Swap(true) {
		return nodelease.Grant{}, errEnough
	}
	return s.Store.Take(ctx, r)
}

// TestNoOtherNumber uses a store that loses a number and grants no other. The log soon contains the
// reason.
func TestNoOtherNumber(t *testing.T) {
	store := &lastStore{Store: memory.New(1, testTTL)}
	var log lockedText
	bubble(t, store, &nodelease.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}, func(t *testing.T, m *nodelease.Minter, w *wall) {
		store.Expire(0)
		time.Sleep(testTTL)
		const lost, why = `level=WARN msg="a request to the store failed" number=0 error="nodelease: the number is no longer held"`,
			`level=WARN msg="a request to the store failed" error=enough`
		if got := log.String(); strings.Count(got, lost) != 1 || strings.Count(got, why) != 1 {
			t.Errorf("the log is\n%s\nwant once each\n%s\n%s", got, lost, why)
		}
	})
}

// TestWarningAfterClose uses a store that warns about a lease that Close could not release, until
// its TTL is over.
func TestWarningAfterClose(t *testing.T) {
	var warn func(error)
	store := &scriptedStore{}
	broken := &lease{store: store, release: func() error { return errEnough }}
	store.set(func() (nodelease.Grant, error) { return grant(broken), nil })
	listening := listeningStore{store, &warn}
	bubble(t, listening, nil, func(t *testing.T, m *nodelease.Minter, w *wall) {
		mustNext(t, m)
		must.Fail(t, "Close", m.Close(), errEnough)
		w.broken = true
		for range 2000 { // more than can be queued for a Logger
			warn(errEnough)
		}
	})
}

// listeningStore keeps the Warn function of the latest request.
type listeningStore struct {
	nodelease.Store
	warn *func(error)
}

func (s listeningStore) Take(ctx context.Context, r nodelease.Request) (nodelease.Grant, error) {
	*s.warn = r.Warn
	return s.Store.Take(ctx, r)
}

// TestCallsThatDoNotReturn lets each call of the store continue beyond its time limit, even after
// its context is done. This is reported after 5 s, with the method's name, and again when the call
// has returned.
func TestCallsThatDoNotReturn(t *testing.T) {
	for call, limit := range map[string]time.Duration{
		"Take": 5 * time.Second, "Extend": (testTTL - testTTL/10 - 100*time.Millisecond) / 2, "Release": 2250 * time.Millisecond,
	} {
		for _, beyond := range []time.Duration{0, 5*time.Second - 1, 5*time.Second + 1, time.Hour} {
			var began atomic.Pointer[time.Time]
			hang := func(what string) func() error {
				return func() error {
					now := time.Now()
					if what != call || !began.CompareAndSwap(nil, &now) {
						return nil
					}
					time.Sleep(limit + beyond)
					return errEnough
				}
			}
			store := &scriptedStore{}
			l, take := &lease{store: store, extend: hang("Extend"), release: hang("Release")}, hang("Take")
			store.set(func() (nodelease.Grant, error) { return grant(l), take() })
			var told []string
			opts := &nodelease.Options{Observe: func(e nodelease.Event) {
				if e.Kind == nodelease.Warned {
					told = append(told, fmt.Sprintf("%v %t %v", time.Since(*began.Load())-limit, e.Held, e.Err))
				}
			}}
			bubble(t, store, opts, func(t *testing.T, m *nodelease.Minter, w *wall) {
				if call == "Release" {
					mustNext(t, m)
					w.broken = m.Close() != nil
				}
				time.Sleep(2 * time.Hour)
			})
			var want []string
			if beyond > 5*time.Second {
				held := call != "Take"
				want = []string{
					fmt.Sprintf("5s %t nodelease: %s has not returned 5s after its time limit: it blocks all other requests to the store", held, call),
					fmt.Sprintf("%v %t nodelease: %s took %v", beyond, held, call, limit+beyond),
				}
			}
			if !slices.Equal(told, want) {
				t.Errorf("%s, %v beyond its limit: told %q, want %q", call, beyond, told, want)
			}
		}
	}
}
