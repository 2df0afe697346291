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
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// words returns n words of b, in place of others.
func words(b *Block, n int) []uint64 {
	w := slices.Repeat([]uint64{7}, n)
	b.Words(w)
	return w
}

// seedRandom makes what crypto/rand gives depend on the seed alone, until the end of the test.
func seedRandom(t *testing.T, seed uint64) {
	t.Helper()
	reader := rand.Reader
	t.Cleanup(func() { rand.Reader = reader })
	rand.Reader = mathrand.NewChaCha8([32]byte{byte(seed)})
}

// TestExpansion compares blocks with what they are said to be, from keys that crypto/rand is
// made to give again: where keys are expanded, the AES-256-CTR stream of a key each, and else
// the bytes of crypto/rand itself.
func TestExpansion(t *testing.T) {
	const blocks, seed = 3, 7
	var want []byte
	seedRandom(t, seed)
	for range blocks {
		buf := make([]byte, Size)
		if !expands {
			rand.Read(buf)
			want = append(want, buf...)
			continue
		}
		key := make([]byte, 32)
		rand.Read(key)
		block, err := aes.NewCipher(key)
		if err != nil {
			t.Fatal(err)
		}
		cipher.NewCTR(block, make([]byte, aes.BlockSize)).XORKeyStream(buf, buf)
		want = append(want, buf...)
	}
	seedRandom(t, seed)
	var b Block
	var got []byte
	for range blocks * Size / 8 {
		got = binary.LittleEndian.AppendUint64(got, words(&b, 1)[0])
	}
	if !bytes.Equal(got, want) {
		t.Error("blocks are not what their keys give")
	}
	if b.key != ([32]byte{}) {
		t.Error("the key is kept")
	}
}

// TestExpands shows that keys are expanded only where the processor does AES, and not if the tag
// purego takes the assembly out of crypto/aes.
func TestExpands(t *testing.T) {
	fast := []string{"amd64", "arm64", "ppc64", "ppc64le", "s390x"}
	info, _ := debug.ReadBuildInfo()
	pure := slices.Contains(info.Settings, debug.BuildSetting{Key: "-tags", Value: "purego"})
	if want := slices.Contains(fast, runtime.GOARCH) && !pure; expands != want {
		t.Errorf("on %s, with purego %v, expands is %v", runtime.GOARCH, pure, expands)
	}
}

