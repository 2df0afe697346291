package ids_test

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oneclock/ids"
)

// TestFullNode mints with Next, TryNext and Append on one node whose ticks are full, so that some
// calls wait while others try, and with limits that come and go. No id comes twice, and the ids of
// each goroutine increase. In the bubble, time passes only while all of them wait.
func TestFullNode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := ids.NewClock(nil)
		n, err := ids.NewSnowflakeNode(0, &ids.SnowflakeOptions{Clock: c, Layout: ids.SnowflakeLayout{
			Epoch: time.Now().Add(-time.Hour), Tick: time.Millisecond, SequenceBits: 2}})
		if err != nil {
			t.Fatal(err)
		}
		for range 50 { // until it is as far ahead as may be
			n.Next()
		}
		var mu sync.Mutex
		seen := map[ids.Snowflake]bool{}
		var refused atomic.Int64
		begin := make(chan struct{})
		var wg sync.WaitGroup
		for i, mint := range []func() []ids.Snowflake{
			func() []ids.Snowflake { return []ids.Snowflake{n.Next()} },
			func() []ids.Snowflake { return []ids.Snowflake{n.Next()} },
			func() []ids.Snowflake { return n.Append(nil, 5) },
			func() []ids.Snowflake {
				s, err := n.TryNext()
				if err != nil {
					refused.Add(1)
					time.Sleep(100 * time.Microsecond)
					return nil
				}
				return []ids.Snowflake{s}
			},
			func() []ids.Snowflake {
				c.SetLimit(c.Latest())
				time.Sleep(time.Millisecond)
				c.SetLimit(time.Time{})
				time.Sleep(time.Millisecond)
				return nil
			},
		} {
			wg.Go(func() {
				<-begin
				last := ids.Snowflake(-1)
				for until := time.Now().Add(time.Second); time.Now().Before(until); {
					for _, s := range mint() {
						mu.Lock()
						if seen[s] || s <= last {
							t.Errorf("goroutine %d: %v after %v, seen: %v", i, s, last, seen[s])
						}
						seen[s] = true
						mu.Unlock()
						last = s
					}
				}
			})
		}
		close(begin)
		wg.Wait()
		if refused.Load() == 0 || len(seen) < 1000 {
			t.Errorf("only %d ids, TryNext was refused %d times", len(seen), refused.Load())
		}
	})
}

// TestConcurrentUse calls every package-level function that mints, and what changes their
// state, from many goroutines, and checks that no id came twice. Under the race detector it
// shows that they are safe together.
func TestConcurrentUse(t *testing.T) {
	const workers, rounds = 16, 200
	g := ids.NewGenerator(nil) // on the default clock
	node, err := ids.NewSnowflakeNode(77, nil)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	all := map[string][][16]byte{}
	collect := func(name string, got [][16]byte) {
		mu.Lock()
		defer mu.Unlock()
		all[name] = append(all[name], got...)
	}
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			got := map[string][][16]byte{}
			add := func(name string, id [16]byte) { got[name] = append(got[name], id) }
			for range rounds {
				add("V1", ids.NewV1())
				add("V1", g.NewV1())
				ids.NewV2(ids.DomainGroup, 7)
				ids.NewV3(ids.NamespaceURL(), "x")
				ids.NewV5(ids.NamespaceOID(), "x")
				ids.NewV8([16]byte(ids.NamespaceX500()))
				add("V4", ids.NewV4())
				add("V6", ids.NewV6())
				add("V6", g.NewV6())
				add("V7", ids.NewV7())
				add("V7", g.NewV7())
				add("ULID", ids.NewULID())
				add("Snowflake", snowflakeBytes(ids.NextSnowflake()))
				add("node", snowflakeBytes(node.Next()))
				if s, err := node.TryNext(); err == nil {
					add("node", snowflakeBytes(s))
				}
				for _, u := range ids.AppendV4(nil, 3) {
					add("V4", u)
				}
				for _, u := range ids.AppendV7(nil, 3) {
					add("V7", u)
				}
				for _, u := range ids.AppendULID(nil, 3) {
					add("ULID", u)
				}
				for _, s := range node.Append(nil, 3) {
					add("node", snowflakeBytes(s))
				}
				ids.NewV1At(time.Now())
				ids.NewV6At(time.Now())
				g.Node()
				if u, err := ids.NewV7At(time.Now()); err == nil {
					add("V7At", u)
				}
				if u, err := ids.NewULIDAt(time.Now()); err == nil {
					add("ULIDAt", u)
				}
				ids.Reseed()
				if _, err := ids.DefaultSnowflakeNode(); err != nil {
					t.Error(err)
				}
				if _, err := ids.ParseUUID("?"); err == nil {
					t.Error("a bad UUID was parsed")
				}
			}
			for name, ids := range got {
				collect(name, ids)
			}
		})
	}
	wg.Go(func() { // what changes a clock's and the package's state
		c := ids.NewClock(nil)
		for range rounds {
			c.SetLimit(c.Horizon(time.Minute))
			c.Latest()
			ids.SetDefaultSnowflakeNode(nil)
			ids.SetDefaultSnowflakeNode(node)
		}
		c.SetLimit(time.Time{})
	})
	wg.Wait()
	for name, got := range all {
		slices.SortFunc(got, func(a, b [16]byte) int { return slices.Compare(a[:], b[:]) })
		if n := len(got) - len(slices.Compact(got)); n != 0 && name != "Snowflake" {
			t.Errorf("%s: %d of %d ids came twice", name, n, len(got))
		}
	}
	ids.SetDefaultSnowflakeNode(nil)
}
