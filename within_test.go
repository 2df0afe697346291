package ids

// Tests and test helpers that need unexported parts of the package.

import (
	"crypto/rand"
	"math/bits"
	"reflect"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/oneclock/ids/internal/random"
	"github.com/oneclock/ids/internal/rule"
)

// SetEntropy makes the given 80 bits the random part of the latest ULID of g, which no test
// could reach by minting.
func (g *Generator) SetEntropy(e [10]byte) {
	var b [16]byte
	copy(b[6:], e[:])
	hi, lo := split(b)
	set := func(name string, bits uint64) {
		*(*uint64)(reflect.ValueOf(&g.ulid).Elem().FieldByName(name).Addr().UnsafePointer()) = bits
	}
	g.clock.mu.Lock()
	set("hi", hi)
	set("lo", lo)
	g.clock.mu.Unlock()
}

// NextLate begins a call of Next that has read the clock and waits for the mutex. The returned
// function lets the call take the mutex and continue, and returns its ID and the time that it must
// wait.
func NextLate(n *SnowflakeNode) func() (s Snowflake, wait time.Duration, err error) {
	c := n.clock
	injected := c.anchor.Injected()
	return func() (s Snowflake, wait time.Duration, err error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		now, elapsed := c.anchor.ReadAnew(injected)
		wait, why := n.lane.Next(now, elapsed)
		if why == rule.Given {
			s = n.newest()
		}
		return s, wait, c.reason(why)
	}
}

// Exempt is exempt, for tests that hash as versions 3 and 5 do.
func Exempt(f func()) { exempt(f) }

// Waiters returns the number of calls that wait for the clock's limit.
func Waiters(c *Clock) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.waiters)
}

// Crowds contains functions that tests call before each ID. They set the flag crowded of a
// generator's clock.
var Crowds = map[string]func(g *Generator){
	"cleared":  func(g *Generator) { g.clock.crowded.Store(false) },
	"set":      func(g *Generator) { g.clock.crowded.Store(true) },
	"changing": func(g *Generator) { g.clock.crowded.Store(!g.clock.crowded.Load()) },
}

// TestWhoWaitsDraws holds the mutex while other calls begin, with each of Crowds. Each call draws
// its own bits before it waits, and leaves the clock's block unchanged. If Reseed is called while
// they wait, their IDs differ anyway, and the next ID has a later tick.
func TestWhoWaitsDraws(t *testing.T) {
	for way, crowd := range Crowds {
		for _, reseeds := range []bool{false, true} {
			c := NewClock(&ClockOptions{Now: func() time.Time { return time.Date(2026, 3, 14, 15, 9, 26, 0, time.UTC) }})
			g := NewGenerator(&GeneratorOptions{Clock: c})
			g.NewV7()
			before := *c.block
			const callers = 8
			uuids, ulids := make(chan UUID, callers), make(chan ULID, callers)
			c.mu.Lock()
			for range callers {
				go func() { crowd(g); uuids <- g.NewV7() }()
				go func() { crowd(g); ulids <- g.NewULID() }()
			}
			untilWaiting(2*callers, "TestWhoWaitsDraws")
			if reseeds {
				Reseed()
			}
			c.mu.Unlock()
			var v7 []UUID
			var los []uint64 // of all: with random strides, any two are far apart
			for range callers {
				u, l := <-uuids, <-ulids
				_, uuidLo := split(u)
				_, ulidLo := split(l)
				v7, los = append(v7, u), append(los, uuidLo, ulidLo)
			}
			slices.Sort(los)
			for i, lo := range los[1:] {
				if lo-los[i] < 1<<20 {
					t.Errorf("crowded %s, Reseed: %v: two ids are %d apart", way, reseeds, lo-los[i])
				}
			}
			if *c.block != before {
				t.Errorf("crowded %s, Reseed: %v: calls that waited have changed the block", way, reseeds)
			}
			latest := slices.MaxFunc(v7, UUID.Compare)
			crowd(g)
			next := g.NewV7()
			if later := string(next[:8]) > string(latest[:8]); later != reseeds || next.Compare(latest) <= 0 {
				t.Errorf("crowded %s, Reseed: %v: after %v comes %v", way, reseeds, latest, next)
			}
		}
	}
}

// untilWaiting waits until the given number of a test's goroutines wait for a mutex.
func untilWaiting(calls int, test string) {
	waits := regexp.MustCompile(`(?s)^goroutine \d+ \[sync\.Mutex\.Lock.*` + test)
	for waiting := 0; waiting < calls; runtime.Gosched() {
		stacks := make([]byte, 1<<20)
		waiting = 0
		for stack := range strings.SplitSeq(string(stacks[:runtime.Stack(stacks, true)]), "\n\n") {
			if waits.MatchString(stack) {
				waiting++
			}
		}
	}
}

