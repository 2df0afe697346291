package ids_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oneclock/ids"
)

// noLimitYet is the error of a clock before its first limit.
const noLimitYet = "ids: withheld: the clock has no limit yet, which ClockLimit.Set gives it"

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

// panicking returns calls that return no error, by name.
func panicking(g *ids.Generator, n *ids.SnowflakeNode) map[string]func() {
	return map[string]func(){
		"Next": func() { n.Next() }, "Append": func() { n.Append(nil, 3) }, "NewV1": func() { g.NewV1() }, "NewV6": func() { g.NewV6() },
	}
}

// TestWithheldFromBirth asks a clock that has a limit for ids before the first Set: versions 1 and 6 and Snowflake are
// withheld, by nodes that are made later too, and the others are not. Calls that wait go on at the first Set.
func TestWithheldFromBirth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, c, limit, g, first := newWithheldAt(t, start, time.Time{})
		nodes := []*ids.SnowflakeNode{first, newNode(t, 8, &ids.SnowflakeOptions{Clock: c}),
			newNode(t, 9, &ids.SnowflakeOptions{Clock: c, Layout: ids.SonyflakeLayout()})}
		for _, n := range nodes {
			s, err := n.TryNext()
			checkErrors(t, fmt.Sprintf("TryNext of node %d", n.Number()), err, noLimitYet, ids.ErrWithheld)
			if s != 0 || errors.Is(err, ids.ErrEnded) {
				t.Errorf("TryNext of node %d: %v, %v", n.Number(), s, err)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := first.NextContext(ctx)
		checkErrors(t, "NextContext", err, "ids: no Snowflake: context deadline exceeded: "+noLimitYet, context.DeadlineExceeded, ids.ErrWithheld)

		for range 3 { // none of these waits
			g.NewV2(ids.DomainOrg, 1)
			g.NewV4()
			g.AppendV4(nil, 3)
			g.AppendV7(nil, 300)
			g.AppendULID(nil, 300)
			if u, l := g.NewV7(), g.NewULID(); !timeOf(u).Equal(start) || !l.Time().Equal(start) {
				t.Errorf("%v of %v, %v of %v", u, timeOf(u), l, l.Time())
			}
		}
		if got := c.Latest(); !got.IsZero() {
			t.Errorf("Latest is %v before the first id", got)
		}

		var mu sync.Mutex
		var times []time.Time
		var wg sync.WaitGroup
		for _, mint := range []func() time.Time{
			func() time.Time { return timeOf(g.NewV1()) }, func() time.Time { return timeOf(g.NewV6()) },
			func() time.Time { return partsOf(nodes[0].Next()).Time }, func() time.Time { return partsOf(nodes[1].Append(nil, 3)[0]).Time },
			func() time.Time { return nodes[2].Layout().Split(nodes[2].Next()).Time },
			func() time.Time {
				s, err := nodes[0].NextContext(t.Context())
				if err != nil {
					t.Error(err)
				}
				return partsOf(s).Time
			},
		} {
			wg.Go(func() {
				at := mint()
				mu.Lock()
				defer mu.Unlock()
				times = append(times, at)
			})
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if len(times) > 0 {
			t.Fatalf("%d calls have not waited for the first limit", len(times))
		}
		limit.Set(start.Add(10*time.Second), nil)
		wg.Wait()
		for _, at := range times {
			if !at.Equal(start) {
				t.Errorf("after the first Set, an id is of %v, want %v", at, start)
			}
		}
		if _, err := newNode(t, 10, &ids.SnowflakeOptions{Clock: c}).TryNext(); err != nil {
			t.Errorf("a node made after the first Set: %v", err)
		}
	})
}

