package ids_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oneclock/ids"
)

// TestEndAt has a clock end: what is later is refused at once and for good, and what no limit concerns
// goes on.
func TestEndAt(t *testing.T) {
	f, c, g, n := newFake(t)
	end := start.Add(2 * time.Second)
	c.SetLimit(start) // which the end replaces
	c.EndAt(end)
	for _, later := range []func(){
		func() { c.EndAt(end.Add(time.Hour)) }, func() { c.SetLimit(end.Add(time.Hour)) }, func() { c.SetLimit(time.Time{}) },
	} {
		later()
		if got := c.Horizon(0); !got.Equal(end) {
			t.Errorf("the limit is %v, want %v", got, end)
		}
	}
	f.step(2 * time.Second)
	for range 4096 { // as many as the last tick holds
		if s, err := n.NextContext(t.Context()); err != nil || s.Time().After(end) {
			t.Fatalf("before the end: %v, %v", s, err)
		}
	}
	g.NewV1()
	g.NewV6()
	latest := c.Latest()
	f.step(time.Millisecond)
	ended := func(when string) {
		t.Helper()
		if s, err := n.TryNext(); s != 0 || err != ids.ErrEnded {
			t.Errorf("%s, TryNext: %v, %v", when, s, err)
		}
		if s, err := n.NextContext(t.Context()); s != 0 || err != ids.ErrEnded {
			t.Errorf("%s, NextContext: %v, %v", when, s, err)
		}
		for name, mint := range map[string]func(){
			"Next": func() { n.Next() }, "Append": func() { n.Append(nil, 3) }, "NewV1": func() { g.NewV1() }, "NewV6": func() { g.NewV6() },
		} {
			if err := panicOf(mint); !errors.Is(err, ids.ErrEnded) || !strings.Contains(err.Error(), "clockfile") {
				t.Errorf("%s, %s: %v", when, name, err)
			}
		}
		for range 3 { // none of these panics
			g.NewV4()
			g.NewV7()
			g.NewULID()
			g.NewV2(ids.DomainOrg, 1)
		}
	}
	ended("after the end")
	c.EndAt(time.Time{})
	f.step(-time.Hour) // V1 and V6 would follow
	ended("after an end at once")
	c.EndAt(end)
	c.SetLimit(time.Time{})
	ended("after attempts to take it back")
	if got := c.Latest(); !got.Equal(latest) {
		t.Errorf("Latest is %v, was %v", got, latest)
	}
	if _, err := ids.NewSnowflakeNode(8, &ids.SnowflakeOptions{Clock: c}); err != nil {
		t.Error(err)
	}
}

// TestEndOfNewNodes makes a node on a clock that has ended.
func TestEndOfNewNodes(t *testing.T) {
	for _, end := range []time.Time{{}, start.Add(-time.Nanosecond)} {
		_, c, _, _ := newFake(t)
		c.EndAt(end)
		n, err := ids.NewSnowflakeNode(9, &ids.SnowflakeOptions{Clock: c, Layout: ids.DiscordLayout()})
		if err != nil {
			t.Fatal(err)
		}
		if s, err := n.TryNext(); err != ids.ErrEnded {
			t.Errorf("a node of a clock that ended at %v: %v, %v", end, s, err)
		}
	}
}

// TestEndWakesAll ends a clock while many calls of each kind wait for its limit.
func TestEndWakesAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := ids.NewClock(nil)
		g := ids.NewGenerator(&ids.GeneratorOptions{Clock: c})
		n := bubbleNode(t, c)
		c.SetLimit(time.Now().Add(-time.Second))
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
		c.EndAt(time.Now().Add(-time.Second))
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
	n, err := ids.NewSnowflakeNode(7, &ids.SnowflakeOptions{Clock: c, Layout: layout})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestNextContext ends contexts before a call and while it waits, with and without a cause.
