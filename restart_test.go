package ids_test

// Restarts and crashes: After, Latest, NextHorizon and Set.

import (
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oneclock/ids"
)

// TestZeroTimeInZone uses zero times with a location, as databases and time.Parse return them, and
// times that wrap around in a time.Time, before all others and after them. A zero time as After
// means none. As a limit, all these times withhold every ID, and an end that is later does not
// change that. As an end, they end the clock.
func TestZeroTimeInZone(t *testing.T) {
	for _, zero := range []time.Time{{}, time.Unix(-62135596800, 0), time.Time{}.In(time.FixedZone("east", 3600)), time.Time{}.Local(),
		time.Unix(math.MaxInt64, 0), time.Unix(math.MaxInt64-62135596800+1, 0), time.Unix(math.MinInt64, 0)} {
		after := zero
		if !zero.IsZero() {
			after = time.Time{}
		}
		_, c, limit, _, n := newLimitedAt(t, start, after)
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
		_, c, limit, _, n = newLimitedAt(t, start, after)
		limit.EndAt(zero, nil)
		check("EndAt", ids.ErrEnded)
	}
	// The last time that does not wrap around is a usable limit.
	_, _, limit, _, n := newLimited(t)
	limit.Set(time.Unix(math.MaxInt64-62135596800, 0), nil)
	if s, err := n.TryNext(); err != nil {
		t.Errorf("with a limit in the far future: %v, %v", s, err)
	}
}

// TestRestartLater restarts without the time of the previous process, on a clock that is right. No
// ID is generated twice if MaxAhead and one tick have passed since the end. If they have not, one
// can be.
func TestRestartLater(t *testing.T) {
	for name, l := range map[string]ids.SnowflakeLayout{
		"Twitter": ids.TwitterLayout(), "Discord": ids.DiscordLayout(), "Instagram": ids.InstagramLayout(), "Sonyflake": ids.SonyflakeLayout(),
		"3 ms": narrow(3*time.Millisecond, 4), "25 ms": narrow(25*time.Millisecond, 3),
	} {
		// restarts a hundredth of a tick too early whose first ID the previous process can have
		// made
		early := 0
		for phase := range 20 {
			end := start.Add(time.Duration(phase) * l.Tick / 20)
			life := func(later time.Duration) *ids.SnowflakeNode {
				return newNode(t, 0, &ids.SnowflakeOptions{Layout: l, Clock: stopped(end.Add(later))})
			}
			n := life(0)
			var last ids.Snowflake // latest ID that need not wait
			for s, err := n.TryNext(); err == nil; s, err = n.TryNext() {
				last = s
			}
			if s := life(maxAhead + l.Tick).Next(); s <= last {
				t.Errorf("%s, which ends %v later: after the last id, %v, comes %v", name, end.Sub(start), last, s)
			}
			if s := life(maxAhead + l.Tick - l.Tick/100).Next(); s <= last {
				early++
			}
		}
		if divides := maxAhead%l.Tick == 0; divides != (early > 0) {
			t.Errorf("%s: %d of 20 early restarts repeat ids, want some: %v", name, early, divides)
		}
	}
	// Number of version 1 or 6 UUIDs that need not wait: 4 in 100 ns.
	const all = 4 * (int(maxAhead/100) + 1)
	for name, mint := range map[string]func(g *ids.Generator) ids.UUID{"version 1": (*ids.Generator).NewV1, "version 6": (*ids.Generator).NewV6} {
		life := func(later time.Duration) *ids.Generator {
			return ids.NewGenerator(&ids.GeneratorOptions{Clock: stopped(start.Add(later)), NodeID: [6]byte{1}})
		}
		var last ids.UUID
		g := life(0)
		for range all {
			last = mint(g)
		}
		for later, after := range map[time.Duration]bool{maxAhead + 100: true, maxAhead: false} {
			if u := mint(life(later)); timeOf(u).After(timeOf(last)) != after {
				t.Errorf("%s, %v later: %v is of %v, and the last one was of %v", name, later, u, timeOf(u), timeOf(last))
			}
		}
	}
}

// TestLimitAcrossBubbles lets calls wait for the same limit in a testing/synctest bubble and
// outside it. A Set in the bubble wakes both, and afterwards the limit works outside.
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
