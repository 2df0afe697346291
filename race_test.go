package ids_test

// Many goroutines at the same time.

import (
	"context"
	"maps"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/oneclock/ids"
)

// A use is a call that returns IDs of one kind. No ID of a kind may be returned twice, unless the
// kind is empty. A use may also return no IDs.
type use struct {
	kind string
	call func() [][16]byte
}

// nothing returns a use without IDs.
func nothing(call func()) use { return use{"", func() [][16]byte { call(); return nil }} }

// gives returns a use that makes UUIDs or ULIDs.
func gives[T ids.UUID | ids.ULID](kind string, call func() []T) use {
	return use{kind, func() (out [][16]byte) {
		for _, id := range call() {
			out = append(out, [16]byte(id))
		}
		return out
	}}
}

// givesSnowflakes returns a use that makes Snowflakes. Those of a failed call do not count.
func givesSnowflakes(call func() ([]ids.Snowflake, error)) use {
	return use{"Snowflake", func() (out [][16]byte) {
		run, err := call()
		for _, s := range run {
			if err == nil {
				out = append(out, snowflakeBytes(s))
			}
		}
		return out
	}}
}

// clockUses returns all methods of a clock and of its limit, and of a generator and a node on it.
func clockUses(c *ids.Clock, limit *ids.ClockLimit, g *ids.Generator, n *ids.SnowflakeNode) map[string]use {
	at := func(mint func(time.Time) (ids.UUID, error)) func() []ids.UUID {
		return func() []ids.UUID { u, _ := mint(time.Now()); return []ids.UUID{u} }
	}
	var ends, numbers atomic.Int64
	end := time.Now().Add(time.Hour)
	return map[string]use{
		"Clock.Latest":           nothing(func() { c.Latest() }),
		"Clock.Ahead":            nothing(func() { c.Ahead() }),
		"ClockLimit.NextHorizon": nothing(func() { limit.NextHorizon(time.Minute) }),
		"ClockLimit.Set":         nothing(func() { limit.Set(c.Latest(), nil); runtime.Gosched(); limit.Set(unbounded, nil) }),
		// Each end is earlier.
		"ClockLimit.EndAt":            nothing(func() { limit.EndAt(end.Add(-time.Duration(ends.Add(1))), nil) }),
		"Generator.NodeID":            nothing(func() { g.NodeID() }),
		"Generator.NewV1":             gives("V1", func() []ids.UUID { return []ids.UUID{g.NewV1()} }),
		"Generator.NewV2":             nothing(func() { g.NewV2(ids.DomainGroup, 7) }),
		"Generator.NewV4":             gives("V4", func() []ids.UUID { return []ids.UUID{g.NewV4()} }),
		"Generator.NewV6":             gives("V6", func() []ids.UUID { return []ids.UUID{g.NewV6()} }),
		"Generator.NewV7":             gives("V7", func() []ids.UUID { return []ids.UUID{g.NewV7()} }),
		"Generator.NewV1At":           gives("", at(g.NewV1At)), // may equal those of NewV1
		"Generator.NewV6At":           gives("", at(g.NewV6At)),
		"Generator.NewV7At":           gives("V7", at(g.NewV7At)),
		"Generator.NewULID":           gives("ULID", func() []ids.ULID { return []ids.ULID{g.NewULID()} }),
		"Generator.NewULIDAt":         gives("ULID", func() []ids.ULID { u, _ := g.NewULIDAt(time.Now()); return []ids.ULID{u} }),
		"Generator.AppendV4":          gives("V4", func() []ids.UUID { return g.AppendV4(nil, 3) }),
		"Generator.AppendV7":          gives("V7", func() []ids.UUID { return g.AppendV7(nil, 3) }),
		"Generator.AppendULID":        gives("ULID", func() []ids.ULID { return g.AppendULID(nil, 3) }),
		"SnowflakeNode.Number":        nothing(func() { n.Number() }),
		"SnowflakeNode.Layout":        nothing(func() { n.Layout() }),
		"SnowflakeNode.Next":          givesSnowflakes(func() ([]ids.Snowflake, error) { return []ids.Snowflake{n.Next()}, nil }),
		"SnowflakeNode.Append":        givesSnowflakes(func() ([]ids.Snowflake, error) { return n.Append(nil, 3), nil }),
		"SnowflakeNode.TryNext":       givesSnowflakes(func() ([]ids.Snowflake, error) { s, err := n.TryNext(); return []ids.Snowflake{s}, err }),
		"SnowflakeNode.NextContext":   givesSnowflakes(func() ([]ids.Snowflake, error) { return nextWithin(n, time.Second) }),
		"SnowflakeNode.NextContext/0": givesSnowflakes(func() ([]ids.Snowflake, error) { return nextWithin(n, time.Microsecond) }),
		"NewSnowflakeNode":            nothing(func() { ids.NewSnowflakeNode(numbers.Add(1)%100, &ids.SnowflakeOptions{Clock: c}) }),
	}
}

