package random

import (
	"bytes"
	"cmp"
	"crypto/aes"
	"crypto/cipher"
	"crypto/fips140"
	"crypto/rand"
	"encoding/binary"
	mathrand "math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// words returns n words from b. They overwrite other values.
func words(b *Block, n int) []uint64 {
	w := slices.Repeat([]uint64{7}, n)
	b.Words(w)
	return w
}

// seedRandom replaces rand.Reader with a generator that depends only on seed, until the end of the
// test.
func seedRandom(t *testing.T, seed uint64) {
	t.Helper()
	reader := rand.Reader
	t.Cleanup(func() { rand.Reader = reader })
	rand.Reader = mathrand.NewChaCha8([32]byte{byte(seed)})
}

// stream returns the bytes that a block returns if it is filled the given number of times from now
// on. If keys are expanded, these are one AES-256-CTR stream for each key. Otherwise, they are the
// bytes of crypto/rand itself.
func stream(t *testing.T, fills int) (all []byte) {
	t.Helper()
	for range fills {
		buf := make([]byte, Size)
		if expands {
			key := make([]byte, 32)
			rand.Read(key)
			block, err := aes.NewCipher(key)
			if err != nil {
				t.Fatal(err)
			}
			cipher.NewCTR(block, make([]byte, aes.BlockSize)).XORKeyStream(buf, buf)
		} else {
			rand.Read(buf)
		}
		all = append(all, buf...)
	}
	return all
}

// TestBlock reads bytes from a block in every form and in many lengths, in a random order. They
// must be the bytes of the stream, in order, because crypto/rand returns the same keys again. If
// only 8 bytes are left, 16 bytes are taken from the next fill. Returned bytes are wiped, in the
// case of Next by its caller. The unused bytes are not wiped. The key is.
func TestBlock(t *testing.T) {
	const fills, seed = 300, 7
	seedRandom(t, seed)
	want := stream(t, fills)
	seedRandom(t, seed)
	var b Block
	at := 0 // offset in the stream
	left := func() int { return (Size - at%Size) % Size }
	skip := func() {
		if left() < 16 {
			at += left()
		}
	}
	take := func(form string, got []byte) {
		t.Helper()
		if !bytes.Equal(got, want[at:at+len(got)]) {
			t.Fatalf("at %d %s gives %x, want %x", at, form, got, want[at:at+len(got)])
		}
		at += len(got)
		gone, rest := b.buf[:Size-b.left], b.buf[Size-b.left:]
		if b.left != left() || len(bytes.Trim(gone, "\x00")) != 0 || len(rest) > 0 && !filled(rest) || b.key != ([32]byte{}) || b.Ready() != (b.left >= 16) {
			t.Fatalf("at %d, after %s of %d bytes: %d bytes are left, ready: %v, or what is gone is there, or the key is", at, form, len(got), b.left, b.Ready())
		}
	}
	r, le := mathrand.New(mathrand.NewPCG(seed, 1)), binary.LittleEndian
	for at < len(want)-4*Size {
		var got []byte
		switch r.IntN(4) {
		case 0:
			for _, w := range words(&b, []int{0, 1, 3, Size / 8, r.IntN(3 * Size / 8)}[r.IntN(5)]) {
				got = le.AppendUint64(got, w)
			}
			take("Words", got)
		case 1:
			skip()
			hi, lo := b.Uint128()
			take("Uint128", le.AppendUint64(le.AppendUint64(got, hi), lo))
		case 2:
			if !b.Ready() {
				skip()
				b.Fill()
			}
			take("Uint64", le.AppendUint64(got, b.Uint64()))
		case 3:
			skip()
			n := 16 * (1 + r.IntN(Size/8))
			p := b.Next(n)
			if fits := min(n, (Size-at%Size)&^15); len(p) != fits {
				t.Fatalf("at %d, Next of %d gives %d bytes, want %d", at, n, len(p), fits)
			}
			got = bytes.Clone(p)
			clear(p)
			take("Next", got)
		}
	}
}

// TestExpands checks that keys are expanded only on architectures whose processors have AES
// instructions, and not if the tag purego excludes the assembly from crypto/aes.
func TestExpands(t *testing.T) {
	fast := []string{"amd64", "arm64", "ppc64", "ppc64le", "s390x"}
	info, _ := debug.ReadBuildInfo()
	pure := slices.Contains(info.Settings, debug.BuildSetting{Key: "-tags", Value: "purego"})
	if want := slices.Contains(fast, runtime.GOARCH) && !pure; expands != want {
		t.Errorf("on %s, with purego %v, expands is %v", runtime.GOARCH, pure, expands)
	}
}

// failing is a rand.Reader that sets some bytes and panics.
type failing struct{}

func (failing) Read(p []byte) (int, error) {
	for i := range p[:len(p)/2] {
		p[i] = 1
	}
	panic("no randomness")
}

// TestPanic lets crypto/rand panic while a block is filled, as can happen in a test that replaces
// its Reader. The block must be empty and must not keep the key. The next call must fill the block.
func TestPanic(t *testing.T) {
	const seed = 17
	seedRandom(t, seed)
	var fresh Block
	want := words(&fresh, Size/8)
	for name, take := range map[string]func(*Block){
		"Fill":    func(b *Block) { b.Fill() },
		"Uint128": func(b *Block) { b.Uint128() },
		"Words":   func(b *Block) { words(b, 3) },
		"Next":    func(b *Block) { b.Next(16) },
	} {
		seedRandom(t, seed+1)
		var b Block
		words(&b, 100)
		Reseed()
		for range 2 {
			func() {
				good := rand.Reader
				rand.Reader = failing{}
				defer func() {
					rand.Reader = good
					if recover() == nil {
						t.Errorf("%s does not panic", name)
					}
				}()
				take(&b)
			}()
			if b.left != 0 || b.key != ([32]byte{}) {
				t.Errorf("%s: after a panic %d bytes are in stock, the key is %x", name, b.left, b.key)
			}
		}
		seedRandom(t, seed)
		got := words(&b, Size/8)
		if !slices.Equal(got, want) {
			t.Errorf("%s: after a panic, a block hands out other bytes than a new one", name)
		}
	}
}

// TestTurns reads from many goroutines. In FIPS 140 mode, only one of them at a time reads
// crypto/rand. Otherwise, none of them waits for its turn.
func TestTurns(t *testing.T) {
	turn.Lock()
	var done atomic.Int32
	var readers sync.WaitGroup
	for range 8 {
		readers.Go(func() {
			new(Block).Fill()
			done.Add(1)
		})
	}
	if fips140.Enabled() {
		time.Sleep(10 * time.Millisecond) // long enough for readers to return, if they have started
		if n := done.Load(); n != 0 {
			t.Errorf("%d reads were made while another one had its turn", n)
		}
		turn.Unlock()
		readers.Wait()
		return
	}
	readers.Wait()
	turn.Unlock()
}

// filled reports whether p is not empty and contains no 8 zeros in a row. In random bytes, these
// occur by chance in one of 2^52 blocks.
func filled(p []byte) bool { return len(p) > 0 && !bytes.Contains(p, make([]byte, 8)) }

// TestReseed checks that no bytes drawn before Reseed or SetUnbuffered are returned afterwards,
// from any block. A block that was ready still returns a word from Uint64.
func TestReseed(t *testing.T) {
	for _, unbuffered := range []bool{false, true} {
		var a, ready Block
		a.Uint128()
		ready.Fill()
		b, ahead := a, a
		next := words(&ahead, Size/8-2)
		if !a.Ready() {
			t.Error("a block with bytes in stock is not ready")
		}
		drop(t, unbuffered)
		if a.Ready() {
			t.Error("a block is ready")
		}
		_, lo := a.Uint128()
		for name, got := range map[string]uint64{"Uint128": lo, "Words": words(&b, 1)[0]} {
			if slices.Contains(next, got) {
				t.Errorf("%s hands out what was there before", name)
			}
		}
		if word := ready.Uint64(); word == 0 || ready.left != Size-8 {
			t.Errorf("a word of a block that was ready is %x, and %d bytes are left", word, ready.left)
		}
		if unbuffered && (a.left != 0 || b.left != 0) || !unbuffered && (a.left != Size-16 || b.left != Size-8) {
			t.Errorf("without stock %v: %d and %d bytes are left", unbuffered, a.left, b.left)
		}
	}
}

// drop calls Reseed, or disables buffering until the end of the test.
func drop(t *testing.T, unbuffered bool) {
	if unbuffered {
		setUnbuffered(t)
		return
	}
	Reseed()
}

// readerFunc is a rand.Reader.
type readerFunc func(p []byte)

func (f readerFunc) Read(p []byte) (int, error) { f(p); return len(p), nil }

// TestReseedWithinFill calls Reseed or SetUnbuffered while a block is filled, as can happen if a
// package's init function starts a goroutine that generates IDs. The bytes are used for that call,
// but not for a later one.
func TestReseedWithinFill(t *testing.T) {
	system := rand.Reader
	defer func() { rand.Reader = system }()
	for _, unbuffered := range []bool{false, true} {
		reads := 0
		rand.Reader = readerFunc(func(p []byte) {
			if reads++; reads == 1 {
				drop(t, unbuffered)
			}
			system.Read(p)
		})
		var b Block
		b.Uint128()
		if b.Ready() {
			t.Error("a block is ready")
		}
		if b.Uint128(); reads != 2 || unbuffered && b.left != 0 {
			t.Errorf("without stock %v: %d reads, and %d bytes are left", unbuffered, reads, b.left)
		}
	}
}

// setUnbuffered disables buffering until the end of the test.
func setUnbuffered(t *testing.T) {
	t.Helper()
	SetUnbuffered()
	t.Cleanup(func() { unbuffered.Store(false) })
}

// TestUnbuffered reads bytes from an unbuffered block in every form and in many lengths. The block
// reads exactly the bytes that it returns, and no key. Afterwards, it has no bytes left.
func TestUnbuffered(t *testing.T) {
	setUnbuffered(t)
	system := rand.Reader
	defer func() { rand.Reader = system }()
	read := 0
	rand.Reader = readerFunc(func(p []byte) {
		read += len(p)
		system.Read(p)
	})
	var b Block
	var seen []uint64
	check := func(form string, n int, words []uint64) {
		t.Helper()
		if read != n {
			t.Errorf("%s reads %d bytes, want %d", form, read, n)
		}
		read = 0
		if b.left != 0 || b.buf != ([Size]byte{}) || b.key != ([32]byte{}) {
			t.Fatalf("%s leaves bytes in the block", form)
		}
		seen = append(seen, words...)
	}
	for range 3 {
		hi, lo := b.Uint128()
		check("Uint128", 16, []uint64{hi, lo})
		hi, lo = draw()
		check("Draw", 16, []uint64{hi, lo})
		hi, lo = Uint128()
		check("Uint128 of no block", 16, []uint64{hi, lo})
		for n := range 2*Size/8 + 3 {
			if (n+2)%(Size/16) > 20 { // only lengths near a multiple of half a block
				continue
			}
			check("Words", 8*n, words(&b, n))
			var got []uint64
			for want := 16 * n; want > 0; want = 16*n - 8*len(got) {
				p := b.Next(want)
				for i := range len(p) / 8 {
					got = append(got, binary.LittleEndian.Uint64(p[8*i:]))
				}
				clear(p)
			}
			check("Next", 16*n, got)
		}
	}
	n := len(seen)
	slices.Sort(seen)
	if slices.Contains(seen, 0) || len(slices.Compact(seen)) != n {
		t.Errorf("of %d random words, some are equal or zeros", n)
	}
}

// TestNoBlockTwice reads 128 bits at a time from many goroutines. Meanwhile, the garbage collector,
// which empties the pool of blocks, runs again and again, and Reseed is called. No 128 bits may
// occur twice, as they would if two goroutines used the same block, or if a block used the same key
// twice. By chance, two of 2^20 values are equal in less than one of 2^88 runs.
func TestNoBlockTwice(t *testing.T) {
	const goroutines = 64
	each := 1 << 14
	if testing.Short() {
		each = 1 << 11 // for the race detector
	}
	all := make([][][2]uint64, goroutines)
	var group, collector sync.WaitGroup
	stop := make(chan struct{})
	collector.Go(func() {
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			default:
			}
			runtime.GC()
			if n%8 == 7 {
				Reseed()
			}
		}
	})
	for g := range all {
		all[g] = make([][2]uint64, 0, each)
		group.Go(func() {
			for len(all[g]) < each {
				b := Get()
				for form := range 1 + len(all[g])%5 {
					var id [2]uint64
					switch form {
					case 0:
						id[0], id[1] = b.Uint128()
					case 1:
						if !b.Ready() {
							b.Fill()
						}
						id[0], id[1] = b.Uint64(), b.Uint64()
					default:
						b.Words(id[:])
					}
					all[g] = append(all[g], id)
				}
				if len(all[g])%64 == g {
					runtime.Gosched() // while it has a block
				}
				Put(b)
			}
		})
	}
	group.Wait()
	close(stop)
	collector.Wait()
	seen := slices.Concat(all...)
	slices.SortFunc(seen, func(a, b [2]uint64) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	if twice := len(seen) - len(slices.Compact(seen)); twice > 0 {
		t.Errorf("of %d times 128 bits, %d came twice", len(seen), twice)
	}
}