// TestWithheldCause withholds ids for a cause, which errors match and say, and without one, when they are ErrWithheld itself.
func TestWithheldCause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, _, limit, _, n := newWithheldAt(t, start, time.Time{})
		before := start.Add(-time.Hour)
		limit.Set(before, errFull)
		s, err := n.TryNext()
		checkErrors(t, "TryNext", err, "ids: withheld: "+errFull.Error(), ids.ErrWithheld, errFull)
		if s != 0 || errors.Is(err, ids.ErrEnded) {
			t.Errorf("TryNext: %v, %v", s, err)
		}

		told := errors.New("told to stop")
		for _, c := range []struct {
			cause error // of the context
			text  string
		}{{nil, "context canceled"}, {told, "context canceled: told to stop"}} {
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(time.Minute, func() { cancel(c.cause) })
			began := time.Now()
			s, err := n.NextContext(ctx)
			checkErrors(t, "NextContext", err, "ids: no Snowflake: "+c.text+": ids: withheld: "+errFull.Error(),
				ctx.Err(), context.Cause(ctx), ids.ErrWithheld, errFull)
			if s != 0 || time.Since(began) != time.Minute {
				t.Errorf("NextContext: %v, after %v", s, time.Since(began))
			}
			// What had ended before the call has not waited.
			_, err = n.NextContext(ctx)
			checkErrors(t, "NextContext of a context that has ended", err, "ids: no Snowflake: "+c.text, ctx.Err(), context.Cause(ctx))
			if errors.Is(err, ids.ErrWithheld) || errors.Is(err, errFull) {
				t.Errorf("NextContext of a context that has ended: %v", err)
			}
		}

		// The cause that counts is the one at the end of the wait.
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		slow := errors.New("the disk is slow")
		time.AfterFunc(time.Second, func() { limit.Set(before, slow) })
		_, err = n.NextContext(ctx)
		checkErrors(t, "NextContext with a new cause", err, "ids: no Snowflake: context deadline exceeded: ids: withheld: the disk is slow", slow)
		if errors.Is(err, errFull) {
			t.Errorf("NextContext with a new cause: %v matches the cause before", err)
		}

		limit.Set(before, nil)
		if s, err := n.TryNext(); s != 0 || err != ids.ErrWithheld {
			t.Errorf("TryNext without a cause: %v, %v, want ErrWithheld itself", s, err)
		}
		ctx, cancel = context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err = n.NextContext(ctx)
		checkErrors(t, "NextContext without a cause", err, "ids: no Snowflake: context deadline exceeded: ids: withheld by the limit of the clock",
			context.DeadlineExceeded, ids.ErrWithheld)
	})
}

// TestEndedCause ends clocks for a cause: what returns an error and what panics matches it and says it, and so does
// what waits for the limit. Without a cause they are ErrEnded itself.
func TestEndedCause(t *testing.T) {
	full := fmt.Errorf("saving the horizon: %w", errFull)
	for _, cause := range []error{nil, full} {
		message := "ids: the clock has ended"
		if cause != nil {
			message = "ids: ended: saving the horizon: write /var/lib/ids: no space left on device"
		}
		check := func(what string, err error) {
			t.Helper()
			if cause == nil {
				if err != ids.ErrEnded {
					t.Errorf("%s: %v, want ErrEnded itself", what, err)
				}
				return
			}
			checkErrors(t, what, err, message, ids.ErrEnded, full, errFull)
			if errors.Is(err, ids.ErrWithheld) {
				t.Errorf("%s: %v matches ErrWithheld", what, err)
			}
		}
		synctest.Test(t, func(t *testing.T) {
			_, c, limit, g, n := newWithheldAt(t, start, time.Time{})
			limit.Set(start.Add(-time.Hour), errors.New("another cause"))
			var wg sync.WaitGroup
			for name, mint := range panicking(g, n) {
				wg.Go(func() { check(name+", which has waited,", panicOf(mint)) })
			}
			wg.Go(func() {
				_, err := n.NextContext(t.Context())
				check("NextContext, which has waited,", err)
			})
			synctest.Wait()
			limit.EndAt(start.Add(time.Hour), cause)
			wg.Wait()

			for name, mint := range panicking(g, n) {
				check(name, panicOf(mint))
			}
			for _, n := range []*ids.SnowflakeNode{n, newNode(t, 8, &ids.SnowflakeOptions{Clock: c})} {
				s, err := n.TryNext()
				check("TryNext", err)
				again, err := n.NextContext(t.Context())
				check("NextContext", err)
				if s != 0 || again != 0 {
					t.Errorf("%v and %v beside the errors", s, again)
				}
			}
			g.NewV4()
			g.NewV7()
			g.NewULID()
		})
	}
}

