package compare

// Checks of the table of features.

import (
	"bytes"
	"net"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	gofrs "github.com/gofrs/uuid/v5"
	google "github.com/google/uuid"
	oklog "github.com/oklog/ulid/v2"

	"github.com/oneclock/ids"
)

// A cell of the table of features in docs/compare.md. Its text is true if shows returns true.
type cell struct {
	text  string
	shows func(t *testing.T) bool
}

// The packages in the table, in the order of its columns. Go's own package has its cells in a file
// for Go 1.27.
var columns = []string{"github.com/oneclock/ids", "uuid", "github.com/google/uuid", "github.com/gofrs/uuid/v5", "github.com/oklog/ulid/v2", "github.com/bwmarrin/snowflake"}

// stdCells contains the cells of Go's own package, by feature. It is empty if that package does not
// exist yet.
var stdCells = map[string]func(t *testing.T) bool{}

// stdCell returns a cell of Go's own package.
func stdCell(feature, text string) cell {
	return cell{text, func(t *testing.T) bool { return stdCells[feature](t) }}
}

// none returns a cell of a package that lacks a feature. The package exports no name that contains
// one of the words.
func none(column int, words ...string) cell {
	return cell{"–", func(t *testing.T) bool {
		out, err := exec.CommandContext(t.Context(), "go", "doc", "-short", columns[column]).Output()
		if err != nil {
			t.Fatalf("go doc %s: %v", columns[column], err)
		}
		names := strings.ToLower(string(out))
		return !slices.ContainsFunc(words, func(word string) bool { return strings.Contains(names, word) })
	}}
}

// holds returns a cell for a fact that needs only one line.
func holds(text string, fact func() bool) cell {
	return cell{text, func(*testing.T) bool { return fact() }}
}

const backBy = 5 * time.Second

