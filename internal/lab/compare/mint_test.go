package compare

// Benchmarks of calls that make IDs.

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	bwmarrin "github.com/bwmarrin/snowflake"
	gofrs "github.com/gofrs/uuid/v5"
	google "github.com/google/uuid"
	oklog "github.com/oklog/ulid/v2"
	"github.com/oneclock/ids"
	"github.com/oneclock/ids/internal/random"
	"github.com/rs/xid"
	"github.com/segmentio/ksuid"
	"github.com/sony/sonyflake/v2"
)

// The nodes of Snowflakes. The roomy layout has 41 bits of milliseconds, 1 bit of node and 21 bits
// of sequence, so no benchmark can fill it. The usual layouts hold 4,096 IDs in a millisecond in
// the first two libraries, and 256 in 10 ms in the last.
var (
	roomyOurs, roomyTheirs, roomySony = roomy()
	usualOurs                         = must(ids.NewSnowflakeNode(1, nil))
	usualTheirs                       = must(bwmarrin.NewNode(1))
	usualSony                         = must(sonyflake.New(sonyflake.Settings{MachineID: machine}))
)

// machine is the node number for Sonyflake, which would otherwise derive it from a network address.
func machine() (int, error) { return 1, nil }

func roomy() (*ids.SnowflakeNode, *bwmarrin.Node, *sonyflake.Sonyflake) {
	const nodeBits, sequenceBits = 1, 21
	layout := ids.TwitterLayout()
	layout.NodeBits, layout.SequenceBits = nodeBits, sequenceBits
	ours := must(ids.NewSnowflakeNode(1, &ids.SnowflakeOptions{Layout: layout}))

	// bwmarrin's layout is set by variables, which NewNode copies.
	defer func(node, step uint8) { bwmarrin.NodeBits, bwmarrin.StepBits = node, step }(bwmarrin.NodeBits, bwmarrin.StepBits)
	bwmarrin.NodeBits, bwmarrin.StepBits = nodeBits, sequenceBits
	theirs := must(bwmarrin.NewNode(1))

	sony := must(sonyflake.New(sonyflake.Settings{
		BitsSequence: sequenceBits, BitsMachineID: nodeBits, TimeUnit: time.Millisecond, MachineID: machine,
	}))
	return ours, theirs, sony
}

// oklogCrypto is like the reader of oklog's Make, but reads crypto/rand instead of math/rand.
var oklogCrypto = &oklog.LockedMonotonicReader{MonotonicReader: oklog.Monotonic(rand.Reader, 0)}

// own returns the entry of a generator with its own clock, as a worker may have one.
func own[T any](mint func(*ids.Generator) T) entry {
	return entry{"ids_own", func(*testing.B) call {
		g := ids.NewGenerator(&ids.GeneratorOptions{Clock: ids.NewClock(nil)})
		return returns[T](func() T { return mint(g) })
	}}
}

// pooled returns the entry of one of google's constructors while its pool of random bytes is on.
func pooled(mint func() (google.UUID, error)) entry {
	return entry{"google_pool", func(b *testing.B) call {
		google.EnableRandPool()
		b.Cleanup(google.DisableRandPool)
		return may[google.UUID](mint)
	}}
}

// injected uses a clock with an injected Now that reads the system's clock.
var injected = ids.NewGenerator(&ids.GeneratorOptions{Clock: ids.NewClock(&ids.ClockOptions{Now: time.Now})})

var version7 = group{"V7", []entry{
	one("ids", ids.NewV7), own((*ids.Generator).NewV7),
	either("google", google.NewV7), pooled(google.NewV7), either("gofrs", gofrs.NewV7),
}}

// minters make IDs from time or random bits.
var minters = []group{
	{"V1", []entry{
		one("ids", ids.NewV1), own((*ids.Generator).NewV1), either("google", google.NewUUID), either("gofrs", gofrs.NewV1),
	}},
	{"V6", []entry{
		one("ids", ids.NewV6), own((*ids.Generator).NewV6), either("google", google.NewV6), either("gofrs", gofrs.NewV6),
	}},
	version7,
	{"V7Injected", []entry{one("ids", injected.NewV7)}},
	// Locks no mutex of a clock.
	{"V7At", []entry{either("ids", func() (ids.UUID, error) { return ids.NewV7At(time.Now()) })}},
	{"V4", []entry{one("ids", ids.NewV4), either("google", google.NewRandom), pooled(google.NewRandom), either("gofrs", gofrs.NewV4)}},
	{"ULID", []entry{
		one("ids", ids.NewULID), own((*ids.Generator).NewULID), one("oklog", oklog.Make),
		either("oklog_crand", func() (oklog.ULID, error) { return oklog.New(oklog.Now(), oklogCrypto) }),
		one("xid", xid.New), one("ksuid", ksuid.New),
	}},
	{"Snowflake", []entry{
		one("ids", roomyOurs.Next), one("bwmarrin", roomyTheirs.Generate), either("sonyflake", roomySony.NextID),
	}},
	{"SnowflakeUsual", []entry{
		one("ids", usualOurs.Next), one("bwmarrin", usualTheirs.Generate), either("sonyflake", usualSony.NextID),
	}},
}

