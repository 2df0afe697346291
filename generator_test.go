package ids_test

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/oneclock/ids"
)

// TestGolden checks that an injected clock and injected random bytes give the same ids in every
// run.
func TestGolden(t *testing.T) {
	mint := func() (out []string) {
		f := &fakeClock{t: start}
		c := ids.NewClock(&ids.ClockOptions{Now: f.now})
		g := ids.NewGenerator(&ids.GeneratorOptions{Clock: c, Random: rand.NewChaCha8([32]byte{1})})
		for range 3 {
			ulid, err := g.NewULIDAt(start)
			if err != nil {
				t.Fatal(err)
			}
			v7, err := g.NewV7At(start)
			if err != nil {
				t.Fatal(err)
			}
			for _, u := range []ids.UUID{g.NewV1(), g.NewV2(1, 2), g.NewV4(), g.NewV6(), g.NewV7(), v7,
				g.NewULID().UUID(), ulid.UUID(), g.AppendV4(nil, 2)[1], g.AppendV7(nil, 2)[1], g.AppendULID(nil, 2)[1].UUID()} {
				out = append(out, u.String())
			}
			f.step(time.Millisecond)
		}
		return out
	}
	a, b := mint(), mint()
	if !slices.Equal(a, b) {
		t.Errorf("two runs differ:\n%s\n%s", strings.Join(a, "\n"), strings.Join(b, "\n"))
	}
}

// TestRandomParts checks how V7 and ULID grow within a tick, from random bytes that are known.
func TestRandomParts(t *testing.T) {
	f := &fakeClock{t: start}
	c := ids.NewClock(&ids.ClockOptions{Now: f.now})
	ones := readerFunc(func(p []byte) (int, error) {
		for i := range p {
			p[i] = 0xff
		}
		return len(p), nil
	})
	g := ids.NewGenerator(&ids.GeneratorOptions{Clock: c, Random: ones})
	rand := func(u ids.UUID) uint64 { return binary.BigEndian.Uint64(u[8:]) & (1<<62 - 1) }
	a, b := g.NewV7(), g.NewV7()
	if rand(a) != 1<<61-1 {
		t.Errorf("a fresh rand_b of all ones is %#x, want its top bit clear", rand(a))
	}
	if rand(b)-rand(a) != 1<<48 {
		t.Errorf("the largest stride is %#x, want 2^48", rand(b)-rand(a))
	}
	// 2^61 more are left, in strides of 2^48: then the next tick, never a wrap.
	last := b
	for range 20_000 {
		u := g.NewV7()
		if u.Compare(last) <= 0 {
			t.Fatalf("%v then %v", last, u)
		}
		last = u
	}
	if at, _ := last.Time(); !at.Equal(start) {
		t.Errorf("20,000 ids moved to %v", at)
	}
	if got := binary.BigEndian.Uint64(last[:]) & 0xfff; got != 2 {
		t.Errorf("after 20,000 largest strides rand_a is %d, want 2", got)
	}

	one := ids.NewGenerator(&ids.GeneratorOptions{Clock: c, ULIDMonotonic: true})
	u := one.NewULID()
	for range 1000 {
		next, ok := u.Next()
		if got := one.NewULID(); !ok || got != next {
			t.Fatalf("ULIDMonotonic: %v then %v, want %v", u, got, next)
		}
		u = next
	}
	x, y := g.NewULID(), g.NewULID()
	if x[6] != 0x7f {
		t.Errorf("a fresh ULID of all ones has entropy %x, want its top bit clear", x.Entropy())
	}
	if got := binary.BigEndian.Uint64(y[8:]) - binary.BigEndian.Uint64(x[8:]); got != 1<<48 {
		t.Errorf("the largest stride is %#x, want 2^48", got)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// TestRandomFails checks that the error of an injected reader is not swallowed, and that the
// generator is usable afterwards.
func TestRandomFails(t *testing.T) {
	var err error
	g := ids.NewGenerator(&ids.GeneratorOptions{Random: readerFunc(func(p []byte) (int, error) {
		if err != nil {
			return 0, err
		}
		return len(p), nil
	})})
	for name, mint := range map[string]func(){
		"NewV4": func() { g.NewV4() }, "NewV7": func() { g.NewV7() }, "NewULID": func() { g.NewULID() },
		"AppendV7": func() { g.AppendV7(nil, 2) },
	} {
		func() {
			err = errors.New("device unplugged")
			defer func() {
				if text, _ := recover().(string); !strings.Contains(text, "device unplugged") {
					t.Errorf("%s panics with %q", name, text)
				}
			}()
			mint()
		}()
		err = nil
		mint()
	}
}
