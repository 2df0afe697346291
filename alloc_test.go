package ids_test

// Allocations.

import (
	"context"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/snowflake"
	"github.com/oneclock/ids/ulid"
	"github.com/oneclock/ids/uuid"
)

// These variables make results escape, so that they are allocated as a caller's results would be.
var (
	sinkString string
	sinkBytes  []byte
)

// skipUnder skips a test that counts allocations if it was built with the flag. why is the reason.
func skipUnder(t *testing.T, flag, why string) {
	t.Helper()
	info, _ := debug.ReadBuildInfo()
	if slices.Contains(info.Settings, debug.BuildSetting{Key: flag, Value: "true"}) {
		t.Skip(why)
	}
}

// raceAllocs is the reason to count no allocations under the race detector.
const raceAllocs = "the race detector drops pooled objects, which are then allocated anew"

// costs is a table of the allocations that calls may cost.
type costs []struct {
	name string
	want float64
	run  func()
}

// check counts the allocations. Random bytes that are generated in advance cost two small
// allocations for each 4 KiB, and up to six where crypto/aes runs without the processor's
// instructions. On average, 20 IDs thus cost a fraction of an allocation, which counts as none.
func (c costs) check(t *testing.T) {
	t.Helper()
	for _, test := range c {
		if got := testing.AllocsPerRun(200, test.run); got != test.want {
			t.Errorf("%s: %v allocations, want %v", test.name, got, test.want)
		}
	}
}

// TestAllocs counts the allocations of every function that mints.
func TestAllocs(t *testing.T) {
	skipUnder(t, "-race", raceAllocs)
	t.Setenv("IDS_SNOWFLAKE_NODE", "random") // logs nothing
	var (
		u          = ids.NewV7()
		uuids      = make([]ids.UUID, 0, 100)
		ulids      = make([]ids.ULID, 0, 100)
		snowflakes = make([]ids.Snowflake, 0, 100)
		now        = time.Now()
		// The longest name that NewV3 and NewV5 do not copy to the heap.
		longName = strings.Repeat("x", 112)
		ctx      = context.Background()
	)
	node := newNode(t, 1, nil)
	back, clock, limit, _, ahead := newLimitedAt(t, now, time.Time{})
	ahead.Next()
	back.step(-time.Hour)
	g := ids.NewGenerator(&ids.GeneratorOptions{Clock: clock, Random: repeated(0x55)})
	_, _, _, _, early := newWithheldAt(t, now, time.Time{})
	_, _, withheldLimit, _, withheld := newLimitedAt(t, now, time.Time{})
	withheldLimit.Set(now.Add(-time.Hour), errFull)
	_, _, endedLimit, _, ended := newLimitedAt(t, now, time.Time{})
	endedLimit.EndAt(now.Add(-time.Hour), errLost)
	costs{
		{"NewV1", 0, func() { uuid.NewV1() }},
		{"NewV2", 0, func() { uuid.NewV2(uuid.DomainPerson, 1) }},
		{"NewV3", 0, func() { uuid.NewV3(uuid.NamespaceDNS(), longName) }},
		{"NewV4", 0, func() { uuid.NewV4() }},
		{"NewV5", 0, func() { uuid.NewV5(uuid.NamespaceDNS(), longName) }},
		{"NewV6", 0, func() { uuid.NewV6() }},
		{"NewV7", 0, func() { uuid.NewV7() }},
		{"NewV8", 0, func() { uuid.NewV8(u) }},
		{"NewV1At", 0, func() { uuid.NewV1At(now) }},
		{"NewV6At", 0, func() { uuid.NewV6At(now) }},
		{"NewV7At", 0, func() { uuid.NewV7At(now) }},
		{"NewV7At of a bad time", 0, func() { uuid.NewV7At(time.Time{}) }},
		{"MinV7At", 0, func() { uuid.MinV7At(now) }},
		{"MaxV7At", 0, func() { uuid.MaxV7At(now) }},
		{"MinV6At", 0, func() { ids.MinV6At(now) }},
		{"MaxV6At", 0, func() { ids.MaxV6At(now) }},
		{"ulid.Make", 0, func() { ulid.Make() }},
		{"ulid.MakeAt", 0, func() { ulid.MakeAt(now) }},
		{"snowflake.Next", 0, func() { snowflake.Next() }},
		{"Node.Next", 0, func() { node.Next() }},
		{"Node.NextContext", 0, func() { node.NextContext(ctx) }},
		{"Node.TryNext", 0, func() { node.TryNext() }},
		{"Node.TryNext, refused", 0, func() { ahead.TryNext() }},
		{"Node.TryNext before the first limit", 0, func() { early.TryNext() }},
		{"Node.TryNext, withheld for a cause", 0, func() { withheld.TryNext() }},
		{"Node.TryNext, ended for a cause", 0, func() { ended.TryNext() }},
		{"AppendV4", 0, func() { ids.AppendV4(uuids, 20) }},
		{"AppendV7", 0, func() { ids.AppendV7(uuids, 20) }},
		{"AppendULID", 0, func() { ids.AppendULID(ulids, 20) }},
		{"with an injected clock and reader: NewV1", 0, func() { g.NewV1() }},
		{"with an injected clock and reader: NewV4", 0, func() { g.NewV4() }},
		{"with an injected clock and reader: NewV6", 0, func() { g.NewV6() }},
		{"with an injected clock and reader: NewV7", 0, func() { g.NewV7() }},
		{"with an injected clock and reader: NewULID", 0, func() { g.NewULID() }},
		{"with an injected clock and reader: AppendV7", 0, func() { g.AppendV7(uuids, 100) }},
		{"with an injected clock and reader: AppendULID", 0, func() { g.AppendULID(ulids, 100) }},
		{"Clock.Latest", 0, func() { clock.Latest() }},
		{"Clock.Ahead", 0, func() { clock.Ahead() }},
		{"ClockLimit.NextHorizon", 0, func() { limit.NextHorizon(time.Minute) }},
		{"ClockLimit.Set", 0, func() { limit.Set(now.Add(time.Hour), nil) }},
		{"Node.Append", 0, func() { node.Append(snowflakes, 100) }},
	}.check(t)
}

