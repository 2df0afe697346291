package main

import (
	"bytes"
	"fmt"
	"html"
	"strings"
)

// panel is one small bar chart: a value for each scheme, drawn to the scale of the largest.
type panel struct {
	title string
	value func(r result) float64
	// second is drawn behind value in the same bar, if not nil.
	second func(r result) float64
	format string
	absent func(r result) bool // no bar for this result
}

var panels = []panel{
	{title: "insert rate, 1,000 rows/s (more is better)", format: "%.0f", value: func(r result) float64 { return r.rate() / 1000 }},
	{title: "size, MB: table, then key index (less is better)", format: "%.0f",
		value: func(r result) float64 { return mb(r.table) }, second: func(r result) float64 { return mb(r.index) }},
	{title: "log written, MB (less is better)", format: "%.0f", value: func(r result) float64 { return mb(r.written) }},
	{title: "rows of a span of time, µs per 1,000 (less is better)", format: "%.0f",
		value: func(r result) float64 { return r.perRow() }, absent: func(r result) bool { return !r.ranged }},
}

// Measures of the drawing, in pixels.
const (
	chartWidth  = 860
	margin      = 16
	labelWidth  = 80
	valueWidth  = 48
	panelWidth  = (chartWidth - 3*margin) / 2
	barsWidth   = panelWidth - labelWidth - valueWidth
	rowHeight   = 18
	barHeight   = 12
	titleHeight = 24
)

// style gives every colour twice: for a light and for a dark page.
const style = `
  text { font: 12px system-ui, sans-serif; fill: #1f2328 }
  .engine { font-size: 15px; font-weight: 600 }
  .title { fill: #59636e }
  .page { fill: #ffffff }
  .v4 { fill: #bc4c00 } .v7 { fill: #0969da } .ulid { fill: #1a7f37 } .snowflake { fill: #8250df }
  .second { opacity: 0.5 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .title { fill: #9198a1 }
    .page { fill: #0d1117 }
    .v4 { fill: #f0883e } .v7 { fill: #4493f8 } .ulid { fill: #3fb950 } .snowflake { fill: #ab7df8 }
  }
`

// chart draws the results as an SVG: for each engine its name and four panels, two in a row.
func chart(results []result) []byte {
	var body bytes.Buffer
	y := margin
	for len(results) > 0 {
		n := 1
		for n < len(results) && results[n].engine == results[0].engine {
			n++
		}
		fmt.Fprintf(&body, "<text class=\"engine\" x=\"%d\" y=\"%d\">%s: %s rows a table</text>\n",
			margin, y+15, html.EscapeString(results[0].engine), thousands(results[0].rows))
		y += titleHeight
		height := titleHeight + n*rowHeight + margin
		for i, p := range panels {
			p.draw(&body, margin+i%2*(panelWidth+margin), y+i/2*height, results[:n])
		}
		y += 2*height + margin
		results = results[n:]
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%[1]d\" height=\"%d\" role=\"img\">\n", chartWidth, y)
	fmt.Fprintf(&out, "<title>Ids as primary keys</title>\n<style>%s</style>\n<rect class=\"page\" width=\"100%%\" height=\"100%%\"/>\n", style)
	out.Write(body.Bytes())
	out.WriteString("</svg>\n")
	return out.Bytes()
}

// draw draws the panel with its upper left corner at x, y.
func (p panel) draw(w *bytes.Buffer, x, y int, results []result) {
	fmt.Fprintf(w, "<text class=\"title\" x=\"%d\" y=\"%d\">%s</text>\n", x, y+14, html.EscapeString(p.title))
	largest := 0.0
	for _, r := range results {
		largest = max(largest, p.sum(r))
	}
	for i, r := range results {
		top := y + titleHeight + i*rowHeight
		fmt.Fprintf(w, "<text x=\"%d\" y=\"%d\">%s</text>\n", x, top+barHeight-2, html.EscapeString(r.scheme.name))
		if p.absent != nil && p.absent(r) {
			fmt.Fprintf(w, "<text class=\"title\" x=\"%d\" y=\"%d\">no time in it</text>\n", x+labelWidth, top+barHeight-2)
			continue
		}
		family, _, _ := strings.Cut(r.scheme.name, "_")
		first, all := 0.0, 0.0
		if largest > 0 {
			first, all = p.value(r)/largest*barsWidth, p.sum(r)/largest*barsWidth
		}
		fmt.Fprintf(w, "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\"/>\n", family, x+labelWidth, top, first, barHeight)
		if all > first {
			fmt.Fprintf(w, "<rect class=\"%s second\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\"/>\n",
				family, float64(x+labelWidth)+first, top, all-first, barHeight)
		}
		fmt.Fprintf(w, "<text x=\"%.1f\" y=\"%d\">"+p.format+"</text>\n", float64(x+labelWidth)+all+5, top+barHeight-2, p.sum(r))
	}
}

// sum is the length of the whole bar.
func (p panel) sum(r result) float64 {
	if p.absent != nil && p.absent(r) {
		return 0
	}
	if p.second == nil {
		return p.value(r)
	}
	return p.value(r) + p.second(r)
}

// thousands writes n with commas.
func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
