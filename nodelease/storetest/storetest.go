// Package storetest tests whether a store satisfies the contracts of [nodelease.Store] and
// [nodelease.Lease], on which the uniqueness of IDs depends.
package storetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/storekit"
)

// Run tests a store. It runs its subtests in parallel and calls open for each of them. The function
// open must return two stores that use the same database, as two processes would. Each subtest
// needs its own database, which must share nothing with the databases of other subtests. The stores
// must use Twitter's layout. Their only numbers must be 0 and 1, and neither number may have a
// horizon. The stores' TTL must be as short as possible, such as 2 s, but long enough for the
// stores to answer in time. Some subtests wait for leases to end, so a longer TTL makes them
// slower. If a lease may have ended only because the store was slow, a failure of the subtest
// proves nothing, so the subtest is run again, up to four times.
func Run(t *testing.T, open func(t *testing.T) (a, b nodelease.Store)) {
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			slow := try(t, open, c.run, true)
			for tries := 1; slow; tries++ {
				slow = false // even if the check ends the subtest
				t.Run("again", func(t *testing.T) { slow = try(t, open, c.run, tries < 4) })
			}
		})
	}
}

// try runs a check. If excused is true and the store was too slow for the check, try returns true.
// If excused is false, a slow store makes the check fail.
func try(t *testing.T, open func(t *testing.T) (a, b nodelease.Store), check func(*tester), excused bool) (slow bool) {
	a, b := open(t)
	tester := newTester(t, a, b)
	tester.excused = excused
	defer func() {
		if r := recover(); r == errSlow {
			slow = true
		} else if r != nil {
			panic(r)
		}
	}()
	check(tester)
	return false
}

// If a check fails when one of its leases may already have ended, and tester.excused is true, the
// check panics with errSlow.
var errSlow = errors.New("the store is too slow to be tested")

// returnTimeout is how long a call may continue after its context is done.
const returnTimeout = 3 * time.Second

var checks = []struct {
	name string
	run  func(t *tester)
}{
	{"numbers", numbers}, {"horizons", horizons},
	{"former holder", formerHolder}, {"end of a lease", endOfLease}, {"small raises", smallRaises},
	{"5 ms left", lastMoment(5 * time.Millisecond)}, {"10 ms left", lastMoment(10 * time.Millisecond)},
	{"15 ms left", lastMoment(15 * time.Millisecond)}, {"20 ms left", lastMoment(20 * time.Millisecond)},
	{"late by 0", late(0)}, {"late by 1 ms", late(time.Millisecond)}, {"late by 2 ms", late(2 * time.Millisecond)},
	{"late by 4 ms", late(4 * time.Millisecond)}, {"late by 8 ms", late(8 * time.Millisecond)}, {"late and alone", late(-1)},
	{"no answer", noAnswer}, {"cut off", cutOff}, {"layout", layout}, {"narrow layout", narrowLayout},
	{"preference", preference}, {"crowd", crowd},
}

type tester struct {
	testing.TB
	stores  [2]nodelease.Store // two stores that use one database
	turn    int                // number of calls to ask; its lowest bit selects the store
	now     time.Time
	ends    map[int64]time.Time // earliest end of each lease that must stay held, by number
	excused bool                // whether mayFail can panic with errSlow
}

func newTester(t testing.TB, a, b nodelease.Store) *tester {
	return &tester{TB: t, stores: [2]nodelease.Store{a, b}, now: time.Now().UTC().Truncate(time.Microsecond),
		ends: map[int64]time.Time{}}
}

func (t *tester) Errorf(format string, args ...any) {
	t.Helper()
	t.mayFail()
	t.TB.Errorf(format, args...)
}

func (t *tester) Fatalf(format string, args ...any) {
	t.Helper()
	t.mayFail()
	t.TB.Fatalf(format, args...)
}

// If t.excused is true, mayFail panics if a lease that must stay held may already have ended. The
// store's behavior may then be correct.
func (t *tester) mayFail() {
	for _, end := range t.ends {
		if t.excused && !time.Now().Before(end) {
			panic(errSlow)
		}
	}
}

// renewed records that a call took or extended g. The time in began is the time at which that call
// started.
func (t *tester) renewed(g nodelease.Grant, began time.Time) { t.ends[g.Number] = began.Add(g.TTL) }

