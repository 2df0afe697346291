package ids_test

// Limits, their causes, ends, and the calls that wait for them, including NextContext.

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oneclock/ids"
)

// noLimitYet is the error message of a clock before its first limit.
const noLimitYet = "ids: withheld: the clock has no limit yet: call ClockLimit.Set"

// errLost is a cause with which clocks end.
var errLost = errors.New("the lease is lost")

// checkErrors checks that err matches each error in match and has the given message.
func checkErrors(t *testing.T, what string, err error, message string, match ...error) {
	t.Helper()
	if err == nil || err.Error() != message {
		t.Errorf("%s: the error is %v, want %s", what, err, message)
	}
	for _, want := range match {
		if !errors.Is(err, want) {
			t.Errorf("%s: %v does not match %v", what, err, want)
		}
	}
}

// TestWithheldFromBirth asks a clock that has a limit for IDs before the first Set. Versions 1 and
// 6 and Snowflakes are withheld, also from nodes made later; the other formats are not. Waiting
// calls continue at the first Set.
func TestWithheldFromBirth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, c, limit, g, first := newWithheldAt(t, start, time.Time{})
		later := newNode(t, 9, &ids.SnowflakeOptions{Clock: c, Layout: ids.SonyflakeLayout()})
		for _, n := range []*ids.SnowflakeNode{first, later} {
			_, err := n.TryNext()
			checkErrors(t, fmt.Sprintf("TryNext of node %d", n.Number()), err, noLimitYet, ids.ErrWithheld)
		}
		g.NewV2(ids.DomainOrg, 1) // none of these waits
		g.NewV4()
		g.AppendV7(nil, 300)
		if u, l := g.NewV7(), g.AppendULID(nil, 300)[0]; !timeOf(u).Equal(start) || !l.Time().Equal(start) || !c.Latest().IsZero() {
			t.Errorf("%v of %v, %v of %v, Latest is %v", u, timeOf(u), l, l.Time(), c.Latest())
		}
		var done atomic.Int32
		var wg sync.WaitGroup
		for _, mint := range []func(){
			func() { g.NewV1() }, func() { g.NewV6() }, func() { first.Next() }, func() { first.Append(nil, 3) }, func() { later.Next() },
			func() { first.NextContext(t.Context()) },
		} {
			wg.Go(func() { mint(); done.Add(1) })
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if n := done.Load(); n > 0 {
			t.Fatalf("%d calls have not waited for the first limit", n)
		}
		limit.Set(start, nil)
		wg.Wait()
		if _, err := newNode(t, 10, &ids.SnowflakeOptions{Clock: c}).TryNext(); err != nil || !c.Latest().Equal(start) {
			t.Errorf("a node made after the first Set: %v; Latest is %v", err, c.Latest())
		}
	})
}

// TestWithheldCause withholds IDs for a cause, and cancels contexts with and without a cause. The
// errors contain and match all of them.
func TestWithheldCause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, _, limit, _, n := newWithheldAt(t, start, time.Time{})
		limit.Set(start.Add(-time.Hour), errFull)
		for cause, text := range map[error]string{nil: "context canceled", errLost: "context canceled: the lease is lost"} {
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(time.Minute, func() { cancel(cause) })
			began := time.Now()
			s, err := n.NextContext(ctx)
			checkErrors(t, "NextContext", err, "ids: no Snowflake: "+text+": ids: withheld: "+errFull.Error(), ctx.Err(), context.Cause(ctx), ids.ErrWithheld, errFull)
			if s != 0 || time.Since(began) != time.Minute {
				t.Errorf("NextContext: %v, after %v", s, time.Since(began))
			}
			// A call whose context was done before it began has not waited.
			_, err = n.NextContext(ctx)
			checkErrors(t, "NextContext of a context that has ended", err, "ids: no Snowflake: "+text, ctx.Err(), context.Cause(ctx))
			if errors.Is(err, ids.ErrWithheld) {
				t.Errorf("NextContext of a context that has ended: %v", err)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		// The cause at the end counts.
		time.AfterFunc(time.Second, func() { limit.Set(start.Add(-time.Hour), errLost) })
		_, err := n.NextContext(ctx)
		checkErrors(t, "NextContext with a new cause", err, "ids: no Snowflake: context deadline exceeded: ids: withheld: the lease is lost", errLost)
		if errors.Is(err, errFull) {
			t.Errorf("NextContext with a new cause: %v matches the cause before", err)
		}
	})
}

// TestWaitersAreForgotten ends many calls that wait for a limit. The clock keeps nothing of them.
func TestWaitersAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, c, limit, _, n := newLimited(t)
		limit.Set(start.Add(-time.Hour), nil)
		for range 100 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			if s, err := n.NextContext(ctx); !errors.Is(err, ids.ErrWithheld) {
				t.Fatal(s, err)
			}
			cancel()
		}
		if left := ids.Waiters(c); left != 0 {
			t.Errorf("100 calls have ended, and the clock keeps %d", left)
		}
	})
}

