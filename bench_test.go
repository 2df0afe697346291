package ids_test

import (
	"crypto/md5"
	"crypto/rand"
	"crypto/sha1"
	"encoding/hex"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/oneclock/ids"
)

// The results of benchmarks go here, so that no call is optimized away.
var (
	sinkUUID      ids.UUID
	sinkULID      ids.ULID
	sinkSnowflake ids.Snowflake
	sinkString    string
	sinkError     error
	sinkTime      time.Time
	sinkDuration  time.Duration
	sinkSHA1      [sha1.Size]byte
	sinkMD5       [md5.Size]byte
)

// BenchmarkFloor measures what ids are made of: no id that tells the time can cost less than a reading of the clock.
func BenchmarkFloor(b *testing.B) {
	b.Run("time.Now", func(b *testing.B) {
		for b.Loop() {
			sinkTime = time.Now()
		}
	})
	b.Run("time.Since", func(b *testing.B) {
		anchor := time.Now()
		for b.Loop() {
			sinkDuration = time.Since(anchor)
		}
	})
	b.Run("Mutex", func(b *testing.B) {
		var mu sync.Mutex
		for b.Loop() {
			mu.Lock()
			mu.Unlock()
		}
	})
	b.Run("rand.Read16", func(b *testing.B) {
		var buf [16]byte
		for b.Loop() {
			rand.Read(buf[:])
		}
	})
	b.Run("sha1.Sum", func(b *testing.B) {
		name := append(ids.NamespaceDNS[:], "www.example.com"...)
		for b.Loop() {
			sinkSHA1 = sha1.Sum(name)
		}
	})
	b.Run("md5.Sum", func(b *testing.B) {
		name := append(ids.NamespaceDNS[:], "www.example.com"...)
		for b.Loop() {
			sinkMD5 = md5.Sum(name)
		}
	})
	b.Run("hex.Encode5", func(b *testing.B) {
		u, buf := ids.NewV4(), make([]byte, 36)
		for b.Loop() {
			hex.Encode(buf[0:], u[0:4])
			hex.Encode(buf[9:], u[4:6])
			hex.Encode(buf[14:], u[6:8])
			hex.Encode(buf[19:], u[8:10])
			hex.Encode(buf[24:], u[10:16])
		}
	})
	b.Run("strconv.AppendInt", func(b *testing.B) {
		s := int64(ids.NextSnowflake())
		for b.Loop() {
			var buf [20]byte
			sinkString = string(strconv.AppendInt(buf[:0], s, 10))
		}
	})
}

// wideNode has 18 bits of sequence a tick, so that minting never has to wait.
func wideNode(b *testing.B) *ids.SnowflakeNode {
	n, err := ids.NewSnowflakeNode(1, &ids.SnowflakeOptions{Layout: ids.SnowflakeLayout{
		Epoch: time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC), Tick: time.Millisecond, NodeBits: 4, SequenceBits: 18,
	}})
	if err != nil {
		b.Fatal(err)
	}
	return n
}

// mint are the constructors of one id.
var mint = []struct {
	name string
	new  func()
}{
	{"V1", func() { sinkUUID = ids.NewV1() }},
	{"V2", func() { sinkUUID = ids.NewV2(ids.DomainPerson, 1000) }},
	{"V3", func() { sinkUUID = ids.NewV3(ids.NamespaceDNS, "www.example.com") }},
	{"V4", func() { sinkUUID = ids.NewV4() }},
	{"V5", func() { sinkUUID = ids.NewV5(ids.NamespaceDNS, "www.example.com") }},
	{"V6", func() { sinkUUID = ids.NewV6() }},
	{"V7", func() { sinkUUID = ids.NewV7() }},
	{"V8", func() { sinkUUID = ids.NewV8([16]byte(sinkUUID)) }},
	{"V7At", func() { sinkUUID, sinkError = ids.NewV7At(sinkTime) }},
	{"ULID", func() { sinkULID = ids.NewULID() }},
}

