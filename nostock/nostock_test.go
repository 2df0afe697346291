package nostock_test

import (
	"bytes"
	"crypto/fips140"
	"crypto/rand"
	"io"
	mathrand "math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/oneclock/ids"
	_ "github.com/oneclock/ids/nostock"
)

// A kind is a way to generate IDs with random bits.
type kind struct {
	name    string
	ascends bool
	mint    func(g *ids.Generator) [][16]byte
}

// when is the time for NewV7At and NewULIDAt.
var when = time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)

var kinds = []kind{
	{"NewV4", false, func(g *ids.Generator) [][16]byte { return [][16]byte{g.NewV4()} }},
	{"NewV7", true, func(g *ids.Generator) [][16]byte { return [][16]byte{g.NewV7()} }},
	{"NewULID", true, func(g *ids.Generator) [][16]byte { return [][16]byte{g.NewULID()} }},
	{"NewV7At", false, func(g *ids.Generator) [][16]byte { u, _ := g.NewV7At(when); return [][16]byte{u} }},
	{"NewULIDAt", false, func(g *ids.Generator) [][16]byte { u, _ := g.NewULIDAt(when); return [][16]byte{u} }},
	{"AppendV4 of 3", false, func(g *ids.Generator) [][16]byte { return arrays(g.AppendV4(nil, 3)) }},
	{"AppendV4 of 700", false, func(g *ids.Generator) [][16]byte { return arrays(g.AppendV4(nil, 700)) }},
	{"AppendV7 of 3", true, func(g *ids.Generator) [][16]byte { return arrays(g.AppendV7(nil, 3)) }},
	{"AppendV7 of 700", true, func(g *ids.Generator) [][16]byte { return arrays(g.AppendV7(nil, 700)) }},
	{"AppendULID of 3", true, func(g *ids.Generator) [][16]byte { return arrays(g.AppendULID(nil, 3)) }},
	{"AppendULID of 700", true, func(g *ids.Generator) [][16]byte { return arrays(g.AppendULID(nil, 700)) }},
}

// arrays returns the IDs of a run as arrays of 16 bytes.
func arrays[T ~[16]byte](run []T) [][16]byte {
	out := make([][16]byte, len(run))
	for i, id := range run {
		out[i] = id
	}
	return out
}

// reads makes rand.Reader call f before each read, until the end of the test. The bytes are still
// the system's.
func reads(t *testing.T, f func(p []byte)) {
	t.Helper()
	system := rand.Reader
	t.Cleanup(func() { rand.Reader = system })
	rand.Reader = readerFunc(func(p []byte) (int, error) {
		f(p)
		return system.Read(p)
	})
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// TestRandomBits checks that each random bit is set in about half of the IDs. A bit that is not
// taken from a random byte would be set in all of them or in none.
func TestRandomBits(t *testing.T) {
	const n = 1000
	for _, k := range kinds {
		if !strings.HasSuffix(k.name, "V4") && !strings.HasSuffix(k.name, "At") {
			continue // in the other kinds, one bit is clear in the first ID of a tick
		}
		first := 64 // first random bit
		switch {
		case k.name == "NewV4":
			first = 0
		case k.name == "NewULIDAt":
			first = 48
		}
		var ones [128]int
		for range n {
			id := k.mint(ids.NewGenerator(nil))[0]
			for i := range ones {
				ones[i] += int(id[i/8] >> (7 - i%8) & 1)
			}
		}
		for i, ones := range ones {
			fixed := k.name != "NewULIDAt" && (i/4 == 12 || i/2 == 32) // version and variant
			// The limit is 8 standard deviations, which one of 10^14 bits exceeds by chance.
			if off := ones - n/2; i >= first && !fixed && off*off > 64*n/4 {
				t.Errorf("%s: bit %d is set in %d of %d ids", k.name, i, ones, n)
			}
		}
	}
}

// seedRandom replaces rand.Reader with a generator that depends only on seed, until the end of the
// test.
func seedRandom(t *testing.T, seed uint64) {
	t.Helper()
	system := rand.Reader
	t.Cleanup(func() { rand.Reader = system })
	rand.Reader = mathrand.NewChaCha8([32]byte{byte(seed)})
}

// TestCopies generates IDs from equal states, like those of a machine's copies, while crypto/rand
// returns different bytes to each copy. No two copies generate the same ID. With equal random
// bytes, their IDs are equal, which shows that the states are equal.
func TestCopies(t *testing.T) {
	for _, k := range kinds {
		made := func(seed uint64) [][16]byte {
			seedRandom(t, 1)
			g := ids.NewGenerator(&ids.GeneratorOptions{
				Clock: ids.NewClock(&ids.ClockOptions{Now: func() time.Time { return when }}),
			})
			for _, other := range kinds {
				other.mint(g)
			}
			seedRandom(t, seed) // the machine is restored here
			return slices.Concat(k.mint(g), k.mint(g))
		}
		a, b, again := made(2), made(3), made(2)
		if !slices.Equal(a, again) {
			t.Errorf("%s: equal states and equal random bytes make different ids", k.name)
		}
		for i, id := range a {
			if slices.Contains(b, id) {
				t.Errorf("%s: id %d of a copy is in another one", k.name, i+1)
			}
		}
	}
}

// TestReads counts the bytes that are read. A single ID reads 16 bytes. In a run, each ID reads the
// 16 or 8 bytes of its own random part, and the run reads a few more words. No key is expanded.
func TestReads(t *testing.T) {
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			g := ids.NewGenerator(nil)
			read := 0
			reads(t, func(p []byte) { read += len(p) })
			for range 100 {
				read = 0
				n := len(k.mint(g))
				if n == 1 && read != 16 || read < 8*n || read > 16*n+64 {
					t.Fatalf("%d ids read %d bytes", n, read)
				}
			}
		})
	}
}

