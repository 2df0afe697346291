package storetest

// This file contains tests of a store whose network falls silent.

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/oneclock/ids/nodelease"
)

// A Network describes a store and its server. [Silence] makes the connections between them fall
// silent.
type Network struct {
	// Server is the address of the database's server, such as 127.0.0.1:5432.
	Server string
	// Open returns a store that connects only to address and shares nothing with other stores. The
	// store must have exactly the numbers 0 and 1, both without a horizon. Its TTL should be a
	// minute. If the store cannot release a number after a failed Take, the TTL should be shorter
	// than a minute, because the number becomes free only when the TTL has passed.
	Open func(t *testing.T, address string) nodelease.Store
	// Again is the time within which the call after the tested call must succeed. It is for clients
	// that have a single connection and need some time to detect that the connection is dead. Zero
	// means that this call must succeed on the first attempt.
	Again time.Duration
	// Left returns an error while a database session is in a transaction or is waiting for a lock.
	// If Left is nil, this is not checked.
	Left func() error
}

// errMaybeSlow means that a trial failed because a call did not return in time or exceeded a time
// limit, or because a Take that failed did not release its number in time. Perhaps the machine was
// only busy.
var errMaybeSlow = errors.New("and so it was in each of four tries")

// callTimeout is the timeout of the tested call's context on the first try.
const callTimeout = 500 * time.Millisecond

// returnGrace is how long a call may continue after its context is done. On the first try, each
// call that follows the tested call must also succeed within this time, or within Network.Again if
// that is longer.
const returnGrace = 2500 * time.Millisecond

// Silence tests a store whose network drops one of the first six requests that Take, Extend or
// Release sends, or the answer to one of these requests. The connection stays open but no longer
// carries any data, as if a firewall had forgotten the connection or the server's machine hung. All
// other connections work. The call must return within 2.5 s after its context is done, the next
// call must succeed, and no connection, transaction or held number may be left behind. If a trial
// fails because a call did not return in time or exceeded a time limit, or because a Take that
// failed did not release its number, the machine may only have been slow. The trial is then run
// again, up to four times in total. Each time, the contexts last twice as long.
func Silence(t *testing.T, n Network) {
	var trials sync.WaitGroup
	for _, call := range []string{"Take", "Extend", "Release"} {
		for request := range 6 {
			for _, what := range []string{"request", "answer"} {
				trials.Go(func() {
					t.Run(fmt.Sprintf("%s/%s %d", call, what, request), func(t2 *testing.T) {
						err := errMaybeSlow
						for tries := 0; errors.Is(err, errMaybeSlow) && tries < 4; tries++ {
							trial := &silence{Network: n, call: call, proxy: newProxy(t, n.Server), limit: callTimeout << tries}
							t2.Run("try", func(t *testing.T) { err = trial.run(t, request, what == "answer") })
						}
						if err != nil {
							t2.Error(err)
						}
					})
				})
			}
		}
	}
	trials.Wait()
	if n.Left != nil {
		if err := within(returnGrace, n.Left); err != nil {
			t.Errorf("what the server has left: %v", err)
		}
	}
}

// silence contains the state of one trial that Silence runs.
type silence struct {
	Network
	call  string
	proxy *proxy
	limit time.Duration // timeout of the call's context
	store nodelease.Store
	now   time.Time
}