// numbers takes all numbers.
func numbers(t *tester) {
	a, b := t.take(), t.take()
	if a.Number == b.Number || a.Number|b.Number != 1 {
		t.Fatalf("Take gave the numbers %d and %d, want 0 and 1", a.Number, b.Number)
	}
	for _, g := range []nodelease.Grant{a, b} {
		if !g.Horizon.IsZero() {
			t.Errorf("number %d, which was never held, has the horizon %v, want the zero time", g.Number, g.Horizon)
		}
		if g.TTL < 200*time.Millisecond {
			t.Errorf("TTL %v of number %d leaves no time for ids", g.TTL, g.Number)
		}
	}
	if a.FreeKnown && a.Free != 1 || b.FreeKnown && b.Free != 0 {
		t.Errorf("beside the numbers taken, %d and then %d are free, want 1 and 0, or FreeKnown false", a.Free, b.Free)
	}
	// A faulty store may end its leases soon after the context passed to Take is done.
	time.Sleep(50 * time.Millisecond)
	g, err := t.ask(t.Context())
	t.match("Take while all numbers are held", err, nodelease.ErrNoNumber)
	if g.Lease != nil {
		t.Errorf("Take returned a lease of number %d with an error", g.Number)
	}
	t.release(b, time.Time{})
	if c := t.take(); c.Number != b.Number || !c.Horizon.IsZero() {
		t.Errorf("took number %d with the horizon %v, want %d without one, as it was given back", c.Number, c.Horizon, b.Number)
	}
}

// horizons tests that each holder sees the horizon that the previous holder wrote.
func horizons(t *tester) {
	other, g := t.take(), t.take()
	for _, horizon := range []time.Time{
		t.now,
		t.now.Add(time.Microsecond),
		t.now.Add(time.Hour).In(time.FixedZone("", 5400)),
		time.Date(2000, 1, 1, 0, 0, 0, 1000, time.UTC),
		time.Date(9999, 12, 31, 0, 0, 0, 999_999_000, time.UTC),
		time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC),
		time.Date(1, 1, 1, 0, 0, 1, 0, time.UTC),
		time.Date(2026, 10, 25, 0, 30, 0, 0, time.UTC), // 2:30 in Berlin, repeated an hour later
		time.Date(2026, 10, 25, 1, 30, 0, 0, time.UTC),
		time.Date(2026, 11, 1, 5, 30, 0, 0, time.UTC), // 1:30 in New York, repeated an hour later
		time.Date(2026, 11, 1, 6, 30, 0, 0, time.UTC),
	} {
		t.extend(other, time.Hour) // so that the other number stays held even if the store is slow
		high := storekit.Later(g.Horizon, horizon)
		for _, ahead := range []time.Duration{0, time.Microsecond, time.Hour} {
			if err := g.Lease.Extend(t.Context(), high.Add(ahead)); err != nil {
				t.Fatalf("Extend of number %d from the horizon %v to %v: %v", g.Number, g.Horizon, high.Add(ahead), err)
			}
		}
		t.release(g, horizon)
		was := g
		if g = t.take(); !isHorizon(g.Horizon, horizon) || g.Number != was.Number {
			t.Fatalf("the next holder sees the horizon %v of number %d, want %v of number %d",
				g.Horizon, g.Number, horizon, was.Number)
		}
	}
	t.release(g, g.Horizon)
}

// formerHolder tests that a holder cannot use its lease after it has released the number.
func formerHolder(t *tester) {
	a := t.take()
	t.extend(a, time.Hour)
	t.release(a, t.now)
	t.match("Extend with the same horizon after Release", a.Lease.Extend(t.Context(), t.now.Add(time.Hour)), nodelease.ErrLost)
	t.match("Extend after Release", a.Lease.Extend(t.Context(), t.now.Add(2*time.Hour)), nodelease.ErrLost)
	t.match("a second Release", a.Lease.Release(t.Context(), t.now.Add(2*time.Hour)), nodelease.ErrLost)
	b, c := t.take(), t.take()
	if b.Number != a.Number {
		b, c = c, b
	}
	if !isHorizon(b.Horizon, t.now) {
		t.Fatalf("a former holder has changed the horizon from %v to %v", t.now, b.Horizon)
	}
	t.extend(b, time.Minute)
	t.match("Extend by a former holder", a.Lease.Extend(t.Context(), t.now.Add(3*time.Hour)), nodelease.ErrLost)
	t.match("Release by a former holder", a.Lease.Release(t.Context(), t.now), nodelease.ErrLost)
	t.extend(b, time.Minute)
	if d := t.takeFrom(b, c); !isHorizon(d.Horizon, t.now.Add(time.Minute)) {
		t.Errorf("a former holder has changed the horizon from %v to %v", t.now.Add(time.Minute), d.Horizon)
	}
}

