package nodelease_test

// Tests of the keeper: horizons, delays, timeouts and loss.

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/internal/memory"
	"github.com/oneclock/ids/nodelease/internal/must"
)

// TestFirstHorizon checks that the first horizon is exactly as far ahead of the wall clock as the
// options define, rounded up to whole microseconds. A tenure in which no ID is made does not change
// the horizon.
func TestFirstHorizon(t *testing.T) {
	const day = 24 * time.Hour
	with := func(tick time.Duration) ids.SnowflakeLayout {
		return ids.SnowflakeLayout{Epoch: start2026.AddDate(-1, 0, 0), Tick: tick, NodeBits: 10, SequenceBits: 22}
	}
	for _, test := range []struct {
		opts nodelease.Options
		ttl  time.Duration
		held time.Duration // how far ahead the previous holder's horizon is
		want time.Duration
	}{
		{nodelease.Options{}, testTTL, 0, 4 * testTTL},
		{nodelease.Options{Window: time.Second}, testTTL, 0, testTTL},
		{nodelease.Options{Window: time.Hour}, testTTL, 0, time.Hour},
		{nodelease.Options{Window: time.Hour + 1}, testTTL, 0, time.Hour + time.Microsecond},
		{nodelease.Options{Window: time.Hour + 999}, testTTL, 0, time.Hour + time.Microsecond},
		{nodelease.Options{Window: time.Minute}, testTTL, time.Hour, time.Hour + time.Minute/100},
		{nodelease.Options{Layout: with(time.Second)}, testTTL, 0, 100 * time.Second},
		{nodelease.Options{Layout: with(time.Second), Window: 100 * time.Second}, testTTL, 0, 100 * time.Second},
		{nodelease.Options{Layout: with(day)}, testTTL, 0, 100 * day},
		{nodelease.Options{Layout: with(30 * day)}, testTTL, 0, 365 * day},
		{nodelease.Options{}, 10 * time.Hour, 0, day},
		{nodelease.Options{}, 1<<63 - 1, 0, 365 * day},                // an endless TTL
		{nodelease.Options{}, testTTL, -100 * 365 * day, 4 * testTTL}, // before the epoch
		{nodelease.Options{}, testTTL, 34 * 365 * day, 34*365*day + 4*testTTL/100},
	} {
		store := newFaultyStore(1, test.ttl)
		if test.held != 0 {
			store.SetRow(0, time.Time{}, start2026.Add(test.held))
		}
		bubble(t, store, &test.opts, func(t *testing.T, m *nodelease.Minter, w *wall) {
			if _, horizon := store.Row(0); horizon.Sub(w.now()) != test.want {
				t.Errorf("%+v: the horizon is %v ahead, want %v", test.opts, horizon.Sub(w.now()), test.want)
			}
		})
		if _, horizon := store.Row(0); test.held > 0 && !horizon.Equal(start2026.Add(test.held)) {
			t.Errorf("the horizon is %v after a tenure without an id, want what it was", horizon)
		}
	}
}

// TestPace checks the time from one renewal to the next, and from a failed renewal to the next
// attempt.
func TestPace(t *testing.T) {
	store := newFaultyStore(1, testTTL)
	bubble(t, store, nil, func(t *testing.T, m *nodelease.Minter, w *wall) {
		calls := make(chan time.Time, 1)
		answer := func(err error) {
			store.setCarry(func(_ context.Context, request func() error) error {
				calls <- time.Now()
				if err != nil {
					return err
				}
				return request()
			})
		}
		answer(nil)
		last := <-calls
		within := func(what string, least, most time.Duration) time.Duration {
			t.Helper()
			now := <-calls
			pause := now.Sub(last)
			if last = now; pause < least || pause > most {
				t.Fatalf("%s: a pause of %v, want %v to %v", what, pause, least, most)
			}
			return pause
		}
		const shortTry, longTry = 50 * time.Millisecond, 100 * time.Millisecond
		var renewals, tries []time.Duration
		for range 2000 {
			answer(errors.New("out of order"))
			renewals = append(renewals, within("a renewal", testTTL/4, testTTL/3))
			answer(nil)
			tries = append(tries, within("a first try", shortTry, longTry))
		}
		if slices.Min(tries) > shortTry+time.Millisecond || slices.Max(tries) < longTry-time.Millisecond ||
			slices.Min(renewals) > testTTL/4+testTTL/1000 || slices.Max(renewals) < testTTL/3-testTTL/1000 {
			t.Errorf("pauses of %v to %v, and tries after %v to %v, want them spread", slices.Min(renewals), slices.Max(renewals),
				slices.Min(tries), slices.Max(tries))
		}
		synctest.Wait()
		mustMint(t, m)
		if granted := store.granted.Load(); granted != 1 {
			t.Errorf("%d tenures, want 1", granted)
		}
		store.setCarry(nil)
	})
}

