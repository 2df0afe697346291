package ids_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/oneclock/ids"
)

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
			c.Limit(c.Ahead(time.Minute))
			ids.SetDefaultSnowflakeNode(nil)
			ids.SetDefaultSnowflakeNode(node)
		}
		c.Limit(ids.ClockState{})
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
