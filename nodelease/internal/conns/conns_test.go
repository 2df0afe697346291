package conns_test

// Tests of the connections, in synctest bubbles.

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/internal/conns"
	"github.com/oneclock/ids/nodelease/internal/must"
)

// world makes connections, which it numbers from 1, and records what happens to them.
type world struct {
	*conns.Conns[*conn]

	mu    sync.Mutex
	dials func(context.Context) error // nil succeeds
	made  []*conn
}

type conn struct {
	number int
	hang   bool // Close takes hours
	closed atomic.Int64
}

func (c *conn) Close() {
	c.closed.Add(1)
	if c.hang {
		time.Sleep(4 * time.Hour)
	}
}

func newWorld(t *testing.T) *world {
	t.Cleanup(func() { time.Sleep(5 * time.Hour) }) // for hanging calls
	w := new(world)
	w.Conns = conns.New(func(ctx context.Context) (*conn, error) {
		w.mu.Lock()
		dials := w.dials
		w.mu.Unlock()
		if dials != nil {
			if err := dials(ctx); err != nil {
				return nil, err
			}
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		w.made = append(w.made, &conn{number: len(w.made) + 1})
		return w.made[len(w.made)-1], nil
	})
	return w
}

func (w *world) setDials(dials func(context.Context) error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.dials = dials
}

// all waits until all goroutines are blocked, and returns all connections.
func (w *world) all() []*conn {
	synctest.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.made
}

// closed returns the numbers of the closed connections, and checks that each was closed only once.
func (w *world) closed(t *testing.T) (numbers []int) {
	for _, c := range w.all() {
		if n := c.closed.Load(); n > 0 {
			numbers = append(numbers, c.number)
			if n > 1 {
				t.Errorf("connection %d was closed %d times", c.number, n)
			}
		}
	}
	return numbers
}

var errCall = errors.New("the call has failed")

func nothing(context.Context, *conn, bool) (bool, error) { return false, nil }

// TestUse makes a call after another call has left an idle connection or none. The idle connection
// may be dead.
func TestUse(t *testing.T) {
	t.Parallel()
	type answer struct {
		again bool
		err   error
	}
	failed, again := answer{false, errCall}, answer{true, errCall}
	for name, test := range map[string]struct {
		kept    bool
		answers []answer // of f
		ends    bool     // whether the first answer cancels the context
		calls   string
		err     error
		closed  []int
	}{
		"the first call":                 {false, []answer{{}}, false, "new 1", nil, nil},
		"the kept one":                   {true, []answer{{}}, false, "kept 1", nil, nil},
		"an error":                       {true, []answer{failed}, false, "kept 1", errCall, []int{1}},
		"again without an error":         {true, []answer{{again: true}}, false, "kept 1", nil, nil},
		"again":                          {true, []answer{again, {}}, false, "kept 1, new 2", nil, []int{1}},
		"again, and another error":       {true, []answer{again, failed}, false, "kept 1, new 2", errCall, []int{1, 2}},
		"again and again":                {true, []answer{again, again}, false, "kept 1, new 2", errCall, []int{1, 2}},
		"again, the context has ended":   {true, []answer{again}, true, "kept 1", errCall, []int{1}},
		"again, with a new connection":   {false, []answer{again}, false, "new 1", errCall, []int{1}},
		"an error with a new connection": {false, []answer{failed}, false, "new 1", errCall, []int{1}},
	} {
		t.Run(name, func(t *testing.T) {
			must.Bubble(t, func(t *testing.T) {
				w := newWorld(t)
				if test.kept {
					must.Do(t, w.Do(t.Context(), nothing))
				}
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				var calls []string
				err := w.Do(ctx, func(_ context.Context, c *conn, kept bool) (bool, error) {
					calls = append(calls, map[bool]string{true: "kept ", false: "new "}[kept]+strconv.Itoa(c.number))
					if test.ends {
						cancel()
					}
					a := test.answers[len(calls)-1]
					return a.again, a.err
				})
				if got := strings.Join(calls, ", "); !errors.Is(err, test.err) || got != test.calls || !slices.Equal(w.closed(t), test.closed) {
					t.Errorf("error %v after %q, closed are %v, want error %v after %q, closed %v", err, got, w.closed(t), test.err, test.calls, test.closed)
				}
			})
		})
	}
}

// TestAtOnce makes many concurrent calls. Each call has its own connection, no call waits for
// another, and one connection is kept.
func TestAtOnce(t *testing.T) {
	t.Parallel()
	must.Bubble(t, func(t *testing.T) {
		w := newWorld(t)
		must.Do(t, w.Do(t.Context(), nothing))
		w.all()[0].hang = true // no call waits for its Close either
		began := time.Now()
		var all sync.WaitGroup
		for range 300 {
			all.Go(func() {
				_ = w.Do(t.Context(), func(_ context.Context, c *conn, _ bool) (bool, error) {
					time.Sleep(time.Second)
					if c.number == 1 {
						return false, errCall
					}
					return false, nil
				})
			})
		}
		all.Wait()
		if took := time.Since(began); took != time.Second {
			t.Errorf("300 calls of a second at once took %v", took)
		}
		if made, closed := len(w.all()), len(w.closed(t)); made != 300 || closed != 299 {
			t.Errorf("made %d connections and closed %d", made, closed)
		}
	})
}

// TestWait makes a call that dials because another call is using the only connection. When that
// other call returns, the dialing call takes over its connection, finds it dead and uses another
// one.
func TestWait(t *testing.T) {
	t.Parallel()
	must.Bubble(t, func(t *testing.T) {
		w := newWorld(t)
		must.Do(t, w.Do(t.Context(), nothing))
		w.setDials(func(context.Context) error { time.Sleep(time.Minute); return nil })
		var all sync.WaitGroup
		defer all.Wait()
		all.Go(func() {
			must.Do(t, w.Do(t.Context(), func(context.Context, *conn, bool) (bool, error) { time.Sleep(time.Second); return false, nil }))
		})
		synctest.Wait()
		var calls []string
		must.Do(t, w.Do(t.Context(), func(_ context.Context, c *conn, kept bool) (bool, error) {
			calls = append(calls, fmt.Sprint(c.number, kept))
			if c.number == 1 {
				return true, errCall
			}
			return false, nil
		}))
		if got := strings.Join(calls, ", "); got != "1 true, 2 true" {
			t.Errorf("calls with the connections %q", got)
		}
	})
	must.Bubble(t, func(t *testing.T) { // a second dead connection is not used as a new one
		w := newWorld(t)
		must.Do(t, w.Do(t.Context(), nothing))
		must.Do(t, w.Do(t.Context(), func(_ context.Context, c *conn, _ bool) (bool, error) {
			if c.number == 1 {
				must.Do(t, w.Do(t.Context(), nothing)) // leaves connection 2 idle
			}
			if c.number < 3 {
				return true, errCall
			}
			return false, nil
		}))
	})
}

// TestDial uses functions for dialing that hang, that end their goroutine, and that return their
// own error when the context is done.
func TestDial(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		dials func(ctx context.Context) error
		took  time.Duration
		err   error
		text  string
	}{
		"hangs":         {func(context.Context) error { time.Sleep(time.Hour); return nil }, 2100 * time.Millisecond, context.DeadlineExceeded, "connecting does not end: "},
		"hangs, fails":  {func(context.Context) error { time.Sleep(time.Hour); return errCall }, 2100 * time.Millisecond, context.DeadlineExceeded, "connecting does not end: "},
		"knows more":    {func(ctx context.Context) error { <-ctx.Done(); return errCall }, 2 * time.Second, errCall, ""},
		"knows it late": {func(ctx context.Context) error { <-ctx.Done(); time.Sleep(moment / 2); return errCall }, 2*time.Second + moment/2, errCall, ""},
		"ends":          {func(context.Context) error { runtime.Goexit(); return nil }, 0, nil, "has ended its goroutine"},
	} {
		t.Run(name, func(t *testing.T) {
			must.Bubble(t, func(t *testing.T) {
				w := newWorld(t)
				w.setDials(test.dials)
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
				defer cancel()
				began := time.Now()
				must.Fail(t, "Do", w.Do(ctx, nothing), test.err, test.text)
				if took := time.Since(began); took != test.took {
					t.Errorf("took %v, want %v", took, test.took)
				}
				w.setDials(nil)
				must.Do(t, w.Do(t.Context(), nothing))
				time.Sleep(2 * time.Hour)
				if len(w.all())-len(w.closed(t)) != 1 {
					t.Errorf("of %d connections %v are closed", len(w.all()), w.closed(t))
				}
			})
		})
	}
}