// nextWithin calls NextContext with a timeout.
func nextWithin(n *ids.SnowflakeNode, d time.Duration) ([]ids.Snowflake, error) {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	s, err := n.NextContext(ctx)
	return []ids.Snowflake{s}, err
}

// defaultUses returns the package's functions that mint, except those that forward to a method.
func defaultUses(n *ids.SnowflakeNode) map[string]use {
	return map[string]use{
		"NewV3":                   nothing(func() { ids.NewV3(ids.NamespaceURL(), "x") }),
		"NewV5":                   nothing(func() { ids.NewV5(ids.NamespaceOID(), "x") }),
		"Reseed":                  nothing(ids.Reseed),
		"NextSnowflake":           nothing(func() { ids.NextSnowflake() }),
		"DefaultSnowflakeNode":    nothing(func() { ids.DefaultSnowflakeNode() }),
		"SetDefaultSnowflakeNode": nothing(func() { ids.SetDefaultSnowflakeNode(nil); ids.SetDefaultSnowflakeNode(n) }),
		"ParseUUID":               nothing(func() { ids.ParseUUID("?") }),
	}
}

// TestConcurrentUse calls every method of Clock, ClockLimit, Generator and SnowflakeNode, and the
// functions that use the defaults, from many goroutines, and checks that no ID is generated twice.
// Under the race detector, it shows that concurrent use is safe. A clock has limits that come and
// go, or an end far ahead.
func TestConcurrentUse(t *testing.T) {
	defer ids.SetDefaultSnowflakeNode(nil)
	t.Setenv("IDS_SNOWFLAKE_NODE", "random") // logs nothing
	for _, without := range []string{"ClockLimit.EndAt", "ClockLimit.Set"} {
		c, limit := newUnbounded(nil)
		n := newNode(t, 77, &ids.SnowflakeOptions{Clock: c})
		uses := clockUses(c, limit, ids.NewGenerator(&ids.GeneratorOptions{Clock: c}), n)
		for _, v := range []any{c, limit, ids.NewGenerator(nil), n} {
			typ := reflect.TypeOf(v)
			for i := range typ.NumMethod() {
				name := typ.Elem().Name() + "." + typ.Method(i).Name
				if _, ok := uses[name]; !ok && name != "Generator.SetEntropy" {
					t.Errorf("%s is not called", name)
				}
			}
		}
		delete(uses, without)
		on := ids.NewGenerator(&ids.GeneratorOptions{Clock: c})
		for way, crowd := range ids.Crowds {
			uses["crowd "+way] = nothing(func() { crowd(on) })
		}
		maps.Copy(uses, defaultUses(n))
		hammer(t, slices.Collect(maps.Values(uses)))
	}
}

