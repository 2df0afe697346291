package main

// This file draws the report's chart in SVG.

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strings"
)

// style contains the color schemes for light and dark pages. The chart draws its own background, so
// the text and the background always have the same color scheme.
const style = `<style>
text{font:13px system-ui,"Segoe UI",Helvetica,Arial,sans-serif;fill:#1f2328}
.title{font-size:17px;font-weight:600}.bold{font-weight:600}.end{text-anchor:end}
.ground{fill:#ffffff;stroke:#d1d9e0}.soft{fill:#57606a}.ours{fill:#1f6feb}.other{fill:#afb8c1}
@media (prefers-color-scheme:dark){
text{fill:#f0f6fc}.ground{fill:#0d1117;stroke:#3d444d}.soft{fill:#9da7b3}.ours{fill:#58a6ff}.other{fill:#57606a}
}
</style>
`

// picture returns an SVG chart of the time that it takes to generate one ID with this library and
// with the best-known other libraries. The chart shows the times with one goroutine and with 64
// goroutines.
func (r *results) picture() string {
	const width, bar, left, right, most = 820, 20, 170, 500, 240
	var body, told strings.Builder
	y, longest := 84, 0.0
	for _, w := range pictured {
		for _, library := range w.libraries {
			for _, name := range []string{w.benchmark(library), w.many(library)} {
				if times := r.ns[name]; len(times) > 0 {
					longest = max(longest, times[r.figures(w.row).round])
				}
			}
		}
	}
	for _, w := range pictured {
		y += 24
		fmt.Fprintf(&body, "<text class=\"bold\" x=\"26\" y=\"%d\">%s</text>\n", y, html.EscapeString(w.title))
		fmt.Fprintf(&told, " %s:", w.title)
		round := r.figures(w.row).round
		for _, l := range append([][2]string{{"ids", "ids"}}, libraries...) {
			alone, many := r.ns[w.benchmark(l[0])], r.ns[w.many(l[0])]
			if len(alone) == 0 || len(many) == 0 || !slices.Contains(w.libraries, l[0]) {
				continue
			}
			class := "other"
			if l[0] == "ids" {
				class = "ours"
			}
			fmt.Fprintf(&body, "<text class=\"end\" x=\"%d\" y=\"%d\">%s</text>\n", left-10, y+bar, html.EscapeString(l[1]))
			for i, ns := range []float64{alone[round], many[round]} {
				x := []int{left, right}[i]
				long := int(math.Round(ns / longest * most))
				fmt.Fprintf(&body, "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"2\"/>\n<text class=\"soft\" x=\"%d\" y=\"%d\">%s</text>\n",
					class, x, y+bar-14, long, bar-4, x+long+6, y+bar-1, number(ns))
			}
			fmt.Fprintf(&told, " %s %s and %s;", l[1], number(alone[round]), number(many[round]))
			y += bar
		}
	}
	height := y + 26
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %[1]d %[2]d" width="%[1]d" height="%[2]d" role="img" aria-labelledby="title desc">
<title id="title">What one ID costs, in ns</title>
<desc id="desc">Times in ns, on one goroutine and on 64 at the same time.%[3]s less is better.</desc>
%[4]s<rect class="ground" x="0.5" y="0.5" width="%[5]d" height="%[6]d" rx="8"/>
<text class="title" x="26" y="34">What one ID costs, in ns</text>
<text class="soft" x="26" y="55">Less is better. %[7]s, %[8]s, %[9]s processors.</text>
<text class="bold" x="%[10]d" y="84">one goroutine</text>
<text class="bold" x="%[11]d" y="84">64 goroutines</text>
%[12]s</svg>
`, width, height, html.EscapeString(told.String()), style, width-1, height-1, html.EscapeString(r.config["cpu"]), r.config["toolchain"],
		r.config["processors"], left, right, body.String())
}

// pictured lists the operations in the chart. For each operation, it also lists the libraries whose
// times are shown.
var pictured = []struct {
	row
	libraries []string
}{
	{row{"version 7", "New", "V7"}, []string{"ids", "std", "google", "gofrs"}},
	{row{"version 4", "New", "V4"}, []string{"ids", "std", "google", "gofrs"}},
	{row{"ULID", "New", "ULID"}, []string{"ids", "oklog"}},
	{row{"Snowflake", "New", "Snowflake"}, []string{"ids", "bwmarrin", "sonyflake"}},
}
