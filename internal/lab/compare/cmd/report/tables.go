package main

// This file creates the tables in the report.

import (
	"fmt"
	"strings"
)

// A row represents a table row, which shows one operation on one kind of ID. The operation and kind
// fields are parts of the benchmarks' names.
type row struct{ title, operation, kind string }

var newRows = []row{
	{"version 7", "New", "V7"},
	{"version 7, `NewV7At(time.Now())`", "New", "V7At"},
	{"version 4", "New", "V4"},
	{"version 1", "New", "V1"},
	{"version 6", "New", "V6"},
	{"version 3", "New", "V3"},
	{"version 5", "New", "V5"},
	{"ULID", "New", "ULID"},
	{"Snowflake with 41 + 1 + 21 bits, which no benchmark fills", "New", "Snowflake"},
	{"Snowflake in the usual layout", "New", "SnowflakeUsual"},
	{"version 7, on a clock with an injected `Now`", "New", "V7Injected"},
	{"version 7, 1,000 at once", "Run1000", "V7"},
	{"version 4, 1,000 at once", "Run1000", "V4"},
	{"ULID, 1,000 at once", "Run1000", "ULID"},
	{"Snowflake, 1,000 at once", "Run1000", "Snowflake"},
}

var textRows = []row{
	{"UUID to a string", "String", "UUID"},
	{"ULID to a string", "String", "ULID"},
	{"Snowflake to a string", "String", "Snowflake"},
	{"UUID to a buffer", "AppendText", "UUID"},
	{"ULID to a buffer", "AppendText", "ULID"},
	{"Snowflake to a buffer", "AppendText", "Snowflake"},
	{"UUID from text", "Parse", "UUID"},
	{"ULID from text", "Parse", "ULID"},
	{"Snowflake from text", "Parse", "Snowflake"},
	{"UUID from text, into a field", "Unmarshal", "UUID"},
	{"ULID from text, into a field", "Unmarshal", "ULID"},
	{"UUID from bad text", "ParseBad", "UUID"},
	{"ULID from bad text", "ParseBad", "ULID"},
	{"Snowflake from bad text", "ParseBad", "Snowflake"},
}

// libraries lists the other libraries in the same order as the tables. The first string in each
// element is the library's name in the benchmarks. The second string is the library's name in the
// tables.
var libraries = [][2]string{
	{"std", "Go's uuid"}, {"google", "google/uuid"}, {"google_pool", "google/uuid with its pool"}, {"gofrs", "gofrs/uuid"},
	{"oklog", "oklog/ulid"}, {"oklog_crand", "oklog/ulid on crypto/rand"}, {"xid", "rs/xid"}, {"ksuid", "segmentio/ksuid"},
	{"bwmarrin", "bwmarrin/snowflake"}, {"sonyflake", "sony/sonyflake"},
}

// floors lists the benchmarks that measure individual parts of generating an ID. It also contains a
// title for each of these benchmarks.
var floors = [][2]string{
	{"time.Now", "`time.Now()`"},
	{"work", "the work between two IDs on [eight goroutines](#what-many-goroutines-cost)"},
	{"mutex.Since", "`time.Since` with a `sync.Mutex` held (the minimum for a Snowflake)"},
	{"mutex.Since.UUID", "`time.Since` with a `sync.Mutex` held, returned in 16 bytes (the minimum for a version 1 or 6 UUID)"},
	{"mutex.Since.UUID.random", "`time.Since` with a `sync.Mutex` held, returned in 16 bytes with 8 random bytes from a block (the minimum for a version 7 UUID or a ULID)"},
	{"rand.Read16", "`crypto/rand.Read` of 16 bytes"},
}

// sourceRows lists kinds of IDs that contain random bits. It also contains the name that the
// benchmarks use for each kind.
var sourceRows = [][2]string{{"version 7", "V7"}, {"ULID", "ULID"}, {"version 4", "V4"}, {"version 7, `NewV7At(time.Now())`", "V7At"}}

// machine describes the machine on which the benchmarks ran.
func (r *results) machine() string {
	return fmt.Sprintf("on %s, %s/%s with %s processors, %s", r.config["cpu"], r.config["goos"], r.config["goarch"], r.config["processors"], r.config["toolchain"])
}

// unsteadyMark follows the title of a row if the other libraries' times in that row differ too much
// between rounds.
const unsteadyMark = " †"

// how returns an explanation of the tables. Both pages contain this explanation.
func (r *results) how() string {
	return fmt.Sprintf("All times are in ns. If a row has times for other libraries, all its times are from the same process, which is the most typical of %d processes.\n"+
		"A † marks a row in which the other libraries' times differ between processes by a factor of more than 1.25.", r.rounds)
}

