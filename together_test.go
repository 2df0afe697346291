package ids_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/oneclock/ids"
)

// together has eight goroutines call f at the same time.
func together(f func(i int)) {
	var done sync.WaitGroup
	begin := make(chan bool)
	for i := range 8 {
		done.Go(func() {
			<-begin
			f(i)
		})
	}
	close(begin)
	done.Wait()
}

func checkDistinct[T comparable](t *testing.T, all []T) {
	t.Helper()
	seen := make(map[T]bool)
	for _, id := range all {
		if seen[id] {
			t.Fatalf("%v twice", id)
		}
		seen[id] = true
	}
}

// TestFirstUse makes the first ids of a generator, and nodes of one number. All see one node id, and the
// nodes share what tells their Snowflakes apart.
func TestFirstUse(t *testing.T) {
	for range 2000 {
		c := ids.NewClock(nil)
		g := ids.NewGenerator(&ids.GeneratorOptions{Clock: c})
		var snowflakes [8]ids.Snowflake
		var nodes [8][6]byte
		together(func(i int) {
			nodes[i], _ = g.NewV1().NodeID()
			n, err := ids.NewSnowflakeNode(7, &ids.SnowflakeOptions{Clock: c})
			if err != nil {
				t.Error(err)
				return
			}
			snowflakes[i] = n.Next()
		})
		checkDistinct(t, snowflakes[:])
		for _, node := range nodes {
			if node != g.Node() {
				t.Fatalf("an id of node %x, not %x", node, g.Node())
			}
		}
	}
}

// TestAppendV4Shares has calls hand on the blocks that random bytes come from. No two may have one at a time.
func TestAppendV4Shares(t *testing.T) {
	runs := make([][]ids.UUID, 8)
	together(func(i int) {
		for range 2000 {
			runs[i] = ids.AppendV4(runs[i], 20)
		}
	})
	checkDistinct(t, slices.Concat(runs...))
}
