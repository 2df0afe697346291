package report

import (
	"fmt"
	"strings"

	"github.com/oneclock/ids/internal/lab/compare"
)

// A row is an operation on a kind of id, with the libraries in the order of the table. The first is
// this one, to which the others are ratios.
type row struct {
	title           string
	operation, kind string
	libraries       []string
}

var (
	uuids      = []string{"ids", "google", "google_pool", "gofrs", "std"}
	ulids      = []string{"ids", "oklog", "oklog_crand", "oklog_lax", "xid", "ksuid"}
	snowflakes = []string{"ids", "bwmarrin", "sonyflake"}

	// With workers that have a clock each.
	uuidsOwn = append([]string{"ids", "ids_own"}, uuids[1:]...)
	ulidsOwn = append([]string{"ids", "ids_own"}, ulids[1:]...)
)

// newRows are the rows of the table of constructors.
var newRows = []row{
	{"version 7", "New", "V7", uuidsOwn},
	{"version 4", "New", "V4", uuids},
	{"version 1", "New", "V1", uuidsOwn},
	{"version 6", "New", "V6", uuidsOwn},
	{"version 3", "New", "V3", uuids},
	{"version 5", "New", "V5", uuids},
	{"ULID", "New", "ULID", ulidsOwn},
	{"Snowflake of 41 + 1 + 21 bits", "New", "Snowflake", snowflakes},
	{"Snowflake of the usual layout", "New", "SnowflakeUsual", snowflakes},
}

// textRows are the rows of the table of everything else.
var textRows = []row{
	{"UUID to a string", "String", "UUID", uuids},
	{"ULID to a string", "String", "ULID", ulids},
	{"Snowflake to a string", "String", "Snowflake", snowflakes},
	{"Snowflake to Base58", "Base58", "Snowflake", snowflakes},
	{"UUID to a buffer", "AppendText", "UUID", uuids},
	{"ULID to a buffer", "AppendText", "ULID", ulids},
	{"Snowflake to a buffer", "AppendText", "Snowflake", snowflakes},
	{"UUID from text", "Parse", "UUID", uuids},
	{"ULID from text", "Parse", "ULID", ulids},
	{"Snowflake from text", "Parse", "Snowflake", snowflakes},
	{"Snowflake from Base58", "Parse", "SnowflakeBase58", snowflakes},
	{"UUID from bad text", "ParseBad", "UUID", uuids},
	{"ULID from bad text", "ParseBad", "ULID", ulids},
	{"Snowflake from bad text", "ParseBad", "Snowflake", snowflakes},
	{"Snowflake from bad Base58", "ParseBad", "SnowflakeBase58", snowflakes},
	{"five UUIDs to JSON", "MarshalJSON", "UUID", uuids},
	{"five ULIDs to JSON", "MarshalJSON", "ULID", ulids},
	{"five Snowflakes to JSON", "MarshalJSON", "Snowflake", snowflakes},
	{"five UUIDs from JSON", "UnmarshalJSON", "UUID", uuids},
	{"five ULIDs from JSON", "UnmarshalJSON", "ULID", ulids},
	{"five Snowflakes from JSON", "UnmarshalJSON", "Snowflake", snowflakes},
	{"UUID from a text column", "Scan", "UUIDText", uuids},
	{"UUID from a column of 16 bytes", "Scan", "UUIDBytes", uuids},
	{"ULID from a text column", "Scan", "ULIDText", ulids},
	{"Snowflake from a column of integers", "Scan", "Snowflake", snowflakes},
}

// floors are the rows of the table of floors.
var floors = [][2]string{
	{"time.Now", "`time.Now()`"},
	{"time.Since", "`time.Since` of an anchor"},
	{"mutex", "an uncontended `sync.Mutex`"},
	{"mutex.Since", "`time.Since` in a `sync.Mutex`"},
	{"rand.Read16", "`crypto/rand.Read` of 16 bytes"},
	{"rand.Read4096", "`crypto/rand.Read` of 4,096 bytes"},
	{"hex.Encode5", "five calls of `hex.Encode`"},
	{"AppendInt", "`strconv.AppendInt` and a string"},
	{"sha1.Sum", "`sha1.Sum` of 31 bytes"},
	{"md5.Sum", "`md5.Sum` of 31 bytes"},
}

// summaryRows are the rows of the table of the front page.
var summaryRows = []row{
	{"`uuid.NewV7()`", "New", "V7", []string{"std", "gofrs", "google"}},
	{"`uuid.NewV4()`", "New", "V4", []string{"std", "gofrs", "google"}},
	{"`ulid.Make()`", "New", "ULID", []string{"oklog"}},
	{"`node.Next()`, of a layout that is not full", "New", "Snowflake", []string{"bwmarrin", "sonyflake"}},
}

