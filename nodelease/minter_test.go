package nodelease_test

// Helpers for the other tests, and tests of the horizon, of Close and of the documentation.

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/internal/docs"
	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/internal/must"
)

const testTTL = 10 * time.Second

// wall is a wall clock that a test can set off by any amount. It counts its readings.
type wall struct {
	offset, readings atomic.Int64
	wrong            atomic.Int64 // number of further readings that are an hour ahead
	looks            atomic.Int64 // number of readings up to the one that waits for the gate
	gate             chan struct{}
	broken           bool // the test leaves a store with which Close fails
}

func (w *wall) now() time.Time {
	now := time.Now().Add(time.Duration(w.offset.Load()))
	w.readings.Add(1)
	if w.wrong.Add(-1) >= 0 {
		now = now.Add(time.Hour)
	}
	if w.looks.Add(-1) == 0 {
		<-w.gate
	}
	return now
}

// stop makes one reading wait until the gate is closed. It is the next reading after the given
// number of readings.
func (w *wall) stop(looks int64) {
	w.gate = make(chan struct{})
	w.looks.Store(looks + 1)
}

func (w *wall) step(by time.Duration) { w.offset.Add(int64(by)) }

var start2026 = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// bubble runs test in a synctest bubble, in a year that Twitter's layout can hold, with a Minter
// that has had time to get a number.
func bubble(t *testing.T, store nodelease.Store, opts *nodelease.Options, test func(t *testing.T, m *nodelease.Minter, w *wall)) {
	t.Helper()
	must.Bubble(t, func(t *testing.T) {
		w := new(wall)
		w.step(time.Until(start2026))
		var o nodelease.Options
		if opts != nil {
			o = *opts
		}
		o.Now = w.now
		m := newMinter(t, store, &o)
		defer func() {
			if err := m.Close(); (err != nil) != w.broken {
				t.Errorf("Close: %v, want an error %t", err, w.broken)
			}
			time.Sleep(time.Minute) // for a store that ignores its context
		}()
		synctest.Wait()
		test(t, m, w)
	})
}

// scriptedStore returns the Grants and errors of a test.
type scriptedStore struct {
	take            atomic.Pointer[func() (nodelease.Grant, error)]
	taken, released atomic.Int64
	horizon         atomic.Pointer[time.Time] // horizon of the latest Release
}

func (s *scriptedStore) set(take func() (nodelease.Grant, error)) { s.take.Store(&take) }

func (s *scriptedStore) Take(context.Context, nodelease.Request) (nodelease.Grant, error) {
	s.taken.Add(1)
	return (*s.take.Load())()
}

// lease is a Lease whose methods succeed, unless the test defines another result.
type lease struct {
	store           *scriptedStore
	extend, release func() error
}

func (l *lease) Extend(context.Context, time.Time) error {
	if l.extend == nil {
		return nil
	}
	return l.extend()
}

func (l *lease) Release(_ context.Context, horizon time.Time) error {
	l.store.released.Add(1)
	l.store.horizon.Store(&horizon)
	if l.release == nil {
		return nil
	}
	return l.release()
}

// grant returns a Grant of number 0.
func grant(l *lease) nodelease.Grant { return nodelease.Grant{TTL: testTTL, Lease: l} }

// numberOf and timeOf return the number and the time in an ID of Twitter's layout.
func numberOf(id ids.Snowflake) int64   { return ids.TwitterLayout().Split(id).Node }
func timeOf(id ids.Snowflake) time.Time { return ids.TwitterLayout().Split(id).Time }

func newMinter(t *testing.T, store nodelease.Store, opts *nodelease.Options) *nodelease.Minter {
	t.Helper()
	m, err := nodelease.NewMinter(store, opts)
	must.Do(t, err)
	return m
}

func mustMint(t *testing.T, m *nodelease.Minter) ids.Snowflake {
	t.Helper()
	id, err := m.TryNext()
	must.Do(t, err)
	return id
}

// mustNext is like mustMint, but calls NextContext.
func mustNext(t *testing.T, m *nodelease.Minter) ids.Snowflake {
	t.Helper()
	id, err := m.NextContext(t.Context())
	must.Do(t, err)
	return id
}

