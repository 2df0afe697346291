package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/oneclock/ids/internal/lab/compare"
)

// canned are the results of three rounds on a machine that becomes slower by half from each
// round to the next.
func canned(t *testing.T) *Results {
	t.Helper()
	r := NewResults()
	seen := 0
	for _, slow := range []float64{1, 1.5, 2.25} {
		var b strings.Builder
		b.WriteString("goos: linux\ngoarch: amd64\npkg: example\ncpu: Some <Processor>\n")
		for name, ns := range map[string]float64{
			"New/V7/time.Now-2": 60, "New/V7/mutex.Since-2": 30, "Parallel/V7/ids_own": 50, "Parallel/V7/ids_own-8": 12.5, "Goroutines64/V7/ids_own-2": 25, "New/V7/ids-2": 48, "New/V7/google-2": 240, "New/V4/rand.Read16-2": 80, "New/V4/ids-2": 40,
			"Run1000/V7/time.Now-2": 60, "Run1000/V7/ids-2": 6000, "Floor/any/time.Now-2": 60, "Parse/UUID/ids": 20, "Parse/UUID/google": 50,
			"Parallel/V7/ids": 50, "Parallel/V7/ids-8": 30, "Goroutines64/V7/ids-2": 70,
		} {
			fmt.Fprintf(&b, "Benchmark%s \t 1000 \t %.1f ns/op \t 16 B/op \t 1 allocs/op\n", name, ns*slow)
		}
		b.WriteString("PASS\n")
		if err := r.Read(strings.NewReader(b.String()), func(Key) { seen++ }); err != nil {
			t.Fatal(err)
		}
	}
	if seen != 3*17 {
		t.Errorf("%d results were seen, want %d", seen, 3*17)
	}
	return r
}

func TestTables(t *testing.T) {
	r := canned(t)
	for _, c := range []struct{ table, has string }{
		{r.SummaryTable(), "| `uuid.NewV7()` | **72.0** | google/uuid 360 |"},
		{r.RatioTable(), "| `NewV7` | 72.0 | `time.Now()` | 90.0 | **0.80** |  |"},
		{r.RatioTable(), "| `NewV4` | 60.0 | `crypto/rand.Read` of 16 bytes | 120 | **0.50** |  |"},
		{r.RatioTable(), "| `AppendV7` of 1,000, per id | 9.00 | `time.Now()` | 90.0 | **0.10** |  |"},
		{r.NewTable([]int{1, 8}), "| version 7 | **ids** | 72.0 | 0.80 |  | 1.60 | 75.0 | 45.0 | 105 | 16 | 1 |"},
		{r.NewTable([]int{1, 8}), "|  | google/uuid | 360 | 4.00 | 5.00 | 8.00 |  |  |  | 16 | 1 |"},
		{r.TextTable(), "|  | google/uuid | 75.0 | 0.83 | 2.50 | 16 | 1 |"},
		{r.FloorTable(), "| `time.Now()` | 90.0 |"},
	} {
		if !strings.Contains(c.table, c.has+"\n") {
			t.Errorf("the table lacks the line\n%s\n%s", c.has, c.table)
		}
	}
	if r.Rounds() != 3 {
		t.Errorf("Rounds() = %d, want 3", r.Rounds())
	}
	if empty := NewResults(); empty.SummaryTable()+empty.RatioTable()+empty.TextTable()+empty.FloorTable()+empty.Chart()+empty.WorkersChart(nil) != "" {
		t.Error("there are tables of no results")
	}
}

// TestInterval checks the interval that six rounds are enough for, and that fewer are not.
func TestInterval(t *testing.T) {
	if got := interval(median([]float64{0.8, 0.7, 0.9, 0.75, 0.85, 0.78})); got != "0.70–0.90" {
		t.Errorf("interval is %q", got)
	}
	if got := interval(median([]float64{0.8, 0.7})); got != "" {
		t.Errorf("interval of two is %q", got)
	}
}

