package faults

import (
	"encoding/binary"
	"net"
	"time"

	bwmarrin "github.com/bwmarrin/snowflake"
	gofrs "github.com/gofrs/uuid/v5"
	google "github.com/google/uuid"
	oklog "github.com/oklog/ulid/v2"
	"github.com/oneclock/ids"
	"github.com/sony/sonyflake/v2"
)

// An id is an id of any kind, as bytes that sort as it does.
type id [16]byte

// A kind is a way to mint ids.
type kind struct {
	name  string
	sorts bool                // ids are meant to sort in the order in which they were minted
	tick  time.Duration       // the unit of the embedded time
	time  func(id) time.Time  // the embedded time
	start func(life) *process // begins a life
}

// A life is what a process begins with. All lives have the same node.
type life struct {
	now   func() time.Time // replaces the clock, if not nil and if the library can be given one
	saved any              // what the life before saved, or nil
}

// A process mints ids, until it ends and another begins.
type process struct {
	mint func() id
	save func() any // nil: there is nothing to save
}

// A library is a column of the table.
type library struct {
	module string // the end of its module path
	kinds  []kind

	monotonic bool // once begun it reads no wall clock
	sleeps    bool // it sleeps with its mutex held, and so moves a bubble's clock, whatever is told to it
	saves     bool // there is a state to save that outlives the process
}

func (l library) readsWallClock() bool { return !l.monotonic }
func (l library) toleratesStill() bool { return !l.sleeps }
func (l library) savesState() bool     { return l.saves }

// epoch is that of Snowflakes. It is before the time at which bubbles begin, which is 2000-01-01.
var epoch = time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC)

// node is that of versions 1 and 6; Snowflakes have the number 1.
var node = [6]byte{2, 0, 0, 0, 0, 1}

var (
	usualLayout = ids.SnowflakeLayout{Epoch: epoch, Tick: time.Millisecond, NodeBits: 10, SequenceBits: 12}
	sonyLayout  = ids.SnowflakeLayout{Epoch: epoch, Tick: 10 * time.Millisecond, NodeBits: 16, SequenceBits: 8, NodeLast: true}
)

// libraries are the columns of the table.
var libraries = []*library{
	{
		module: "oneclock/ids", saves: true,
		kinds: []kind{
			uuidKind("V1", ours((*ids.Generator).NewV1)),
			uuidKind("V6", ours((*ids.Generator).NewV6)),
			uuidKind("V7", ours((*ids.Generator).NewV7)),
			ulidKind(ours((*ids.Generator).NewULID)),
			snowflakeKind(usualLayout, oursSnowflake),
		},
	},
	{
		module: "google/uuid", saves: true,
		kinds: []kind{uuidKind("V1", googles(google.NewUUID)), uuidKind("V6", googles(google.NewV6)), uuidKind("V7", googles(google.NewV7))},
	},
	{
		module: "gofrs/uuid/v5",
		kinds: []kind{
			uuidKind("V1", gofrss((*gofrs.Gen).NewV1)), uuidKind("V6", gofrss((*gofrs.Gen).NewV6)), uuidKind("V7", gofrss((*gofrs.Gen).NewV7)),
		},
	},
	{
		module: "oklog/ulid/v2",
		kinds:  []kind{ulidKind(oklogs)},
	},
	{
		module: "bwmarrin/snowflake", monotonic: true,
		kinds: []kind{snowflakeKind(usualLayout, bwmarrins)},
	},
	{
		module: "sony/sonyflake/v2", sleeps: true,
		kinds: []kind{snowflakeKind(sonyLayout, sonyflakes)},
	},
}

// uuidKind is a version of UUID that has a time.
func uuidKind(name string, start func(life) *process) kind {
	k := kind{name, name != "V1", 100 * time.Nanosecond, func(v id) time.Time { t, _ := ids.UUID(v).Time(); return t }, start}
	if name == "V7" {
		k.tick = time.Millisecond
	}
	return k
}

// ulidKind is ULID.
func ulidKind(start func(life) *process) kind {
	return kind{"ULID", true, time.Millisecond, func(v id) time.Time { return ids.ULID(v).Time() }, start}
}

// snowflakeKind is a Snowflake of a layout.
func snowflakeKind(layout ids.SnowflakeLayout, start func(life) *process) kind {
	return kind{"Snowflake", true, layout.Tick, func(v id) time.Time {
		return layout.Split(ids.Snowflake(binary.BigEndian.Uint64(v[:8]))).Time
	}, start}
}

// snowflakeID returns the id of a Snowflake.
func snowflakeID(v int64) (b id) {
	binary.BigEndian.PutUint64(b[:8], uint64(v))
	return b
}

// clock returns a clock of this library.
func clock(l life) *ids.Clock {
	opts := &ids.ClockOptions{Now: l.now}
	if l.now == nil {
		opts.Now = time.Now // with no anchor between it and the bubble's
	}
	if l.saved != nil {
		opts.After = l.saved.(time.Time)
	}
	return ids.NewClock(opts)
}

// ours mints by a method of this library's generator.
func ours[T ~[16]byte](mint func(*ids.Generator) T) func(life) *process {
	return func(l life) *process {
		c := clock(l)
		g := ids.NewGenerator(&ids.GeneratorOptions{Clock: c, NodeID: node})
		return &process{func() id { return id(mint(g)) }, func() any { return c.Latest() }}
	}
}

func oursSnowflake(l life) *process {
	c := clock(l)
	n := must(ids.NewSnowflakeNode(1, &ids.SnowflakeOptions{Layout: usualLayout, Clock: c}))
	return &process{func() id { return snowflakeID(int64(n.Next())) }, func() any { return c.Latest() }}
}

// googles mints by a function of google/uuid. What its process would have to save is the clock
// sequence; it takes the next one.
func googles(mint func() (google.UUID, error)) func(life) *process {
	return func(l life) *process {
		google.SetNodeID(node[:])
		if google.SetClockSequence(-1); l.saved != nil {
			google.SetClockSequence(l.saved.(int) + 1)
		}
		return &process{func() id { return id(must(mint())) }, func() any { return google.ClockSequence() }}
	}
}

func gofrss(mint func(*gofrs.Gen) (gofrs.UUID, error)) func(life) *process {
	return func(l life) *process {
		g := gofrs.NewGenWithOptions(gofrs.WithEpochFunc(l.now), gofrs.WithHWAddrFunc(func() (net.HardwareAddr, error) { return node[:], nil }))
		return &process{func() id { return id(must(mint(g))) }, nil}
	}
}

func oklogs(l life) *process {
	if l.now == nil {
		return &process{func() id { return id(oklog.Make()) }, nil}
	}
	return &process{func() id { return id(oklog.MustNewDefault(l.now())) }, nil}
}

func bwmarrins(life) *process {
	bwmarrin.Epoch = epoch.UnixMilli()
	n := must(bwmarrin.NewNode(1))
	return &process{func() id { return snowflakeID(int64(n.Generate())) }, nil}
}

func sonyflakes(life) *process {
	n := must(sonyflake.New(sonyflake.Settings{StartTime: epoch, MachineID: func() (int, error) { return 1, nil }}))
	return &process{func() id { return snowflakeID(must(n.NextID())) }, nil}
}

// must returns v, and panics if err says that a library failed where no fault was injected.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
