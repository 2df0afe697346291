package nodelease_test

// Tests with a store whose answers are unusable, late, lost or missing.

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease"
)

// TestRefusedNumbers uses a store that grants a number under which no ID can be made. The Minter
// releases it, reports the fault, and continues when the store grants a usable one.
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
			narrow, ids.ErrRange, "the horizon of number 0 leaves no time for IDs: ids: time 2100-01-01T00:00:00Z"},
		{"a horizon past all layouts' ends", nodelease.Grant{TTL: testTTL, Horizon: time.Unix(1<<60, 0)}, narrow, ids.ErrRange, "the horizon of number 0"},
		{"no TTL", nodelease.Grant{}, narrow, nil, "a TTL of 0s for number 0 leaves no time"},
		{"a negative TTL", nodelease.Grant{TTL: -time.Hour}, narrow, nil, "a TTL of -1h0m0s for number 0"},
		{"a TTL as short as the margin", nodelease.Grant{TTL: 111_111_111}, narrow, nil, "a TTL of 111.111111ms for number 0 leaves no time for IDs: the minimum is 112ms"},
	} {
		t.Run(test.name, func(t *testing.T) {
			store := &scriptedStore{}
			store.set(func() (nodelease.Grant, error) {
				g := test.bad
				g.Lease, g.FreeKnown = &lease{store: store}, true
				return g, nil
			})
			var log lockedText
			var told []nodelease.Event
			opts := &nodelease.Options{Layout: test.layout, Logger: slog.New(slog.NewTextHandler(&log, nil)), Observe: func(e nodelease.Event) {
				if e.Kind == nodelease.Warned {
					told = append(told, e)
				}
			}}
			bubble(t, store, opts, func(t *testing.T, m *nodelease.Minter, w *wall) {
				want := fmt.Sprintf(`msg="cannot make IDs under a number" number=%d error="nodelease: `, test.bad.Number)
				if !strings.Contains(log.String(), want) {
					t.Errorf("the log lacks %s: %s", want, log.String())
				}
				id, err := m.TryNext()
				if !errors.Is(err, ids.ErrWithheld) || test.match != nil && !errors.Is(err, test.match) || !strings.Contains(err.Error(), test.want) {
					t.Errorf("TryNext: %v, %v, want %q", id, err, test.want)
				}
				id, err = nextWithin(t, m, 10*time.Second)
				matches := errors.Is(err, context.DeadlineExceeded) && (test.match == nil || errors.Is(err, test.match))
				if !matches || !strings.Contains(err.Error(), test.want) {
					t.Errorf("NextContext: %v, %v, want %q", id, err, test.want)
				}
				if taken, released := store.taken.Load(), store.released.Load(); taken < 3 || released != taken {
					t.Errorf("took %d numbers, gave %d back", taken, released)
				}
				if back := store.horizon.Load().Sub(test.bad.Horizon); back < 0 || back >= time.Microsecond {
					t.Errorf("the horizon was %v, and goes back as %v", test.bad.Horizon, store.horizon.Load())
				}
				synctest.Wait()
				if len(told) != 1 || told[0].Number != test.bad.Number || !told[0].Held || m.Stats().FreeKnown {
					t.Errorf("told %+v, and Stats are %+v", told, m.Stats())
				}
				time.Sleep(2*time.Minute + 10*time.Second)
				synctest.Wait()
				if n, lines := len(told), strings.Count(log.String(), want); n != 3 || lines != 3 {
					t.Errorf("%d warnings, %d in the log, want 3", n, lines)
				}
				store.set(func() (nodelease.Grant, error) { return grant(&lease{store: store}), nil })
				mustNext(t, m)
			})
		})
	}
}

// TestStoreThatIgnoresItsContext uses a store whose renewal hangs for an hour, even after its
// context is done.
func TestStoreThatIgnoresItsContext(t *testing.T) {
	store := newFaultyStore(1, testTTL)
	bubble(t, store, nil, func(t *testing.T, m *nodelease.Minter, w *wall) {
		mustMint(t, m)
		store.setCarry(slow(time.Hour))
		time.Sleep(testTTL)
		synctest.Wait()
		refused(t, m, ids.ErrWithheld, "while the store hangs")
		const late = "nodelease: withheld: the store has not renewed the lease of number 0 in time" // and no error, since there was none
		if err := m.Stats().Err; err == nil || err.Error() != late {
			t.Errorf("while the store hangs: %v, want %s", err, late)
		}
		began := time.Now()
		if err := m.Close(); err == nil || !strings.Contains(err.Error(), "has not answered within 5s") || time.Since(began) != 5*time.Second {
			t.Errorf("Close returns %v after %v", err, time.Since(began))
		}
		w.broken = true
		again, took := m.Close(), time.Since(began)
		if again == nil || took != 5*time.Second {
			t.Errorf("a second Close returns %v after %v in all", again, took)
		}
		refused(t, m, nodelease.ErrClosed, "after Close")
		store.setCarry(nil)
		time.Sleep(time.Hour)
		if expires, _ := store.Row(0); !expires.IsZero() {
			t.Error("the number is held after the store has come back")
		}
	})
}

// TestAnswerAtTheDeadline lets the answer to a renewal arrive at the moment when minting must have
// stopped, and a nanosecond before.
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
			w.broken = true // the next Extend is in progress
			time.Sleep(testTTL)
			if got := time.Duration(began.Load()); got != before {
				t.Errorf("minting has begun %d times after an answer %v before the deadline", got, before)
			}
		})
	}
}

// TestAnswerAfterClose lets a renewal succeed after Close. Nothing is minted any more.
func TestAnswerAfterClose(t *testing.T) {
	told := map[nodelease.EventKind][]time.Time{}
	opts := &nodelease.Options{Observe: func(e nodelease.Event) { told[e.Kind] = append(told[e.Kind], time.Now()) }}
	store := newFaultyStore(1, testTTL)
	bubble(t, store, opts, func(t *testing.T, m *nodelease.Minter, w *wall) {
		store.setCarry(slow(time.Second))
		time.Sleep(testTTL/3 + time.Millisecond) // a renewal is in progress
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

// TestLostAnswer loses the answer to an Extend that was sent while the clock was an hour ahead. No
// later Extend requests a lower horizon, because the store may have carried out the first Extend.
// Take receives the Minter's own time.
func TestLostAnswer(t *testing.T) {
	store := newFaultyStore(1, testTTL)
	bubble(t, store, nil, func(t *testing.T, m *nodelease.Minter, w *wall) {
		if times, _ := store.asked(); len(times) != 1 || !times[0].Equal(start2026) {
			t.Errorf("Take was told %v, want %v", times, start2026)
		}
		store.setCarry(func(_ context.Context, request func() error) error {
			_ = request()
			w.step(-time.Hour)
			store.setCarry(nil)
			return errors.New("the answer is lost")
		})
		w.step(time.Hour)
		time.Sleep(6 * testTTL)
		times, horizons := store.asked()
		if !slices.IsSortedFunc(horizons, time.Time.Compare) || len(horizons) < 10 || horizons[1].Sub(start2026) < time.Hour {
			t.Errorf("the horizons are %v", horizons)
		}
		if len(times) != 1 {
			t.Errorf("%d Takes, want 1: the number was lost", len(times))
		}
	})
}