// TestFirstTries checks the delays between failed attempts at the start of a Minter and of a
// tenure. After a success, the delays start again at the shortest.
func TestFirstTries(t *testing.T) {
	outOfOrder := errors.New("out of order")
	store := &scriptedStore{}
	var calls chan func(error)
	answer := func() error {
		wait := make(chan error)
		calls <- func(err error) { wait <- err }
		return <-wait
	}
	must.Bubble(t, func(t *testing.T) {
		calls = make(chan func(error))
		store.set(func() (nodelease.Grant, error) {
			if err := answer(); err != nil {
				return nodelease.Grant{}, err
			}
			return grant(&lease{store: store, extend: answer}), nil
		})
		m := newMinter(t, store, &nodelease.Options{Now: func() time.Time { return start2026 }})
		next := func(what string, most time.Duration, err error) {
			t.Helper()
			began := time.Now()
			reply := <-calls
			if pause := time.Since(began); pause < most/2 || pause > most {
				t.Errorf("%s: a pause of %v, want %v to %v", what, pause, most/2, most)
			}
			reply(err)
		}
		next("first Take", 0, outOfOrder)
		for range 3 {
			for _, most := range []time.Duration{100, 200, 400, 800, 1600, 2000} {
				next("Take", most*time.Millisecond, outOfOrder)
			}
			next("Take", 2*time.Second, nil)
			next("first Extend", 0, nodelease.ErrLost) // nothing was minted, so it counts as a failure
			next("Take", 2*time.Second, nil)
			next("first Extend", 0, nil)
			next("Extend", testTTL/3, outOfOrder)
			for _, most := range []time.Duration{100, 200, 400, 800, 1250} {
				next("Extend", most*time.Millisecond, outOfOrder)
			}
			next("Extend", testTTL/8, fmt.Errorf("another holder: %w", nodelease.ErrLost))
		}
		for _, most := range []time.Duration{100, 200, 400, 800} {
			next("Take", most*time.Millisecond, nil)
			next("first Extend", 0, nodelease.ErrLost)
		}
		next("Take", 1600*time.Millisecond, nil)
		next("first Extend", 0, nil)
		mustClose(t, m)
	})
}

// TestLateTimer delays the timer that ends a tenure until the lease has been renewed, and until
// another tenure has begun.
func TestLateTimer(t *testing.T) {
	store := newFaultyStore(1, testTTL)
	bubble(t, store, nil, func(t *testing.T, m *nodelease.Minter, w *wall) {
		first := m.Timer()
		time.Sleep(testTTL / 2)
		first()
		mustMint(t, m)

		store.Expire(0)
		store.SetRow(0, time.Now().Add(2*testTTL), w.now())
		time.Sleep(testTTL)
		synctest.Wait()
		_, before := m.TryNext()
		first()
		if _, after := m.TryNext(); after != before || !errors.Is(after, nodelease.ErrNoNumber) {
			t.Errorf("with no number: %v, and then %v", before, after)
		}

		time.Sleep(2 * testTTL)
		synctest.Wait()
		first()
		mustMint(t, m)
	})
}

// TestPaceOfFailures uses a store that fails without delay while calls want a later horizon. The
// Minter must send fewer requests to the store than there are calls.
func TestPaceOfFailures(t *testing.T) {
	failed, opts := counted(nodelease.Failed)
	store := newFaultyStore(1, testTTL)
	bubble(t, store, opts, func(t *testing.T, m *nodelease.Minter, w *wall) {
		store.setCarry(func(context.Context, func() error) error { return errors.New("out of order") })
		w.broken = true
		w.step(time.Hour)
		for range 2000 {
			refused(t, m, ids.ErrWithheld, "past the horizon")
			time.Sleep(time.Millisecond)
		}
		if n := failed.Load(); n < 2 || n > 12 {
			t.Errorf("%d requests in 2 s", n)
		}
	})
}