// TestAllocs counts the allocations for reading words, with and without filling a block.
func TestAllocs(t *testing.T) {
	var b Block
	buf := make([]uint64, 16)
	for name, f := range map[string]func(){
		"Uint64":  func() { b.left = Size; b.filledIn = generation.Load(); b.Uint64() },
		"Uint128": func() { b.left = Size; b.filledIn = generation.Load(); b.Uint128() },
		"Words":   func() { b.left = Size; b.filledIn = generation.Load(); b.Words(buf) },
	} {
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
	most := 2.0 // the cipher and the stream of a new key
	if runtime.GOARCH == "s390x" || strings.Contains(runtime.Version(), "boringcrypto") {
		most = 3 // also the key schedule in an emulator without AES, or BoringCrypto's counter
	}
	if n := testing.AllocsPerRun(100, func() { b.Fill() }); n > most {
		t.Errorf("a new block allocates %v times, want at most %v", n, most)
	}
	info, _ := debug.ReadBuildInfo()
	raced := slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
	if raced || fips140.Enabled() || strings.Contains(runtime.Version(), "boringcrypto") {
		return // reading allocates there
	}
	setUnbuffered(t)
	for name, f := range map[string]func(){
		"Draw":    func() { draw() },
		"Uint128": func() { b.Uint128() },
		"Words":   func() { b.Words(buf) },
		"Next":    func() { clear(b.Next(240)) },
	} {
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("without stock %s allocates %v times", name, n)
		}
	}
}