// TestFirstCauseOfEnd ends clocks more than once, and sets limits afterwards: the first cause that there is stays, and
// no limit changes anything.
func TestFirstCauseOfEnd(t *testing.T) {
	for _, c := range []struct {
		causes []error
		want   error // what TryNext matches; nil: it returns ErrEnded itself
	}{
		{[]error{nil}, nil}, {[]error{nil, nil}, nil}, {[]error{errLost, nil}, errLost}, {[]error{nil, errLost}, errLost},
		{[]error{errLost, errFull}, errLost}, {[]error{nil, errLost, errFull}, errLost}, {[]error{errLost, errFull, nil}, errLost},
	} {
		_, _, limit, _, n := newLimited(t)
		for i, cause := range c.causes {
			limit.EndAt(start.Add(-time.Duration(i+1)*time.Second), cause)
			limit.Set(unbounded, errors.New("a cause that is too late"))
			limit.Set(start.Add(-time.Hour), nil)
		}
		_, err := n.TryNext()
		switch {
		case c.want == nil && err != ids.ErrEnded:
			t.Errorf("%v: %v, want ErrEnded itself", c.causes, err)
		case c.want != nil:
			checkErrors(t, fmt.Sprint(c.causes), err, "ids: ended: "+c.want.Error(), ids.ErrEnded, c.want)
		}
		// A later EndAt has made the end earlier all the same: this one is when there is none, and so is the limit.
		if got := limit.NextHorizon(math.MinInt64); !got.Equal(start) {
			t.Errorf("%v: NextHorizon is %v, want the clock's time, %v", c.causes, got, start)
		}
		limit.EndAt(unbounded, nil)
		if _, again := n.TryNext(); again != err {
			t.Errorf("%v: after one more EndAt, %v, want %v", c.causes, again, err)
		}
	}
}

// TestCauseOfAnotherKind gives Set causes that match errors which mean something else: calls wait until the limit
// allows the id, or their context ends. So does EndAt, after which nothing waits.
func TestCauseOfAnotherKind(t *testing.T) {
	for _, cause := range []error{ids.ErrEnded, fmt.Errorf("another clock: %w", ids.ErrEnded), context.Canceled, context.DeadlineExceeded,
		ids.ErrWithheld, ids.ErrRange} {
		synctest.Test(t, func(t *testing.T) {
			_, _, limit, g, n := newWithheldAt(t, start, time.Time{})
			limit.Set(start.Add(-time.Hour), cause)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			began := time.Now()
			_, err := n.NextContext(ctx)
			if waited := time.Since(began); waited != time.Minute || !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, ids.ErrWithheld) {
				t.Errorf("%v: NextContext returns %v after %v", cause, err, waited)
			}
			for name, mint := range panicking(g, n) {
				began := time.Now()
				time.AfterFunc(time.Minute, func() { limit.Set(unbounded, cause) })
				if err := panicOf(mint); err != nil || time.Since(began) != time.Minute {
					t.Errorf("%v: %s, %v after %v", cause, name, err, time.Since(began))
				}
				limit.Set(start.Add(-time.Hour), cause)
			}
			limit.EndAt(time.Time{}, cause)
			for name, mint := range panicking(g, n) {
				if err := panicOf(mint); !errors.Is(err, ids.ErrEnded) || !errors.Is(err, cause) {
					t.Errorf("%v: after the end, %s panics with %v", cause, name, err)
				}
			}
			if _, err := n.NextContext(t.Context()); !errors.Is(err, ids.ErrEnded) || strings.Contains(err.Error(), "no Snowflake") {
				t.Errorf("%v: after the end, NextContext returns %v", cause, err)
			}
		})
	}
}