// endOfLease tests that a lease ends if its holder makes no more calls, even while another holder
// renews its own lease.
func endOfLease(t *tester) {
	silent, stays := t.take(), t.take()
	var asked time.Time
	for range 3 { // each Extend restores the full length of the lease
		time.Sleep(silent.TTL / 2)
		asked = time.Now()
		t.extend(silent, time.Hour)
		t.extend(stays, time.Hour)
	}
	next := t.takeFrom(silent, stays)
	if kept := time.Since(asked); kept < silent.TTL {
		t.Errorf("a lease has ended %v after the call of Extend, before its TTL of %v", kept, silent.TTL)
	}
	if !isHorizon(next.Horizon, t.now.Add(time.Hour)) {
		t.Errorf("horizon %v after a silent holder, want %v", next.Horizon, t.now.Add(time.Hour))
	}
	t.match("Extend after the number was taken over", silent.Lease.Extend(t.Context(), t.now.Add(2*time.Hour)), nodelease.ErrLost)
	t.match("Release after the number was taken over", silent.Lease.Release(t.Context(), t.now), nodelease.ErrLost)
	t.extend(next, time.Hour)
}

// smallRaises raises a horizon in small steps before the holder stops making calls. A request with
// a lower horizon, such as one that arrives late, must change nothing.
func smallRaises(t *tester) {
	a, b := t.take(), t.take()
	horizon := t.now.Truncate(time.Second)
	for _, by := range []time.Duration{0, 500 * time.Millisecond, time.Second, time.Microsecond} {
		horizon = horizon.Add(by)
		if err := a.Lease.Extend(t.Context(), horizon); err != nil {
			t.Fatalf("Extend by %v: %v", by, err)
		}
		if by == time.Second {
			continue
		}
		_ = a.Lease.Extend(t.Context(), horizon.Add(-time.Hour)) // may return an error or nil
		c := t.takeFrom(a, b)
		if !isHorizon(c.Horizon, horizon) {
			t.Fatalf("horizon %v after it was raised by %v, want %v", c.Horizon, by, horizon)
		}
		a = c
	}
}

// lastMoment extends a lease just before the lease ends. Another process then asks for the number.
// If Extend has confirmed a horizon, the other process must respect it.
func lastMoment(before time.Duration) func(t *tester) {
	return func(t *tester) {
		began := time.Now()
		a, b := t.take(), t.take()
		time.Sleep(a.TTL / 2)
		t.extend(b, time.Hour)
		time.Sleep(time.Until(began.Add(a.TTL - before)))
		horizon, asked := t.now.Add(time.Minute), time.Now()
		if err := a.Lease.Extend(t.Context(), horizon); errors.Is(err, nodelease.ErrLost) {
			return
		} else if err != nil {
			t.Fatalf("Extend: %v", err)
		}
		t.renewed(a, asked)
		for confirmed := time.Now(); time.Since(confirmed) < 40*time.Millisecond; time.Sleep(time.Millisecond) {
			if c, err := t.ask(t.Context()); err == nil {
				t.Fatalf("number %d was given away with the horizon %v, although Extend of %d has just raised it to %v", c.Number, c.Horizon, a.Number, horizon)
			}
		}
	}
}

// late returns a check that calls Extend on an expired lease. A store may allow this until another
// process takes the number. The other process calls Take, and the holder calls Extend after the
// given delay. If the delay is negative, the holder calls Extend first, and the other process calls
// Take after it. At most one of the two calls may succeed.
func late(after time.Duration) func(t *tester) {
	return func(t *tester) {
		began := time.Now()
		a, b := t.take(), t.take()
		time.Sleep(a.TTL / 2)
		t.extend(b, time.Hour)
		delete(t.ends, a.Number)
		time.Sleep(time.Until(began.Add(a.TTL + a.TTL/5)))
		var taken, extended error
		var c nodelease.Grant
		take := func() { c, taken = t.stores[0].Take(t.Context(), nodelease.Request{Now: t.now}) }
		var both sync.WaitGroup
		if after >= 0 {
			both.Go(take)
			time.Sleep(after)
		}
		asked := time.Now()
		extended = a.Lease.Extend(t.Context(), t.now.Add(time.Minute))
		if after < 0 {
			take()
		}
		both.Wait()
		t.renewed(a, asked)
		if taken == nil && extended == nil {
			t.Fatalf("number %d was given away with the horizon %v, although Extend has raised it to %v", c.Number, c.Horizon, t.now.Add(time.Minute))
		}
	}
}

