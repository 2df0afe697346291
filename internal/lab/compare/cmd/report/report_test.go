package main

// Tests of the pages that the report writes.

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// canned returns the results of three rounds on a machine that becomes slower by half from each
// round to the next, except for text.
func canned() string {
	var b strings.Builder
	b.WriteString("toolchain: go1.99\nprocessors: 2\ngoos: linux\ngoarch: amd64\npkg: example\ncpu: Some <Processor>   \n")
	for _, slow := range []float64{1, 1.5, 2.25} {
		for name, ns := range map[string]float64{
			"New/V7/ids-2": 48, "New/V7/google-2": 240, "Goroutines64/V7/ids-2": 70, "Goroutines64/V7/ids_own-2": 25,
			"Goroutines64/V7/google-2": 100, "New/V7/xid-2": 9, "Run1000/V7/ids-2": 6000, "Floor/any/time.Now-2": 60,
			"Parse/UUID/ids": 20, "Parse/UUID/google": 50, "Working8/V7/ids-2": 80, "Floor/any/work-2": 140,
		} {
			if !strings.HasPrefix(name, "Parse") {
				ns *= slow
			}
			fmt.Fprintf(&b, "Benchmark%s \t 1000 \t %.1f ns/op \t 16 B/op \t 1 allocs/op\n", name, ns)
		}
		b.WriteString("PASS\n")
	}
	return b.String()
}

// TestWrite writes the pages of canned results.
func TestWrite(t *testing.T) {
	t.Chdir("../..") // the directory in which the command is run
	dir := t.TempDir()
	lab := filepath.Join(dir, "internal", "lab", "compare", "README.md")
	page, summary := filepath.Join(dir, "docs", "speed.md"), filepath.Join(dir, "README.md")
	if err := write(dir, []byte(canned()), "30ms"); err == nil {
		t.Error("no error where there is no page to write to")
	}
	for _, path := range []string{page, lab, summary} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"", "<!-- compare:end --> <!-- compare:begin -->", "<!-- compare:begin -->old<!-- compare:end -->after"} {
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := put(path, "new"); (err == nil) != strings.Contains(text, "old") {
				t.Errorf("writing to a page with the text %q: error %v", text, err)
			}
		}
	}
	if err := write(dir, []byte(canned()), "30ms"); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(summary); err != nil || string(got) != "<!-- compare:begin -->\n\n"+pictureLink+"\n<!-- compare:end -->after" {
		t.Errorf("README.md is %q (%v)", got, err)
	}
	for _, c := range []struct{ path, has string }{
		{page, "run ./cmd/report -count 3 -benchtime 30ms`\n\nMeasured on Some <Processor>, linux/amd64 with 2 processors, go1.99, against\ngoogle/uuid v"},
		{page, "the most typical of 3 processes.\nA † marks a row"},
		{page, "| version 7 † | **72.0** | 105 | 37.5 | google/uuid 360 (150), rs/xid 13.5 |\n"},
		{lab, "| 64 † | **105** | 37.5 | google/uuid 150 |\n"},
		{page, "| version 7, 1,000 at once | **9.00** |  |  |  |\n"},
		{page, "| UUID from text | **20.0** | google/uuid 50.0 |\n"},
		{lab, "Eight goroutines work for 210 ns between two IDs."},
		{lab, "| version 7 | **120** |  |  |\n"},
		{lab, "go1.99.\nAll times are in ns."},
		{lab, "more than 1.25.\n\n## What each part costs\n"},
		{lab, "| `time.Now()` | 90.0 |\n"},
		{filepath.Join(dir, "docs", "speed.svg"), ">72.0</text>"},
		{filepath.Join(dir, "docs", "speed.svg"), "version 7: ids 72.0 and 105; google/uuid 360 and 150;"},
	} {
		if got, err := os.ReadFile(c.path); err != nil || !strings.Contains(string(got), c.has) {
			t.Errorf("%s lacks %q:\n%s", c.path, c.has, got)
		}
	}
}

// TestOneProcess simulates a machine that is in one of two states in each round. All figures of a
// row are from the same round. That round is typical: it is neither in the rarer state nor has a
// result that is far off.
func TestOneProcess(t *testing.T) {
	w := row{"version 7", "New", "V7"}
	for title, rounds := range map[string]map[string][]float64{
		"version 7 †": {"ids": {100, 230, 100, 231, 232}, "google": {140, 192, 141, 190, 195}, "gofrs": {110, 300, 112, 999, 301}},
		"version 7":   {"ids": {100, 230, 101, 260, 270}, "google": {188, 192, 189, 190, 195}, "gofrs": {299, 300, 302, 303, 301}},
	} {
		r := &results{ns: map[string][]float64{}, rounds: 5}
		for library, ns := range rounds {
			r.ns[w.benchmark(library)] = ns
		}
		if f := r.figures(w); f.title != title || f.round != 1 || f.others != "google/uuid 192, gofrs/uuid 300" {
			t.Errorf("%+v, want %q and what round 1 has", f, title)
		}
	}
	// The tenth at each end does not count.
	r := &results{ns: map[string][]float64{}, rounds: 20}
	for i := range 20 {
		r.ns[w.benchmark("google")] = append(r.ns[w.benchmark("google")], 100+float64(min(i, 17)))
	}
	for _, spread := range []struct{ fast, slow, third float64 }{{10, 1000, 117}, {10, 1000, 126}} {
		ns := r.ns[w.benchmark("google")]
		ns[0], ns[1], ns[2], ns[17], ns[18], ns[19] = spread.fast, spread.fast, 100, spread.third, spread.slow, spread.slow
		if got := r.unsteady([]string{w.benchmark("google"), "none"}); got != (spread.third > 125) {
			t.Errorf("from 100 to %.0f between the tenths at the ends: unsteady %v", spread.third, got)
		}
	}
}

// lacking matches the lines of tables without a result. Only a row of this library may have empty
// cells in addition to its bold one.
var lacking = regexp.MustCompile(`(?m)^(?:.*\*{4}|[^*\n]*\|  \|).*$`)

// TestNames runs each benchmark once. It checks that each result is in a table and that no table
// lacks a result.
func TestNames(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles what it measures, and without the race detector")
	}
	t.Chdir("../..")
	text, err := measure(1, "1x")
	if err != nil {
		t.Fatal(err)
	}
	r, err := read(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	page := r.page() + r.parts()
	for _, line := range lacking.FindAllString(page, -1) {
		t.Errorf("no benchmark has the result of %s", line)
	}
	for name, ns := range r.ns {
		r.ns[name] = nil
		// Which only some tables contain.
		if page == r.page()+r.parts() && !strings.HasSuffix(name, "/ids_own") {
			t.Errorf("%s is in no table", name)
		}
		r.ns[name] = ns
	}
}