const moment = 100 * time.Millisecond

// TestOutlive makes calls that have less time than a login takes. The login of the first call
// continues, and its connection is used by the call that waits when the login succeeds.
func TestOutlive(t *testing.T) {
	t.Parallel()
	const login = 5 * time.Second
	// logsIn dials for as long as a login takes, or until the given context is done.
	logsIn := func(ctx context.Context) error {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(login):
			return nil
		}
	}
	call := func(t *testing.T, w *world, timeout time.Duration) error {
		ctx, cancel := context.WithTimeout(t.Context(), timeout)
		defer cancel()
		return w.Do(ctx, nothing)
	}
	// fail makes a call that has too little time for a login.
	fail := func(t *testing.T, w *world) {
		t.Helper()
		must.Fail(t, "a short call", call(t, w, 2*time.Second), context.DeadlineExceeded, "no login within 2s to db:5432: ")
	}
	start := func(t *testing.T, opened bool) *world {
		w := newWorld(t)
		if opened { // and the server has ended the connection since
			must.Do(t, w.Do(t.Context(), nothing))
			must.Fail(t, "the kept connection", w.Do(t.Context(), func(context.Context, *conn, bool) (bool, error) { return false, errCall }), errCall, "")
		}
		w.setDials(func(ctx context.Context) error { return logsIn(conns.Outlive(ctx, "db:5432")) })
		return w
	}
	must.Bubble(t, func(t *testing.T) {
		w, began := start(t, true), time.Now()
		for range 2 {
			fail(t, w)
		}
		must.Do(t, call(t, w, 2*time.Second))
		if took := time.Since(began); took != login {
			t.Errorf("the third call had a connection after %v, want %v", took, login)
		}
		time.Sleep(2 * login) // the later attempts have ended
		if made, closed := len(w.all()), w.closed(t); made != 2 || !slices.Equal(closed, []int{1}) {
			t.Errorf("made %d connections and closed %v", made, closed)
		}
		must.Do(t, call(t, w, 0)) // with the idle connection
	})
	must.Bubble(t, func(t *testing.T) { // without a call that waits, the connection becomes idle
		w := start(t, true)
		for range 2 {
			fail(t, w)
		}
		time.Sleep(2 * time.Second)
		must.Do(t, call(t, w, 0)) // ends the second login, which would take another second
		time.Sleep(2 * login)
		if made := len(w.all()); made != 2 {
			t.Errorf("made %d connections", made)
		}
	})
	must.Bubble(t, func(t *testing.T) { // Close ends the login
		w := start(t, true)
		fail(t, w)
		w.Close()
		time.Sleep(2 * login)
		if made, closed := len(w.all()), w.closed(t); made != 1 || len(closed) != 1 {
			t.Errorf("made %d connections and closed %v", made, closed)
		}
	})
	must.Bubble(t, func(t *testing.T) { // at most eight logins outlive their calls
		w := start(t, true)
		logins := atomic.Int64{}
		w.setDials(func(ctx context.Context) error {
			logins.Add(1)
			defer logins.Add(-1)
			<-conns.Outlive(ctx, "db:5432").Done()
			return errCall
		})
		for range 20 {
			fail(t, w)
		}
		synctest.Wait()
		if n := logins.Load(); n != 8 {
			t.Errorf("%d logins continue", n)
		}
		w.Close()
	})
	must.Bubble(t, func(t *testing.T) { // the first call's login does not outlive it
		w := start(t, false)
		must.Fail(t, "the first call", call(t, w, 2*time.Second), context.DeadlineExceeded, "")
		time.Sleep(2 * login)
		if len(w.all()) != 0 {
			t.Error("the login of the first call has continued")
		}
	})
}

