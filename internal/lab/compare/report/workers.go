package report

import (
	"fmt"
	"html"
	"runtime"
	"strings"
)

// crowd is how many workers there are in Benchmark<Goroutines64>.
const crowd = 64

// WorkersChart returns bars of how many ids some workers make in a second, with one clock for all and
// with a clock for each, as an SVG picture: as many workers as GOMAXPROCS, for each of cpus, and then a
// crowd on the processors that there are. It returns "" if there is nothing to draw.
func (r *Results) WorkersChart(cpus []int) string {
	type bar struct {
		label, class string
		perSecond    float64
	}
	var groups [][]bar
	var titles []string
	longest := 0.0
	for _, kind := range [][2]string{{"V7", "UUID version 7"}, {"ULID", "ULID"}, {"V6", "UUID version 6"}} {
		var group []bar
		for i := range len(cpus) + 1 {
			workers := crowd
			if i < len(cpus) {
				workers = cpus[i]
			}
			for _, clock := range [][3]string{{"ids", "one clock", "bar"}, {"ids_own", "a clock each", "bar ours"}} {
				k := Key{Parallel, kind[0], clock[0], workers}
				if i == len(cpus) {
					k = Key{"Goroutines64", kind[0], clock[0], 0}
				}
				if !r.Has(k) {
					continue
				}
				label := fmt.Sprintf("%d workers, %s", workers, clock[1])
				if workers == 1 {
					label = "1 worker, " + clock[1]
				}
				b := bar{label, clock[2], 1e9 / r.Time(k).Center}
				longest = max(longest, b.perSecond)
				group = append(group, b)
			}
		}
		if group != nil {
			groups, titles = append(groups, group), append(titles, kind[1])
		}
	}
	if groups == nil {
		return ""
	}
	const labelWidth, valueWidth = 302, 106
	var body strings.Builder
	scale := (chartWidth - labelWidth - margin) / longest
	y := 0
	for i, group := range groups {
		y += titleHeight
		fmt.Fprintf(&body, `<text class="end title" x="%d" y="%d">%s</text>`+"\n", labelWidth-valueWidth, y-8, titles[i])
		for _, b := range group {
			text := strings.Replace(b.class, "bar", "end", 1)
			text = strings.Replace(text, "ours", "ours-text", 1)
			fmt.Fprintf(&body, `<text class="%s" x="%d" y="%d">%s</text>`+"\n", text, labelWidth-valueWidth, y+barHeight-3, b.label)
			fmt.Fprintf(&body, `<text class="%s" x="%d" y="%d">%s million</text>`+"\n", text, labelWidth-8, y+barHeight-3, number(b.perSecond/1e6))
			fmt.Fprintf(&body, `<rect class="%s" x="%d" y="%d" width="%.1f" height="%d" rx="2"/>`+"\n", b.class, labelWidth, y, b.perSecond*scale, barHeight)
			y += barStep
		}
	}
	height := y + footHeight
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-labelledby="workers">
<title id="workers">Ids a second by workers: longer is better</title>
<style>%s</style>
%s<text class="foot" x="%d" y="%d">Ids a second of all workers together, GOMAXPROCS as many, but %d for 64. Median of %d runs: longer is better. %s.</text>
</svg>
`, chartWidth, height, chartWidth, height, chartStyle, body.String(), margin, height-10, runtime.GOMAXPROCS(0), r.Rounds(), html.EscapeString(r.Machine()))
}