// hammer makes calls from many goroutines, each in its own order.
func hammer(t *testing.T, uses []use) {
	t.Helper()
	const workers, rounds = 8, 100
	var mu sync.Mutex
	seen := map[string]map[[16]byte]bool{"V1": {}, "V4": {}, "V6": {}, "V7": {}, "ULID": {}, "Snowflake": {}}
	var wg sync.WaitGroup
	for worker := range workers {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(worker), 9))
			for range rounds {
				for _, i := range r.Perm(len(uses)) {
					run := uses[i].call()
					mu.Lock()
					for _, id := range run {
						if of := seen[uses[i].kind]; of[id] {
							t.Errorf("%s: %x twice", uses[i].kind, id)
						} else if of != nil {
							of[id] = true
						}
					}
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	for kind, of := range seen {
		if len(of) < workers*rounds {
			t.Errorf("%d ids of %s", len(of), kind)
		}
	}
}

// TestOrderOfGoroutines makes IDs of each kind on 16 goroutines at the same time, one by one and in
// runs. Each ID is above all IDs whose calls had returned, in any goroutine, before its call began,
// and no ID is generated twice. The goroutines share nothing but the clock and a counter, so they
// contend for the clock.
func TestOrderOfGoroutines(t *testing.T) {
	c := ids.NewClock(&ids.ClockOptions{MaxAhead: time.Hour})
	g := ids.NewGenerator(&ids.GeneratorOptions{Clock: c})
	monotonic := ids.NewGenerator(&ids.GeneratorOptions{Clock: c, ULIDMonotonic: true})
	// The ticks of this layout are soon full.
	n := newNode(t, 0, &ids.SnowflakeOptions{Clock: c, Layout: narrow(time.Microsecond, 2)})
	uses := clockUses(c, nil, g, n)
	kinds := map[string][]use{
		"V6":   {uses["Generator.NewV6"]},
		"V7":   {uses["Generator.NewV7"], uses["Generator.NewV7"], gives("", func() []ids.UUID { return g.AppendV7(nil, 300) })},
		"ULID": {uses["Generator.NewULID"], uses["Generator.NewULID"], gives("", func() []ids.ULID { return g.AppendULID(nil, 300) })},
		"monotonic ULID": {gives("", func() []ids.ULID { return []ids.ULID{monotonic.NewULID()} }),
			gives("", func() []ids.ULID { return monotonic.AppendULID(nil, 300) })},
		"Next":        {uses["SnowflakeNode.Next"]},
		"NextContext": {uses["SnowflakeNode.NextContext"]},
		"TryNext":     {uses["SnowflakeNode.TryNext"]},
		"Append":      {uses["SnowflakeNode.Append"], givesSnowflakes(func() ([]ids.Snowflake, error) { return n.Append(nil, 300), nil })},
	}
	for way, crowd := range ids.Crowds { // otherwise the calls start and end a crowd themselves
		for _, kind := range []string{"V7", "ULID"} {
			mint := uses["Generator.New"+kind].call
			kinds[kind+", crowd "+way] = []use{{kind, func() [][16]byte { crowd(g); return mint() }}}
		}
	}
	for kind, calls := range kinds {
		each := 3000 // IDs of each goroutine
		if testing.Short() {
			each /= 3
		}
		type made struct {
			id           [16]byte
			began, ended int64 // start and end of its call
		}
		var counter atomic.Int64
		var all [16][]made
		var wg sync.WaitGroup
		for worker := range all {
			wg.Go(func() {
				for round := worker; len(all[worker]) < each; round++ {
					began := counter.Add(1)
					run := calls[round%len(calls)].call()
					ended := counter.Add(1)
					for i, id := range run {
						if i > 0 && !less(run[i-1], id) {
							t.Errorf("%s: in a run, %x after %x", kind, id, run[i-1])
						}
						all[worker] = append(all[worker], made{id, began, ended})
					}
				}
			})
		}
		wg.Wait()
		sorted := slices.SortedFunc(slices.Values(slices.Concat(all[:]...)), func(a, b made) int { return slices.Compare(a.id[:], b.id[:]) })
		latest := int64(0) // start of the call of a smaller ID
		for i, m := range sorted {
			if i > 0 && sorted[i-1].id == m.id {
				t.Fatalf("%s: %x twice", kind, m.id)
			}
			if m.ended < latest {
				t.Fatalf("%s: after %x comes a smaller id", kind, m.id)
			}
			latest = max(latest, m.began)
		}
	}
}

// TestEndIsForGood sets limits from many goroutines while the clock ends. Afterwards the clock has
// ended, whichever call was last.
func TestEndIsForGood(t *testing.T) {
	for range 2000 {
		_, _, limit, _, n := newLimited(t)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for range 5 {
					limit.Set(time.Time{}, nil)
					n.TryNext()
					limit.Set(unbounded, nil)
				}
			})
		}
		wg.Go(func() { limit.EndAt(start.Add(-time.Hour), nil) })
		wg.Wait()
		if s, err := n.TryNext(); err != ids.ErrEnded {
			t.Fatalf("after the end: %v, %v", s, err)
		}
	}
}

// TestAppendV4Shares appends from many goroutines, which reuse the blocks of random bytes in turn.
// No two goroutines may have the same block at the same time, because IDs would then be generated
// twice.
func TestAppendV4Shares(t *testing.T) {
	noneTwice(t, 64, 300, func(all []ids.UUID) []ids.UUID { return ids.AppendV4(all, 20) })
}

// noneTwice makes goroutines append IDs, each of them the given number of times, and checks that no
// ID occurs twice.
func noneTwice(t *testing.T, goroutines, each int, more func([]ids.UUID) []ids.UUID) {
	t.Helper()
	all := make([][]ids.UUID, goroutines)
	var wg sync.WaitGroup
	for i := range all {
		wg.Go(func() {
			for range each {
				all[i] = more(all[i])
			}
		})
	}
	wg.Wait()
	seen := make(map[ids.UUID]bool)
	for _, u := range slices.Concat(all...) {
		if seen[u] {
			t.Fatalf("%v twice", u)
		}
		seen[u] = true
	}
}
