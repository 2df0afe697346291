package compare

import (
	"crypto/rand"
	"fmt"
	"time"

	bwmarrin "github.com/bwmarrin/snowflake"
	gofrs "github.com/gofrs/uuid/v5"
	google "github.com/google/uuid"
	oklog "github.com/oklog/ulid/v2"
	"github.com/oneclock/ids"
	"github.com/rs/xid"
	"github.com/segmentio/ksuid"
	"github.com/sony/sonyflake/v2"
)

// A Minter is a way to make one id. It is safe for concurrent use. Mint is called through a
// function value, which costs each library the same nanosecond or two.
type Minter struct {
	Kind    string // of id, such as "V7"
	Library string // a short name: see Names
	Mint    func()

	// Worker, if not nil, returns a Mint for one goroutine, in place of Mint.
	Worker func() (mint func())

	// Begin, if not nil, is called before Mint, and what it returns after the last call.
	Begin func() (end func())
}

// mint returns what a goroutine makes ids with.
func (m *Minter) mint() func() {
	if m.Worker != nil {
		return m.Worker()
	}
	return m.Mint
}

// own returns a generator with a clock of its own, as a worker may have one.
func own() *ids.Generator {
	return ids.NewGenerator(&ids.GeneratorOptions{Clock: ids.NewClock(nil)})
}

// Names says what the short names of libraries stand for.
var Names = map[string]string{
	"ids":         "**ids**",
	"ids_own":     "**ids**, a clock for each worker",
	"google":      "google/uuid",
	"google_pool": "google/uuid, pool on",
	"gofrs":       "gofrs/uuid",
	"std":         "Go's uuid",
	"oklog":       "oklog/ulid",
	"oklog_crand": "oklog/ulid on crypto/rand",
	"bwmarrin":    "bwmarrin/snowflake",
	"sonyflake":   "sony/sonyflake",
	"xid":         "rs/xid (ids of its own kind)",
	"ksuid":       "segmentio/ksuid (ids of its own kind)",
}

// The layouts in which Snowflakes are compared.
const (
	// roomySequenceBits and roomyNodeBits make a layout that no benchmark can fill: 41 bits of
	// milliseconds, 1 bit of node and 21 of sequence. All three libraries can be given it.
	roomySequenceBits = 21
	roomyNodeBits     = 1
)

// roomy returns nodes of the roomy layout, one of each library.
func roomy() (*ids.SnowflakeNode, *bwmarrin.Node, *sonyflake.Sonyflake) {
	layout := ids.TwitterLayout()
	layout.NodeBits, layout.SequenceBits = roomyNodeBits, roomySequenceBits
	ours := must(ids.NewSnowflakeNode(1, &ids.SnowflakeOptions{Layout: layout}))

	// This one is told its layout by variables, which NewNode copies.
	defer func(node, step uint8) { bwmarrin.NodeBits, bwmarrin.StepBits = node, step }(bwmarrin.NodeBits, bwmarrin.StepBits)
	bwmarrin.NodeBits, bwmarrin.StepBits = roomyNodeBits, roomySequenceBits
	theirs := must(bwmarrin.NewNode(1))

	sony := must(sonyflake.New(sonyflake.Settings{
		BitsSequence: roomySequenceBits, BitsMachineID: roomyNodeBits, TimeUnit: time.Millisecond, MachineID: machine,
	}))
	return ours, theirs, sony
}

// usual returns nodes of the layout that each library has by default: 4,096 ids in a
// millisecond for the first two, 256 in 10 ms for the last.
func usual() (*ids.SnowflakeNode, *bwmarrin.Node, *sonyflake.Sonyflake) {
	return must(ids.NewSnowflakeNode(1, nil)), must(bwmarrin.NewNode(1)), must(sonyflake.New(sonyflake.Settings{MachineID: machine}))
}

// machine is the node number that is given to Sonyflake, which would take it from a network
// address.
func machine() (int, error) { return 1, nil }

