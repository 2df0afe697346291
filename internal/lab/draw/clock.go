package main

import (
	"fmt"
	"strings"
)

// Measures of the picture of the clock.
const (
	panelWidth  = 370
	panelHeight = 196
	panelsTop   = 96
	plotLeft    = 26
	plotTop     = 26
	plotWidth   = panelWidth - plotLeft
	plotHeight  = 138
	shownMax    = 24.0 // seconds that the plot is high
)

// drawClock returns the picture of what the schemes make of a wall clock that is set back, and
// of many ids in one tick.
func drawClock() string {
	c := newCanvas()
	c.text(margin, 34, "title", "One clock, many lanes")
	c.text(margin, 55, "soft", fmt.Sprintf("The wall clock is set back by %.0f s, which is within the tolerance of 10 s, "+
		"and later by %.0f s, which is not.", stepsBack[0].by, stepsBack[1].by))
	c.path("wall", fmt.Sprintf("M%d 76h28", margin))
	c.text(margin+38, 80, "soft", "what the wall clock shows")
	for i, kind := range []string{timeKind, hashKind, randomKind, nodeKind} {
		c.used[kind] = true
		c.path("line "+kind, fmt.Sprintf("M%d 76h8", margin+222+i*10))
	}
	c.text(margin+268, 80, "soft", "the time in the ids")

	var told []string
	for i, l := range lanes() {
		x := float64(margin + i%2*(width-2*margin-panelWidth))
		y := float64(panelsTop + i/2*panelHeight)
		told = append(told, c.panel(l, x, y))
	}
	y := float64(panelsTop + 2*panelHeight + 24)
	c.text(margin, y, "title", fmt.Sprintf("%d ids at one reading of the clock", burst))
	c.text(margin, y+21, "soft", "Each has a tick and a place in it; a full tick moves on to the next, at most 10 ms ahead of the clock.")
	y = c.bursts(y + 40)

	desc := fmt.Sprintf("Over %.0f s the wall clock is set back twice, by %.0f s and by %.0f s. %s "+
		"Below: %d ids at one reading of the clock; of versions 1 and 6, a tick has 4 of them, so they "+
		"take 3 ticks; of the other schemes they have room in one.", historyEnd, stepsBack[0].by, stepsBack[1].by, strings.Join(told, " "), burst)
	return c.svg(y, "What each scheme makes of one clock", desc)
}

// panel draws what one lane issues, at x and y, and tells it in words.
func (c *canvas) panel(l lane, x, y float64) string {
	c.text(x, y+14, "bold", l.name)
	left, bottom := x+plotLeft, y+plotTop+plotHeight
	px := func(real float64) float64 { return left + real/historyEnd*plotWidth }
	py := func(shown float64) float64 { return bottom - shown/shownMax*plotHeight }

	var clock []moment
	for _, m := range l.moments {
		clock = append(clock, moment{m.real, wall(m.real)})
	}
	c.path("wall", polyline(clock, px, py))
	c.path("axis", fmt.Sprintf("M%s %sV%sH%s", number(left), number(y+plotTop), number(bottom), number(left+plotWidth)))
	for s := 0.0; s <= 20; s += 10 {
		c.text(left-5, py(s)+4, "end soft small", fmt.Sprintf("%.0f", s))
	}
	for s := 10.0; s <= 40; s += 10 {
		c.path("axis", fmt.Sprintf("M%s %sv4", number(px(s)), number(bottom)))
		c.text(px(s), bottom+15, "mid soft small", fmt.Sprintf("%.0f", s))
	}
	c.text(left+plotWidth, bottom+15, "end soft small", "s")
	c.path("line "+l.kind, polyline(l.moments, px, py))
	c.used[l.kind] = true

	var told []string
	for _, s := range stepsBack {
		// What the wall clock did stands left of its fall, what the lane did right below that,
		// or above its standstill.
		before, after := wall(s.real-historyStep), wall(s.real)
		c.text(px(s.real)-6, py(before/2-1.7), "end soft small", fmt.Sprintf("−%.0f s", s.by))
		switch {
		case !l.follows(s):
			c.text(px(s.real+s.by)-2, py(before)-8, "end small", "keeps ascending")
			told = append(told, fmt.Sprintf("keeps ascending through the step of %.0f s", s.by))
			continue
		case after > 5: // there is room for two lines
			c.text(px(s.real)+9, py(after)+14, "small", "follows,")
			c.text(px(s.real)+9, py(after)+28, "small", l.fresh)
		default:
			c.text(px(s.real)+9, py(after)+15, "small", "follows, "+l.fresh)
		}
		told = append(told, fmt.Sprintf("follows the step of %.0f s, with %s", s.by, l.fresh))
	}
	return fmt.Sprintf("%s %s.", l.name, strings.Join(told, ", and "))
}

// polyline returns the path through some moments, without those in the middle of a straight line.
func polyline(moments []moment, px, py func(float64) float64) string {
	var d strings.Builder
	for i, m := range moments {
		if i > 0 && i < len(moments)-1 {
			before, after := moments[i-1], moments[i+1]
			if bend := (after.shown - m.shown) - (m.shown - before.shown); bend > -historyStep/2 && bend < historyStep/2 {
				continue
			}
		}
		command := "L"
		if i == 0 {
			command = "M"
		}
		fmt.Fprintf(&d, "%s%s %s", command, number(px(m.real)), number(py(m.shown)))
	}
	return d.String()
}

// bursts draws many ids at one reading of the clock, from y on, and returns where they end.
func (c *canvas) bursts(y float64) float64 {
	const cell, high, gap, labels = 25.0, 24.0, 10.0, 118.0
	v1, snowflake, v7Ticks, ulidTicks := bursts()
	if v7Ticks != 1 || ulidTicks != 1 {
		panic("ids of version 7 or ULIDs take more than one tick")
	}
	random := make([]place, burst) // all in one tick
	for _, row := range []struct {
		name, tick string
		kind       string
		places     []place
		text       func(place, int) string
	}{
		{"V1, V6", "tick of 100 ns, 4 ids each: the ordinal", ordinalKind, v1, func(p place, _ int) string { return fmt.Sprint(p.ordinal) }},
		{"V7", "tick of 1/4096 ms: 62 bits, in random strides", randomKind, random, randomText},
		{"ULID", "tick of 1 ms: 80 bits, in random strides", randomKind, random, randomText},
		{"Snowflake", "tick of 1 ms, 4096 ids each: the sequence", sequenceKind, snowflake,
			func(p place, _ int) string { return fmt.Sprint(p.ordinal) }},
	} {
		c.text(margin, y+high/2+5, "bold", row.name)
		x := float64(margin + 84)
		for i, p := range row.places {
			if i > 0 && p.tick != row.places[i-1].tick {
				x += gap
			}
			c.box(row.kind, x, y, cell, high)
			c.text(x+cell/2, y+high/2+4, "mid small", row.text(p, i))
			x += cell
		}
		c.text(margin+84+burst*cell+2*gap+14, y+high/2+5, "soft", row.tick)
		y += high + 12
	}
	return y + 8
}

// randomText marks the first id of a tick, whose bits are random, and the others, which are
// greater by a random stride.
func randomText(_ place, i int) string {
	if i == 0 {
		return "r"
	}
	return "+s"
}