func BenchmarkNew(b *testing.B) {
	sinkTime = time.Now()
	for _, m := range mint {
		b.Run(m.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				m.new()
			}
		})
	}
	b.Run("Snowflake", func(b *testing.B) {
		b.ReportAllocs()
		n := wideNode(b)
		for b.Loop() {
			sinkSnowflake = n.Next()
		}
	})
}

func BenchmarkNewParallel(b *testing.B) {
	n := wideNode(b)
	for _, m := range []struct {
		name string
		new  func()
	}{
		{"V1", func() { ids.NewV1() }},
		{"V4", func() { ids.NewV4() }},
		{"V6", func() { ids.NewV6() }},
		{"V7", func() { ids.NewV7() }},
		{"ULID", func() { ids.NewULID() }},
		{"Snowflake", func() { n.Next() }},
	} {
		b.Run(m.name, func(b *testing.B) {
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					m.new()
				}
			})
		})
	}
}

// BenchmarkAppend mints runs of 1,000 ids; ns/id is what one of them costs.
func BenchmarkAppend(b *testing.B) {
	const n = 1000
	perID := func(b *testing.B) {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/id")
	}
	uuids, ulids, snowflakes := make([]ids.UUID, 0, n), make([]ids.ULID, 0, n), make([]ids.Snowflake, 0, n)
	node := wideNode(b)
	for _, m := range []struct {
		name string
		run  func()
	}{
		{"V4", func() { ids.AppendV4(uuids, n) }},
		{"V7", func() { ids.AppendV7(uuids, n) }},
		{"ULID", func() { ids.AppendULID(ulids, n) }},
		{"Snowflake", func() { node.Append(snowflakes, n) }},
	} {
		b.Run(m.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				m.run()
			}
			perID(b)
		})
	}
}

func BenchmarkText(b *testing.B) {
	u, l, s := ids.NewV7(), ids.NewULID(), ids.NextSnowflake()
	buf := make([]byte, 0, 64)
	for _, m := range []struct {
		name string
		run  func()
	}{
		{"UUID/String", func() { sinkString = u.String() }},
		{"UUID/AppendText", func() { u.AppendText(buf) }},
		{"UUID/Base58", func() { sinkString = u.Base58() }},
		{"ULID/String", func() { sinkString = l.String() }},
		{"ULID/AppendText", func() { l.AppendText(buf) }},
		{"Snowflake/String", func() { sinkString = s.String() }},
		{"Snowflake/AppendText", func() { s.AppendText(buf) }},
		{"Snowflake/Base32", func() { sinkString = s.Base32() }},
		{"Snowflake/Base58", func() { sinkString = s.Base58() }},
	} {
		b.Run(m.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				m.run()
			}
		})
	}
}

func BenchmarkParse(b *testing.B) {
	u, l, s := ids.NewV7(), ids.NewULID(), ids.NextSnowflake()
	ut, lt, st := u.String(), l.String(), s.String()
	u58, s58, s32 := u.Base58(), s.Base58(), s.Base32()
	for _, m := range []struct {
		name string
		run  func()
	}{
		{"UUID", func() { sinkUUID, sinkError = ids.ParseUUID(ut) }},
		{"UUID/bad", func() { sinkUUID, sinkError = ids.ParseUUID("00000000-0000-0000-0000-00000000000x") }},
		{"UUID/Base58", func() { sinkUUID, sinkError = ids.ParseUUIDBase58(u58) }},
		{"ULID", func() { sinkULID, sinkError = ids.ParseULID(lt) }},
		{"ULID/bad", func() { sinkULID, sinkError = ids.ParseULID("0000000000000000000000000U") }},
		{"Snowflake", func() { sinkSnowflake, sinkError = ids.ParseSnowflake(st) }},
		{"Snowflake/bad", func() { sinkSnowflake, sinkError = ids.ParseSnowflake("123x") }},
		{"Snowflake/Base32", func() { sinkSnowflake, sinkError = ids.ParseSnowflakeBase32(s32) }},
		{"Snowflake/Base58", func() { sinkSnowflake, sinkError = ids.ParseSnowflakeBase58(s58) }},
	} {
		b.Run(m.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				m.run()
			}
		})
	}
}
