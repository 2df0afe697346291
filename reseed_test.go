package ids_test

import (
	cryptorand "crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oneclock/ids"
)

// seedRandom makes what crypto/rand gives depend on the seed alone, until the end of the test.
func seedRandom(t *testing.T, seed uint64) {
	t.Helper()
	system := cryptorand.Reader
	t.Cleanup(func() { cryptorand.Reader = system })
	cryptorand.Reader = rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8)})
}

// ascending are the kinds of ids with random bits that ascend within a tick.
var ascending = map[string]func(g *ids.Generator) []ids.UUID{
	"NewV7":    func(g *ids.Generator) []ids.UUID { return []ids.UUID{g.NewV7()} },
	"NewULID":  func(g *ids.Generator) []ids.UUID { return []ids.UUID{g.NewULID().UUID()} },
	"AppendV7": func(g *ids.Generator) []ids.UUID { return g.AppendV7(nil, 5) },
	"AppendULID": func(g *ids.Generator) (run []ids.UUID) {
		for _, l := range g.AppendULID(nil, 5) {
			run = append(run, l.UUID())
		}
		return run
	},
}

// TestReseedKeepsCopiesApart makes ids from equal states, as copies of a machine have them, and calls Reseed, after which
// crypto/rand gives other bytes to each copy: no id of one is that of another, and all ascend. The clock of a copy may
// stand still, or be behind the ids, and Reseed may be called so often that a tick for each would take them far ahead.
func TestReseedKeepsCopiesApart(t *testing.T) {
	for name, mint := range ascending {
		for _, monotonic := range []bool{false, true} {
			for _, back := range []time.Duration{0, 5 * time.Second} {
				what := fmt.Sprintf("%s, monotonic %v, the clock set back by %v", name, monotonic, back)
				made := func(seed uint64) (all []ids.UUID) {
					seedRandom(t, 1)
					ids.Reseed() // what other tests have drawn
					f := &fakeClock{t: start}
					g := ids.NewGenerator(&ids.GeneratorOptions{Clock: ids.NewClock(&ids.ClockOptions{Now: f.now}), ULIDMonotonic: monotonic})
					before := mint(g)
					f.step(-back)
					seedRandom(t, seed) // the machine is restored here
					for range 40 {
						ids.Reseed()
						all = append(append(all, mint(g)...), mint(g)...)
					}
					if latest := tickIn(name, before[len(before)-1]); back == 0 && tickIn(name, all[0]) <= latest {
						t.Errorf("%s: after Reseed comes %v, and %v is of that tick too", what, all[0], before)
					}
					leaps := 0
					for i := 1; i < len(all); i++ {
						u, v := all[i-1], all[i]
						if u.Compare(v) >= 0 {
							t.Fatalf("%s: %v after %v", what, v, u)
						}
						if binary.BigEndian.Uint64(v[8:])-binary.BigEndian.Uint64(u[8:]) > 1<<49 {
							leaps++ // further than other ids go on, or to another tick
						}
					}
					if leaps == 0 {
						t.Errorf("%s: no id is far from the one before", what)
					}
					return all
				}
				a, b := made(2), made(3)
				for i, u := range a {
					if slices.Contains(b, u) {
						t.Fatalf("%s: id %d of a copy is in another one", what, i+1)
					}
				}
			}
		}
	}
}

// tickIn returns the bytes of an id of a kind of ascending that tell its tick.
func tickIn(kind string, u ids.UUID) string {
	if strings.HasSuffix(kind, "ULID") {
		return string(u[:6])
	}
	return string(u[:8])
}

// TestReseedAtTheEnd calls Reseed in the last tick of the formats, and past it: ids go on in that tick, and ascend, until
// the tick is full.
func TestReseedAtTheEnd(t *testing.T) {
	end := time.UnixMilli(1<<48 - 1).Add(time.Millisecond - 1)
	for name, mint := range ascending {
		for _, past := range []time.Duration{0, time.Hour} {
			for _, maxAhead := range []time.Duration{0, -1} {
				f := &fakeClock{t: end}
				c := ids.NewClock(&ids.ClockOptions{Now: f.now, MaxAhead: maxAhead})
				g := ids.NewGenerator(&ids.GeneratorOptions{Clock: c})
				all := mint(g)
				f.step(past)
				last := tickIn(name, all[0])
				var full error
				for range 100_000 { // a Reseed takes at most 1/256 of the tick, and 1/512 on average
					ids.Reseed()
					if full = panicOf(func() { all = append(all, mint(g)...) }); full != nil {
						break
					}
				}
				if !errors.Is(full, ids.ErrRange) || len(all) < 100 {
					t.Errorf("%s, %v past the end, MaxAhead %v: %v after %d ids", name, past, maxAhead, full, len(all))
				}
				for i := 1; i < len(all); i++ {
					if u, v := all[i-1], all[i]; u.Compare(v) >= 0 || tickIn(name, v) != last {
						t.Fatalf("%s, %v past the end, MaxAhead %v: %v after %v", name, past, maxAhead, v, u)
					}
				}
			}
		}
	}
}

// TestReseedDelaysNobody calls Reseed before each id of many goroutines: no id is more than MaxAhead ahead of the clock, and
// no call waits longer than any other may.
func TestReseedDelaysNobody(t *testing.T) {
	for name, mint := range ascending {
		synctest.Test(t, func(t *testing.T) {
			for _, most := range []time.Duration{maxAhead, -1} { // with none, an id that takes a later tick waits
				g := ids.NewGenerator(&ids.GeneratorOptions{Clock: ids.NewClock(&ids.ClockOptions{MaxAhead: most}), ULIDMonotonic: true})
				for range 100 {
					ids.Reseed()
					before := time.Now()
					if mint(g); time.Since(before) > 0 {
						t.Errorf("%s of one goroutine took %v, with MaxAhead %v", name, time.Since(before), most)
					}
				}
			}
			g := ids.NewGenerator(&ids.GeneratorOptions{Clock: ids.NewClock(nil), ULIDMonotonic: true})
			var wg sync.WaitGroup
			for range 100 {
				wg.Go(func() {
					for range 200 {
						before := time.Now()
						ids.Reseed()
						run := mint(g)
						if took := time.Since(before); took > maxWait {
							t.Errorf("%s took %v", name, took)
						}
						at := timeOf(run[0])
						if strings.HasSuffix(name, "ULID") {
							at = run[0].ULID().Time()
						}
						if ahead := time.Until(at); ahead > maxAhead {
							t.Errorf("%s is %v ahead of the clock", name, ahead)
						}
					}
				})
			}
			wg.Wait()
		})
	}
}

// TestReseedStarvesNobody has all random bytes be discarded as soon as they are drawn, as by a loop of Reseed. Each call
// gets its own all the same, and no id comes twice.
func TestReseedStarvesNobody(t *testing.T) {
	system := cryptorand.Reader
	defer func() { cryptorand.Reader = system }()
	cryptorand.Reader = readerFunc(func(p []byte) (int, error) {
		ids.Reseed()
		return system.Read(p)
	})
	g := ids.NewGenerator(&ids.GeneratorOptions{Clock: stopped(start)})
	within(t, "calls beside a loop of Reseed", func() {
		seen := map[[16]byte]bool{}
		for range 200 {
			for _, id := range [][16]byte{g.NewV7(), g.NewULID(), g.NewV4(), ids.NewV7()} {
				if seen[id] {
					t.Errorf("%x twice", id)
				}
				seen[id] = true
			}
		}
		g.AppendV7(nil, 1000)
		g.AppendULID(nil, 1000)
	})
}
