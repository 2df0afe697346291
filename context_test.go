package ids_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oneclock/ids"
)

// TestNextContextFinishes cancels a call that has taken its id and waits for its tick: the id is not lost.
func TestNextContextFinishes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeClock{t: start}
		layout := ids.SnowflakeLayout{Epoch: start.AddDate(-1, 0, 0), Tick: time.Millisecond, NodeBits: 10}
		n := newNode(t, 7, &ids.SnowflakeOptions{Clock: ids.NewClock(&ids.ClockOptions{Now: f.now}), Layout: layout})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var latest ids.Snowflake
		for waited := time.Duration(0); waited == 0; {
			began := time.Now()
			stop := time.AfterFunc(time.Microsecond, cancel) // within the first wait that there is
			s, err := n.NextContext(ctx)
			stop.Stop()
			if err != nil || s <= latest {
				t.Fatalf("%v, %v after %v", s, err, latest)
			}
			latest, waited = s, time.Since(began)
		}
		if _, err := n.NextContext(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("the call after it: %v", err)
		}
	})
}

// A meddler is a context that looks at the clock whenever it is asked something.
type meddler struct {
	context.Context
	clock *ids.Clock
}

func (m meddler) Done() <-chan struct{} { m.clock.Latest(); return m.Context.Done() }
func (m meddler) Err() error            { m.clock.Latest(); return m.Context.Err() }
func (m meddler) Value(key any) any     { m.clock.Latest(); return m.Context.Value(key) }
func (m meddler) AfterFunc(f func()) (stop func() bool) {
	stop = context.AfterFunc(m.Context, f)
	return func() bool { m.clock.Latest(); return stop() }
}

// TestNextContextOfAnyType waits with a context that would hang if it were asked under the mutex.
func TestNextContextOfAnyType(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, limit := newUnbounded(nil)
		n := bubbleNode(t, c)
		limit.Set(time.Now().Add(-time.Second), nil)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if s, err := n.NextContext(meddler{ctx, c}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v, %v", s, err)
		}
		time.AfterFunc(time.Second, func() { limit.Set(unbounded, nil) })
		if s, err := n.NextContext(meddler{t.Context(), c}); err != nil {
			t.Errorf("%v, %v", s, err)
		}
	})
}

// TestContextsEndAlone has the contexts of many waiting calls end one after another. The end of one is no concern of
// the others: each call looks at the clock before it waits, and once more when its own context ends.
func TestContextsEndAlone(t *testing.T) {
	const calls = 2000
	synctest.Test(t, func(t *testing.T) {
		f, _, limit, _, n := newLimited(t)
		limit.Set(start.Add(-time.Hour), nil)
		f.reads = 0
		var wg sync.WaitGroup
		for i := range calls {
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i+1)*time.Millisecond)
			wg.Go(func() {
				defer cancel()
				began := time.Now()
				_, err := n.NextContext(ctx)
				if waited := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || waited != time.Duration(i+1)*time.Millisecond {
					t.Errorf("call %d: %v, after %v", i, err, waited)
				}
			})
		}
		wg.Wait()
		if f.reads > 5*calls {
			t.Errorf("%d calls looked at the clock %d times, want at most %d", calls, f.reads, 5*calls)
		}
	})
}

// TestLimitWakesNobodyInVain sets a limit again and again, as a keeper does whose disk is full, while the ids are ahead of
// the clock and have reached it: nobody looks at the clock, for no time that it shows would help. The end wakes all.
func TestLimitWakesNobodyInVain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const calls = 100
		f, _, limit, _, n := newLimited(t)
		full := start.Add(time.Millisecond)
		limit.Set(full, nil)
		f.step(time.Millisecond)
		n.Append(nil, 4096) // as many as the limit's tick holds
		var wg sync.WaitGroup
		for range calls {
			wg.Go(func() {
				if s, err := n.NextContext(t.Context()); s != 0 || err != ids.ErrEnded {
					t.Errorf("%v, %v, want ErrEnded", s, err)
				}
			})
		}
		synctest.Wait()
		f.reads = 0
		f.t = start.Add(-time.Hour)
		for range 50 {
			limit.Set(full, nil)
			time.Sleep(100 * time.Millisecond)
		}
		if f.reads != 0 {
			t.Errorf("%d calls looked at the clock %d times", calls, f.reads)
		}
		limit.EndAt(time.Time{}, nil)
		wg.Wait()
	})
}

// TestContextCauseOnce ends a context with a cause that wraps context.Canceled: the text says so once.
func TestContextCauseOnce(t *testing.T) {
	_, _, _, n := newFake(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(fmt.Errorf("shutdown: %w", context.Canceled))
	if _, err := n.NextContext(ctx); err == nil || err.Error() != "ids: no Snowflake: shutdown: context canceled" {
		t.Errorf("the error is %v", err)
	}
}
