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