// nextWithin calls NextContext with a context that expires after d.
func nextWithin(t *testing.T, m *nodelease.Minter, d time.Duration) (ids.Snowflake, error) {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	return m.NextContext(ctx)
}

// refused checks that TryNext returns no ID, and an error that matches want. The what parameter
// describes the situation.
func refused(t *testing.T, m *nodelease.Minter, want error, what string) {
	t.Helper()
	if id, err := m.TryNext(); id != 0 || !errors.Is(err, want) {
		t.Fatalf("%s: TryNext returns %v, %v, want %v", what, id, err, want)
	}
}

func mustClose(t *testing.T, m *nodelease.Minter) {
	t.Helper()
	if err := m.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
}

// TestLastIDBelowTheHorizon pauses a call to NextContext while other calls take exactly the IDs up
// to the horizon. None of these other calls has requested a higher horizon.
func TestLastIDBelowTheHorizon(t *testing.T) {
	store := newFaultyStore(1, testTTL)
	store.SetRow(0, time.Time{}, start2026.Add(time.Hour)) // the next horizon is a hundredth of the window after that
	layout := ids.TwitterLayout()
	layout.NodeBits, layout.SequenceBits = 20, 2
	bubble(t, store, &nodelease.Options{Layout: layout}, func(t *testing.T, m *nodelease.Minter, w *wall) {
		w.stop(2) // after the readings of two TryNext calls
		var late sync.WaitGroup
		var took time.Duration
		var began time.Time
		late.Go(func() {
			id, err := m.NextContext(t.Context())
			if took = time.Since(began); err != nil {
				t.Errorf("got %d, %v", id, err)
			}
		})
		synctest.Wait()
		_, horizon := store.Row(0)
		for last := (ids.SnowflakeParts{}); last.Sequence < 3 || last.Time.Before(horizon.Truncate(time.Millisecond)); {
			last = layout.Split(mustNext(t, m))
		}
		began = time.Now()
		close(w.gate)
		late.Wait()
		if took > 150*time.Millisecond { // wakeWaiters helped it
			t.Errorf("a call has waited for %v although the store answers", took)
		}
	})
}

// TestCloseAsksAgain breaks connections while a number is being released, before the request has
// reached the store and after that.
func TestCloseAsksAgain(t *testing.T) {
	reset := errors.New("connection reset")
	for _, test := range []struct {
		failures         int64
		lost, carriedOut bool // the first request is lost, or all of them
	}{{5, true, false}, {5, true, true}, {9, false, false}} {
		failed, opts := counted(nodelease.Failed)
		var log lockedText
		opts.Logger = slog.New(slog.NewTextHandler(&log, nil))
		store := newFaultyStore(1, testTTL)
		bubble(t, store, opts, func(t *testing.T, m *nodelease.Minter, w *wall) {
			last := mustMint(t, m)
			for range 10_000 { // so that IDs are ahead of the wall clock
				last = mustNext(t, m)
			}
			tries := int64(0)
			store.setCarry(func(ctx context.Context, request func() error) error {
				if tries++; tries > test.failures {
					return request()
				}
				if tries == 1 && test.lost {
					<-ctx.Done()
				}
				if test.carriedOut {
					_ = request()
				}
				return reset
			})
			mustClose(t, m)
			if expires, horizon := store.Row(0); !expires.IsZero() || !horizon.Equal(timeOf(last)) {
				t.Errorf("the number is held until %v, the horizon is %v", expires, horizon)
			}
			if n := failed.Load(); n < test.failures {
				t.Errorf("told of %d failures, want %d", n, test.failures)
			}
			want := "released a number"
			if test.carriedOut {
				want = "a number is no longer held, perhaps because an earlier request released it"
			}
			if !strings.Contains(log.String(), want) {
				t.Errorf("the log lacks %q: %s", want, &log)
			}
		})
	}
}

