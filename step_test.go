package ids_test

import (
	"maps"
	"sync"
	"testing"
	"time"

	"github.com/oneclock/ids"
)

// sequenceOf returns the upper 12 bits of a clock sequence. The lower two number the ids of a tick.
func sequenceOf(u ids.UUID) int {
	seq, _ := u.ClockSequence()
	return seq >> 2
}

// TestIndependentSequences checks that versions 1 and 6 have a clock sequence each: they start
// apart, so that an id of version 1 and one of version 6 do not become the same by ToV6, and the
// changes of one leave the other's alone.
func TestIndependentSequences(t *testing.T) {
	same := 0
	for range 100 {
		f, _, g, _ := newFake(t)
		v1, v6 := g.NewV1(), g.NewV6()
		if converted, _ := v1.ToV6(); converted == v6 {
			same++ // by a chance of 1 in 4,096
		}
		for range 10 { // within the tolerance of version 6
			f.step(-time.Second)
			g.NewV1()
			f.step(time.Second)
			g.NewV1()
		}
		if after := g.NewV6(); sequenceOf(after) != sequenceOf(v6) || after.Compare(v6) <= 0 {
			t.Errorf("version 6: %v, and after changes of version 1's sequence %v", v6, after)
		}
		if after := g.NewV1(); sequenceOf(after) != (sequenceOf(v1)+10)%4096 {
			t.Errorf("version 1: %v, and after ten steps back %v", v1, after)
		}
	}
	if same > 3 {
		t.Errorf("version 1 is version 6 %d times in 100", same)
	}
}

// TestContentionIsNoStepBack mints from many goroutines. Their readings come to the mutex out of
// order, which must not be taken for a clock that was set back. It may be only where a call took
// so long that its reading is more than a millisecond old.
func TestContentionIsNoStepBack(t *testing.T) {
	g := ids.NewGenerator(&ids.GeneratorOptions{Clock: ids.NewClock(&ids.ClockOptions{MaxAhead: -1})})
	const workers, each = 8, 20_000
	var mu sync.Mutex
	all, long := map[int]bool{}, 0 // clock sequences, and calls that took so long, or almost
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			seen, slow := map[int]bool{}, 0
			for range each {
				before := time.Now()
				seen[sequenceOf(g.NewV1())] = true
				if time.Since(before) > 800*time.Microsecond {
					slow++
				}
			}
			mu.Lock()
			defer mu.Unlock()
			maps.Copy(all, seen)
			long += slow
		})
	}
	wg.Wait()
	if changes := len(all) - 1; changes > long {
		t.Errorf("the clock sequence changed %d times, where %d calls were long", changes, long)
	}
}