// TestWaitAfterLimit lets calls that a limit has held up go on where their tick is full: they wait for the next one as
// any other does, for 20 ms at most.
func TestWaitAfterLimit(t *testing.T) {
	for name, mint := range map[string]func(*testing.T, *ids.SnowflakeNode){
		"Next":        func(_ *testing.T, n *ids.SnowflakeNode) { n.Next() },
		"NextContext": func(t *testing.T, n *ids.SnowflakeNode) { n.NextContext(t.Context()) },
		"Append":      func(_ *testing.T, n *ids.SnowflakeNode) { n.Append(nil, 1) },
	} {
		synctest.Test(t, func(t *testing.T) {
			shift := time.Until(start)
			now := func() time.Time { return time.Now().Add(shift) }
			c, limit := ids.NewLimitedClock(&ids.ClockOptions{Now: now, MaxAhead: -1})
			n := newNode(t, 0, &ids.SnowflakeOptions{Clock: c, Layout: narrow(10*time.Millisecond, 0)})
			limit.Set(now(), nil)
			n.Next() // the only id of this tick
			done := make(chan bool)
			go func() {
				defer close(done)
				mint(t, n)
			}()
			synctest.Wait()
			began := time.Now()
			limit.Set(now().Add(time.Hour), nil)
			<-done
			if took := time.Since(began); took < time.Millisecond || took > maxWait {
				t.Errorf("%s: waited %v after the limit was lifted", name, took)
			}
		})
	}
}

// TestZeroClockLimit calls the methods of the zero ClockLimit: they panic with a sentence that says what to do.
func TestZeroClockLimit(t *testing.T) {
	for name, use := range map[string]func(*ids.ClockLimit){
		"Set":         func(limit *ids.ClockLimit) { limit.Set(start, nil) },
		"EndAt":       func(limit *ids.ClockLimit) { limit.EndAt(start, errLost) },
		"NextHorizon": func(limit *ids.ClockLimit) { limit.NextHorizon(time.Second) },
	} {
		checkPanic(t, name, "ids: zero ClockLimit: use NewLimitedClock", func() { use(new(ids.ClockLimit)) })
	}
}

// TestAhead compares how far a clock is ahead with the times of its ids and of the wall clock.
func TestAhead(t *testing.T) {
	f, c, g, n := newFake(t)
	check := func(what string, want time.Duration) {
		t.Helper()
		if got := c.Ahead(); got != want {
			t.Errorf("%s: Ahead() = %v, want %v", what, got, want)
		}
	}
	check("a new clock", 0)
	g.NewV4()
	g.NewV7()
	g.NewULID()
	f.step(-time.Hour)
	check("with ids that are unique by their random bits", 0)
	f.step(time.Hour)
	for _, k := range limited {
		f.step(time.Second)
		latest := k.time(k.mint(g, n))
		check(k.name, latest.Sub(f.t)) // which is 0
		f.step(1)
		check(k.name+", a nanosecond later", 0)
		f.step(time.Hour)
		check(k.name+", an hour later", 0)
		for _, back := range []time.Duration{1, 100, time.Millisecond, 5 * time.Second, time.Hour + 1, 30 * 365 * 24 * time.Hour} {
			f.t = latest.Add(-back)
			check(k.name+", set back by "+back.String(), back)
		}
		f.t = latest
	}
	n.Append(nil, 3*4096) // the last of which is the first of a tick
	check("full ticks", 3*time.Millisecond)

	_, c, _, _ = newFakeAt(t, start, start.Add(time.Hour+1)) // within a tick
	check("After in the future", time.Hour+1)
	_, c, _, _ = newFakeAt(t, start, start.Add(-time.Hour))
	check("After in the past", 0)
	_, c, limit, _, _ := newLimited(t)
	limit.Set(start.Add(time.Hour), nil)
	check("a limit in the future", 0)
}
