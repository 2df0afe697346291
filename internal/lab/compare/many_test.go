package compare

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/oneclock/ids"
)

// runLen is how many ids one iteration of BenchmarkRun1000 makes. What it is measured against
// is one iteration of a floor or one call of another library: none of them makes ids by the
// run.
const runLen = 1000

// BenchmarkRun1000 makes runs of 1,000 ids.
func BenchmarkRun1000(b *testing.B) {
	runGroups(b, "Run1000", []group{
		{"V7", []entry{timeNow, {"ids", func(b *testing.B) {
			run := make([]ids.UUID, 0, runLen)
			for b.Loop() {
				ids.AppendV7(run, runLen)
			}
		}}}},
		{"V4", []entry{timeNow, {"ids", func(b *testing.B) {
			run := make([]ids.UUID, 0, runLen)
			for b.Loop() {
				ids.AppendV4(run, runLen)
			}
		}}}},
		{"ULID", []entry{timeNow, {"ids", func(b *testing.B) {
			run := make([]ids.ULID, 0, runLen)
			for b.Loop() {
				ids.AppendULID(run, runLen)
			}
		}}}},
		{"Snowflake", []entry{timeNow, {"ids", func(b *testing.B) {
			run := make([]ids.Snowflake, 0, runLen)
			node, _, _ := roomy()
			for b.Loop() {
				node.Append(run, runLen)
			}
		}}}},
	})
}

// BenchmarkParallel makes one id at a time on each processor: run it with -cpu 1,2,8.
func BenchmarkParallel(b *testing.B) { parallel(b, 1) }

// BenchmarkGoroutines64 makes one id at a time on 64 goroutines.
func BenchmarkGoroutines64(b *testing.B) { parallel(b, max(64/runtime.GOMAXPROCS(0), 1)) }

func parallel(b *testing.B, perProcessor int) {
	for _, m := range Minters() {
		b.Run(m.Kind+"/"+m.Library, func(b *testing.B) {
			if m.Begin != nil {
				defer m.Begin()()
			}
			b.ReportAllocs()
			b.SetParallelism(perProcessor)
			mints := make([]func(), perProcessor*runtime.GOMAXPROCS(0))
			for i := range mints {
				mints[i] = m.mint()
				mints[i]() // what a library does only once is not measured
			}
			var begun atomic.Int32
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				mint := mints[begun.Add(1)-1]
				for pb.Next() {
					mint()
				}
			})
		})
	}
}
