package ids_test

import (
	"sync"
	"testing"

	"github.com/oneclock/ids"
)

// TestAppendV4Shares appends from many goroutines, which hand on the blocks that the random bytes come
// from. No two of them may have one at a time: then ids would come twice.
func TestAppendV4Shares(t *testing.T) {
	runs := make([][]ids.UUID, 64)
	var done sync.WaitGroup
	for i := range runs {
		done.Go(func() {
			for range 300 {
				runs[i] = ids.AppendV4(runs[i], 20)
			}
		})
	}
	done.Wait()
	seen := make(map[ids.UUID]bool)
	for _, run := range runs {
		for _, u := range run {
			if seen[u] {
				t.Fatalf("%v twice", u)
			}
			seen[u] = true
		}
	}
}
