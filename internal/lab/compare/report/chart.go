package report

import (
	"fmt"
	"html"
	"strings"
)

// bars are the groups of the chart, with the floor that is drawn across each.
var bars = []struct {
	title, kind, floor, floorName string
	libraries                     []string
}{
	{"UUID version 7", "V7", "time.Now", "time.Now()", uuids},
	{"UUID version 4", "V4", "rand.Read16", "crypto/rand.Read", uuids},
	{"UUID version 6", "V6", "time.Now", "time.Now()", uuids},
	{"UUID version 1", "V1", "time.Now", "time.Now()", uuids},
	{"ULID", "ULID", "time.Now", "time.Now()", []string{"ids", "oklog", "oklog_crand"}},
	{"Snowflake", "Snowflake", "time.Now", "time.Now()", snowflakes},
}

// plainNames are the names of libraries in the chart, which has no Markdown.
var plainNames = map[string]string{"ids": "ids", "oklog_crand": "oklog/ulid, crypto/rand"}

// Measures of the chart, in pixels.
const (
	chartWidth  = 820
	labelWidth  = 250 // of the names and numbers, left of the bars
	valueWidth  = 74  // of the numbers
	margin      = 10  // right of the longest bar
	barHeight   = 16
	barStep     = 21
	titleHeight = 34
	footHeight  = 30
)

const chartStyle = `
text{font:13px system-ui,-apple-system,"Segoe UI",Helvetica,Arial,sans-serif;fill:#1f2328}
.title{font-weight:600}.floor-name{font-size:11px;fill:#b35900}.foot{font-size:11px;fill:#59636e}
.end{text-anchor:end}.bar{fill:#b7bfc8}.ours{fill:#0969da}.ours-text{font-weight:600}
.floor{stroke:#d4730b;stroke-width:1.5;stroke-dasharray:4 3}
@media (prefers-color-scheme:dark){
text{fill:#e6edf3}.floor-name{fill:#f0a35e}.foot{fill:#9198a1}
.bar{fill:#4b535d}.ours{fill:#4493f8}.floor{stroke:#f0883e}
}
`

// Chart returns bars of what one id costs in each library, as an SVG picture, with the floors
// drawn as lines. It is readable on light and on dark ground, and has no ground of its own. It
// returns "" if there is nothing to draw.
func (r *Results) Chart() string {
	var body strings.Builder
	scale := float64(chartWidth-labelWidth-margin) / r.longest()
	y := 0
	for _, g := range bars {
		top := y + titleHeight
		n := 0
		var rows strings.Builder
		for _, library := range g.libraries {
			k := Key{"New", g.kind, library, 0}
			if !r.Has(k) {
				continue
			}
			ns := r.Time(k).Center
			at := top + n*barStep
			bar, text := "bar", "end"
			if library == "ids" {
				bar, text = "bar ours", "end ours-text"
			}
			fmt.Fprintf(&rows, `<text class="%s" x="%d" y="%d">%s</text>`+"\n", text, labelWidth-valueWidth, at+barHeight-3, html.EscapeString(plainName(library)))
			fmt.Fprintf(&rows, `<text class="%s" x="%d" y="%d">%s ns</text>`+"\n", text, labelWidth-8, at+barHeight-3, number(ns))
			fmt.Fprintf(&rows, `<rect class="%s" x="%d" y="%d" width="%.1f" height="%d" rx="2"/>`+"\n", bar, labelWidth, at, ns*scale, barHeight)
			n++
		}
		if n == 0 {
			continue
		}
		fmt.Fprintf(&body, `<text class="end title" x="%d" y="%d">%s</text>`+"\n%s", labelWidth-valueWidth, top-8, html.EscapeString(g.title), rows.String())
		y = top + n*barStep
		if k := (Key{"New", g.kind, g.floor, 0}); r.Has(k) {
			x := labelWidth + r.Time(k).Center*scale
			fmt.Fprintf(&body, `<line class="floor" x1="%.1f" y1="%d" x2="%.1f" y2="%d"/>`+"\n", x, top-5, x, y)
			fmt.Fprintf(&body, `<text class="floor-name" x="%.1f" y="%d">%s, %s ns</text>`+"\n", x+4, top-8, html.EscapeString(g.floorName), number(r.Time(k).Center))
		}
	}
	if y == 0 {
		return ""
	}
	height := y + footHeight
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-labelledby="speed">
<title id="speed">Time to make one id, in nanoseconds: shorter is better</title>
<style>%s</style>
%s<text class="foot" x="%d" y="%d">One id on one goroutine, median of %d runs: shorter is better. %s.</text>
</svg>
`, chartWidth, height, chartWidth, height, chartStyle, body.String(), labelWidth, height-10, r.Rounds(), html.EscapeString(r.Machine()))
}

// longest returns the nanoseconds of the longest bar or floor.
func (r *Results) longest() float64 {
	ns := 1.0
	for _, g := range bars {
		for _, library := range append([]string{g.floor}, g.libraries...) {
			if k := (Key{"New", g.kind, library, 0}); r.Has(k) {
				ns = max(ns, r.Time(k).Center)
			}
		}
	}
	return ns
}

// Machine says what the benchmarks ran on.
func (r *Results) Machine() string {
	return r.Config["cpu"] + ", " + r.Config["goos"] + "/" + r.Config["goarch"]
}

// plainName returns what the chart calls a library.
func plainName(short string) string {
	if name, ok := plainNames[short]; ok {
		return name
	}
	return libraryName(short)
}