// cutOff calls Take with contexts that may expire before Take returns. If Take fails, it must not
// leave a number held.
func cutOff(t *tester) {
	other, began := t.take(), time.Now()
	t.release(t.take(), t.now)
	takes := time.Since(began) / 2
	for i := range time.Duration(30) {
		t.extend(other, time.Hour)
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), takes*i/20)
		g, err := t.stores[i%2].Take(ctx, nodelease.Request{Now: t.now})
		cancel()
		t.ends[-1] = began.Add(other.TTL / 2) // after that, other's lease may have ended
		for tries := 0; err != nil && tries < 10; tries++ {
			if g, err = t.ask(t.Context()); err != nil {
				time.Sleep(other.TTL / 40)
			}
		}
		if err != nil {
			t.Fatalf("Take after one that was cut off after %v: %v", takes*i/20, err)
		}
		delete(t.ends, -1)
		t.release(g, t.now)
	}
}

// narrowLayout tests a store whose first IDs have a layout that can hold only the number 0.
func narrowLayout(t *tester) {
	narrow := ids.SnowflakeLayout{Epoch: ids.TwitterLayout().Epoch, Tick: time.Millisecond, SequenceBits: 12}
	for i, want := range []error{nil, nodelease.ErrNoNumber} {
		g, err := t.stores[i].Take(t.Context(), nodelease.Request{Now: t.now, Layout: narrow})
		if errors.Is(err, nodelease.ErrRefused) {
			return
		}
		t.match("Take for a layout of one number", err, want)
		if err == nil && (g.Number != 0 || g.FreeKnown && g.Free != 0) {
			t.Errorf("Take for a layout of one number gave the number %d beside %d free ones", g.Number, g.Free)
		}
	}
}

// layout tests that a process cannot take a number if its IDs have a different layout from the IDs
// of the other processes.
func layout(t *tester) {
	a := t.take()
	g, err := t.stores[1].Take(t.Context(), nodelease.Request{Now: t.now, Layout: ids.SonyflakeLayout()})
	if err == nil {
		t.Fatalf("Take for another layout gave number %d", g.Number)
	}
	if errors.Is(err, nodelease.ErrNoNumber) || !errors.Is(err, nodelease.ErrRefused) {
		t.Errorf("Take for another layout: %v, want an error that matches ErrRefused, and not ErrNoNumber", err)
	}
	t.extend(a, time.Minute)
	g, err = t.stores[1].Take(t.Context(), nodelease.Request{Now: t.now, Layout: ids.TwitterLayout()})
	if err != nil {
		t.Fatalf("Take for the layout in use: %v", err)
	}
	t.release(g, t.now)
}

// noAnswer makes calls whose context is already done. The store may or may not carry them out.
func noAnswer(t *tester) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for range 2 { // Take may return a lease, but if it fails, it must not leave a number held
		if g, err := t.ask(ended); err == nil {
			t.release(g, time.Time{})
		}
	}
	a, b := t.take(), t.take()
	for name, call := range map[string]func() error{
		"Take":   func() error { _, err := t.ask(ended); return err },
		"Extend": func() error { return a.Lease.Extend(ended, t.now.Add(2*time.Hour)) },
	} {
		done := make(chan error, 1)
		go func() { done <- call() }()
		select {
		case err := <-done:
			if name == "Take" && err == nil {
				t.Errorf("Take gave a third number")
			}
			if errors.Is(err, nodelease.ErrLost) {
				t.Errorf("%s with a context that has ended: ErrLost, although the number is held", name)
			}
		case <-time.After(returnTimeout):
			t.Fatalf("%s has not returned %v after the end of its context", name, returnTimeout)
		}
	}
	t.extend(a, 3*time.Hour)
	t.extend(a, 3*time.Hour)
	if c := t.takeFrom(a, b); !isHorizon(c.Horizon, t.now.Add(3*time.Hour)) {
		t.Errorf("horizon %v after a request without an answer, want %v", c.Horizon, t.now.Add(3*time.Hour))
	}
}

// preference tests which of two free numbers Take chooses. In the first round, one number's horizon
// is in the past and the other number's horizon is in the future. In the second round, both are in
// the future.
func preference(t *tester) {
	a, b := t.take(), t.take()
	t.release(a, t.now.Add(2*time.Hour))
	t.release(b, t.now)
	for _, ahead := range []time.Duration{0, time.Hour} {
		for range 8 {
			g := t.take()
			if g.Number != b.Number {
				t.Fatalf("took number %d, whose horizon is 2h ahead, want %d, whose horizon is %v ahead at most", g.Number, b.Number, ahead)
			}
			t.release(g, t.now.Add(ahead))
		}
	}
}