// TestChart checks that the chart is XML and has each bar and each floor once.
func TestChart(t *testing.T) {
	bars, lines := drawn(t, canned(t).Chart())
	if bars != 3 || lines != 2 {
		t.Errorf("%d bars and %d lines, want 3 and 2", bars, lines)
	}
}

// TestWorkersChart checks that the chart has two bars for each number of workers, as long as there are
// ids a second.
func TestWorkersChart(t *testing.T) {
	chart := canned(t).WorkersChart([]int{1, 8})
	if bars, lines := drawn(t, chart); bars != 6 || lines != 0 {
		t.Errorf("%d bars and %d lines, want 6 and 0", bars, lines)
	}
	// 12.5 ns, and half as much again in the median round, are 53.2 million a second.
	for _, want := range []string{">8 workers, one clock<", ">8 workers, a clock each<", ">64 workers, one clock<", ">1 worker, a clock each<", ">53.2 million<", ">22.2 million<"} {
		if !strings.Contains(chart, want) {
			t.Errorf("the chart lacks %q:\n%s", want, chart)
		}
	}
}

// drawn returns how many bars and lines a chart has, which must be XML for light and dark ground.
func drawn(t *testing.T, chart string) (bars, lines int) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(chart))
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if start, ok := token.(xml.StartElement); ok {
			switch start.Name.Local {
			case "rect":
				bars++
			case "line":
				lines++
			}
		}
	}
	if !strings.Contains(chart, "prefers-color-scheme:dark") {
		t.Error("the chart knows only one ground")
	}
	return bars, lines
}

// TestRun runs each benchmark of the ratios once, so that a ratio whose benchmark has lost
// its name is noticed, and checks that every benchmark is of an operation that Run knows.
func TestRun(t *testing.T) {
	ctx := t.Context()
	r, err := Run(ctx, Options{Dir: "..", Count: 2, Benchtime: "1x", CPU: "1,2", Filter: ".", Raw: io.Discard, Progress: func(string) {}})
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range Ratios {
		if !r.Has(w.Ours) || !r.Has(w.Theirs) {
			t.Errorf("ratio of %s: %v or %v was not measured", w.Operation, w.Ours, w.Theirs)
		}
	}
	tabled := map[Key]bool{}
	for _, w := range append(newRows, textRows...) {
		for _, library := range w.libraries {
			tabled[Key{w.operation, w.kind, library, 0}] = true
			tabled[Key{Parallel, w.kind, library, 1}] = true
			tabled[Key{Parallel, w.kind, library, 2}] = true
			tabled[Key{"Goroutines64", w.kind, library, 0}] = true
		}
	}
	for k := range r.ns {
		if _, isLibrary := compare.Names[k.Library]; isLibrary && k.Operation != "Run1000" && !tabled[k] {
			t.Errorf("%v is in no table", k)
		}
	}
	list, err := goOutput(ctx, "..", "test", "-list", "^Benchmark", ".")
	if err != nil {
		t.Fatal(err)
	}
	known := regexp.MustCompile(serial)
	for name := range strings.Lines(list) {
		name = strings.TrimSpace(name)
		if strings.HasPrefix(name, "Benchmark") && name != "Benchmark"+Parallel && !known.MatchString(name) {
			t.Errorf("%s is not in the list of serial benchmarks", name)
		}
	}
	for k := range r.ns {
		if len(r.ns[k]) != 2 {
			t.Errorf("%v has %d results of 2 rounds", k, len(r.ns[k]))
		}
		if k.Operation == Parallel && k.CPU != 1 && k.CPU != 2 {
			t.Errorf("%v ran", k)
		}
	}
}

func TestProgress(t *testing.T) {
	if got, want := progress(1, 4, 3, 0, time.Minute, 3), "round 1 of 4, benchmark 3"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := progress(2, 4, 5, 10, time.Minute, 15), "round 2 of 4, benchmark 5 of 10, 1m40s left"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