// TestWithoutInstructions runs TestExpansion as on a processor without AES instructions. Keys are expanded there too, by
// the choice of the architecture, and the blocks are the same.
func TestWithoutInstructions(t *testing.T) {
	if runtime.GOARCH != "amd64" || !expands {
		t.Skip("GODEBUG=cpu.aes=off is for amd64 here, where keys are expanded")
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestExpansion$", "-test.v")
	cmd.Env = append(os.Environ(), "GODEBUG=cpu.aes=off")
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: TestExpansion ") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestForms shows that Words, Uint64 and Uint128 hand out the same bytes, in their order, and
// that a block ends with the last piece that fits.
func TestForms(t *testing.T) {
	const seed = 11
	seedRandom(t, seed)
	var a, b, c Block
	one := words(&a, Size/8*2)
	seedRandom(t, seed)
	for i := 0; i < len(one); i += 2 {
		if hi, lo := b.Uint128(); hi != one[i] || lo != one[i+1] {
			t.Fatalf("Uint128 differs from Words at %d", i)
		}
	}
	seedRandom(t, seed)
	got := words(&c, 3)
	got = append(got, words(&c, Size/8-4)...)
	if !slices.Equal(got, one[:len(got)]) {
		t.Error("Words in two parts differs from Words in one")
	}
	if c.left != 8 {
		t.Fatalf("%d bytes are left", c.left)
	}
	if hi, lo := c.Uint128(); hi != one[Size/8] || lo != one[Size/8+1] {
		t.Error("16 bytes do not come from the next block where 8 are left")
	}
	if words(&c, 0); c.left != Size-16 {
		t.Error("no words take some")
	}
	if rest := words(&c, c.left/8); !slices.Equal(rest, one[Size/8+2:]) {
		t.Error("what was left of a block is in the next one")
	}
}

// TestLengths asks for words in runs of every length, which end at every place of a block: together
// they are the words of one long run.
func TestLengths(t *testing.T) {
	const seed, most = 13, 3 * Size / 8 / 2
	seedRandom(t, seed)
	var a, b Block
	var got []uint64
	for n := range most {
		got = append(got, words(&a, n)...)
	}
	seedRandom(t, seed)
	if !slices.Equal(got, words(&b, len(got))) {
		t.Error("runs of words differ from one long run")
	}
}

// TestWiped shows that bytes are zeros once they are handed out, in whatever form.
func TestWiped(t *testing.T) {
	var b Block
	for _, take := range []func(){
		func() { b.Fill(); b.Uint64() },
		func() { b.Uint128() },
		func() { words(&b, 1) },
		func() { words(&b, 100) },
		func() { words(&b, Size/8+3) }, // into the next block
	} {
		take()
		if gone := b.buf[:Size-b.left]; len(gone) == 0 || len(bytes.Trim(gone, "\x00")) != 0 {
			t.Errorf("of %d bytes handed out, some are still there", len(gone))
		}
		if !filled(b.buf[Size-b.left:]) {
			t.Error("bytes not handed out are zeros")
		}
	}
}

// failing is a rand.Reader that gives some bytes and panics.
type failing struct{}

func (failing) Read(p []byte) (int, error) {
	for i := range p[:len(p)/2] {
		p[i] = 1
	}
	panic("no randomness")
}

// TestPanic lets crypto/rand panic while a block fills, as a test may that replaces its Reader. The
// block must have nothing in stock, keep no key, and fill itself when asked again.
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

// TestReady takes words of a block while it is ready: each is one of the block's, two are to be had
// whenever it says so, and the last is left when one remains.
func TestReady(t *testing.T) {
	const seed = 23
	seedRandom(t, seed)
	var a, b Block
	want := words(&a, Size/8)
	seedRandom(t, seed)
	if b.Ready() {
		t.Fatal("an empty block is ready")
	}
	b.Fill()
	for i := 0; b.Ready(); i++ {
		if got := b.Uint64(); got != want[i] {
			t.Fatalf("word %d is %x, want %x", i, got, want[i])
		}
	}
	if b.left != 8 {
		t.Errorf("when it is no longer ready, %d bytes are left, want 8", b.left)
	}
	b.Fill()
	Reseed()
	if lo := b.Uint64(); lo == 0 || b.left != Size-8 {
		t.Errorf("a word that was in stock before Reseed is %x, and %d bytes are left", lo, b.left)
	}
}

// TestTurns reads in FIPS 140 mode from many goroutines: crypto/rand is never asked by two at a time. Elsewhere
// nobody waits for his turn.
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
		time.Sleep(10 * time.Millisecond) // in which they could come to an end; that they have begun is not needed
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

// filled reports whether p is random as far as 8 bytes of zeros in a row tell: they come about
// by chance in one of 2^52 blocks.
func filled(p []byte) bool { return len(p) > 0 && !bytes.Contains(p, make([]byte, 8)) }

// TestReseed shows that nothing that was drawn before Reseed is handed out after it, and that
// it reaches every block.
func TestReseed(t *testing.T) {
	var a, b Block
	for _, x := range []*Block{&a, &b} {
		x.Uint128()
	}
	ahead := a
	next := words(&ahead, Size/8-2) // what a has left
	if !a.Ready() {
		t.Error("a block with bytes in stock is not ready")
	}
	Reseed()
	if a.Ready() {
		t.Error("after Reseed a block is ready")
	}
	_, lo := a.Uint128()
	for name, got := range map[string]uint64{"Uint128": lo, "Words": words(&b, 1)[0]} {
		if slices.Contains(next, got) {
			t.Errorf("%s hands out what was there before", name)
		}
	}
	if a.left != Size-16 || b.left != Size-8 {
		t.Errorf("%d and %d bytes are left of new blocks", a.left, b.left)
	}
	a.Uint64()
	if a.left != Size-24 {
		t.Error("one call of Reseed drops two blocks")
	}
}

// readerFunc is a rand.Reader.
type readerFunc func(p []byte)

func (f readerFunc) Read(p []byte) (int, error) { f(p); return len(p), nil }

// TestReseedWithinFill has Reseed called while a block is filled: what that gave is discarded.
func TestReseedWithinFill(t *testing.T) {
	system := rand.Reader
	defer func() { rand.Reader = system }()
	fills := 0
	rand.Reader = readerFunc(func([]byte) {
		if fills++; fills == 1 {
			Reseed()
		}
	})
	var b Block
	for range 2 {
		b.Uint128()
	}
	if fills != 2 {
		t.Errorf("%d fills, want 2: a Reseed during the first is lost", fills)
	}
}

// TestCopies takes a copy of a block, as the copy of a virtual machine has it. The two hand out
// the same bytes to the end of the block and no further, and none that are the same after
// Reseed.
func TestCopies(t *testing.T) {
	const used = 10
	for _, reseed := range []bool{false, true} {
		var b Block
		words(&b, used)
		c := b
		if reseed {
			Reseed()
		}
		same := 0
		ours, others := words(&b, 3*Size/8), words(&c, 3*Size/8)
		for same < len(ours) && ours[same] == others[same] {
			same++
		}
		want := Size/8 - used
		if reseed {
			want = 0
		}
		if same != want {
			t.Errorf("reseeded %v: the copies share %d words, want %d", reseed, same, want)
		}
		seen := make(map[uint64]bool)
		for _, w := range ours[same:] {
			seen[w] = true
		}
		for _, w := range others[same:] {
			if seen[w] {
				t.Errorf("reseeded %v: the copies share a word after that", reseed)
			}
		}
	}
}

// withoutStock has nothing be in stock until the end of the test.
func withoutStock(t *testing.T) {
	t.Helper()
	SetStockless()
	t.Cleanup(func() { stockless.Store(false) })
}

// TestStockless asks a block without stock for bytes in every form, and of every length. It reads what it hands out
// and no key, and has nothing left.
func TestStockless(t *testing.T) {
	withoutStock(t)
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
			if (n+2)%(Size/16) > 20 { // not beside a block, half of one, or nothing
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

// TestSetStockless shows that blocks hand out nothing that was there before.
func TestSetStockless(t *testing.T) {
	var b Block
	words(&b, 8)
	ahead := b
	next := words(&ahead, Size/8-8)
	withoutStock(t)
	if b.Ready() {
		t.Error("a block is ready")
	}
	c := b
	hi, _ := b.Uint128()
	for _, w := range []uint64{hi, words(&c, 1)[0]} {
		if slices.Contains(next, w) {
			t.Error("a block hands out what was there before")
		}
	}
	if b.left != 0 || c.left != 0 {
		t.Errorf("%d and %d bytes are left", b.left, c.left)
	}
}

// TestSetStocklessWithinFill has nothing be in stock from the middle of a fill on, as by a package whose init
// starts a goroutine that mints: what that gave serves the call, and no later one.
func TestSetStocklessWithinFill(t *testing.T) {
	system := rand.Reader
	defer func() { rand.Reader = system }()
	rand.Reader = readerFunc(func(p []byte) {
		if !Stockless() {
			withoutStock(t)
		}
		system.Read(p)
	})
	var b Block
	b.Uint128()
	if b.Ready() {
		t.Error("a block is ready")
	}
	if b.Uint128(); b.left != 0 {
		t.Errorf("%d bytes are left", b.left)
	}
}

// TestNoBlockTwice takes 128 bits at a time from many goroutines, while the garbage collector, which
// empties the pool of blocks, runs again and again, and Reseed is called. No 128 bits come twice: had
// two goroutines had one block, or one block two keys alike, they would. By chance, some two of
// 2^20 are equal in less than one of 2^88 runs.
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

// TestAllocs counts the allocations of words, and of as many that a block must be filled.
func TestAllocs(t *testing.T) {
	var b Block
	buf := make([]uint64, 16)
	for name, f := range map[string]func(){
		"Uint64":  func() { b.left = Size; b.born = epoch.Load(); b.Uint64() },
		"Uint128": func() { b.left = Size; b.born = epoch.Load(); b.Uint128() },
		"Words":   func() { b.left = Size; b.born = epoch.Load(); b.Words(buf) },
	} {
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
	most := 2.0 // the cipher and the stream of a new key
	if runtime.GOARCH == "s390x" || strings.Contains(runtime.Version(), "boringcrypto") {
		most = 3 // and the key schedule in an emulator that has no AES, or the counter of BoringCrypto
	}
	if n := testing.AllocsPerRun(100, func() { b.Fill() }); n > most {
		t.Errorf("a new block allocates %v times, want at most %v", n, most)
	}
	info, _ := debug.ReadBuildInfo()
	raced := slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
	if raced || fips140.Enabled() || strings.Contains(runtime.Version(), "boringcrypto") {
		return // to read allocates there
	}
	withoutStock(t)
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

// TestNext shows that Next gives the bytes that Words would, in pieces that end with the
// block, and leaves wiping to its caller.
func TestNext(t *testing.T) {
	const seed = 13
	seedRandom(t, seed)
	var a, b Block
	var want []byte
	for range 2 * Size / 8 {
		want = binary.LittleEndian.AppendUint64(want, words(&a, 1)[0])
	}
	seedRandom(t, seed)
	var got []byte
	for _, n := range []int{16, 1008, 16 * 1024, 32} {
		p := b.Next(n)
		if fits := min(n, Size-len(got)%Size); len(p) != fits {
			t.Errorf("asked for %d where %d are left, it gives %d", n, fits, len(p))
		}
		got = append(got, p...)
		clear(p)
	}
	if !bytes.Equal(got, want[:len(got)]) {
		t.Error("Next gives other bytes than Words")
	}
	words(&b, 1)
	at := len(got) + 8
	if p := b.Next(2 * Size); len(p) != (2*Size-at)&^15 || !bytes.Equal(p, want[at:at+len(p)]) {
		t.Errorf("with %d bytes left, it gives %d", 2*Size-at, len(p))
	}
	b.Next(16)
	Reseed()
	if b.Next(16); b.left != Size-16 {
		t.Error("Reseed does not reach it")
	}
}