// TestCrowded checks the flag crowded. A call that has drawn its bits because the mutex was locked,
// and then finds it locked again, sets the flag. While the flag is set, calls leave the clock's
// block unchanged, and about one ID in 1,024 clears it. An ID with injected bits never clears it,
// however often these are zeros, and neither does a call that only waits for the mutex.
func TestCrowded(t *testing.T) {
	c := NewClock(nil)
	g := NewGenerator(&GeneratorOptions{Clock: c})
	injected := NewGenerator(&GeneratorOptions{Clock: c, Random: readerFunc(func(p []byte) (int, error) { clear(p); return len(p), nil })})
	for name, mint := range map[string]func(g *Generator){"NewV7": func(g *Generator) { g.NewV7() }, "NewULID": func(g *Generator) { g.NewULID() }} {
		for _, crowds := range []bool{true, false} {
			by := map[bool]*Generator{true: g, false: injected}[crowds]
			c.crowded.Store(false)
			mint(by)
			if c.crowded.Load() {
				t.Errorf("%s alone, with bits injected %v: the clock is crowded", name, !crowds)
			}
			c.mu.Lock()
			done := make(chan bool)
			go func() { mint(by); close(done) }()
			untilWaiting(1, "TestCrowded")
			if got := c.crowded.Load(); got != crowds {
				t.Errorf("%s that waits, with bits injected %v: the clock is crowded: %v", name, !crowds, got)
			}
			c.mu.Unlock()
			<-done
		}

		c.crowded.Store(true)
		for range 20_000 {
			mint(injected)
		}
		if !c.crowded.Load() {
			t.Errorf("%s of injected bits has cleared it", name)
		}
		const rounds = 400
		made := 0
		for range rounds {
			c.crowded.Store(true)
			for c.crowded.Load() && made < 2048*rounds {
				before := *c.block
				mint(g)
				if made++; *c.block != before {
					t.Fatalf("%s has changed the block of a crowded clock", name)
				}
			}
		}
		// Chance exceeds each limit less than once in 10,000,000 runs.
		if made < rounds*768 || made > rounds*1360 {
			t.Errorf("%s has cleared it %d times in %d, want once in 1,024", name, rounds, made)
		}
	}
}

// TestSpareBlock checks the clock's two blocks after each ID and while one of them is filled
// without the mutex. The block being filled is not the one from which calls take their bits.
func TestSpareBlock(t *testing.T) {
	system := rand.Reader
	defer func() { rand.Reader = system }()
	c, reads := NewClock(nil), 0
	rand.Reader = readerFunc(func(p []byte) (int, error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		reads++
		if c.spare == c.block {
			t.Errorf("read %d: the spare block is the one in use", reads)
		}
		return system.Read(p)
	})
	g := NewGenerator(&GeneratorOptions{Clock: c})
	for i := range 3 * random.Size / 8 {
		g.NewV7()
		if c.spare == c.block {
			t.Fatalf("ID %d: the spare block is the one in use", i)
		}
	}
	if reads < 2 {
		t.Errorf("%d reads", reads)
	}
}