// crowd takes and releases numbers in many goroutines at the same time. No number may have two
// holders, and every holder must see the horizon that the number's previous holder wrote.
func crowd(t *tester) {
	var mu sync.Mutex
	left, held := map[int64]time.Time{}, map[int64]bool{}
	taken, failure := 0, error(nil)
	// check records that g is held. It returns the horizon that the caller must later pass to
	// Release.
	check := func(g nodelease.Grant) (leave time.Time, err error) {
		mu.Lock()
		defer mu.Unlock()
		n := g.Number
		switch {
		case held[n]:
			err = fmt.Errorf("number %d has two holders", n)
		case !isHorizon(g.Horizon, left[n]):
			err = fmt.Errorf("horizon %v of number %d, want %v", g.Horizon, n, left[n])
		}
		taken++
		held[n], left[n] = true, t.now.Add(time.Duration(taken)*time.Second)
		return left[n], err
	}
	// hold takes a number and releases it.
	hold := func(s nodelease.Store) error {
		g, err := s.Take(t.Context(), nodelease.Request{Now: t.now.Add(23 * time.Hour)})
		switch {
		case errors.Is(err, nodelease.ErrNoNumber):
			return nil
		case err != nil:
			return fmt.Errorf("error of Take: %w", err)
		case g.Lease == nil:
			return errors.New("neither a lease nor an error from Take")
		}
		leave, err := check(g)
		err = errors.Join(err, g.Lease.Extend(t.Context(), t.now.Add(time.Hour)))
		mu.Lock()
		delete(held, g.Number)
		mu.Unlock()
		return errors.Join(err, g.Lease.Release(t.Context(), leave))
	}
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range 20 {
				began := time.Now()
				err := hold(t.stores[i%2])
				mu.Lock()
				if failure = cmp.Or(failure, err); time.Since(began) >= 200*time.Millisecond {
					t.ends[-1] = began // the lease of that number may have ended
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	if failure != nil || taken == 0 {
		t.Fatalf("of many that wanted a number, %d got one: %v", taken, failure)
	}
}

// isHorizon reports whether a store may return got as the horizon if want was written. A store may
// round a horizon up to a whole millisecond.
func isHorizon(got, want time.Time) bool {
	return !got.Before(want) && got.Sub(want) < time.Millisecond && got.IsZero() == want.IsZero()
}

// ask takes a number. Successive calls to ask alternate between the two stores. The context that
// ask passes to Take is canceled when ask returns.
func (t *tester) ask(ctx context.Context) (nodelease.Grant, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	t.turn++
	began := time.Now()
	g, err := t.stores[t.turn%2].Take(ctx, nodelease.Request{Now: t.now})
	if err == nil && g.Lease == nil {
		t.Fatalf("Take returned neither a lease nor an error")
	}
	if err == nil {
		if _, held := t.ends[g.Number]; held {
			t.mayFail()
		}
		t.renewed(g, began)
	}
	return g, err
}

func (t *tester) take() nodelease.Grant {
	t.Helper()
	g, err := t.ask(t.Context())
	if err != nil {
		t.Fatalf("Take: %v", err)
	}
	return g
}

// takeFrom waits until the lease of the silent grant has ended, and then takes the number of that
// grant. While it waits, it keeps extending the lease of the other grant.
func (t *tester) takeFrom(silent, other nodelease.Grant) nodelease.Grant {
	t.Helper()
	delete(t.ends, silent.Number)
	for limit := time.Now().Add(5*silent.TTL + 2*time.Second); time.Now().Before(limit); time.Sleep(silent.TTL / 20) {
		t.extend(other, time.Hour)
		g, err := t.ask(t.Context())
		if err == nil {
			if g.Number != silent.Number {
				t.Fatalf("took number %d, which is held, want %d", g.Number, silent.Number)
			}
			return g
		}
		t.match("Take", err, nodelease.ErrNoNumber)
	}
	t.Fatalf("the lease of a silent holder does not end, TTL %v", silent.TTL)
	return nodelease.Grant{}
}

func (t *tester) extend(g nodelease.Grant, ahead time.Duration) {
	t.Helper()
	began := time.Now()
	if err := g.Lease.Extend(t.Context(), t.now.Add(ahead)); err != nil {
		t.Fatalf("Extend of number %d: %v", g.Number, err)
	}
	t.renewed(g, began)
}

func (t *tester) release(g nodelease.Grant, horizon time.Time) {
	t.Helper()
	if err := g.Lease.Release(t.Context(), horizon); err != nil {
		t.Fatalf("Release of number %d at %v: %v", g.Number, horizon, err)
	}
	delete(t.ends, g.Number)
}

func (t *tester) match(what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("%s: error %v, want %v", what, err, want)
	}
}
