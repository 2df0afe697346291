package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/oneclock/ids"
)

// TestSweep plays scenarios of seeds that are always the same, and of some that are new each time.
func TestSweep(t *testing.T) {
	want, seeds := int64(1_500_000), []uint64{1, rand.Uint64()}
	if testing.Short() { // as with the race detector, which takes long
		want, seeds = 30_000, seeds[:1]
	}
	for _, seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			s := newSweep(want, seed, nil)
			if s.work(t); s.broken != "" {
				t.Fatal(s.broken)
			}
			t.Logf("first seed %d\n%s", seed, s.total.table())
		})
	}
}

// TestSameSeed shows that all ids of a scenario follow from its seed.
func TestSameSeed(t *testing.T) {
	var digests [3]uint64
	for i, seed := range []uint64{1, 1, 2} {
		one := stats{events: map[action]int64{}}
		play(t, newPlan(seed), nil, &one)
		digests[i] = one.digest
	}
	if digests[0] != digests[1] || digests[0] == digests[2] {
		t.Errorf("of two equal seeds and a third, the ids have the digests %x", digests)
	}
}

// TestGoroutines mints from many goroutines at once, on real time. Each id is above all those whose calls had returned, in any
// goroutine, before its call began; and none comes twice.
func TestGoroutines(t *testing.T) {
	schemes := append(uuidSchemes(), layouts[0])
	p := newProcess(schemes, ids.ClockOptions{}, false, nil, 1)
	for stream := int(v6); stream < len(schemes); stream++ {
		var mu sync.Mutex
		var all sync.WaitGroup
		var highest key
		seen := map[key]bool{}
		for i := range 16 {
			all.Go(func() {
				for range 300 {
					mu.Lock()
					above := highest
					mu.Unlock()
					xs := []key{p.next(stream)}
					if schemes[stream].kind != v6 && i%2 == 0 {
						xs = append(xs, p.run(stream, 100)...)
					}
					mu.Lock()
					for _, x := range xs {
						if !above.less(x) || seen[x] {
							t.Errorf("%s: %x is not above %x, which was returned before; it is twice: %v", schemes[stream].name, x, above, seen[x])
						}
						above, seen[x] = x, true
					}
					if highest.less(above) {
						highest = above
					}
					mu.Unlock()
				}
			})
		}
		all.Wait()
	}
}

// TestFlaws shows that the judge finds what breaks each promise, and says which.
func TestFlaws(t *testing.T) {
	for promise, f := range map[string]flaw{
		"unique: ": func(o *ids.ClockOptions) { // a restart with what was saved an hour earlier
			if !o.After.IsZero() {
				o.After = o.After.Add(-time.Hour)
			}
		},
		"ordered: ": func(o *ids.ClockOptions) { o.Tolerance = -1 },
		"live: ": func(o *ids.ClockOptions) {
			now := o.Now
			o.Now = func() time.Time {
				time.Sleep(21 * time.Millisecond)
				return now()
			}
		},
		"true: ": func(o *ids.ClockOptions) { o.MaxAhead = time.Hour },
	} {
		t.Run(promise, func(t *testing.T) {
			t.Parallel()
			s := newSweep(1_000_000, 1, f)
			if s.work(t); !strings.Contains(s.broken, promise) {
				t.Errorf("found as %q, want %q", s.broken, promise)
			}
		})
	}
}