// TestReadAllocs counts the allocations of functions that read IDs, from valid and invalid input.
func TestReadAllocs(t *testing.T) {
	skipUnder(t, "-race", raceAllocs)
	t.Setenv("IDS_SNOWFLAKE_NODE", "random") // logs nothing
	var (
		u, l, s    = ids.NewV7(), ids.NewULID(), ids.NextSnowflake()
		ut, lt, st = u.String(), l.String(), s.String()
		u58, l58   = u.Base58(), l.Base58()
		s32        = s.Base32()
		ub, lb, sb = []byte(ut), []byte(lt), []byte(st)
		null       ids.Null[ids.UUID]
		own        ids.Null[ownBinary]
		tenMB      = strings.Repeat("1", 10_000_000)
		tenMBText  = []byte(tenMB)
		tenMBJSON  = []byte(`"` + tenMB + `"`)
		escapes    = []byte(`"` + strings.Repeat(`\u0031`, 1_600_000) + `"`)

		negative, tenMBColumn any = int64(-5), tenMB
	)
	costs{
		{"ParseUUID", 0, func() { ids.ParseUUID(ut) }},
		{"MustParseUUID", 0, func() { uuid.MustParse(ut) }},
		{"ParseUUID of 10 MB", 0, func() { ids.ParseUUID(tenMB) }},
		{"ParseUUID of a bad digit", 0, func() { ids.ParseUUID("00000000-0000-0000-0000-00000000000x") }},
		{"ParseUUIDBase58", 0, func() { ids.ParseUUIDBase58(u58) }},
		{"ParseULID", 0, func() { ids.ParseULID(lt) }},
		{"ParseULID of a bad digit", 0, func() { ids.ParseULID("0000000000000000000000000U") }},
		{"ParseULIDBase58", 0, func() { ids.ParseULIDBase58(l58) }},
		{"UUIDFromBytes of 36", 0, func() { ids.UUIDFromBytes(ub) }},
		{"ULIDFromBytes of 26", 0, func() { ids.ULIDFromBytes(lb) }},
		{"ParseSnowflake", 0, func() { ids.ParseSnowflake(st) }},
		{"ParseSnowflake of a bad digit", 0, func() { ids.ParseSnowflake("12x") }},
		{"ParseSnowflakeBase32", 0, func() { ids.ParseSnowflakeBase32(s32) }},
		{"UUID.UnmarshalText", 0, func() { u.UnmarshalText(ub) }},
		{"ULID.UnmarshalText", 0, func() { l.UnmarshalText(lb) }},
		{"Snowflake.UnmarshalText", 0, func() { s.UnmarshalText(sb) }},
		{"Snowflake.UnmarshalJSON", 0, func() { s.UnmarshalJSON(sb) }},
		{"Null[UUID].UnmarshalJSON of 10 MB", 0, func() { null.UnmarshalJSON(tenMBJSON) }},
		{"Null[UUID].UnmarshalJSON of 10 MB of escapes", 0, func() { null.UnmarshalJSON(escapes) }},
		{"Null[UUID].Scan of 10 MB", 0, func() { null.Scan(tenMBColumn) }},
		{"ParseULID of 10 MB", 0, func() { ids.ParseULID(tenMB) }},
		{"ParseSnowflake of 10 MB", 0, func() { ids.ParseSnowflake(tenMB) }},
		{"ULID.UnmarshalBinary of 10 MB", 0, func() { l.UnmarshalBinary(tenMBText) }},
		{"Snowflake.UnmarshalText of 10 MB", 0, func() { s.UnmarshalText(tenMBText) }},
		{"Snowflake.UnmarshalJSON of 10 MB", 0, func() { s.UnmarshalJSON(tenMBJSON) }},
		{"Snowflake.UnmarshalJSON of 10 MB of escapes", 0, func() { s.UnmarshalJSON(escapes) }},
		{"Null of an own type.UnmarshalJSON of 10 MB", 0, func() { own.UnmarshalJSON(tenMBJSON) }},
		{"Scan of a bad number", 0, func() { s.Scan(negative) }},
	}.check(t)
}