// run runs the trial. If a slow machine may have caused the failure, the error matches
// errMaybeSlow.
func (s *silence) run(t *testing.T, request int, answer bool) error {
	s.store, s.now = s.Open(t, s.proxy.address()), time.Now().UTC().Truncate(time.Microsecond)
	var g nodelease.Grant
	if s.call != "Take" {
		var err error
		if g, err = s.take(t.Context()); err != nil {
			return fmt.Errorf("before the silence, Take: %w", err)
		}
		if err := g.Lease.Extend(t.Context(), s.now.Add(time.Hour)); err != nil {
			return fmt.Errorf("before the silence, Extend: %w", err)
		}
	}
	// After an idle second, some clients send a ping before the next request.
	time.Sleep(1100 * time.Millisecond)
	s.proxy.loseRequest(request, answer)
	ctx, cancel := context.WithTimeout(t.Context(), s.limit)
	defer cancel()
	type result struct {
		g   nodelease.Grant
		err error
	}
	returned := make(chan result, 1)
	go func() {
		r := result{g: g}
		switch s.call {
		case "Take":
			r.g, r.err = s.take(ctx)
		case "Extend":
			r.err = g.Lease.Extend(ctx, s.now.Add(2*time.Hour))
		case "Release":
			r.err = g.Lease.Release(ctx, s.now)
		}
		returned <- r
	}()
	var r result
	select {
	case r = <-returned:
	case <-time.After(s.limit + returnGrace):
		return fmt.Errorf("%s has not returned %v after the end of its context, %w", s.call, returnGrace, errMaybeSlow)
	}
	lost := s.proxy.loseRequest(-1, false)
	switch {
	case errors.Is(r.err, nodelease.ErrLost), errors.Is(r.err, nodelease.ErrNoNumber):
		return fmt.Errorf("%s during the silence: %w", s.call, r.err)
	case lost == nil && r.err != nil && isSlow(ctx, r.err):
		// The context was done before the store sent the request that the proxy was to drop.
		return fmt.Errorf("%s, which lost no request: %w, %w", s.call, r.err, errMaybeSlow)
	case lost == nil && r.err != nil:
		return fmt.Errorf("%s, which lost no request: %w", s.call, r.err)
	}
	if err := s.next(t.Context(), r.g, r.err); err != nil {
		return err
	}
	if lost != nil {
		if err := within(20*time.Second, lost.closed); err != nil {
			return err
		}
	}
	return nil
}

// next makes the calls that must succeed after the tested call. The err parameter is the error that
// the tested call returned.
func (s *silence) next(ctx context.Context, g nodelease.Grant, err error) error {
	if s.call == "Take" && err == nil {
		return s.again(ctx, "Release", func(ctx context.Context) error { return g.Lease.Release(ctx, s.now) })
	}
	horizon := time.Time{}
	switch {
	case s.call == "Extend":
		horizon = s.now.Add(3 * time.Hour)
		err := s.again(ctx, "Extend", func(ctx context.Context) error { return g.Lease.Extend(ctx, horizon) })
		if err != nil {
			return err
		}
		err = s.again(ctx, "Release", func(ctx context.Context) error { return g.Lease.Release(ctx, horizon) })
		if err != nil {
			return err
		}
	case s.call == "Release":
		horizon = s.now
		if err == nil {
			break
		}
		err := s.again(ctx, "Release", func(ctx context.Context) error {
			err := g.Lease.Release(ctx, horizon)
			if errors.Is(err, nodelease.ErrLost) { // the first Release took effect
				err = nil
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	for range 2 { // both numbers must be free
		err := s.again(ctx, "Take", func(ctx context.Context) error {
			taken, err := s.take(ctx)
			want := time.Time{}
			if s.call != "Take" && taken.Number == g.Number {
				want = horizon
			}
			switch {
			case err == nil && !isHorizon(taken.Horizon, want):
				err = fmt.Errorf("number %d has the horizon %v, want %v", taken.Number, taken.Horizon, want)
			case s.call == "Take" && errors.Is(err, nodelease.ErrNoNumber):
				// The tested Take may have had too little time to release its number.
				err = fmt.Errorf("%w, %w", err, errMaybeSlow)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *silence) take(ctx context.Context) (nodelease.Grant, error) {
	return s.store.Take(ctx, nodelease.Request{Now: time.Now()})
}

// again makes a call that must succeed on the first attempt or, if s.Again is positive, within
// s.Again.
func (s *silence) again(ctx context.Context, what string, call func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, max(s.Again, returnGrace*(s.limit/callTimeout)))
	defer cancel()
	err := call(ctx)
	for err != nil && ctx.Err() == nil && s.Again > 0 {
		time.Sleep(50 * time.Millisecond)
		err = call(ctx)
	}
	if err == nil {
		return nil
	}
	err = fmt.Errorf("%s after the silence: %w", what, err)
	if isSlow(ctx, err) {
		err = fmt.Errorf("%w, %w", err, errMaybeSlow)
	}
	return err
}

// isSlow reports whether a call with the context ctx may have failed because the machine is slow.
// Even if ctx is not done, the call may have exceeded a time limit of the store's own.
func isSlow(ctx context.Context, err error) bool {
	return ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded)
}

// within calls f repeatedly until it returns no error or the given time has passed. It returns the
// latest error.
func within(long time.Duration, f func() error) error {
	err := f()
	for limit := time.Now().Add(long); err != nil && time.Now().Before(limit); err = f() {
		time.Sleep(20 * time.Millisecond)
	}
	return err
}
