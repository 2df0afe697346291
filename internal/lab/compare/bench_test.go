package compare

import (
	"crypto/md5"
	"crypto/rand"
	"crypto/sha1"
	"encoding/hex"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/oneclock/ids"
)

// A group holds the benchmarks of one kind of id, which run one after the other so that
// their ratios suffer least from a machine whose speed drifts.
type group struct {
	kind    string
	entries []entry
}

// An entry is the benchmark of one library, or of a floor. It holds its own loop, so that no
// call through a function value is measured with it. What is called in a loop of b.Loop is kept
// alive, results and all.
type entry struct {
	library string
	run     func(b *testing.B)
}

// stdEntries are the benchmarks of Go's own package, where there is one, by "<Operation>/<kind>".
var stdEntries = map[string]entry{}

// runGroups runs the benchmarks of an operation.
func runGroups(b *testing.B, operation string, groups []group) {
	for _, g := range groups {
		entries := g.entries
		if e, ok := stdEntries[operation+"/"+g.kind]; ok {
			entries = append(slices.Clip(entries), e)
		}
		b.Run(g.kind, func(b *testing.B) {
			for _, e := range entries {
				b.Run(e.library, func(b *testing.B) {
					b.ReportAllocs()
					e.run(b)
				})
			}
		})
	}
}

// What a call allocates is stored here, so that it cannot be kept on the stack.
var (
	sink      string
	sinkBytes []byte
)

// Floors that stand next to the libraries that are measured against them.
var (
	timeNow = entry{"time.Now", func(b *testing.B) {
		for b.Loop() {
			time.Now()
		}
	}}
	// sinceInMutex is what an id must cost at least that is guarded and tells the time.
	sinceInMutex = entry{"mutex.Since", func(b *testing.B) {
		var mu sync.Mutex
		anchor := time.Now()
		for b.Loop() {
			mu.Lock()
			time.Since(anchor)
			mu.Unlock()
		}
	}}
	randRead16 = entry{"rand.Read16", func(b *testing.B) {
		var buf [16]byte
		for b.Loop() {
			rand.Read(buf[:])
		}
	}}
	// hexEncode5 encodes the five groups of a UUID.
	hexEncode5 = entry{"hex.Encode5", func(b *testing.B) {
		buf := make([]byte, 36)
		u := sampleUUID
		for b.Loop() {
			hex.Encode(buf[0:8], u[0:4])
			hex.Encode(buf[9:13], u[4:6])
			hex.Encode(buf[14:18], u[6:8])
			hex.Encode(buf[19:23], u[8:10])
			hex.Encode(buf[24:36], u[10:16])
		}
		sinkBytes = buf
	}}
	sha1Sum = entry{"sha1.Sum", func(b *testing.B) {
		for b.Loop() {
			sha1.Sum(sampleHashed)
		}
	}}
	md5Sum = entry{"md5.Sum", func(b *testing.B) {
		for b.Loop() {
			md5.Sum(sampleHashed)
		}
	}}
	appendInt = entry{"AppendInt", func(b *testing.B) {
		var buf [20]byte
		v := int64(sampleSnowflake)
		for b.Loop() {
			sink = string(strconv.AppendInt(buf[:0], v, 10))
		}
	}}
)

// BenchmarkFloor measures what ids are made of.
func BenchmarkFloor(b *testing.B) {
	runGroups(b, "Floor", []group{{"any", []entry{
		timeNow,
		{"time.Since", func(b *testing.B) {
			anchor := time.Now()
			for b.Loop() {
				time.Since(anchor)
			}
		}},
		{"mutex", func(b *testing.B) {
			var mu sync.Mutex
			for b.Loop() {
				mu.Lock()
				//lint:ignore SA2001 an empty section is what is measured
				mu.Unlock()
			}
		}},
		sinceInMutex,
		randRead16,
		{"rand.Read4096", func(b *testing.B) {
			buf := make([]byte, 4096)
			for b.Loop() {
				rand.Read(buf)
			}
		}},
		hexEncode5,
		appendInt,
		sha1Sum,
		md5Sum,
	}}})
}

// What is put into text and read from it.
var (
	sampleUUID          = ids.MustParseUUID(sampleUUIDText)
	sampleULID          = ids.MustParseULID(sampleULIDText)
	sampleUUIDText      = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"
	sampleULIDText      = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
	sampleSnowflake     = ids.Snowflake(1541815603606036480)
	sampleSnowflakeText = "1541815603606036480"
	sampleXIDText       = "9m4e2mr0ui3e8a215n4g"
	sampleKSUIDText     = "0ujtsYcgvSTl8PAuAdqWYSMnLOv"

	// The name of versions 3 and 5, and what is hashed for it.
	sampleName   = "www.example.com"
	sampleSpace  = ids.NamespaceDNS()
	sampleHashed = append(sampleSpace[:], sampleName...)
)
