package report

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	bwmarrin "github.com/bwmarrin/snowflake"
	google "github.com/google/uuid"
	oklog "github.com/oklog/ulid/v2"
	"github.com/oneclock/ids"
	"github.com/rs/xid"
	"github.com/segmentio/ksuid"
)

// Growth returns what an id costs in runs of 1 to longestRun, in Markdown.
func Growth(longestRun int, progress func(line string)) string {
	uuids := make([]ids.UUID, 0, longestRun)
	ulids := make([]ids.ULID, 0, longestRun)
	// Touch the memory first: its pages must not be counted as the cost of ids.
	clear(uuids[:longestRun])
	clear(ulids[:longestRun])
	var b strings.Builder
	b.WriteString("| ids in the run | `AppendV7`, ns per id | `AppendV4`, ns per id | `AppendULID`, ns per id |\n| ---: | ---: | ---: | ---: |\n")
	for n := 1; n <= longestRun; n *= 10 {
		progress(fmt.Sprintf("runs of %d", n))
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", Thousands(n),
			number(perID(n, func() { ids.AppendV7(uuids, n) })),
			number(perID(n, func() { ids.AppendV4(uuids, n) })),
			number(perID(n, func() { ids.AppendULID(ulids, n) })))
	}
	return b.String()
}

// perID returns the nanoseconds for each of n ids that run makes: the median of 11 times, each long
// enough for the timer.
func perID(n int, run func()) float64 {
	const enough = 20 * time.Millisecond
	run()
	repeat := 1
	times := make([]float64, 0, 11)
	for len(times) < cap(times) {
		began := time.Now()
		for range repeat {
			run()
		}
		took := time.Since(began)
		if took < enough && len(times) == 0 {
			repeat *= 2
			continue
		}
		times = append(times, float64(took)/float64(repeat)/float64(n))
	}
	slices.Sort(times)
	return times[len(times)/2]
}

// million is how many ids Memory keeps.
const million = 1_000_000

// Memory returns what a million ids take in a slice, in Markdown.
func Memory() string {
	node, err := bwmarrin.NewNode(1)
	if err != nil {
		panic(err) // 1 is a node number
	}
	var b strings.Builder
	b.WriteString("| a million of | bytes per id |\n| --- | ---: |\n")
	for _, c := range []struct {
		name string
		make func() any
	}{
		{"**ids** `UUID`", func() any { return ids.AppendV7(nil, million) }},
		{"**ids** `ULID`", func() any { return ids.AppendULID(nil, million) }},
		{"**ids** `Snowflake`", func() any { return fill(ids.NextSnowflake) }},
		{"**ids** `UUID` as strings", func() any { return fill(func() string { return ids.NewV7().String() }) }},
		{"**ids** `ULID` as strings", func() any { return fill(func() string { return ids.NewULID().String() }) }},
		{"google/uuid `UUID`", func() any { return fill(google.New) }},
		{"google/uuid `UUID` as strings", func() any { return fill(google.NewString) }},
		{"oklog/ulid `ULID`", func() any { return fill(oklog.Make) }},
		{"bwmarrin/snowflake `ID`", func() any { return fill(node.Generate) }},
		{"rs/xid `ID`", func() any { return fill(xid.New) }},
		{"segmentio/ksuid `KSUID`", func() any { return fill(ksuid.New) }},
	} {
		before := heap()
		all := c.make()
		after := heap()
		runtime.KeepAlive(all)
		fmt.Fprintf(&b, "| %s | %.1f |\n", c.name, float64(after-before)/million)
	}
	return b.String()
}

// fill returns a slice of a million results of mint.
func fill[T any](mint func() T) []T {
	all := make([]T, million)
	for i := range all {
		all[i] = mint()
	}
	return all
}

// heap returns the bytes of the heap that are in use.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
