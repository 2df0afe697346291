package nodelease_test

// Examples of a Minter.

import (
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"testing"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/internal/memory"
	"github.com/oneclock/ids/nodelease/internal/must"
	"github.com/oneclock/ids/nodelease/memstore"
)

// A program makes one Minter for all its goroutines. In production, the store comes from package
// etcdstore, pgstore or mysqlstore.
func Example() {
	ctx := context.Background()
	store := memstore.New(1024, 15*time.Second)
	m, err := nodelease.NewMinter(store, nil)
	if err != nil {
		panic(err)
	}
	defer func() {
		if err := m.Close(); err != nil { // the number is free after its TTL
			slog.Warn("close", "error", err)
		}
	}()
	id, err := m.NextContext(ctx)
	if err != nil {
		panic(err)
	}
	fmt.Println(id > 0)
	// Output: true
}

// NextContext stops waiting when its context is done, and its error contains the reason for the
// wait. TryNext does not wait.
func ExampleMinter_NextContext() {
	store := memstore.New(0, time.Minute) // it has no numbers
	m, err := nodelease.NewMinter(store, nil)
	if err != nil {
		panic(err)
	}
	defer m.Close()

	ctx, cancel := context.WithTimeout(context.Background(), 250*time.Millisecond)
	defer cancel()
	_, err = m.NextContext(ctx)
	fmt.Println(err)
	_, err = m.TryNext()
	fmt.Println(err)
	fmt.Println(errors.Is(err, ids.ErrWithheld), errors.Is(err, nodelease.ErrNoNumber))
	// Output:
	// nodelease: no Snowflake: context deadline exceeded: nodelease: withheld: all numbers are held, or other processes were faster
	// nodelease: withheld: all numbers are held, or other processes were faster
	// true true
}

// regionBits is the number of bits in the node number that identify a region. The default layout
// has 10 bits for the node number, so each of 8 regions has 128 numbers.
const regionBits = 3

// region is a Store whose numbers contain the region's number in their high bits.
type region struct {
	nodelease.Store       // the region's own, with 128 numbers
	number          int64 // 0 to 7
}

func (r region) Take(ctx context.Context, req nodelease.Request) (nodelease.Grant, error) {
	g, err := r.Store.Take(ctx, req)
	if err != nil {
		return nodelease.Grant{}, err
	}
	if g.Number >= 1<<(10-regionBits) { // it would belong to a different region
		err := fmt.Errorf("the number %d has no room beside that of the region: set Options.Numbers to %d", g.Number, 1<<(10-regionBits))
		return nodelease.Grant{}, errors.Join(err, g.Lease.Release(ctx, g.Horizon))
	}
	g.Number |= r.number << (10 - regionBits)
	return g, nil
}

// Each region has its own cluster, which leases the lower bits of the node number. No two regions
// have a node number in common, so their clusters need no connection to each other.
func ExampleStore_regions() {
	ctx := context.Background()
	for number := range int64(2) {
		cluster := memstore.New(1, 15*time.Second) // in production, a store of etcdstore or pgstore with 128 numbers
		m, err := nodelease.NewMinter(region{cluster, number}, nil)
		if err != nil {
			log.Fatal(err)
		}
		id, err := m.NextContext(ctx)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(ids.TwitterLayout().Split(id).Node)
		if err := m.Close(); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// 0
	// 128
}

// TestRegions uses a cluster with more numbers than a region can hold. Numbers that do not fit are
// released.
func TestRegions(t *testing.T) {
	cluster, fit := memory.New(200, time.Minute), int64(0)
	for range 100 {
		g, err := region{cluster, 1}.Take(t.Context(), nodelease.Request{Now: time.Now()})
		if err != nil {
			must.Fail(t, "Take", err, nil, "set Options.Numbers to 128")
		} else if fit++; g.Number < 128 || g.Number > 255 {
			t.Errorf("region 1 has the number %d", g.Number)
		}
	}
	if g := must.Get(cluster.Take(t.Context(), nodelease.Request{Now: time.Now()}))(t); g.Free != 199-fit || fit == 100 {
		t.Errorf("%d fit, and beside them and one more %d of 200 are free", fit, g.Free)
	}
}