// sampleName is the name of versions 3 and 5.
const sampleName = "www.example.com"

// hashers make IDs from names.
var hashers = []group{
	{"V3", []entry{
		one("ids", func() ids.UUID { return ids.NewV3(ids.NamespaceDNS(), sampleName) }),
		one("google", func() google.UUID { return google.NewMD5(google.NameSpaceDNS, []byte(sampleName)) }),
		one("gofrs", func() gofrs.UUID { return gofrs.NewV3(gofrs.NamespaceDNS, sampleName) }),
	}},
	{"V5", []entry{
		one("ids", func() ids.UUID { return ids.NewV5(ids.NamespaceDNS(), sampleName) }),
		one("google", func() google.UUID { return google.NewSHA1(google.NameSpaceDNS, []byte(sampleName)) }),
		one("gofrs", func() gofrs.UUID { return gofrs.NewV5(gofrs.NamespaceDNS, sampleName) }),
	}},
}

// BenchmarkNew makes one ID at a time, on one goroutine.
func BenchmarkNew(b *testing.B) { runGroups(b, "New", append(minters, hashers...)) }

// These benchmarks make one ID at a time on the number of goroutines in their names, or on one for
// each processor if there are more processors.
func BenchmarkGoroutines2(b *testing.B)    { crowd(b, 2, 0, version7) }
func BenchmarkGoroutines64(b *testing.B)   { crowd(b, 64, 0, minters...) }
func BenchmarkGoroutines1024(b *testing.B) { crowd(b, 1024, 0, version7) }

// BenchmarkWorking8 makes one ID at a time on eight goroutines that work between two IDs.
func BenchmarkWorking8(b *testing.B) {
	crowd(b, 8, someWork, slices.DeleteFunc(slices.Clone(minters), func(g group) bool {
		return slices.Contains([]string{"V4", "V7At", "SnowflakeUsual"}, g.kind)
	})...)
}

func crowd(b *testing.B, goroutines, rounds int, groups ...group) {
	runCrowd(b, "New", groups, max(goroutines/runtime.GOMAXPROCS(0), 1), rounds)
}

// BenchmarkShortRun makes runs of a few IDs, which a loop could make, too.
func BenchmarkShortRun(b *testing.B) {
	var groups []group
	uuids := make([]ids.UUID, 0, 10)
	for _, n := range []int{1, 2, 3, 10} {
		groups = append(groups, group{fmt.Sprint(n), []entry{
			one("ids", func() []ids.UUID { return ids.AppendV7(uuids, n) }),
			one("loop", func() []ids.UUID {
				run := uuids
				for range n {
					run = append(run, ids.NewV7())
				}
				return run
			}),
		}})
	}
	runGroups(b, "ShortRun", groups)
}

// BenchmarkRun1000 makes runs of 1,000 IDs, which no other library offers.
func BenchmarkRun1000(b *testing.B) {
	uuids, ulids, flakes := make([]ids.UUID, 0, 1000), make([]ids.ULID, 0, 1000), make([]ids.Snowflake, 0, 1000)
	runGroups(b, "Run1000", []group{
		{"V7", []entry{one("ids", func() []ids.UUID { return ids.AppendV7(uuids, 1000) })}},
		{"V4", []entry{one("ids", func() []ids.UUID { return ids.AppendV4(uuids, 1000) })}},
		{"ULID", []entry{one("ids", func() []ids.ULID { return ids.AppendULID(ulids, 1000) })}},
		{"Snowflake", []entry{one("ids", func() []ids.Snowflake { return roomyOurs.Append(flakes, 1000) })}},
	})
}

// BenchmarkFloor measures the parts from which IDs are made.
func BenchmarkFloor(b *testing.B) {
	var mu sync.Mutex
	anchor := time.Now()
	short := make([]byte, 16)
	var block random.Block
	runGroups(b, "Floor", []group{{"any", []entry{
		one("time.Now", time.Now),
		one("work", func() uint64 { return work(1, someWork) }),
		one("mutex.Since", func() time.Duration { // the least that a guarded ID with a time costs
			mu.Lock()
			defer mu.Unlock()
			return time.Since(anchor)
		}),
		one("mutex.Since.UUID", func() (u ids.UUID) {
			stamp(&u, &mu, anchor)
			return u
		}),
		one("mutex.Since.UUID.random", func() (u ids.UUID) {
			stamp(&u, &mu, anchor)
			if !block.Ready() {
				block.Fill()
			}
			binary.BigEndian.PutUint64(u[8:], block.Uint64())
			return u
		}),
		either("rand.Read16", func() (int, error) { return rand.Read(short) }),
	}}})
}

// stamp writes the time since the anchor into u.
//
//go:noinline
func stamp(u *ids.UUID, mu *sync.Mutex, anchor time.Time) {
	mu.Lock()
	elapsed := uint64(time.Since(anchor))
	mu.Unlock()
	binary.BigEndian.PutUint64(u[:8], elapsed)
	binary.BigEndian.PutUint64(u[8:], elapsed)
}
