package ids_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oneclock/ids"
)

// narrow is a layout of few ids, so that a test that demands more than there are is short.
func narrow(tick time.Duration, sequenceBits int) ids.SnowflakeLayout {
	return ids.SnowflakeLayout{Epoch: start.AddDate(-1, 0, 0), Tick: tick, SequenceBits: sequenceBits}
}

// TestCrowdCatchesUp has ids be ahead, as after a crash, and crowds that mint all the time: the first that opens two
// ticks at one moment, and the largest that catches up, one goroutine fewer than there are ids in 20 ms.
func TestCrowdCatchesUp(t *testing.T) {
	for _, c := range []struct {
		layout        ids.SnowflakeLayout
		crowd         int
		lead, minting time.Duration
	}{
		{ids.SonyflakeLayout(), 257, time.Second, 3 * time.Second},
		{ids.SonyflakeLayout(), 400, 300 * time.Millisecond, 2 * time.Second},
		{narrow(time.Millisecond, 4), 319, 20 * time.Millisecond, 6 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			c.layout.Epoch = time.Now().AddDate(-1, 0, 0)
			began := time.Now()
			n := newNode(t, 0, &ids.SnowflakeOptions{Layout: c.layout, Clock: ids.NewClock(&ids.ClockOptions{After: began.Add(c.lead)})})
			var mu sync.Mutex
			var longest, ahead time.Duration // in the last half of a second
			var wg sync.WaitGroup
			for range c.crowd {
				wg.Go(func() {
					for time.Since(began) < c.minting {
						asked := time.Now()
						s := n.Next()
						mu.Lock()
						longest = max(longest, time.Since(asked))
						if time.Since(began) > c.minting-time.Second/2 {
							ahead = max(ahead, time.Until(c.layout.Split(s).Time))
						}
						mu.Unlock()
					}
				})
			}
			wg.Wait()
			if longest > maxWait || ahead > maxAhead {
				t.Errorf("%d goroutines, ids %v ahead: after %v they are %v ahead, and the longest wait was %v", c.crowd, c.lead, c.minting, ahead, longest)
			}
		})
	}
}

// TestCrowdStaysNear has crowds mint all the time, on a clock that is never set back: no id is more than MaxAhead ahead while
// no more calls wait at once than the whole ticks in 20 ms hold ids. That is fewer than 20 ms hold if ticks do not divide 20 ms.
func TestCrowdStaysNear(t *testing.T) {
	for _, tick := range []time.Duration{1, 3, 6, 7, 9, 10, 11, 13, 16, 17, 18, 19} {
		for _, width := range []int{1, 4} {
			for _, most := range []time.Duration{maxAhead, maxAhead / 2, -1} {
				l := ids.SnowflakeLayout{Tick: tick * time.Millisecond, SequenceBits: width}
				whole := int(maxWait/l.Tick) << width
				for _, crowd := range []int{whole - 1, whole} {
					synctest.Test(t, func(t *testing.T) {
						began := time.Now()
						l.Epoch = began.AddDate(-1, 0, 0)
						n := newNode(t, 0, &ids.SnowflakeOptions{Layout: l, Clock: ids.NewClock(&ids.ClockOptions{MaxAhead: most})})
						var mu sync.Mutex
						var ahead time.Duration
						var wg sync.WaitGroup
						for range crowd {
							wg.Go(func() {
								for time.Since(began) < time.Second/2 {
									s := n.Next()
									mu.Lock()
									ahead = max(ahead, time.Until(l.Split(s).Time))
									mu.Unlock()
								}
							})
						}
						wg.Wait()
						if ahead > max(most, 0) {
							t.Errorf("%d goroutines, ticks of %v with %d ids, MaxAhead %v: ids are %v ahead", crowd, l.Tick, 1<<width, most, ahead)
						}
					})
				}
			}
		}
	}
}

// TestNoWaitHoldsTheMutex has calls of each kind sleep until the clock has come nearer, and uses the clock meanwhile: no
// time passes for that. In a bubble no time passes either while a goroutine waits for a mutex, so that a call that
// sleeps with it would hang; the watch ends that.
func TestNoWaitHoldsTheMutex(t *testing.T) {
	layout := narrow(10*time.Millisecond, 0)
	for name, mint := range map[string]func(*ids.ClockLimit, *ids.Generator, *ids.SnowflakeNode){
		"Next":        func(_ *ids.ClockLimit, _ *ids.Generator, n *ids.SnowflakeNode) { n.Next() },
		"NextContext": func(_ *ids.ClockLimit, _ *ids.Generator, n *ids.SnowflakeNode) { n.NextContext(context.Background()) },
		"NextContext after a limit": func(limit *ids.ClockLimit, _ *ids.Generator, n *ids.SnowflakeNode) {
			limit.Set(start, nil)
			time.AfterFunc(time.Millisecond, func() { limit.Set(unbounded, nil) })
			n.NextContext(context.Background())
		},
		"Append":   func(_ *ids.ClockLimit, _ *ids.Generator, n *ids.SnowflakeNode) { n.Append(nil, 3) },
		"NewV1":    func(_ *ids.ClockLimit, g *ids.Generator, _ *ids.SnowflakeNode) { g.NewV1() },
		"NewV6":    func(_ *ids.ClockLimit, g *ids.Generator, _ *ids.SnowflakeNode) { g.NewV6() },
		"NewV7":    func(_ *ids.ClockLimit, g *ids.Generator, _ *ids.SnowflakeNode) { g.NewV7() },
		"AppendV7": func(_ *ids.ClockLimit, g *ids.Generator, _ *ids.SnowflakeNode) { g.AppendV7(nil, 1<<15) },
	} {
		watch := time.AfterFunc(5*time.Minute, func() { panic(name + " sleeps with the mutex held") })
		synctest.Test(t, func(t *testing.T) {
			c, limit := newUnbounded(&ids.ClockOptions{Now: func() time.Time { return start }, MaxAhead: -1})
			g := ids.NewGenerator(&ids.GeneratorOptions{Clock: c, Random: repeated(0xff)}) // so that ticks are soon full
			n := newNode(t, 0, &ids.SnowflakeOptions{Clock: c, Layout: layout})
			began, done := time.Now(), make(chan bool)
			go func() {
				defer close(done)
				for time.Since(began) == 0 {
					mint(limit, g, n)
				}
			}()
			for {
				synctest.Wait() // the call sleeps, or waits for the limit
				before := time.Now()
				c.Latest()
				c.Ahead()
				limit.NextHorizon(time.Second)
				g.NewV2(0, 0)
				if got := time.Since(before); got != 0 {
					t.Errorf("beside a call of %s that waits, others took %v", name, got)
				}
				select {
				case <-done:
					return
				case <-time.After(50 * time.Microsecond):
				}
			}
		})
		watch.Stop()
	}
}