// TestNoMutex checks that two calls can read random bytes at the same time, while other IDs are
// generated that read none. If a call held the Generator's mutex or any other mutex while it reads,
// the calls would never return.
func TestNoMutex(t *testing.T) {
	g := ids.NewGenerator(nil)
	g.NewV6() // reads a random node
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			var both, calls sync.WaitGroup
			var mu sync.Mutex
			missing := 2
			both.Add(missing)
			reads(t, func([]byte) {
				mu.Lock()
				first := missing > 0
				if first {
					missing--
				}
				mu.Unlock()
				if first {
					g.NewV6()
					both.Done()
					both.Wait()
				}
			})
			for range 2 {
				calls.Go(func() { k.mint(g) })
			}
			done := make(chan struct{})
			go func() { calls.Wait(); close(done) }()
			select {
			case <-done:
			case <-time.After(5 * time.Minute):
				panic("calls wait for each other")
			}
		})
	}
}

// TestRandom checks that GeneratorOptions.Random is read and crypto/rand is not.
func TestRandom(t *testing.T) {
	g := ids.NewGenerator(&ids.GeneratorOptions{Random: zeros{}})
	reads(t, func([]byte) { t.Error("crypto/rand is read") })
	for _, k := range kinds {
		k.mint(g)
	}
	if u := g.NewV4(); u != ids.MustParseUUID("00000000-0000-4000-8000-000000000000") {
		t.Errorf("zeros make %v", u)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

var _ io.Reader = zeros{}

// TestTogether generates IDs of every kind in many goroutines, and calls Reseed. No ID occurs
// twice, the IDs of each goroutine ascend where the kind promises this, and all IDs have the right
// version.
func TestTogether(t *testing.T) {
	const goroutines, rounds = 8, 60
	g := ids.NewGenerator(nil)
	all := make([][][16]byte, goroutines)
	var group sync.WaitGroup
	for i := range all {
		group.Go(func() {
			last := map[string][16]byte{}
			for round := range rounds {
				if round%50 == i {
					ids.Reseed()
				}
				for _, k := range kinds {
					run := k.mint(g)
					for _, id := range run {
						if before := last[k.name]; k.ascends && bytes.Compare(id[:], before[:]) <= 0 {
							t.Errorf("%s makes %x after %x", k.name, id, before)
						}
						last[k.name] = id
						if u := ids.UUID(id); strings.Contains(k.name, "V4") && u.Version() != 4 || strings.Contains(k.name, "V7") && u.Version() != 7 {
							t.Errorf("%s makes version %d", k.name, u.Version())
						}
					}
					all[i] = append(all[i], run...)
				}
			}
		})
	}
	group.Wait()
	seen := map[[16]byte]bool{}
	for _, id := range slices.Concat(all...) {
		if seen[id] {
			t.Fatalf("%x comes twice", id)
		}
		seen[id] = true
	}
}

// TestAllocs checks that generating IDs does not allocate, except where crypto/rand itself
// allocates.
func TestAllocs(t *testing.T) {
	info, _ := debug.ReadBuildInfo()
	raced := slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
	if raced || fips140.Enabled() || strings.Contains(runtime.Version(), "boringcrypto") {
		t.Skip("to read random bytes allocates here")
	}
	uuids, ulids := make([]ids.UUID, 0, 10), make([]ids.ULID, 0, 10)
	for name, f := range map[string]func(){
		"NewV4":      func() { ids.NewV4() },
		"NewV7":      func() { ids.NewV7() },
		"NewULID":    func() { ids.NewULID() },
		"NewV7At":    func() { ids.NewV7At(when) },
		"NewULIDAt":  func() { ids.NewULIDAt(when) },
		"AppendV4":   func() { ids.AppendV4(uuids, 10) },
		"AppendV7":   func() { ids.AppendV7(uuids, 10) },
		"AppendULID": func() { ids.AppendULID(ulids, 10) },
	} {
		if n := testing.AllocsPerRun(200, f); n != 0 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
}
