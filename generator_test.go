package ids_test

// The sources of random bits: injected readers, readers that fail, and Reseed.

import (
	"bytes"
	cryptorand "crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oneclock/ids"
)

// TestGolden checks that an injected clock, injected random bytes and an injected node produce the
// same IDs in every run, whatever was called before.
func TestGolden(t *testing.T) {
	mint := func(node [6]byte, before func(*ids.Clock, *ids.ClockLimit, *ids.Generator)) (out []string) {
		f := &fakeClock{t: start}
		c, limit := newUnbounded(&ids.ClockOptions{Now: f.now})
		g := ids.NewGenerator(&ids.GeneratorOptions{Clock: c, NodeID: node, Random: rand.NewChaCha8([32]byte{1})})
		n := newNode(t, 5, &ids.SnowflakeOptions{Clock: c})
		before(c, limit, g)
		for _, step := range []time.Duration{0, time.Millisecond, -time.Second, -time.Hour, 2 * time.Hour} {
			f.step(step)
			ulid, err := g.NewULIDAt(start)
			if err != nil {
				t.Fatal(err)
			}
			var at [3]ids.UUID
			for i, mint := range []func(time.Time) (ids.UUID, error){g.NewV1At, g.NewV6At, g.NewV7At} {
				if at[i], err = mint(start); err != nil {
					t.Fatal(err)
				}
			}
			for _, u := range []ids.UUID{g.NewV1(), g.NewV2(1, 2), g.NewV4(), g.NewV6(), g.NewV7(), at[0], at[1], at[2],
				g.NewULID().UUID(), ulid.UUID(), g.AppendV4(nil, 2)[1], g.AppendV7(nil, 2)[1], g.AppendULID(nil, 2)[1].UUID()} {
				out = append(out, u.String())
			}
			out = append(out, n.Next().String(), n.Append(nil, 2)[1].String())
		}
		return out
	}
	nothing := func(*ids.Clock, *ids.ClockLimit, *ids.Generator) {}
	for _, node := range [][6]byte{{}, vectorNode} {
		want := mint(node, nothing)
		for name, before := range map[string]func(*ids.Clock, *ids.ClockLimit, *ids.Generator){
			"nothing":     nothing,
			"Latest":      func(c *ids.Clock, _ *ids.ClockLimit, _ *ids.Generator) { c.Latest() },
			"Ahead":       func(c *ids.Clock, _ *ids.ClockLimit, _ *ids.Generator) { c.Ahead() },
			"NextHorizon": func(_ *ids.Clock, limit *ids.ClockLimit, _ *ids.Generator) { limit.NextHorizon(time.Minute) },
			"Set": func(_ *ids.Clock, limit *ids.ClockLimit, _ *ids.Generator) {
				limit.Set(limit.NextHorizon(time.Minute), nil)
				limit.Set(unbounded, nil)
			},
			"times that are out of range": func(_ *ids.Clock, _ *ids.ClockLimit, g *ids.Generator) {
				g.NewV1At(time.Time{})
				g.NewV6At(time.Time{})
				g.NewV7At(time.Time{})
				g.NewULIDAt(time.Time{})
			},
			"another generator": func(c *ids.Clock, _ *ids.ClockLimit, _ *ids.Generator) {
				ids.NewGenerator(&ids.GeneratorOptions{Clock: c}).NewV4()
			},
		} {
			if got := mint(node, before); !slices.Equal(got, want) {
				t.Errorf("node %x: after %s, a run differs:\n%s\n%s", node, name, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		}
	}
}

// TestNode asks generators for their nodes. A node is the given one, or random bits with the
// multicast bit set; each other bit is sometimes 0 and sometimes 1.
func TestNode(t *testing.T) {
	given := ids.NewGenerator(&ids.GeneratorOptions{NodeID: vectorNode})
	if got := given.NodeID(); got != vectorNode {
		t.Errorf("Node() = %x, want %x", got, vectorNode)
	}
	var ever, always [6]byte
	always = [6]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}
	for range 200 {
		g := ids.NewGenerator(nil)
		node := g.NodeID()
		at, err := g.NewV1At(start)
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range []ids.UUID{g.NewV1(), g.NewV2(0, 0), g.NewV6(), at} {
			if got, _ := u.NodeID(); got != node {
				t.Fatalf("%v is of node %x, want %x", u, got, node)
			}
		}
		for i, b := range node {
			ever[i] |= b
			always[i] &= b
		}
	}
	if ever != [6]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff} || always != [6]byte{1} {
		t.Errorf("bits of random nodes that are ever 1: %x, always: %x", ever, always)
	}
}

