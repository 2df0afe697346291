package main

import (
	"fmt"
	"html"
	"strings"
)

// bars are the groups of the chart, with the floor that is drawn across each.
var bars = []struct{ title, kind, floor, floorName string }{
	{"UUID version 7", "V7", "time.Now", "time.Now()"},
	{"UUID version 4", "V4", "rand.Read16", "crypto/rand.Read"},
	{"UUID version 6", "V6", "time.Now", "time.Now()"},
	{"UUID version 1", "V1", "time.Now", "time.Now()"},
	{"ULID", "ULID", "time.Now", "time.Now()"},
	{"Snowflake", "Snowflake", "time.Now", "time.Now()"},
}

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

// chart returns bars of what one id costs in each library, as an SVG picture, with the floors
// drawn as lines. It is readable on light and on dark ground, and has no ground of its own.
func (r *results) chart() string {
	all := append([][2]string{{"ids", "ids"}}, libraries...)
	ns := func(name string) float64 { s, _ := r.median(name); return s.Center }
	longest := 1.0
	for _, g := range bars {
		longest = max(longest, ns("Floor/any/"+g.floor))
		for _, l := range all {
			longest = max(longest, ns("New/"+g.kind+"/"+l[0]))
		}
	}
	scale := float64(chartWidth-labelWidth-margin) / longest
	var body strings.Builder
	y := 0
	for _, g := range bars {
		top := y + titleHeight
		fmt.Fprintf(&body, `<text class="end title" x="%d" y="%d">%s</text>`+"\n", labelWidth-valueWidth, top-8, g.title)
		y = top
		for _, l := range all {
			t := ns("New/" + g.kind + "/" + l[0])
			if t == 0 {
				continue
			}
			bar, text := "bar", "end"
			if l[0] == "ids" {
				bar, text = "bar ours", "end ours-text"
			}
			fmt.Fprintf(&body, `<text class="%s" x="%d" y="%d">%s</text>`+"\n", text, labelWidth-valueWidth, y+barHeight-3, html.EscapeString(l[1]))
			fmt.Fprintf(&body, `<text class="%s" x="%d" y="%d">%s ns</text>`+"\n", text, labelWidth-8, y+barHeight-3, number(t))
			fmt.Fprintf(&body, `<rect class="%s" x="%d" y="%d" width="%.1f" height="%d" rx="2"/>`+"\n", bar, labelWidth, y, t*scale, barHeight)
			y += barStep
		}
		if t := ns("Floor/any/" + g.floor); t > 0 {
			x := labelWidth + t*scale
			fmt.Fprintf(&body, `<line class="floor" x1="%.1f" y1="%d" x2="%.1f" y2="%d"/>`+"\n", x, top-5, x, y)
			fmt.Fprintf(&body, `<text class="floor-name" x="%.1f" y="%d">%s, %s ns</text>`+"\n", x+4, top-8, g.floorName, number(t))
		}
	}
	height := y + footHeight
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-labelledby="speed">
<title id="speed">Time to make one id, in nanoseconds: shorter is better</title>
<style>%s</style>
%s<text class="foot" x="%d" y="%d">One id on one goroutine, median of %d runs: shorter is better. %s.</text>
</svg>
`, chartWidth, height, chartWidth, height, chartStyle, body.String(), labelWidth, height-10, r.rounds(), html.EscapeString(r.machine()))
}