// TestClose closes the Conns while calls wait for their answers and another call dials or there is
// an idle connection. Closing the idle connection may hang.
func TestClose(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ dials, hang bool }{{true, false}, {false, false}, {false, true}} {
		must.Bubble(t, func(t *testing.T) {
			w := newWorld(t)
			var calls sync.WaitGroup
			call := func(f func(context.Context, *conn, bool) (bool, error)) {
				calls.Go(func() {
					began := time.Now()
					must.Fail(t, "a call under way", w.Do(t.Context(), f), nodelease.ErrRefused, "the store is closed")
					if took := time.Since(began); took != time.Second {
						t.Errorf("a call under way took %v", took)
					}
				})
			}
			_ = w.Do(t.Context(), func(ctx context.Context, c *conn, _ bool) (bool, error) {
				c.hang = test.hang
				for range 2 {
					call(func(ctx context.Context, _ *conn, _ bool) (bool, error) { <-ctx.Done(); return true, ctx.Err() })
				}
				synctest.Wait()
				if test.dials {
					w.setDials(func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
					call(nothing)
					synctest.Wait()
				}
				calls.Go(func() { // a call that succeeds returns nil, and its connection is not kept
					w.setDials(nil)
					must.Do(t, w.Do(t.Context(), func(context.Context, *conn, bool) (bool, error) { time.Sleep(2 * time.Second); return false, nil }))
				})
				synctest.Wait()
				if test.dials {
					return false, errCall // an idle connection would be used by the call that dials
				}
				return false, nil
			})
			time.Sleep(time.Second)
			began := time.Now()
			w.Close()
			took := time.Since(began)
			w.Close()
			if want := map[bool]time.Duration{true: moment}[test.hang]; took != want || time.Since(began) != took {
				t.Errorf("Close took %v, want %v, a second Close %v", took, want, time.Since(began)-took)
			}
			calls.Wait()
			must.Fail(t, "a call afterwards", w.Do(t.Context(), nothing), nodelease.ErrRefused, "the store is closed")
			if len(w.all()) != 4 || len(w.closed(t)) != 4 {
				t.Errorf("made %d connections and closed %v", len(w.all()), w.closed(t))
			}
		})
	}
}