// TestNodeDrawnTwice asks for a generator's node while a first call draws it. Both calls and the
// IDs have the same node.
func TestNodeDrawnTwice(t *testing.T) {
	system := cryptorand.Reader
	defer func() { cryptorand.Reader = system }()
	g := ids.NewGenerator(nil)
	var meanwhile [6]byte
	cryptorand.Reader = readerFunc(func(p []byte) (int, error) {
		cryptorand.Reader = system
		meanwhile = g.NodeID()
		return system.Read(p)
	})
	ids.Reseed() // makes the next draw read
	first := g.NodeID()
	minted, _ := g.NewV1().NodeID()
	if meanwhile == ([6]byte{}) || first != meanwhile || minted != first {
		t.Errorf("node %x, meanwhile %x, in an id %x", first, meanwhile, minted)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// randomUsers are the constructors that read random bytes.
var randomUsers = []struct {
	name string
	mint func(*ids.Generator) string
}{
	{"NewV1", func(g *ids.Generator) string { return g.NewV1().String() }},
	{"NewV2", func(g *ids.Generator) string { return g.NewV2(1, 2).String() }},
	{"NewV4", func(g *ids.Generator) string { return g.NewV4().String() }},
	{"NewV6", func(g *ids.Generator) string { return g.NewV6().String() }},
	{"NewV7", func(g *ids.Generator) string { return g.NewV7().String() }},
	{"NewULID", func(g *ids.Generator) string { return g.NewULID().String() }},
	{"NewV1At", func(g *ids.Generator) string { u, err := g.NewV1At(start); return fmt.Sprint(u, err) }},
	{"NewV6At", func(g *ids.Generator) string { u, err := g.NewV6At(start); return fmt.Sprint(u, err) }},
	{"NewV7At", func(g *ids.Generator) string { u, err := g.NewV7At(start); return fmt.Sprint(u, err) }},
	{"NewULIDAt", func(g *ids.Generator) string { u, err := g.NewULIDAt(start); return fmt.Sprint(u, err) }},
	{"AppendV4", func(g *ids.Generator) string { return fmt.Sprint(g.AppendV4(nil, 2)) }},
	{"AppendV7", func(g *ids.Generator) string { return fmt.Sprint(g.AppendV7(nil, 2)) }},
	{"AppendULID", func(g *ids.Generator) string { return fmt.Sprint(g.AppendULID(nil, 2)) }},
	{"Node", func(g *ids.Generator) string { return fmt.Sprintf("%x", g.NodeID()) }},
	{"NewV7 in a crowd", func(g *ids.Generator) string { ids.Crowds["set"](g); return g.NewV7().String() }},
	{"NewULID in a crowd", func(g *ids.Generator) string { ids.Crowds["set"](g); return g.NewULID().String() }},
	{"NewV7 alone again", func(g *ids.Generator) string { ids.Crowds["cleared"](g); return g.NewV7().String() }},
}

// TestReadersSliceIsWiped keeps the slices that are passed to an injected reader. No random bytes
// remain in them.
func TestReadersSliceIsWiped(t *testing.T) {
	var given [][]byte
	g := ids.NewGenerator(&ids.GeneratorOptions{Clock: stopped(start), Random: readerFunc(func(p []byte) (int, error) {
		given = append(given, p)
		return repeated(0x5a)(p)
	})})
	for _, u := range randomUsers {
		u.mint(g)
		for _, p := range given {
			if !bytes.Equal(p, make([]byte, len(p))) {
				t.Fatalf("after %s the reader's slice holds %x", u.name, p)
			}
		}
	}
	if len(given) == 0 {
		t.Error("nothing was read")
	}
}

// errUnplugged is the error of failing readers.
var errUnplugged = errors.New("device unplugged")

// TestRandomFails makes the injected reader fail once in each constructor, in the generator's first
// call and later, in several ways. The panic value is an error that wraps the reader's error, or
// the value with which the reader panicked. Afterwards, the IDs are the same as from a generator
// whose reader has never failed, because the node, the clock sequences and the clock are unchanged.
func TestRandomFails(t *testing.T) {
	fill := func(p []byte) (int, error) { return repeated(0x5a)(p) }
	faults := []struct {
		name string
		read func([]byte) (int, error)
		want error // nil: the reader's panic
	}{
		{"an error", func([]byte) (int, error) { return 0, errUnplugged }, errUnplugged},
		{"an error after some bytes", func(p []byte) (int, error) { return copy(p, "abc"), errUnplugged }, errUnplugged},
		{"the end", func([]byte) (int, error) { return 0, io.EOF }, io.EOF},
		{"no progress", func([]byte) (int, error) { return 0, nil }, io.ErrNoProgress},
		{"a negative count", func([]byte) (int, error) { return -1, nil }, errCount},
		{"a count above the length", func(p []byte) (int, error) { return len(p) + 1, nil }, errCount},
		{"no progress at the last byte", func(p []byte) (int, error) { return len(p[1:]), nil }, io.ErrNoProgress},
		{"an impossible count at the last byte", func(p []byte) (int, error) {
			if len(p) == 1 {
				return 2, nil
			}
			return len(p) - 1, nil
		}, errCount},
		{"a negative count and an error", func([]byte) (int, error) { return -1, errUnplugged }, errCount},
		{"a panic", func([]byte) (int, error) { panic("short circuit") }, nil},
	}
	for _, fault := range faults {
		for _, user := range randomUsers {
			for _, late := range []bool{false, true} {
				what := fmt.Sprintf("%s of the reader in %s, late: %v", fault.name, user.name, late)
				mint := func(fails bool) (out []string) {
					source := fill
					g := ids.NewGenerator(&ids.GeneratorOptions{Clock: stopped(start), Random: readerFunc(func(p []byte) (int, error) { return source(p) })})
					if late {
						for _, u := range randomUsers {
							out = append(out, u.mint(g))
						}
					}
					if reads := !late || !strings.Contains("NewV1 NewV2 NewV6 NewV1At NewV6At Node", user.name); fails && reads {
						source = fault.read
						within(t, what, func() {
							defer func() { checkFault(t, what, recover(), fault.want) }()
							user.mint(g)
						})
						source = fill
					}
					within(t, what+": what follows", func() {
						for _, u := range randomUsers {
							out = append(out, u.mint(g))
						}
					})
					return out
				}
				if with, without := mint(true), mint(false); !slices.Equal(with, without) {
					t.Fatalf("after %s:\n%s\nwithout it:\n%s", what, strings.Join(with, "\n"), strings.Join(without, "\n"))
				}
			}
		}
	}
}

// errCount represents, in a table, the error for a count that no Read may return.
var errCount = errors.New("count")

func checkFault(t *testing.T, what string, panicked any, want error) {
	t.Helper()
	err, ok := panicked.(error)
	switch {
	case want == nil && panicked != "short circuit":
		t.Errorf("%s: panics with %v", what, panicked)
	case want != nil && (!ok || !strings.HasPrefix(err.Error(), "ids: ") || want == errCount && !strings.HasSuffix(err.Error(), ": impossible count of bytes") || want != errCount && !errors.Is(err, want)):
		t.Errorf("%s: panics with %v, want an error that wraps %v", what, panicked, want)
	}
}

// TestShortReads uses a reader that returns one byte at a time, and the last one with an error. The
// IDs are the same as with a reader that returns all bytes in one call.
func TestShortReads(t *testing.T) {
	short := readerFunc(func(p []byte) (int, error) {
		p[0] = 0x5a
		if len(p) == 1 {
			return 1, io.EOF
		}
		return 1, nil
	})
	g := ids.NewGenerator(&ids.GeneratorOptions{Clock: stopped(start), Random: short})
	whole := ids.NewGenerator(&ids.GeneratorOptions{Clock: stopped(start), Random: repeated(0x5a)})
	for _, u := range randomUsers {
		if got, want := u.mint(g), u.mint(whole); got != want {
			t.Errorf("%s: %s, want %s", u.name, got, want)
		}
	}
}

// TestSystemRandomPanics replaces crypto/rand.Reader with a reader that panics once, while a clock
// or a generator fills its block of random bytes. No lock is held afterwards, and the next call
// works.
func TestSystemRandomPanics(t *testing.T) {
	system := cryptorand.Reader
	defer func() { cryptorand.Reader = system }()
	for _, user := range randomUsers {
		ids.Reseed() // all blocks must be refilled
		g := ids.NewGenerator(&ids.GeneratorOptions{Clock: ids.NewClock(nil)})
		within(t, user.name+" beside a reader that panics", func() {
			cryptorand.Reader = readerFunc(func([]byte) (int, error) { panic("short circuit") })
			defer func() {
				cryptorand.Reader = system
				checkFault(t, user.name, recover(), nil)
			}()
			user.mint(g)
		})
		within(t, user.name+" afterwards", func() {
			for _, u := range randomUsers {
				if a, b := u.mint(g), u.mint(g); a == b && u.name != "Node" && u.name != "NewV2" {
					t.Errorf("after a panic in %s, %s gives %s twice", user.name, u.name, a)
				}
			}
		})
	}
}

// TestSystemRandomBlocks makes crypto/rand block, as on a machine that has no entropy yet, while a
// clock fills its block. Only calls that need random bytes that are not there yet wait.
func TestSystemRandomBlocks(t *testing.T) {
	system := cryptorand.Reader
	defer func() { cryptorand.Reader = system }()
	for _, user := range []string{"NewV7", "NewULID", "NewULID beside a full block"} {
		f, c, limit, g, n := newLimited(t)
		g.NewV1() // draws the node
		ids.Reseed()
		if len(user) > len("NewULID") {
			// Fills one of the clock's two blocks; IDs that take their bits from it need not wait.
			g.NewV7()
		}
		blocked, proceed := make(chan bool), make(chan bool)
		cryptorand.Reader = readerFunc(func(p []byte) (int, error) {
			blocked <- true
			<-proceed
			return system.Read(p)
		})
		mint := func() ids.UUID { return g.NewULID().UUID() }
		if user == "NewV7" {
			mint = g.NewV7
		}
		done := make(chan ids.UUID)
		go func() { done <- mint() }()
		within(t, user+" until it draws from crypto/rand", func() { <-blocked })
		within(t, "what needs no random bytes, beside "+user, func() {
			for range 3 {
				n.Next()
				g.NewV1()
				g.NewV6()
				g.NewV2(0, 0)
				c.Latest()
				limit.NextHorizon(time.Second)
				limit.Set(unbounded, nil)
			}
		})
		cryptorand.Reader = system
		within(t, "calls that draw from a reader that works, beside "+user, func() {
			for range 1000 {
				f.step(time.Minute)
				g.NewV7()
				g.NewULID()
			}
		})
		last := mint()
		close(proceed)
		within(t, user+" when crypto/rand goes on", func() {
			// The call must not treat its old reading as a step back.
			if late := <-done; late.Compare(last) <= 0 {
				t.Errorf("a late %s gives %v after %v", user, late, last)
			}
		})
	}
}

// TestReaderReenters lets an injected reader call the library. It may use another generator, also
// one on the same clock. A call of its own generator, which the documentation forbids, never
// returns, but holds no lock that others need.
func TestReaderReenters(t *testing.T) {
	c := stopped(start)
	beside := ids.NewGenerator(&ids.GeneratorOptions{Clock: c, Random: repeated(0x33)})
	var inner func()
	g := ids.NewGenerator(&ids.GeneratorOptions{Clock: c, Random: readerFunc(func(p []byte) (int, error) {
		inner()
		return repeated(0x5a)(p)
	})})
	inner = func() {
		for _, u := range randomUsers {
			u.mint(beside)
		}
		c.Latest()
	}
	for _, u := range randomUsers {
		within(t, u.name+" whose reader calls another generator", func() { u.mint(g) })
	}

	inner = func() { g.NewV4() }
	within(t, "a reader that calls its own generator, until it is seen to wait,", func() {
		startBlocked(func() { g.NewV7() }, "Generator).NewV4", "Generator).NewV7")
	})
	within(t, "another generator of the clock", func() {
		for _, u := range randomUsers {
			u.mint(beside)
		}
		c.Latest()
	})
}

// seedRandom makes the output of crypto/rand depend on seed alone, until the end of the test.
func seedRandom(t *testing.T, seed uint64) {
	t.Helper()
	system := cryptorand.Reader
	t.Cleanup(func() { cryptorand.Reader = system })
	cryptorand.Reader = rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8)})
}

