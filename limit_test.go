package ids_test

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

// noLimitYet is the error of a clock before its first limit.
const noLimitYet = "ids: withheld: the clock has no limit yet: call ClockLimit.Set"

// errLost is why a clock ends.
var errLost = errors.New("the lease is lost")

// checkErrors checks that an error matches each of some others, and says what it should.
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

// TestWithheldFromBirth asks a clock that has a limit for ids before the first Set: versions 1 and 6 and Snowflake are
// withheld, by nodes that are made later too, and the others are not. Calls that wait go on at the first Set.
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

// TestWithheldCause withholds ids for a cause, and ends contexts with and without one: the errors say and match all.
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
			// What had ended before the call has not waited.
			_, err = n.NextContext(ctx)
			checkErrors(t, "NextContext of a context that has ended", err, "ids: no Snowflake: "+text, ctx.Err(), context.Cause(ctx))
			if errors.Is(err, ids.ErrWithheld) {
				t.Errorf("NextContext of a context that has ended: %v", err)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		time.AfterFunc(time.Second, func() { limit.Set(start.Add(-time.Hour), errLost) }) // the cause at the end counts
		_, err := n.NextContext(ctx)
		checkErrors(t, "NextContext with a new cause", err, "ids: no Snowflake: context deadline exceeded: ids: withheld: the lease is lost", errLost)
		if errors.Is(err, errFull) {
			t.Errorf("NextContext with a new cause: %v matches the cause before", err)
		}
	})
}

// TestWaitersAreForgotten has many calls end that waited for a limit: the clock keeps nothing of them.
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

// bubbleNode returns a node whose layout begins before a bubble does.
func bubbleNode(t *testing.T, c *ids.Clock) *ids.SnowflakeNode {
	t.Helper()
	layout := ids.TwitterLayout()
	layout.Epoch = time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC)
	n := newNode(t, 7, &ids.SnowflakeOptions{Clock: c, Layout: layout})
	return n
}

// TestNextContextLifted cancels a call that has waited for a limit, has taken its ID and now waits for
// its tick: the ID is not lost.
func TestNextContextLifted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const tick = 10 * time.Millisecond
		c, limit := newUnbounded(&ids.ClockOptions{Now: (&fakeClock{t: start}).now, MaxAhead: -1})
		layout := ids.SnowflakeLayout{Epoch: start.AddDate(-1, 0, 0), Tick: tick, NodeBits: 10}
		n := newNode(t, 7, &ids.SnowflakeOptions{Clock: c, Layout: layout})
		first := n.Next()
		limit.Set(start, nil) // withholds the second ID, which is of the next tick
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

// A meddler is a context that looks at the clock whenever it is asked something, and does not say that it is one of package context.
type meddler struct {
	context.Context
	clock *ids.Clock
	left  *int // by calls that ended before it
}

func (m meddler) Done() <-chan struct{} { m.clock.Latest(); return m.Context.Done() }
func (m meddler) Err() error            { m.clock.Latest(); return m.Context.Err() }
func (m meddler) Value(any) any         { m.clock.Latest(); return nil }
func (m meddler) AfterFunc(f func()) func() bool {
	stop := context.AfterFunc(m.Context, f)
	return func() bool { m.clock.Latest(); *m.left++; return stop() }
}

// TestNextContextOfAnyType waits with a context that would hang if it were asked under the mutex. A call that ends before it
// leaves it.
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
