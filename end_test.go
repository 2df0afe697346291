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
	f, c, limit, g, n := newLimited(t)
	end := start.Add(2 * time.Second)
	limit.Set(end.Add(time.Minute), nil) // which is later
	limit.EndAt(end, nil)
	for _, later := range []func(){
		func() { limit.EndAt(end.Add(time.Hour), nil) }, func() { limit.Set(end.Add(time.Hour), nil) }, func() { limit.Set(unbounded, nil) },
	} {
		later()
		if got := limit.NextHorizon(0); !got.Equal(end) {
			t.Errorf("the limit is %v, want %v", got, end)
		}
	}
	f.step(2 * time.Second)
	for range 4096 { // as many as the last tick holds
		if s, err := n.NextContext(t.Context()); err != nil || partsOf(s).Time.After(end) {
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
			if err := panicOf(mint); err != ids.ErrEnded {
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
	limit.EndAt(time.Time{}, nil)
	f.step(-time.Hour) // V1 and V6 would follow
	ended("after an end at once")
	limit.EndAt(end, nil)
	limit.Set(unbounded, nil)
	ended("after attempts to take it back")
	if got := c.Latest(); !got.Equal(latest) {
		t.Errorf("Latest is %v, was %v", got, latest)
	}
	if _, err := ids.NewSnowflakeNode(8, &ids.SnowflakeOptions{Clock: c}); err != nil {
		t.Error(err)
	}
}

// TestEndWithinLimit ends a clock as its documentation says, some 100 ms ahead, when the limit has been reached,
// as by a keeper that cannot save: no id is later than what was saved. It ends whoever waits, too.
func TestEndWithinLimit(t *testing.T) {
	f, _, limit, _, n := newWithheldAt(t, start, time.Time{})
	saved := limit.NextHorizon(time.Second)
	limit.Set(saved, nil)
	f.t = saved.Add(time.Second)
	limit.EndAt(f.t.Add(100*time.Millisecond), nil)
	if s, err := n.TryNext(); s != 0 || err != ids.ErrEnded {
		t.Errorf("after the end, TryNext gives %v of %v, %v, with the limit at %v", s, partsOf(s).Time, err, saved)
	}
	if got := limit.NextHorizon(0); !got.Equal(f.t) {
		t.Errorf("NextHorizon(0) is %v, want the clock's time, %v: the end is not later than the limit was", got, f.t)
	}
	f.t = saved
	if s, err := n.TryNext(); err != nil || !partsOf(s).Time.Equal(saved) {
		t.Errorf("at the end, TryNext gives %v of %v, %v", s, partsOf(s).Time, err)
	}
}

// TestEndAtOnce ends a clock by the zero time, after its first id and before its first limit: no id follows.
func TestEndAtOnce(t *testing.T) {
	for _, free := range []bool{true, false} {
		c, limit := ids.NewLimitedClock(nil)
		n := newNode(t, 1, &ids.SnowflakeOptions{Clock: c})
		if free {
			limit.Set(unbounded, nil)
			n.Next()
		}
		limit.EndAt(time.Time{}, nil)
		limit.Set(unbounded, nil)
		for number, n := range []*ids.SnowflakeNode{n, newNode(t, 2, &ids.SnowflakeOptions{Clock: c})} {
			if s, err := n.TryNext(); s != 0 || err != ids.ErrEnded {
				t.Errorf("node %d: %d, %v, want ErrEnded", number, s, err)
			}
		}
	}
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

// TestWaitsHaveNames looks at the stacks of calls that wait: each has a function that says for what.
func TestWaitsHaveNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, limit := newUnbounded(nil)
		g := ids.NewGenerator(&ids.GeneratorOptions{Clock: c})
		n := bubbleNode(t, c)
		dump := func() string {
			buf := make([]byte, 1<<20)
			return string(buf[:runtime.Stack(buf, true)])
		}
		limit.Set(time.Now().Add(-time.Second), nil)
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
		limit.EndAt(time.Now(), nil)
		synctest.Wait()

		long := ids.SnowflakeLayout{Epoch: time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC), Tick: time.Second, NodeBits: 10}
		slow := newNode(t, 7, &ids.SnowflakeOptions{Clock: ids.NewClock(nil), Layout: long})
		go slow.Append(nil, 3)
		synctest.Wait()
		if stacks := dump(); !strings.Contains(stacks, "ids.waitForClock(") {
			t.Errorf("no goroutine is in waitForClock:\n%s", stacks)
		}
		time.Sleep(time.Minute)
	})
}