// ascending contains the kinds of IDs whose random bits ascend within a tick. Single calls are also
// there with each of Crowds.
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

func init() {
	for way, crowd := range ids.Crowds {
		for _, kind := range []string{"NewV7", "NewULID"} {
			mint := ascending[kind]
			ascending["crowd "+way+": "+kind] = func(g *ids.Generator) []ids.UUID { crowd(g); return mint(g) }
		}
	}
}

// TestReseedKeepsCopiesApart makes IDs from equal states, as copies of a machine have them, and
// calls Reseed, after which crypto/rand returns other bytes in each copy. No ID of one copy equals
// an ID of the other, and all ascend. A copy's clock may stand still or be behind the IDs, and
// Reseed may be called so often that a tick for each call would take the IDs far ahead.
func TestReseedKeepsCopiesApart(t *testing.T) {
	for name, mint := range ascending {
		for _, monotonic := range []bool{false, true} {
			for _, back := range []time.Duration{0, 5 * time.Second} {
				what := fmt.Sprintf("%s, monotonic %v, the clock set back by %v", name, monotonic, back)
				made := func(seed uint64) (all []ids.UUID) {
					seedRandom(t, 1)
					ids.Reseed() // discards the bytes that other tests have drawn
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
							// This is further than between other IDs, or reaches another tick.
							leaps++
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

// tickIn returns the bytes that identify the tick in an ID of a kind of ascending.
func tickIn(kind string, u ids.UUID) string {
	if strings.HasSuffix(kind, "ULID") {
		return string(u[:6])
	}
	return string(u[:8])
}

// TestReseedAtTheEnd calls Reseed in the last tick of the formats and past it. IDs continue in that
// tick and ascend until the tick is full.
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
				// A Reseed takes at most 1/256 of the tick, and 1/512 on average.
				for range 100_000 {
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

// TestReseedDelaysNobody calls Reseed before each ID of many goroutines. No ID is more than
// MaxAhead ahead of the clock, and no call waits longer than any other call may.
func TestReseedDelaysNobody(t *testing.T) {
	for name, mint := range ascending {
		synctest.Test(t, func(t *testing.T) {
			// Without an allowance, an ID that takes a later tick waits.
			for _, most := range []time.Duration{maxAhead, -1} {
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

// TestReseedMeanwhile calls Reseed while a call draws its random bytes, which may then be a copy's
// bytes too. The next ID has a later tick.
func TestReseedMeanwhile(t *testing.T) {
	system := cryptorand.Reader
	defer func() { cryptorand.Reader = system }()
	for name, mint := range ascending {
		g := ids.NewGenerator(&ids.GeneratorOptions{Clock: stopped(start)})
		mint(g)
		ids.Reseed() // makes the next call draw
		cryptorand.Reader = readerFunc(func(p []byte) (int, error) {
			ids.Reseed()
			return system.Read(p)
		})
		run := mint(g)
		cryptorand.Reader = system
		if last, next := run[len(run)-1], mint(g)[0]; tickIn(name, next) <= tickIn(name, last) {
			t.Errorf("%s: Reseed was called while %v was made, and %v is of that tick too", name, last, next)
		}
	}
}

// TestReseedStarvesNobody discards all random bytes as soon as they are drawn, as a loop of Reseed
// does. Each call gets its own bytes anyway, and no ID is generated twice.
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