// TestFirstCalls lets the first calls of a new generator draw its node ID at the same time. All
// return the same node ID. They hold the mutex until all of it is written; otherwise, the race
// detector reports this test.
func TestFirstCalls(t *testing.T) {
	for range 100 {
		c := NewClock(nil)
		g := NewGenerator(&GeneratorOptions{Clock: c})
		nodes := make(chan [6]byte, 4)
		for range cap(nodes) {
			go func() { nodes <- g.NodeID() }()
		}
		for started := false; !started; runtime.Gosched() {
			c.mu.Lock() // nothing else orders this reading after the calls
			started = c.started
			c.mu.Unlock()
		}
		for range cap(nodes) {
			if got, want := <-nodes, g.NodeID(); got != want {
				t.Fatalf("node ID %x, want %x", got, want)
			}
		}
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// A span is a range of bytes in a value.
type span struct{ begin, end uintptr }

// add adds the bytes at which v differs from its earlier value, before. The bytes of v begin at
// offset.
func (s *span) add(before, v reflect.Value, offset uintptr) {
	if v.Kind() == reflect.Struct {
		for i := range v.NumField() {
			s.add(before.Field(i), v.Field(i), offset+v.Type().Field(i).Offset)
		}
		return
	}
	if v.Equal(before) {
		return
	}
	if s.end == 0 {
		s.begin = offset
	}
	s.begin, s.end = min(s.begin, offset), max(s.end, offset+v.Type().Size())
}

// changes returns the bytes of *p that calls of mint change.
func changes[T any](p *T, mint func()) (s span) {
	mint()
	for range 200 {
		before := *p
		mint()
		s.add(reflect.ValueOf(before), reflect.ValueOf(*p), 0)
	}
	return s
}

// TestCacheLines checks the positions of the bytes that each ID changes, with cache lines of 64 and
// of 128 bytes. Each additional line that a call moves from one processor to another takes 40 to 60
// ns. With the anchor on the mutex's line, which waiters write to, versions 1 and 6 took 1.6 times
// as long on 64 goroutines, and version 6 with its changes on two lines took 1.5 times as long.
func TestCacheLines(t *testing.T) {
	if bits.UintSize < 64 {
		t.Skip("nothing is promised for 32 bits")
	}
	if info, _ := debug.ReadBuildInfo(); slices.Contains(info.Settings, debug.BuildSetting{Key: "-asan", Value: "true"}) {
		t.Skip("the address sanitizer makes all memory blocks larger")
	}
	readings := 0
	// Two readings of each moment, so that ticks have more than one ID.
	c := NewClock(&ClockOptions{Now: func() time.Time {
		readings++
		return time.Unix(1.8e9, int64(readings/2)*1e5)
	}})
	g := NewGenerator(&GeneratorOptions{Clock: c})
	n, err := NewSnowflakeNode(1, &SnowflakeOptions{Clock: c})
	if err != nil {
		t.Fatal(err)
	}
	v1 := changes(&c.v1, func() { g.NewV1() })
	v6 := changes(&c.v6, func() { g.NewV6() })
	v7 := changes(&c.v7, func() { g.NewV7() })
	ulid := changes(&g.ulid, func() { g.NewULID() })
	snowflake := changes(n.lane, func() { n.Next() })

	at := func(p any, s span) span {
		from := reflect.ValueOf(p).Pointer()
		return span{from + s.begin, from + s.end}
	}
	all := func(p any) span { return at(p, span{0, reflect.TypeOf(p).Elem().Size()}) }
	clocks, generators := []*Clock{defaultClock}, []*Generator{defaultGenerator}
	for range 32 { // next to each other
		clocks, generators = append(clocks, NewClock(nil)), append(generators, NewGenerator(nil))
	}
	for _, size := range []uintptr{64, 128} {
		first := func(s span) uintptr { return s.begin / size }
		last := func(s span) uintptr { return (s.end - 1) / size }
		for i, c := range clocks {
			n, err := NewSnowflakeNode(1, &SnowflakeOptions{Clock: c})
			if err != nil {
				t.Fatal(err)
			}
			mutex := all(&c.mu)
			for name, s := range map[string]span{"the mutex": mutex, "version 7": at(&c.v7, v7)} {
				if first(s) != first(mutex) || last(s) != first(mutex) {
					t.Errorf("clock %d, lines of %d bytes: %s has lines %d to %d, the mutex %d", i, size, name, first(s), last(s), first(mutex))
				}
			}
			for name, s := range map[string]span{"the anchor": all(&c.anchor), "crowded": all(&c.crowded)} {
				if first(s) <= first(mutex) && first(mutex) <= last(s) {
					t.Errorf("clock %d, lines of %d bytes: %s is on the mutex's line", i, size, name)
				}
			}
			if first(all(&c.crowded)) != first(all(&c.anchor)) {
				t.Errorf("clock %d, lines of %d bytes: crowded is not on the line on which the anchor begins", i, size)
			}
			for name, s := range map[string]span{"version 1": at(&c.v1, v1), "version 6": at(&c.v6, v6), "Snowflake": at(n.lane, snowflake)} {
				if first(s) != last(s) || first(s) == first(mutex) {
					t.Errorf("clock %d, lines of %d bytes: %s has lines %d to %d, the mutex %d", i, size, name, first(s), last(s), first(mutex))
				}
			}
			for name, lane := range map[string]struct{ got, want uintptr }{
				"version 1": {all(&c.v1).begin % 64, 16}, "version 6": {all(&c.v6).begin % 64, 0}, "Snowflake": {all(n.lane).begin % 16, 0},
			} {
				if lane.got != lane.want {
					t.Errorf("clock %d: the lane of %s begins at byte %d of a line, want %d", i, name, lane.got, lane.want)
				}
			}
		}
		for i, g := range generators {
			whole, changes, rest := all(g), at(&g.ulid, ulid), all(&g.clock)
			if whole.begin%size != 0 || whole.end%size != 0 || first(changes) != last(changes) || first(rest) == first(changes) {
				t.Errorf("generator %d, lines of %d bytes: it is at %#x to %#x, ULID changes %#x to %#x, and the clock is at %#x",
					i, size, whole.begin, whole.end, changes.begin, changes.end, rest.begin)
			}
		}
	}
}
