package ids_test

import (
	"testing"
	"time"

	"github.com/oneclock/ids"
)

// TestFreshInFirstTick shows a clock at the beginning of the format, and before it: the random part
// of the first id is as wide there as in any tick.
func TestFreshInFirstTick(t *testing.T) {
	for _, at := range []time.Time{time.Unix(0, 0), time.Unix(-1, 0)} {
		g := ids.NewGenerator(&ids.GeneratorOptions{Clock: stopped(at), Random: repeated(0xff)})
		if u := g.NewV7(); u != ids.MustParseUUID("00000000-0000-7000-9fff-ffffffffffff") {
			t.Errorf("version 7 at %v: %v", at, u)
		}
		if u := g.NewULID(); u.Entropy() != [10]byte{0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff} || u.Time().Unix() != 0 {
			t.Errorf("ULID at %v: %v, %x", at, u, u.Entropy())
		}
	}
}

// TestFreshBits mints ids in a tick each: all bits that are said to be random are ever 0 and ever 1.
func TestFreshBits(t *testing.T) {
	f, _, g, _ := newFake(t)
	for name, mint := range map[string]struct {
		id    func() [16]byte
		fixed [16]byte // which bits are not random
	}{
		"NewV4":      {func() [16]byte { return g.NewV4() }, [16]byte{6: 0xf0, 8: 0xc0}},
		"AppendV4":   {func() [16]byte { return g.AppendV4(nil, 1)[0] }, [16]byte{6: 0xf0, 8: 0xc0}},
		"NewV7":      {func() [16]byte { return g.NewV7() }, [16]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xe0}},
		"AppendV7":   {func() [16]byte { return g.AppendV7(nil, 1)[0] }, [16]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xe0}},
		"NewULID":    {func() [16]byte { return g.NewULID() }, [16]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x80}},
		"AppendULID": {func() [16]byte { return g.AppendULID(nil, 1)[0] }, [16]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x80}},
		// All bits of those of one time.
		"NewV7At":   {func() [16]byte { u, _ := g.NewV7At(start); return u }, [16]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xc0}},
		"NewULIDAt": {func() [16]byte { u, _ := g.NewULIDAt(start); return u }, [16]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}},
	} {
		zeros, ones := mint.fixed, mint.fixed
		for range 200 { // a bit stays the same by chance once in 2^199
			f.step(time.Millisecond)
			for i, b := range mint.id() {
				ones[i] |= b
				zeros[i] |= ^b
			}
		}
		for i := range ones {
			if ones[i]&zeros[i] != 0xff {
				t.Errorf("%s: of byte %d the bits %08b are ever 1 and %08b ever 0", name, i, ones[i], zeros[i])
			}
		}
	}
}

// TestFreshHalves compares the upper random bits of ULIDs with the lower ones: these do not tell them.
func TestFreshHalves(t *testing.T) {
	f, _, g, _ := newFake(t)
	for name, mint := range map[string]func() ids.ULID{
		"NewULID":    g.NewULID,
		"NewULIDAt":  func() ids.ULID { u, _ := g.NewULIDAt(start); return u },
		"AppendULID": func() ids.ULID { return g.AppendULID(nil, 1)[0] },
	} {
		same := 0
		for range 32 {
			f.step(time.Millisecond)
			e := mint().Entropy()
			if e[0]&0x7f == e[8]&0x7f && e[1] == e[9] {
				same++
			}
		}
		if same > 4 {
			t.Errorf("%s: in %d of 32 the halves have 15 bits in common", name, same)
		}
	}
}

// TestDefaultClock takes ids in turn from the package and from a generator without options: both have the default clock.
func TestDefaultClock(t *testing.T) {
	g, last := ids.NewGenerator(nil), ids.NewV7()
	for range 1000 {
		for _, u := range []ids.UUID{g.NewV7(), ids.NewV7()} {
			if u.Compare(last) <= 0 {
				t.Fatalf("%v after %v", u, last)
			}
			last = u
		}
	}
}