// TestCloseRefused uses a store that refuses a release, like one that is closed. It is not asked
// again.
func TestCloseRefused(t *testing.T) {
	closed := fmt.Errorf("%w: it is closed", nodelease.ErrRefused)
	store := newFaultyStore(1, testTTL)
	must.Bubble(t, func(t *testing.T) {
		m := must.Get(nodelease.NewMinter(store, &nodelease.Options{Now: func() time.Time { return start2026 }}))(t)
		must.Do(t, m.Wait(t.Context()))
		store.setCarry(func(context.Context, func() error) error { return closed })
		began := time.Now()
		must.Fail(t, "Close", m.Close(), nodelease.ErrRefused, "number 0 could not be released")
		if took := time.Since(began); took > 0 {
			t.Errorf("Close took %v", took)
		}
	})
}

// TestCloseDuringTake closes a Minter that waits for a number. If the store grants one anyway, the
// number is released.
func TestCloseDuringTake(t *testing.T) {
	store := newFaultyStore(1, testTTL)
	store.setCarry(func(_ context.Context, request func() error) error {
		err := request()
		time.Sleep(time.Second) // even if the context is done
		return err
	})
	bubble(t, store, nil, func(t *testing.T, m *nodelease.Minter, w *wall) {
		began := time.Now()
		if err := m.Close(); err != nil || time.Since(began) != 2*time.Second {
			t.Errorf("Close returns %v after %v", err, time.Since(began))
		}
		granted, extended := store.granted.Load(), store.extended.Load()
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

// TestCallUnderWayAtLoss stops calls at their first and second reading of the clock until the
// number is lost, and until there is another number or none. The calls then use that number, or
// return the reason why they cannot.
func TestCallUnderWayAtLoss(t *testing.T) {
	for look := range int64(2) {
		for _, another := range []bool{false, true} {
			for _, wait := range []bool{false, true} {
				store := newFaultyStore(1, testTTL)
				bubble(t, store, nil, func(t *testing.T, m *nodelease.Minter, w *wall) {
					mustMint(t, m)
					w.step(time.Duration(look) * time.Hour) // past the horizon there is a second reading
					w.stop(look)
					var late sync.WaitGroup
					call := m.TryNext
					if wait {
						call = func() (ids.Snowflake, error) { return nextWithin(t, m, time.Minute) }
					}
					late.Go(func() {
						_, err := call()
						var want error
						switch {
						case !another:
							want = nodelease.ErrNoNumber
						case !wait && look == 0: // the horizon is ahead
							want = ids.ErrClockBehind
						}
						if !errors.Is(err, want) {
							t.Errorf("look %d: %v, want %v", look, err, want)
						}
					})
					synctest.Wait()
					store.Expire(0)
					if !another {
						store.SetRow(0, time.Now().Add(2*time.Hour), w.now()) // another holder has it
					}
					time.Sleep(testTTL)
					close(w.gate)
					late.Wait()
				})
			}
		}
	}
}

// TestDocs compiles and runs the code that the pages of the repository show for this package.
func TestDocs(t *testing.T) {
	docs.Run(t, "nodelease", map[string]string{
		"ctx":   "context.Background()",
		"store": "memstore.New(1024, 15*time.Second)",
	})
}

// TestCommands runs the benchmark that README names, and checks that its other commands name
// existing tests.
func TestCommands(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the tests of three packages anew")
	}
	page := string(must.Get(os.ReadFile("README.md"))(t))
	for _, command := range regexp.MustCompile("go test [^`\n#]*-(?:run|bench) [^`\n#]+").FindAllString(page, -1) {
		args := strings.Fields(strings.ReplaceAll(command, "'", ""))
		if !strings.Contains(command, "-bench") {
			args = append(args, "-list", args[slices.Index(args, "-run")+1])
		}
		out, err := exec.Command(args[0], append(args[1:], "-benchtime=1000x")...).CombinedOutput()
		lists := regexp.MustCompile(`(?m)^Test`).Match(out)
		if err != nil || !lists && strings.Count(string(out), " 0 allocs/op\n") != 6 {
			t.Errorf("%s: %v\n%s", command, err, out)
		}
	}
}