// TestEndWakesAll ends a clock while many calls of each kind wait for its limit.
func TestEndWakesAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, limit := newUnbounded(nil)
		g := ids.NewGenerator(&ids.GeneratorOptions{Clock: c})
		n := bubbleNode(t, c)
		limit.Set(time.Now().Add(-time.Second), nil)
		var wg sync.WaitGroup
		var mu sync.Mutex
		var got []error
		for range 50 {
			for _, mint := range []func() error{
				func() error { return panicOf(func() { n.Next() }) },
				func() error { return panicOf(func() { n.Append(nil, 10) }) },
				func() error { return panicOf(func() { g.NewV1() }) },
				func() error { return panicOf(func() { g.NewV6() }) },
				func() error { _, err := n.NextContext(context.Background()); return err },
				func() error { _, err := n.NextContext(t.Context()); return err },
			} {
				wg.Go(func() {
					err := mint()
					mu.Lock()
					defer mu.Unlock()
					got = append(got, err)
				})
			}
		}
		synctest.Wait()
		if len(got) > 0 {
			t.Fatalf("%d calls have not waited: %v", len(got), got[0])
		}
		limit.EndAt(time.Now().Add(-time.Second), nil)
		wg.Wait()
		for _, err := range got {
			if !errors.Is(err, ids.ErrEnded) {
				t.Fatal(err)
			}
		}
		if len(got) != 300 {
			t.Errorf("%d calls have returned, want 300", len(got))
		}
	})
}

// bubbleNode returns a node whose layout begins before a bubble's time.
func bubbleNode(t *testing.T, c *ids.Clock) *ids.SnowflakeNode {
	t.Helper()
	layout := ids.TwitterLayout()
	layout.Epoch = time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC)
	n := newNode(t, 7, &ids.SnowflakeOptions{Clock: c, Layout: layout})
	return n
}

// TestNextContextLifted cancels a call that has waited for a limit, has taken its ID and now waits
// for its tick. The ID is not lost.
func TestNextContextLifted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const tick = 10 * time.Millisecond
		c, limit := newUnbounded(&ids.ClockOptions{Now: (&fakeClock{t: start}).now, MaxAhead: -1})
		layout := ids.SnowflakeLayout{Epoch: start.AddDate(-1, 0, 0), Tick: tick, NodeBits: 10}
		n := newNode(t, 7, &ids.SnowflakeOptions{Clock: c, Layout: layout})
		first := n.Next()
		limit.Set(start, nil) // withholds the second ID, which has the next tick
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		time.AfterFunc(time.Second, func() {
			limit.Set(unbounded, nil)
			time.AfterFunc(tick/2, cancel)
		})
		began := time.Now()
		second, err := n.NextContext(ctx)
		took := time.Since(began)
		if ctx.Err() == nil || took < time.Second+tick/2 {
			t.Fatalf("the call has ended after %v, before its context: %v", took, err)
		}
		if at := layout.Split(second).Time; err != nil || !at.Equal(layout.Split(first).Time.Add(tick)) {
			t.Errorf("%v of %v, %v", second, at, err)
		}
	})
}

// TestNextContextFinishes cancels a call that has taken its ID and waits for its tick. The ID is
// not lost.
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
			stop := time.AfterFunc(time.Microsecond, cancel) // within the first wait
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

// A meddler is a context of a type outside package context. It calls the clock whenever one of its
// methods is called.
type meddler struct {
	context.Context
	clock *ids.Clock
	left  *int // number of calls that ended before it and stopped waiting for it
}

func (m meddler) Done() <-chan struct{} { m.clock.Latest(); return m.Context.Done() }
func (m meddler) Err() error            { m.clock.Latest(); return m.Context.Err() }
func (m meddler) Value(any) any         { m.clock.Latest(); return nil }
func (m meddler) AfterFunc(f func()) func() bool {
	stop := context.AfterFunc(m.Context, f)
	return func() bool { m.clock.Latest(); *m.left++; return stop() }
}

// TestNextContextOfAnyType waits with a context that would deadlock if it were called under the
// mutex. A call that returns before its context is done stops waiting for that context.
func TestNextContextOfAnyType(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, limit := newUnbounded(nil)
		n := bubbleNode(t, c)
		limit.Set(time.Now().Add(-time.Second), nil)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		left := 0
		if s, err := n.NextContext(meddler{ctx, c, &left}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v, %v", s, err)
		}
		time.AfterFunc(time.Second, func() { limit.Set(unbounded, nil) })
		if s, err := n.NextContext(meddler{t.Context(), c, &left}); err != nil || left != 1 {
			t.Errorf("%v, %v; the context was left %d times, want once", s, err, left)
		}
	})
}

// TestContextsEndAlone cancels the contexts of many waiting calls one after another. Each
// cancellation affects only its own call. Each call reads the clock before it waits, and once more
// when its own context is done.
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

// TestLimitWakesNobodyInVain sets a limit again and again, as a keeper does when its disk is full,
// while the IDs are ahead of the clock and have reached the limit. No call reads the clock, because
// no time that the clock shows would help. The end wakes all of them.
func TestLimitWakesNobodyInVain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const calls = 100
		f, _, limit, _, n := newLimited(t)
		full := start.Add(time.Millisecond)
		limit.Set(full, nil)
		f.step(time.Millisecond)
		n.Append(nil, 4096) // as many as the limit's tick holds
		var wg sync.WaitGroup
		for i := range calls {
			next := func() error { return failing(n.NextContext(t.Context())) }
			if i%2 == 0 {
				next = func() error { return panicOf(func() { n.Next() }) }
			}
			wg.Go(func() {
				if err := next(); err != ids.ErrEnded {
					t.Errorf("%v, want ErrEnded", err)
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
