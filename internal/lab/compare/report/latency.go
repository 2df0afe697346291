package report

import (
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/oneclock/ids/internal/lab/compare"
)

// latencyKinds are the kinds of ids in the table, by the name it gives them.
var latencyKinds = [][2]string{
	{"V7", "version 7"}, {"V4", "version 4"}, {"V1", "version 1"}, {"V6", "version 6"}, {"ULID", "ULID"},
	{"Snowflake", "Snowflake of 41 + 1 + 21 bits"}, {"SnowflakeUsual", "Snowflake of the usual layout"},
}

// LatencyTable returns how long single calls take while a number of goroutines make them, in
// Markdown.
func LatencyTable(goroutines, calls int, progress func(line string)) string {
	all := compare.Latencies(goroutines, calls, func(kind, library string) {
		progress(fmt.Sprintf("latency of %s %s", kind, library))
	})
	var b strings.Builder
	fmt.Fprintf(&b, "%s calls of each, GOMAXPROCS %d. Each call was timed by itself, which adds what the timer alone takes.\n\n",
		Thousands(goroutines*calls), runtime.GOMAXPROCS(0))
	b.WriteString("| one id | library | p50 | p99 | p99.9 | longest |\n| --- | --- | ---: | ---: | ---: | ---: |\n")
	line := func(title string, l compare.Latency) {
		name := libraryName(l.Library)
		if l.Library == compare.Timer {
			name = "the timer alone"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", title, name, short(l.P50), short(l.P99), short(l.P999), short(l.Max))
	}
	line("none", all[0])
	for _, kind := range latencyKinds {
		title := kind[1]
		for _, l := range all {
			if l.Kind == kind[0] {
				line(title, l)
				title = ""
			}
		}
	}
	return b.String()
}

// short formats d with three digits that count.
func short(d time.Duration) string {
	switch ns := float64(d); {
	case ns < 1e3:
		return number(ns) + " ns"
	case ns < 1e6:
		return number(ns/1e3) + " µs"
	default:
		return number(ns/1e6) + " ms"
	}
}