// SummaryTable returns what one id costs here and in the best known libraries, in Markdown.
func (r *Results) SummaryTable() string {
	var b strings.Builder
	for _, w := range summaryRows {
		var others []string
		for _, library := range w.libraries {
			if k := (Key{w.operation, w.kind, library, 0}); r.Has(k) {
				others = append(others, libraryName(library)+" "+number(r.Time(k).Center))
			}
		}
		if k := (Key{w.operation, w.kind, "ids", 0}); r.Has(k) {
			fmt.Fprintf(&b, "| %s | **%s** | %s |\n", w.title, number(r.Time(k).Center), strings.Join(others, ", "))
		}
	}
	return header(b.String(), "| one id | ns | other libraries, ns |\n| --- | ---: | --- |\n")
}

// FloorTable returns the floors, in Markdown.
func (r *Results) FloorTable() string {
	var b strings.Builder
	for _, f := range floors {
		if k := (Key{Operation: "Floor", Kind: "any", Library: f[0]}); r.Has(k) {
			t := r.Time(k)
			fmt.Fprintf(&b, "| %s | %s%s |\n", f[1], number(t.Center), spread(t))
		}
	}
	return header(b.String(), "| floor | ns |\n| --- | ---: |\n")
}

// NewTable returns what one id costs, on one goroutine and on many, in Markdown. There
// is a column for each number of processors in cpus.
func (r *Results) NewTable(cpus []int) string {
	head := "The floor of an id that tells the time is one `time.Since` in a `sync.Mutex`, measured beside it.\n\n" +
		"| one id | library | ns | times `time.Now()` | times ours | times the floor |"
	rule := "| --- | --- | ---: | ---: | ---: | ---: |"
	for _, n := range cpus {
		head += fmt.Sprintf(" GOMAXPROCS %d |", n)
		rule += " ---: |"
	}
	head += " 64 goroutines | B | allocs |\n"
	rule += " ---: | ---: | ---: |\n"
	return r.table(newRows, head+rule, func(w row, library string) string {
		cells := " " + r.times(Key{w.operation, w.kind, library, 0}, Key{w.operation, w.kind, "mutex.Since", 0}) + " |"
		for _, n := range cpus {
			cells += " " + r.cell(Key{Parallel, w.kind, library, n}) + " |"
		}
		return cells + " " + r.cell(Key{"Goroutines64", w.kind, library, 0}) + " |"
	})
}

// TextTable returns what text, JSON and databases cost, in Markdown.
func (r *Results) TextTable() string {
	return r.table(textRows, "| operation | library | ns | times `time.Now()` | times ours | B | allocs |\n| --- | --- | ---: | ---: | ---: | ---: | ---: |\n",
		func(row, string) string { return "" })
}

// table writes rows, with more cells between the ratio and the allocations.
func (r *Results) table(rows []row, head string, more func(w row, library string) string) string {
	var b strings.Builder
	for _, w := range rows {
		title := w.title
		ours := Key{w.operation, w.kind, "ids", 0}
		now := Key{w.operation, w.kind, "time.Now", 0} // next to the others, or else among the floors
		if !r.Has(now) {
			now = Key{"Floor", "any", "time.Now", 0}
		}
		for _, library := range w.libraries {
			k := Key{w.operation, w.kind, library, 0}
			if !r.Has(k) {
				continue
			}
			toOurs := ""
			if library != "ids" {
				toOurs = r.times(k, ours)
			}
			t := r.Time(k)
			fmt.Fprintf(&b, "| %s | %s | %s%s | %s | %s |%s %.0f | %.0f |\n", title, libraryName(library),
				number(t.Center), spread(t), r.times(k, now), toOurs, more(w, library), r.bytes[k], r.allocs[k])
			title = ""
		}
	}
	return header(b.String(), head)
}

// times formats how many times b the time of a is, or nothing.
func (r *Results) times(a, b Key) string {
	if !r.Has(a) || !r.Has(b) {
		return ""
	}
	return fmt.Sprintf("%.2f", r.Ratio(a, 1, b, 1).Center)
}

// cell formats the median of k, or nothing.
func (r *Results) cell(k Key) string {
	if !r.Has(k) {
		return ""
	}
	return number(r.Time(k).Center)
}

// header puts head above rows, if there are any.
func header(rows, head string) string {
	if rows == "" {
		return ""
	}
	return head + rows
}

// libraryName returns what a table calls a library.
func libraryName(short string) string {
	if short == "oklog_lax" {
		return "oklog/ulid `Parse`, which checks nothing"
	}
	if name, ok := compare.Names[short]; ok {
		return name
	}
	return short
}
