package ids_test

import (
	"sync"
	"testing"

	"github.com/oneclock/ids"
)

// TestFirstUse has many goroutines make the first ids of a generator, and nodes of one number, at the same
// time. All see one node id, and the nodes share what tells their Snowflakes apart.
func TestFirstUse(t *testing.T) {
	for range 2000 {
		c := ids.NewClock(nil)
		g := ids.NewGenerator(&ids.GeneratorOptions{Clock: c})
		var snowflakes [8]ids.Snowflake
		var nodes [8][6]byte
		var done sync.WaitGroup
		begin := make(chan bool)
		for i := range nodes {
			done.Go(func() {
				<-begin
				nodes[i], _ = g.NewV1().NodeID()
				n, err := ids.NewSnowflakeNode(7, &ids.SnowflakeOptions{Clock: c})
				if err != nil {
					t.Error(err)
					return
				}
				snowflakes[i] = n.Next()
			})
		}
		close(begin)
		done.Wait()
		seen := map[ids.Snowflake]bool{}
		for i, s := range snowflakes {
			if seen[s] || nodes[i] != g.Node() {
				t.Fatalf("Snowflake %v twice, or node %x where it is %x", s, nodes[i], g.Node())
			}
			seen[s] = true
		}
	}
}