// TestTimeouts uses a store that is silent at the start and at the end.
func TestTimeouts(t *testing.T) {
	var failed atomic.Int64 // total time of the failed requests
	var log lockedText
	opts := &nodelease.Options{Logger: slog.New(slog.NewTextHandler(&log, nil)), Observe: func(e nodelease.Event) {
		if e.Kind == nodelease.Failed {
			failed.Add(int64(e.Took))
		}
	}}
	store := newFaultyStore(1, testTTL)
	store.setSilent(true)
	bubble(t, store, opts, func(t *testing.T, m *nodelease.Minter, w *wall) {
		const short, long = 5 * time.Second, 10 * time.Second
		for i, want := range []time.Duration{short, short, long, long} {
			began, most := time.Now(), 7500*time.Millisecond<<max(i-1, 0)
			for failed.Load() == 0 {
				time.Sleep(time.Millisecond)
				synctest.Wait()
			}
			pause := time.Since(began) - want
			if took := time.Duration(failed.Swap(0)); took != want || pause > most+time.Millisecond {
				t.Errorf("Take had %v after a pause of %v, want %v", took, pause, want)
			}
		}
		const line = `level=WARN msg="a request to the store failed" error="context deadline exceeded"`
		if !strings.Contains(log.String(), line) {
			t.Errorf("the log lacks %s:\n%s", line, &log)
		}
		time.Sleep(6 * time.Hour)
		store.setSilent(false)
		if _, err := nextWithin(t, m, 42*time.Second); err != nil { // the longest pause, and a lost request
			t.Error(err)
		}
		store.setSilent(true)
		w.broken = true
		began := time.Now()
		for range 2 {
			must.Fail(t, "Close", m.Close(), context.DeadlineExceeded, "number 0 could not be released")
			if took := time.Since(began); took != 4500*time.Millisecond {
				t.Errorf("Close has taken %v", took)
			}
		}
		if strings.Contains(log.String(), "released a number") {
			t.Errorf("the log claims what has not happened:\n%s", &log)
		}
	})
}

// TestClockLeapsDuringARenewal lets the wall clock jump past the horizon during a renewal. That
// renewal still requests a horizon for the time before the jump, so another renewal follows
// immediately.
func TestClockLeapsDuringARenewal(t *testing.T) {
	store := newFaultyStore(1, testTTL)
	bubble(t, store, nil, func(t *testing.T, m *nodelease.Minter, w *wall) {
		mustMint(t, m)
		store.setCarry(slow(time.Second))
		time.Sleep(testTTL/3 + time.Millisecond) // a renewal is in progress
		w.step(time.Hour)
		for range 3 {
			refused(t, m, ids.ErrWithheld, "past the horizon")
		}
		time.Sleep(2 * time.Second)
		mustMint(t, m)
	})
}

// TestSlowStore uses a store whose answers take a part of the TTL. If they take less than 0.45 TTL
// minus 50 ms, minting continues without a gap. If they take longer, there is a gap before each
// answer, and if they take more than 0.9 TTL minus 100 ms, nothing is minted.
func TestSlowStore(t *testing.T) {
	for _, test := range []struct {
		takes time.Duration // as a part of testTTL
		least float64       // minimum part of the time in which IDs can be made
	}{
		{testTTL / 10, 1}, {testTTL * 3 / 10, 1}, {testTTL * 4 / 10, 1}, {testTTL*45/100 - 51*time.Millisecond, 1},
		{testTTL * 5 / 10, 0.75}, {testTTL * 6 / 10, 0.45}, {testTTL * 8 / 10, 0.1},
	} {
		store := newFaultyStore(1, testTTL)
		bubble(t, store, nil, func(t *testing.T, m *nodelease.Minter, w *wall) {
			store.setSilent(true) // before it is slow
			time.Sleep(2 * testTTL)
			store.setCarry(func(ctx context.Context, request func() error) error {
				select {
				case <-time.After(test.takes):
					return request()
				case <-ctx.Done():
					return ctx.Err()
				}
			})
			time.Sleep(5 * testTTL) // until the timeouts have adapted
			const looks = 10_000
			minted := 0
			for range looks {
				time.Sleep(testTTL / 100)
				if _, err := m.TryNext(); err == nil {
					minted++
				} else if !errors.Is(err, ids.ErrWithheld) {
					t.Fatal(err)
				}
			}
			if part := float64(minted) / looks; part < test.least {
				t.Errorf("answers after %v: ids in %.3f of the time, want %v", test.takes, part, test.least)
			} else {
				t.Logf("answers after %v: ids in %.3f of the time", test.takes, part)
			}
			if granted := store.granted.Load(); granted != 1 {
				t.Errorf("answers after %v: %d tenures", test.takes, granted)
			}
			w.broken = test.takes > 4500*time.Millisecond/2 // half the time that Close has for its first request
		})
	}
}