func TestNextContext(t *testing.T) {
	cause := errors.New("told to stop")
	synctest.Test(t, func(t *testing.T) {
		c := ids.NewClock(nil)
		n := bubbleNode(t, c)
		first := n.Next()
		ended, cancel := context.WithCancelCause(t.Context())
		cancel(cause)
		if s, err := n.NextContext(ended); s != 0 || !errors.Is(err, context.Canceled) || !errors.Is(err, cause) {
			t.Errorf("a context that has ended, where an id is free: %v, %v", s, err)
		}
		if s, err := n.NextContext(t.Context()); s != first+1 || err != nil {
			t.Errorf("the next id is %v, %v, want %v: an error takes none", s, err, first+1)
		}

		c.SetLimit(time.Now().Add(-time.Second))
		timeout, cancelTimeout := context.WithTimeoutCause(t.Context(), time.Second, cause)
		defer cancelTimeout()
		began := time.Now()
		_, err := n.NextContext(timeout)
		if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, cause) || time.Since(began) != time.Second {
			t.Errorf("a timeout of a second: %v, after %v", err, time.Since(began))
		}
		plain, cancelPlain := context.WithCancel(t.Context())
		go func() {
			time.Sleep(time.Minute)
			cancelPlain()
		}()
		_, err = n.NextContext(plain)
		if !errors.Is(err, context.Canceled) || strings.Count(err.Error(), "canceled") != 1 || time.Since(began) != time.Second+time.Minute {
			t.Errorf("canceled after a minute: %v, after %v", err, time.Since(began))
		}

		var s ids.Snowflake
		done := make(chan error)
		go func() {
			var err error
			s, err = n.NextContext(t.Context())
			done <- err
		}()
		synctest.Wait()
		c.SetLimit(time.Time{})
		if err := <-done; err != nil || s <= first {
			t.Errorf("after the limit was lifted: %v, %v", s, err)
		}
	})
}

// TestNextContextFinishes cancels a call that has taken its id and waits for its tick: the id is not lost.
func TestNextContextFinishes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeClock{t: start}
		layout := ids.SnowflakeLayout{Epoch: start.AddDate(-1, 0, 0), Tick: time.Millisecond, NodeBits: 10}
		n, err := ids.NewSnowflakeNode(7, &ids.SnowflakeOptions{Clock: ids.NewClock(&ids.ClockOptions{Now: f.now}), Layout: layout})
		if err != nil {
			t.Fatal(err)
		}
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
		c := ids.NewClock(nil)
		n := bubbleNode(t, c)
		c.SetLimit(time.Now().Add(-time.Second))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if s, err := n.NextContext(meddler{ctx, c}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v, %v", s, err)
		}
		time.AfterFunc(time.Second, func() { c.SetLimit(time.Time{}) })
		if s, err := n.NextContext(meddler{t.Context(), c}); err != nil {
			t.Errorf("%v, %v", s, err)
		}
	})
}

// TestWaitsHaveNames looks at the stacks of calls that wait: each has a function that says for what.
func TestWaitsHaveNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := ids.NewClock(nil)
		g := ids.NewGenerator(&ids.GeneratorOptions{Clock: c})
		n := bubbleNode(t, c)
		dump := func() string {
			buf := make([]byte, 1<<20)
			return string(buf[:runtime.Stack(buf, true)])
		}
		c.SetLimit(time.Now().Add(-time.Second))
		for name, mint := range map[string]func(){
			"(*SnowflakeNode).Next(": func() { n.Next() }, "(*SnowflakeNode).NextContext(": func() { n.NextContext(context.Background()) },
			"(*SnowflakeNode).Append(": func() { n.Append(nil, 2) }, "(*Generator).mintGregorian(": func() { g.NewV6() },
		} {
			go panicOf(mint)
			synctest.Wait()
			if stacks := dump(); !strings.Contains(stacks, name) || !strings.Contains(stacks, "(*Clock).waitForLimit(") {
				t.Errorf("no goroutine is in %s and waitForLimit:\n%s", name, stacks)
			}
		}
		c.EndAt(time.Now())
		synctest.Wait()

		long := ids.SnowflakeLayout{Epoch: time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC), Tick: time.Second, NodeBits: 10}
		slow, err := ids.NewSnowflakeNode(7, &ids.SnowflakeOptions{Clock: ids.NewClock(nil), Layout: long})
		if err != nil {
			t.Fatal(err)
		}
		go slow.Append(nil, 3)
		synctest.Wait()
		if stacks := dump(); !strings.Contains(stacks, "ids.waitForClock(") {
			t.Errorf("no goroutine is in waitForClock:\n%s", stacks)
		}
		time.Sleep(time.Minute)
	})
}