// oklogCrypto is what oklog's Make reads, on crypto/rand instead of math/rand.
var oklogCrypto = &oklog.LockedMonotonicReader{MonotonicReader: oklog.Monotonic(rand.Reader, 0)}

// pool turns google's pool of random bytes on, and returns what turns it off.
func pool() (end func()) {
	google.EnableRandPool()
	return google.DisableRandPool
}

// std are the minters of Go's own package, where there is one.
var std []Minter

// Minters returns all minters of ids that are made from time or random bits, by kind.
func Minters() []Minter {
	ours, theirs, sony := roomy()
	oursUsual, theirsUsual, sonyUsual := usual()
	all := []Minter{
		{Kind: "V1", Library: "ids", Mint: func() { ids.NewV1() }},
		{Kind: "V1", Library: "ids_own", Worker: func() func() { g := own(); return func() { g.NewV1() } }},
		{Kind: "V1", Library: "google", Mint: func() { google.NewUUID() }},
		{Kind: "V1", Library: "gofrs", Mint: func() { gofrs.NewV1() }},

		{Kind: "V4", Library: "ids", Mint: func() { ids.NewV4() }},
		{Kind: "V4", Library: "google", Mint: func() { google.NewRandom() }},
		{Kind: "V4", Library: "google_pool", Mint: func() { google.NewRandom() }, Begin: pool},
		{Kind: "V4", Library: "gofrs", Mint: func() { gofrs.NewV4() }},

		{Kind: "V6", Library: "ids", Mint: func() { ids.NewV6() }},
		{Kind: "V6", Library: "ids_own", Worker: func() func() { g := own(); return func() { g.NewV6() } }},
		{Kind: "V6", Library: "google", Mint: func() { google.NewV6() }},
		{Kind: "V6", Library: "gofrs", Mint: func() { gofrs.NewV6() }},

		{Kind: "V7", Library: "ids", Mint: func() { ids.NewV7() }},
		{Kind: "V7", Library: "ids_own", Worker: func() func() { g := own(); return func() { g.NewV7() } }},
		{Kind: "V7", Library: "google", Mint: func() { google.NewV7() }},
		{Kind: "V7", Library: "google_pool", Mint: func() { google.NewV7() }, Begin: pool},
		{Kind: "V7", Library: "gofrs", Mint: func() { gofrs.NewV7() }},

		{Kind: "ULID", Library: "ids", Mint: func() { ids.NewULID() }},
		{Kind: "ULID", Library: "ids_own", Worker: func() func() { g := own(); return func() { g.NewULID() } }},
		{Kind: "ULID", Library: "oklog", Mint: func() { oklog.Make() }},
		{Kind: "ULID", Library: "oklog_crand", Mint: func() { oklog.MustNew(oklog.Now(), oklogCrypto) }},
		{Kind: "ULID", Library: "xid", Mint: func() { xid.New() }},
		{Kind: "ULID", Library: "ksuid", Mint: func() { ksuid.New() }},

		{Kind: "Snowflake", Library: "ids", Mint: func() { ours.Next() }},
		{Kind: "Snowflake", Library: "bwmarrin", Mint: func() { theirs.Generate() }},
		{Kind: "Snowflake", Library: "sonyflake", Mint: func() { sony.NextID() }},

		{Kind: "SnowflakeUsual", Library: "ids", Mint: func() { oursUsual.Next() }},
		{Kind: "SnowflakeUsual", Library: "bwmarrin", Mint: func() { theirsUsual.Generate() }},
		{Kind: "SnowflakeUsual", Library: "sonyflake", Mint: func() { sonyUsual.NextID() }},
	}
	return append(all, std...)
}

// must returns v, and panics if err says that a library refused constants.
func must[T any](v T, err error) T {
	if err != nil {
		panic(fmt.Sprintf("compare: setting up a %T: %v", v, err))
	}
	return v
}