var features = []struct {
	title string
	cells [6]cell
}{
	{"UUID versions", [6]cell{
		versions("1 to 8", func() [][16]byte {
			return [][16]byte{ids.NewV1(), ids.NewV2(0, 1), ids.NewV3(ids.UUID{}, ""), ids.NewV4(), ids.NewV5(ids.UUID{}, ""), ids.NewV6(), ids.NewV7(), ids.NewV8([16]byte{})}
		}, 1, 2, 3, 4, 5, 6, 7, 8),
		stdCell("UUID versions", "4, 7"),
		versions("1 to 7", func() [][16]byte {
			return [][16]byte{must(google.NewUUID()), must(google.NewDCEPerson()), google.NewMD5(google.Nil, nil), google.New(), google.NewSHA1(google.Nil, nil), must(google.NewV6()), must(google.NewV7())}
		}, 1, 2, 3, 4, 5, 6, 7),
		versions("1, 3 to 8", func() [][16]byte {
			return [][16]byte{must(gofrs.NewV1()), gofrs.NewV3(gofrs.Nil, ""), must(gofrs.NewV4()), gofrs.NewV5(gofrs.Nil, ""), must(gofrs.NewV6()), must(gofrs.NewV7()), must(gofrs.NewV8(make([]byte, 6), make([]byte, 2), make([]byte, 8)))}
		}, 1, 3, 4, 5, 6, 7, 8),
		none(4, "newv", "uuid"), none(5, "uuid"),
	}},
	{"other formats", [6]cell{
		holds("ULID, Snowflake, [TypeID](storing.md#ids-with-a-prefix)", func() bool { return !ids.NewULID().IsZero() && ids.NextSnowflake() > 0 }),
		none(1, "ulid", "snowflake"), none(2, "ulid", "snowflake"), none(3, "ulid", "snowflake"),
		holds("ULID", func() bool { return oklog.Make() != oklog.ULID{} }),
		holds("Snowflake", func() bool { return usualTheirs.Generate() > 0 }),
	}},
	{"version 7 UUIDs, ULIDs and Snowflakes ascend even if the clock is set back by 5 s", [6]cell{
		{"yes", func(t *testing.T) bool { return ascends(t, func() (ids.UUID, error) { return own7.NewV7(), nil }) }},
		stdCell("order", "no"),
		{"yes", func(t *testing.T) bool { return ascends(t, google.NewV7) }},
		{"yes", func(t *testing.T) bool { return ascends(t, gofrs.NewV7) }},
		{"no", func(t *testing.T) bool { return !ascends(t, func() (oklog.ULID, error) { return oklog.Make(), nil }) }},
		{"yes", nil}, // TestFeaturesMoved
	}},
	{"version 1 UUIDs can repeat after the clock is set back", [6]cell{
		{"no", func(t *testing.T) bool {
			node := ids.NewGenerator(&ids.GeneratorOptions{Clock: ids.NewClock(nil), NodeID: [6]byte{2, 0, 0, 0, 0, 1}})
			return !repeated(setBack(t, time.Hour, func() (ids.UUID, error) { return node.NewV1(), nil }))
		}},
		none(1, "newv1"),
		{"[yes](#what-other-libraries-do)", nil}, {"[yes](#what-other-libraries-do)", nil},
		none(4, "newv1"), none(5, "newv1"),
	}},
	{"two nodes with the same number in one process repeat IDs", [6]cell{
		{"not on one clock", func(t *testing.T) bool {
			clock := ids.NewClock(nil)
			// Bubbles begin in 2000.
			since1970 := ids.SnowflakeLayout{Epoch: time.Unix(0, 0), Tick: time.Millisecond, NodeBits: 10, SequenceBits: 12}
			return !repeated(atOnce(t, 2, func() (ids.Snowflake, error) {
				node := must(ids.NewSnowflakeNode(1, &ids.SnowflakeOptions{Clock: clock, Layout: since1970}))
				return node.Next(), nil
			}))
		}},
		none(1, "snowflake"), none(2, "snowflake"), none(3, "snowflake"), none(4, "snowflake"),
		{"[yes](#what-other-libraries-do)", nil},
	}},
	{"bounds for queries by time", [6]cell{
		holds("yes", func() bool { return ids.MinV7At(time.Now()).Compare(ids.MaxV7At(time.Now())) < 0 }),
		none(1, "min", "bound"), none(2, "min", "bound"), none(3, "min", "bound"),
		holds("by `SetTime`", func() bool {
			var low oklog.ULID
			return low.SetTime(oklog.Now()) == nil && low.Compare(oklog.Make()) <= 0
		}),
		none(5, "min", "bound"),
	}},
	{"NULL, and null in JSON", [6]cell{
		holds("yes", func() bool {
			var n ids.Null[ids.UUID]
			return n.Scan(nil) == nil && n.UnmarshalJSON([]byte("null")) == nil && !n.Valid
		}),
		none(1, "null"),
		holds("yes", func() bool {
			var n google.NullUUID
			return n.Scan(nil) == nil && n.UnmarshalJSON([]byte("null")) == nil && !n.Valid
		}),
		holds("yes", func() bool {
			var n gofrs.NullUUID
			return n.Scan(nil) == nil && n.UnmarshalJSON([]byte("null")) == nil && !n.Valid
		}),
		none(4, "null"), none(5, "null"),
	}},
	{"stored as 16 bytes", [6]cell{
		holds("`id.Binary()`", func() bool { v, err := ids.NewV7().Binary().Value(); return err == nil && len(v.([]byte)) == 16 }),
		stdCell("bytes", "`id[:]`"),
		holds("`id[:]`", func() bool { id := google.New(); var back google.UUID; return back.Scan(id[:]) == nil && back == id }),
		holds("`id[:]`", func() bool {
			id := must(gofrs.NewV4())
			var back gofrs.UUID
			return back.Scan(id[:]) == nil && back == id
		}),
		holds("always", func() bool { v, err := oklog.Make().Value(); return err == nil && len(v.([]byte)) == 16 }),
		none(5, "value", "scan"),
	}},
	{"a test can set the time and the random bits", [6]cell{
		holds("yes", func() bool { return twice(fixed) }),
		stdCell("fixed", "random bits"),
		holds("random bits", func() bool {
			defer google.SetRand(nil)
			google.SetRand(bytes.NewReader(make([]byte, 16)))
			return google.New().String() == "00000000-0000-4000-8000-000000000000"
		}),
		holds("yes", func() bool {
			mint := func() gofrs.UUID {
				g := gofrs.NewGenWithOptions(gofrs.WithEpochFunc(func() time.Time { return time.Unix(1, 0) }), gofrs.WithRandomReader(bytes.NewReader(make([]byte, 64))))
				return must(g.NewV7())
			}
			return twice(mint)
		}),
		holds("yes", func() bool { return must(oklog.New(1, bytes.NewReader(make([]byte, 10)))).Time() == 1 }),
		none(5, "rand", "clock", "time"),
	}},
	{"Snowflakes stay unique after a restart", [6]cell{
		{"[a file](operations.md#restart-safely), [leases](../nodelease/README.md)", nil}, none(1, "snowflake"), none(2, "snowflake"), none(3, "snowflake"), none(4, "snowflake"), none(5, "after", "save", "lease"),
	}},
	{"in Go's standard library", [6]cell{
		{"no", nil}, {"**yes**", nil}, {"no", nil}, {"no", nil}, {"no", nil}, {"no", nil},
	}},
	{"version 1 contains a hardware address", [6]cell{
		holds("no", func() bool { return !named(ids.NewV1()) }),
		none(1, "newv1"),
		holds("yes", func() bool { return named(must(google.NewUUID())) || len(hardware()) == 0 }),
		holds("yes", func() bool { return named(must(gofrs.NewV1())) || len(hardware()) == 0 }),
		none(4, "newv1"), none(5, "newv1"),
	}},
	{"fewer than 1,000 lines of Go", [6]cell{
		lines(0, "no"), lines(1, "**yes**"), lines(2, "no"), lines(3, "no"), lines(4, "**yes**"), lines(5, "**yes**"),
	}},
}

