package ids_test

import (
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oneclock/ids"
)

// TestZeroTimeInZone gives zero times with a location, as databases and time.Parse return them: as After
// they mean none, and as a limit they withhold all, which no end that is later changes.
func TestZeroTimeInZone(t *testing.T) {
	for _, zero := range []time.Time{{}, time.Unix(-62135596800, 0), time.Time{}.In(time.FixedZone("east", 3600)), time.Time{}.Local()} {
		_, c, limit, _, n := newLimitedAt(t, start, zero)
		if got := c.Latest(); !got.IsZero() {
			t.Errorf("After %#v: Latest() = %v", zero, got)
		}
		limit.Set(start.Add(-time.Hour), nil)
		limit.Set(zero, nil)
		check := func(what string, want error) {
			t.Helper()
			for number, n := range []*ids.SnowflakeNode{n, newNode(t, 8, &ids.SnowflakeOptions{Clock: c})} {
				if s, err := n.TryNext(); s != 0 || err != want {
					t.Errorf("%s of %#v, node %d: TryNext gives %v, %v, want %v", what, zero, number, s, err, want)
				}
			}
			for window, want := range map[time.Duration]time.Time{time.Second: start.Add(time.Second), -time.Second: start, math.MinInt64: start,
				math.MaxInt64: start.Add(math.MaxInt64)} {
				if got := limit.NextHorizon(window); !got.Equal(want) || got.Location() != time.UTC {
					t.Errorf("%s of %#v: NextHorizon(%v) = %v, want %v", what, zero, window, got, want)
				}
			}
		}
		check("Set", ids.ErrWithheld)
		limit.EndAt(start.Add(time.Hour), nil)
		check("Set, and then EndAt a later time,", ids.ErrEnded)
	}
}

// TestLimitAcrossBubbles lets calls wait for one limit outside of a testing/synctest bubble and
// in it. Set in the bubble wakes both, and afterwards it works outside.
func TestLimitAcrossBubbles(t *testing.T) {
	_, _, limit, _, n := newLimited(t)
	limit.Set(start.Add(-time.Hour), nil)
	var outside sync.WaitGroup
	wait := func() {
		outside.Add(1)
		startBlocked(func() {
			defer outside.Done()
			n.Next()
		}, "SnowflakeNode).Next")
	}
	wait()
	synctest.Test(t, func(t *testing.T) {
		var inside sync.WaitGroup
		inside.Go(func() { n.Next() })
		synctest.Wait()
		limit.Set(unbounded, nil)
		inside.Wait()
		limit.Set(start.Add(-time.Hour), nil)
		inside.Go(func() { n.Next() })
		synctest.Wait()
		limit.Set(unbounded, nil)
		inside.Wait()
	})
	within(t, "a call that waited outside", outside.Wait)
	limit.Set(start.Add(-time.Hour), nil)
	wait()
	limit.Set(unbounded, nil)
	within(t, "a call that waited afterwards", outside.Wait)
	if got := partsOf(n.Next()).Sequence; got != 4 {
		t.Errorf("after four calls that waited, the sequence is %d", got)
	}
}
