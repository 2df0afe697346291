package nodelease_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease"
)

// regionBits is how many bits of the node number name a region. With the 10 bits of the default
// layout, that leaves 128 numbers for each of 8 regions.
const regionBits = 3

// region is a Store whose numbers begin with the number of a region.
type region struct {
	nodelease.Store       // the region's own, with 128 numbers
	number          int64 // 0 to 7
}

func (r region) Take(ctx context.Context, req nodelease.Request) (nodelease.Lease, error) {
	l, err := r.Store.Take(ctx, req)
	if err != nil {
		return nil, err
	}
	if l.Node() >= 1<<(10-regionBits) { // else it would be one of another region's
		err := fmt.Errorf("the number %d has no room beside that of the region: set Options.Nodes to %d", l.Node(), 1<<(10-regionBits))
		return nil, errors.Join(err, l.Release(ctx, l.Mark()))
	}
	return regionLease{l, r.number<<(10-regionBits) | l.Node()}, nil
}

type regionLease struct {
	nodelease.Lease
	node int64
}

func (l regionLease) Node() int64 { return l.node }

// Each region has a cluster of its own, which hands out the lower bits of the number. No two
// regions have a number in common, so they need not know of each other.
func ExampleStore_regions() {
	ctx := context.Background()
	for number := range int64(2) {
		cluster := nodelease.NewMemoryStore(1, 15*time.Second) // in earnest etcdstore.New or pgstore.New, with 128 numbers
		m, err := nodelease.NewMinter(region{cluster, number}, nil)
		if err != nil {
			log.Fatal(err)
		}
		id, err := m.Next(ctx)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(id.Node())
		if err := m.Close(); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// 0
	// 128
}

// TestRegions has clusters that hand out more numbers than a region has: what does not fit is given back, and
// no id is minted under it.
func TestRegions(t *testing.T) {
	cluster := nodelease.NewMemoryStore(1024, time.Minute)
	fit := 0
	for range 200 {
		l, err := region{cluster, 1}.Take(t.Context(), nodelease.Request{Now: time.Now()})
		if err != nil {
			if !strings.Contains(err.Error(), "set Options.Nodes to 128") {
				t.Fatal(err)
			}
			continue
		}
		if fit++; l.Node() < 128 || l.Node() > 255 {
			t.Errorf("region 1 has the number %d", l.Node())
		}
	}
	held := 0
	for n := range int64(1024) {
		if expires, _ := cluster.Row(n); !expires.IsZero() {
			held++
		}
	}
	if held != fit {
		t.Errorf("%d numbers are held, and %d were had", held, fit)
	}
}

// TestTwoRegions has 100 minters in each of two regions mint side by side.
func TestTwoRegions(t *testing.T) {
	var mu sync.Mutex
	seen := map[ids.Snowflake]bool{}
	var all sync.WaitGroup
	for number := range int64(2) {
		cluster := nodelease.NewMemoryStore(128, time.Minute)
		for range 100 {
			all.Go(func() {
				m, err := nodelease.NewMinter(region{cluster, number}, nil)
				if err != nil {
					t.Error(err)
					return
				}
				defer m.Close()
				for range 200 {
					id, err := m.Next(t.Context())
					mu.Lock()
					if err != nil || seen[id] || id.Node()>>7 != number {
						t.Errorf("%d of region %d, %v, twice: %v", id, number, err, seen[id])
					}
					seen[id] = true
					mu.Unlock()
				}
			})
		}
	}
	all.Wait()
}
