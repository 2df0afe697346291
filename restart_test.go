package ids_test

import (
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oneclock/ids"
)

// TestLives restarts a process a thousand times, by a crash after its horizon was saved, or in
// good order, with a clock that leaps, stands still and falls behind what was saved. No id of
// versions 1 and 6 and Snowflake may come twice, and Snowflakes increase over all lives.
func TestLives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seen := map[ids.UUID]bool{}
		var last ids.Snowflake
		var saved time.Time
		for seed := range uint64(1000) {
			r := rand.New(rand.NewPCG(seed, 5))
			leap := func() time.Duration { return time.Duration(r.Int64N(int64(2*time.Hour))) - time.Hour }
			f, c, limit, g, n := newWithheldAt(t, start.Add(leap()), saved)
			crashes := r.IntN(2) == 0
			if !crashes { // then it needs no limit
				f, c, g, n = newFakeAt(t, f.t, saved)
			}
			renew := func() {
				if crashes {
					saved = limit.NextHorizon(time.Duration(r.Int64N(int64(time.Minute))) + time.Second)
					limit.Set(saved, nil)
				}
			}
			renew()
			for range r.IntN(10) {
				switch r.IntN(4) {
				case 0:
					f.step(leap())
					renew() // as a keeper would in time
				case 1:
					f.step(time.Duration(r.Int64N(int64(time.Millisecond))))
					renew()
				}
				for range r.IntN(20) {
					for _, u := range []ids.UUID{g.NewV1(), g.NewV6()} {
						if seen[u] {
							t.Fatalf("seed %d: %v was there before (of %d)", seed, u, len(seen))
						}
						seen[u] = true
					}
					s := n.Next()
					if s <= last {
						t.Fatalf("seed %d: Snowflake %v after %v", seed, s, last)
					}
					last = s
				}
			}
			if !crashes {
				if latest := c.Latest(); latest.Before(saved) {
					t.Fatalf("seed %d: Latest() goes back from %v to %v", seed, saved, latest)
				}
				saved = c.Latest()
			}
		}
	})
}

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