// page returns the tables for users of the library, in Markdown.
func (r *results) page() string {
	var b strings.Builder
	b.WriteString("## What one ID costs\n\n")
	b.WriteString("Times in parentheses are from 64 goroutines that make IDs at the same time. Each time for 64 goroutines is the elapsed time divided by the number of\n" +
		"IDs that all goroutines made, so it can be shorter than the time of a single call. rs/xid and segmentio/ksuid make IDs in other formats.\n\n")
	b.WriteString("| one ID | ns | 64 goroutines | 64 goroutines, a clock for each | other libraries |\n| --- | ---: | ---: | ---: | --- |\n")
	for _, w := range newRows {
		ours, n := w.benchmark("ids"), 1.0
		if w.operation == "Run1000" {
			n = 1000
		}
		f := r.figures(w)
		fmt.Fprintf(&b, "| %s | **%s**%s | %s | %s | %s |\n", f.title, r.time(ours, n, f.round), r.spread(ours),
			r.time(w.many("ids"), 1, f.round), r.time(w.many("ids_own"), 1, f.round), f.others)
	}
	b.WriteString("\n## What text costs\n\n" + "| operation | ns | other libraries |\n| --- | ---: | --- |\n")
	for _, w := range textRows {
		f := r.figures(w)
		fmt.Fprintf(&b, "| %s | **%s**%s | %s |\n", f.title, r.time(w.benchmark("ids"), 1, f.round), r.spread(w.benchmark("ids")), f.others)
	}
	return b.String()
}

// parts returns the tables for developers of the library, in Markdown. They show the cost of each
// part of generating an ID. They also show the cost per ID when many goroutines generate IDs, and
// when one call generates several IDs.
func (r *results) parts() string {
	var b strings.Builder
	b.WriteString("## What each part costs\n\n" + "| part | ns |\n| --- | ---: |\n")
	for _, f := range floors {
		name := "Floor/any/" + f[0]
		fmt.Fprintf(&b, "| %s | %s%s |\n", f[1], r.middle(name), r.spread(name))
	}
	b.WriteString("\n## What many goroutines cost\n\n")
	b.WriteString("| goroutines that generate version 7 UUIDs | ns | ns, with a clock for each goroutine | ns, in other libraries |\n| ---: | ---: | ---: | --- |\n")
	crowd := func(w row) {
		ours, f := w.benchmark("ids"), r.figures(w)
		fmt.Fprintf(&b, "| %s | **%s**%s | %s | %s |\n", f.title, r.time(ours, 1, f.round), r.spread(ours), r.time(w.benchmark("ids_own"), 1, f.round), f.others)
	}
	for _, n := range []int{2, 64, 1024} {
		crowd(row{fmt.Sprint(n), fmt.Sprintf("Goroutines%d", n), "V7"})
	}
	fmt.Fprintf(&b, "\nEight goroutines work for %s ns between two IDs. With this work, each ID takes:\n\n", r.middle("Floor/any/work"))
	b.WriteString("| one ID | ns | ns, with a clock for each goroutine | ns, in other libraries |\n| --- | ---: | ---: | --- |\n")
	for _, w := range newRows {
		if w.operation == "New" && len(r.ns["Working8/"+w.kind+"/ids"]) > 0 {
			crowd(row{w.title, "Working8", w.kind})
		}
	}
	b.WriteString("\n## What random bits cost\n\n")
	b.WriteString("On a processor without AES instructions, Go expands the key in software. For these figures, `GODEBUG=cpu.aes=off` disabled the AES instructions.\n\n")
	b.WriteString("| one ID | ns | ns, without AES instructions | ns, with `nostock` |\n| --- | ---: | ---: | ---: |\n")
	for _, w := range sourceRows {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", w[0], r.middle("New/"+w[1]+"/ids"), r.middle("NoAES/"+w[1]+"/ids"), r.middle("Nostock/"+w[1]+"/ids"))
	}
	b.WriteString("\n## When `AppendV7` pays\n\n")
	b.WriteString("| number of version 7 UUIDs | ns, `AppendV7` | ns, a loop of `NewV7` |\n| ---: | ---: | ---: |\n")
	for _, n := range []string{"1", "2", "3", "10"} {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", n, r.middle("ShortRun/"+n+"/ids"), r.middle("ShortRun/"+n+"/loop"))
	}
	return b.String()
}

// benchmark returns the name of a library's benchmark.
func (w row) benchmark(library string) string { return w.operation + "/" + w.kind + "/" + library }

// many returns the name of a library's benchmark in which 64 goroutines generate IDs at
// the same time. It returns "" if the row's operation is not New.
func (w row) many(library string) string {
	if w.operation != "New" {
		return ""
	}
	return "Goroutines64/" + w.kind + "/" + library
}

// figures holds the contents of a row, except for this library's times.
type figures struct {
	title  string // includes unsteadyMark if needed
	round  int    // the round in which all times in the row were measured
	others string // other libraries' times; for operation New, also their times on 64 goroutines
}

func (r *results) figures(w row) figures {
	var others []string // names of the other libraries' benchmarks
	for _, l := range libraries {
		others = append(others, w.benchmark(l[0]), w.many(l[0]))
	}
	f := figures{title: w.title, round: r.typical(append([]string{w.benchmark("ids"), w.many("ids")}, others...))}
	if r.unsteady(others) {
		f.title += unsteadyMark
	}
	var all []string
	for _, l := range libraries {
		if t := r.time(w.benchmark(l[0]), 1, f.round); t != "" {
			if many := r.time(w.many(l[0]), 1, f.round); many != "" {
				t += " (" + many + ")"
			}
			all = append(all, l[1]+" "+t)
		}
	}
	f.others = strings.Join(all, ", ")
	return f
}

// pictureLink is the link to the chart in README.md.
const pictureLink = "[![Chart of the time to make one ID, in ns, with this library and others. The linked page has the figures as text](docs/speed.svg)](docs/speed.md)\n"
