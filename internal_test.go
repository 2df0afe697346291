package ids

import (
	"crypto/rand"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
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

// NextLate begins a call of Next that has read the clock and waits for the mutex. What it returns goes
// on once the call has the mutex, and returns the id and for how long it must wait.
func NextLate(n *SnowflakeNode) func() (s Snowflake, wait time.Duration, err error) {
	c := n.clock
	injected := c.injected()
	return func() (s Snowflake, wait time.Duration, err error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		now, elapsed := c.readAnew(injected)
		wait, why := n.lane.Next(now, elapsed)
		if why == rule.Given {
			s = n.newest()
		}
		return s, wait, c.reason(why)
	}
}

// Exempt is exempt, for tests that hash as versions 3 and 5 do.
func Exempt(f func()) { exempt(f) }

// Waiters returns how many calls the clock has noted as waiting for its limit.
func Waiters(c *Clock) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.waiters)
}

// TestEnter reads the wall clock at the ends of the time that an anchor serves, and later. A step of the
// wall clock is seen after 1 ms at the latest, also after one of more than the longest Duration.
func TestEnter(t *testing.T) {
	for _, year := range []int{2000, 1601, 2400} {
		synctest.Test(t, func(t *testing.T) {
			c, begin := NewClock(nil), time.Now()
			base := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)
			c.base.Store(&base)
			for _, d := range []time.Duration{0, 1, rule.MaxAge - 1, 1, 1, 0, rule.MaxAge, 3 * rule.MaxAge, 1} {
				time.Sleep(d)
				now, elapsed := c.enter(sample{})
				c.mu.Unlock()
				if !now.Time().Equal(time.Now()) || elapsed != int64(time.Since(begin)) {
					t.Errorf("%v after %d, it says %v after, and %v instead of %v",
						time.Since(begin), year, time.Duration(elapsed), now.Time(), time.Now().UTC())
				}
				if age := time.Since(begin) - time.Duration(c.at); age > time.Millisecond {
					t.Errorf("%v after %d, the anchor is %v old", time.Since(begin), year, age)
				}
			}
		})
	}
}

// TestWhoWaitsDraws holds the mutex while other calls come. Each draws its bits itself before it waits, and leaves the clock's
// block as it is. If Reseed is called while they wait, their ids differ all the same, and the next id leaves their tick.
func TestWhoWaitsDraws(t *testing.T) {
	for _, reseeds := range []bool{false, true} {
		c := NewClock(&ClockOptions{Now: func() time.Time { return time.Date(2026, 3, 14, 15, 9, 26, 0, time.UTC) }})
		g := NewGenerator(&GeneratorOptions{Clock: c})
		g.NewV7()
		before := *c.block
		const callers = 8
		uuids, ulids := make(chan UUID, callers), make(chan ULID, callers)
		c.mu.Lock()
		for range callers {
			go func() { uuids <- g.NewV7() }()
			go func() { ulids <- g.NewULID() }()
		}
		for waiting := 0; waiting < 2*callers; runtime.Gosched() {
			stacks, waits := make([]byte, 1<<20), regexp.MustCompile(`(?s)^goroutine \d+ \[sync\.Mutex\.Lock.*TestWhoWaitsDraws`)
			waiting = 0
			for stack := range strings.SplitSeq(string(stacks[:runtime.Stack(stacks, true)]), "\n\n") {
				if waits.MatchString(stack) {
					waiting++
				}
			}
		}
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
				t.Errorf("Reseed: %v: two ids are %d apart", reseeds, lo-los[i])
			}
		}
		if *c.block != before {
			t.Errorf("Reseed: %v: calls that waited have changed the block", reseeds)
		}
		latest := slices.MaxFunc(v7, UUID.Compare)
		next := g.NewV7()
		if later := string(next[:8]) > string(latest[:8]); later != reseeds || next.Compare(latest) <= 0 {
			t.Errorf("Reseed: %v: after %v comes %v", reseeds, latest, next)
		}
	}
}

// TestSpareBlock looks at the clock's two blocks after each ID, and while one of them is filled, without
// the mutex: it is not the block that calls take their bits from meanwhile.
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

// TestFirstCalls has the first calls of a new generator draw its node ID together: all return the same.
// They hold the mutex until all of it is written, else the race detector reports this test.
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

// TestMutexIsApart looks at what each call reads of the anchor. With the mutex in the same cache line, which all who wait for
// it write to, versions 1 and 6 took 1.6 times as long on 64 goroutines.
func TestMutexIsApart(t *testing.T) {
	line := func(p any) uintptr { return reflect.ValueOf(p).Pointer() / 64 } // bytes on most processors
	c := NewClock(nil)
	for name, p := range map[string]any{"base": &c.base, "at": &c.at, "life": &c.life, "wall": &c.wall} {
		if line(p) == line(&c.mu) {
			t.Errorf("%s is in the cache line of the mutex", name)
		}
	}
}