// own7 has its own clock, so that a bubble in the year 2000 meets no ID of today.
var own7 = ids.NewGenerator(&ids.GeneratorOptions{Clock: ids.NewClock(nil)})

// versions returns a cell for the versions that a library makes.
func versions(text string, mint func() [][16]byte, want ...byte) cell {
	return holds(text, func() bool {
		var got []byte
		for _, id := range mint() {
			got = append(got, id[6]>>4)
		}
		return slices.Equal(got, want)
	})
}

// ascends reports whether IDs ascend although the clock is set back.
func ascends[T ~[16]byte](t *testing.T, mint func() (T, error)) bool {
	return slices.IsSortedFunc(setBack(t, backBy, mint), func(a, b T) int { return bytes.Compare(a[:], b[:]) })
}

// twice reports whether a function returns the same ID twice.
func twice[T comparable](mint func() T) bool {
	id := mint()
	return mint() == id
}

// fixed returns an ID with a given time and given bits.
func fixed() ids.UUID {
	return ids.NewGenerator(&ids.GeneratorOptions{Random: bytes.NewReader(make([]byte, 64)),
		Clock: ids.NewClock(&ids.ClockOptions{Now: func() time.Time { return time.Unix(1, 0) }})}).NewV7()
}

// hardware returns the addresses of the machine's network interfaces that have one.
func hardware() (all [][]byte) {
	interfaces, _ := net.Interfaces()
	for _, i := range interfaces {
		if len(i.HardwareAddr) >= 6 {
			all = append(all, i.HardwareAddr[:6])
		}
	}
	return all
}

// named reports whether a version 1 UUID contains a hardware address of the machine.
func named(u [16]byte) bool {
	return slices.ContainsFunc(hardware(), func(a []byte) bool { return bytes.Equal(a, u[10:]) })
}

// lines returns a cell for the length of a library.
func lines(column int, text string) cell {
	return cell{text, func(t *testing.T) bool {
		out, err := exec.CommandContext(t.Context(), "go", "list", "-f", "{{range .GoFiles}}{{$.Dir}}/{{.}}\n{{end}}", columns[column]).Output()
		if err != nil {
			t.Fatalf("go list %s: %v", columns[column], err)
		}
		n := 0
		for file := range strings.Lines(string(out)) {
			n += strings.Count(readFile(strings.TrimSpace(file)), "\n")
		}
		return (n < 1000) == (text != "no")
	}}
}

// TestFeatures runs each cell of the table of features in docs/compare.md that is not a link and
// has no test of its own. It also checks that the page contains this table.
func TestFeatures(t *testing.T) {
	var table strings.Builder
	table.WriteString("| | ids | Go's uuid | google/uuid | gofrs/uuid | oklog/ulid | bwmarrin/snowflake |\n| --- | --- | --- | --- | --- | --- | --- |\n")
	for _, f := range features {
		table.WriteString("| " + f.title + " |")
		for i, c := range f.cells {
			table.WriteString(" " + c.text + " |")
			there := columns[i] != "uuid" || len(stdCells) > 0
			if there && c.shows != nil && !c.shows(t) {
				t.Errorf("%s, of %s: it is not so that %q", f.title, columns[i], c.text)
			}
		}
		table.WriteString("\n")
	}
	if !strings.Contains(readFile("../../../docs/compare.md"), table.String()) {
		t.Errorf("docs/compare.md does not have the table\n%s", table.String())
	}
}