// TestSilence lets the store be silent for a while. Requests are lost, but no connection breaks.
// Minting resumes when the last lost request times out and the next one is answered.
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

// crowdedStore is a store whose server answers one request after another, or shares its time among
// all requests in progress. It does not begin requests whose callers have given up.
type crowdedStore struct {
	*faultyStore
	turn     chan struct{} // nil if the server shares its time
	underWay atomic.Int64
}

func (s *crowdedStore) serve(ctx context.Context, parts int) error {
	const part = 2 * time.Millisecond
	if s.turn != nil {
		select {
		case s.turn <- struct{}{}:
			time.Sleep(part * time.Duration(parts))
			<-s.turn
		case <-ctx.Done():
		}
		return ctx.Err()
	}
	s.underWay.Add(1)
	defer s.underWay.Add(-1)
	for range parts {
		select {
		case <-time.After(part * time.Duration(s.underWay.Load())):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func (s *crowdedStore) Take(ctx context.Context, r nodelease.Request) (nodelease.Grant, error) {
	if err := s.serve(ctx, 9); err != nil {
		return nodelease.Grant{}, err
	}
	return s.faultyStore.Take(ctx, r)
}

// TestCrowd starts 1,024 Minters at the same time, with as many numbers and 20 ms of work for each.
// Each Minter soon has a number, and the requests of other Minters stop hardly any Minter that has
// one.
func TestCrowd(t *testing.T) {
	const minters = 1024
	for _, shares := range []bool{false, true} {
		must.Bubble(t, func(t *testing.T) {
			store, w := &crowdedStore{faultyStore: newFaultyStore(minters, 15*time.Second)}, new(wall)
			if !shares {
				store.turn = make(chan struct{}, 1)
			}
			store.setCarry(func(ctx context.Context, request func() error) error {
				if err := store.serve(ctx, 1); err != nil {
					return err
				}
				return request()
			})
			w.step(time.Until(start2026))
			began, opts := counted(nodelease.Began)
			opts.Now = w.now
			var all [minters]*nodelease.Minter
			for i := range all {
				all[i] = newMinter(t, store, opts)
			}
			time.Sleep(2 * time.Minute)
			for _, m := range all {
				if err := m.Stats().Err; err != nil {
					t.Errorf("after two minutes, and %d beginnings: %v", began.Load(), err)
					break
				}
			}
			if n := began.Load(); n > minters*21/20 { // by chance, a few holders are delayed for long
				t.Errorf("minting has begun %d times: Takes of others stopped it", n)
			}
			for _, m := range all {
				go m.Close()
			}
			time.Sleep(time.Minute)
		})
	}
}

// TestStartAfterALoss restores the store from a backup after IDs were made whose times are an hour
// ahead, because a clock was once wrong. If a Minter starts a window later, IDs repeat. If a Minter
// starts after the clock has passed the newest ID, none repeats.
func TestStartAfterALoss(t *testing.T) {
	must.Bubble(t, func(t *testing.T) {
		store, w := memory.New(1, testTTL), new(wall)
		w.step(time.Until(start2026))
		issued := map[ids.Snowflake]bool{}
		newest := ids.Snowflake(0)
		mint := func() (twice int) {
			m := newMinter(t, store, &nodelease.Options{Now: w.now})
			for range 20_000 {
				id := mustNext(t, m)
				if issued[id] {
					twice++
				}
				issued[id], newest = true, max(newest, id)
			}
			mustClose(t, m)
			return twice
		}
		w.step(time.Hour)
		mint()
		w.step(-time.Hour)
		mint() // by a correct clock, an hour ahead
		lose := func() { store.SetRow(0, time.Time{}, start2026) }
		lose()
		if ahead := timeOf(newest).Sub(w.now()); ahead < 50*time.Minute {
			t.Fatalf("the newest id is %v ahead", ahead)
		}
		w.step(timeOf(newest).Sub(w.now()) - 3*time.Millisecond) // a window later, and more
		if mint() == 0 {
			t.Error("no id repeats where the clock has not passed the newest id")
		}
		lose()
		w.step(timeOf(newest).Sub(w.now()) + 20*time.Millisecond)
		if n := mint(); n > 0 {
			t.Errorf("%d ids repeat although the clock has passed the newest id", n)
		}
	})
}