// TestWriteAllocs counts the allocations of functions that write IDs or return their fields.
func TestWriteAllocs(t *testing.T) {
	skipUnder(t, "-race", raceAllocs)
	t.Setenv("IDS_SNOWFLAKE_NODE", "random") // logs nothing
	var (
		u, l, s = ids.NewV7(), ids.NewULID(), ids.NextSnowflake()
		text    = make([]byte, 0, 64)
		now     = time.Now()
		layout  = ids.SonyflakeLayout()
	)
	costs{
		{"UUID.String", 1, func() { sinkString = u.String() }},
		{"UUID.URN", 1, func() { sinkString = u.URN() }},
		{"UUID.Base58", 1, func() { sinkString = u.Base58() }},
		{"ULID.String", 1, func() { sinkString = l.String() }},
		{"ULID.Base58", 1, func() { sinkString = l.Base58() }},
		{"Snowflake.String", 1, func() { sinkString = s.String() }},
		{"Snowflake.Base32", 1, func() { sinkString = s.Base32() }},
		{"UUID.MarshalText", 1, func() { sinkBytes, _ = u.MarshalText() }},
		{"ULID.MarshalText", 1, func() { sinkBytes, _ = l.MarshalText() }},
		{"Snowflake.MarshalText", 1, func() { sinkBytes, _ = s.MarshalText() }},
		{"UUID.MarshalBinary", 1, func() { sinkBytes, _ = u.MarshalBinary() }},
		{"ULID.MarshalBinary", 1, func() { sinkBytes, _ = l.MarshalBinary() }},
		{"Snowflake.MarshalBinary", 1, func() { sinkBytes, _ = s.MarshalBinary() }},
		{"Snowflake.MarshalJSON", 1, func() { sinkBytes, _ = s.MarshalJSON() }},
		{"Binary.MarshalText", 1, func() { sinkBytes, _ = ids.Binary[ids.UUID]{ID: u}.MarshalText() }},
		{"Null[UUID].MarshalJSON", 2, func() { sinkBytes, _ = ids.Null[ids.UUID]{ID: u, Valid: true}.MarshalJSON() }},
		{"Null[ULID].MarshalJSON", 2, func() { sinkBytes, _ = ids.Null[ids.ULID]{ID: l, Valid: true}.MarshalJSON() }},
		{"Null[Binary[UUID]].MarshalJSON", 2, func() { sinkBytes, _ = ids.Null[ids.Binary[ids.UUID]]{ID: u.Binary(), Valid: true}.MarshalJSON() }},
		{"Null[Binary[ULID]].MarshalJSON", 2, func() { sinkBytes, _ = ids.Null[ids.Binary[ids.ULID]]{ID: l.Binary(), Valid: true}.MarshalJSON() }},
		{"Binary.String", 2, func() { sinkString = ids.Binary[ids.UUID]{ID: u}.String() }},
		{"UUID.AppendText", 0, func() { u.AppendText(text) }},
		{"ULID.AppendText", 0, func() { l.AppendText(text) }},
		{"Snowflake.AppendText", 0, func() { s.AppendText(text) }},
		{"UUID.AppendBinary", 0, func() { u.AppendBinary(text) }},
		{"UUID.Time", 0, func() { u.Time() }},
		{"UUID.ToV6", 0, func() { u.ToV6() }},
		{"ULID.Increment", 0, func() { l.Increment() }},
		{"Layout.Split", 0, func() { layout.Split(s) }},
		{"Layout.MinAt", 0, func() { layout.MinAt(now) }},
	}.check(t)
}
