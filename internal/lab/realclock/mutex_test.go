package realclock_test

import (
	"crypto/rand"
	"io"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/oneclock/ids"
)

// slowly reads as slowly as a kernel that lacks entropy.
type slowly struct{ io.Reader }

func (s slowly) Read(p []byte) (int, error) {
	time.Sleep(60 * time.Millisecond)
	return s.Reader.Read(p)
}

// TestLongWaitForMutex holds the mutex of a clock for 60 ms at a time, while calls of a full node wait
// for it that have read the clock before. No id may be more than MaxAhead ahead for that. How long a
// busy machine stops a goroutine only makes ids older.
func TestLongWaitForMutex(t *testing.T) {
	system := rand.Reader
	defer func() { rand.Reader = system }()
	rand.Reader = slowly{system}

	c := ids.NewClock(nil)
	g := ids.NewGenerator(&ids.GeneratorOptions{Clock: c})
	layout := ids.SnowflakeLayout{Epoch: time.Now().Add(-time.Hour), Tick: time.Millisecond, NodeBits: 10}
	n, err := ids.NewSnowflakeNode(7, &ids.SnowflakeOptions{Clock: c, Layout: layout})
	if err != nil {
		t.Fatal(err)
	}
	var done atomic.Bool
	var minted, farthest atomic.Int64
	var wg sync.WaitGroup
	for range 15 { // 20 ms have room for 20
		wg.Go(func() {
			for !done.Load() {
				ahead := int64(time.Until(layout.Split(n.Next()).Time))
				minted.Add(1)
				for old := farthest.Load(); ahead > old && !farthest.CompareAndSwap(old, ahead); old = farthest.Load() {
				}
			}
		})
	}
	for range 8 {
		for before := minted.Load(); minted.Load() < before+30; { // so that the node is full again
			time.Sleep(time.Millisecond)
		}
		ids.Reseed()
		g.NewV7() // draws new bytes with the mutex held
	}
	done.Store(true)
	wg.Wait()
	if d := time.Duration(farthest.Load()); d > 10*time.Millisecond {
		t.Errorf("an id is %v ahead of the wall clock", d)
	}
	t.Logf("%d ids, up to %v ahead", minted.Load(), time.Duration(farthest.Load()))
}
