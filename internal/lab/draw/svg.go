package main

import (
	"fmt"
	"html"
	"strings"
)

// Measures that all pictures share, in pixels. One bit is as wide in each of them.
const (
	width    = 820
	bitWidth = 12
	rowBits  = 64
	margin   = (width - rowBits*bitWidth) / 2
)

// A paint is how things of one kind look on light and on dark ground.
type paint struct{ light, dark tones }

// tones are the colours of a filled shape, of its edge and of lines.
type tones struct{ fill, edge string }

// The kinds of field.
const (
	timeKind     = "time"
	fractionKind = "fraction"
	sequenceKind = "sequence"
	ordinalKind  = "ordinal"
	nodeKind     = "node"
	randomKind   = "random"
	hashKind     = "hash"
	customKind   = "custom"
	localKind    = "local"
	fixedKind    = "fixed"
)

// paints are the paints of the kinds.
var paints = map[string]paint{
	timeKind:     {tones{"#d3e6fd", "#1f6feb"}, tones{"#12345c", "#58a6ff"}},
	fractionKind: {tones{"#c8eff0", "#0e7c86"}, tones{"#0d3f45", "#39c5cf"}},
	sequenceKind: {tones{"#fde3bf", "#b45309"}, tones{"#4d2d0a", "#f0a35e"}},
	ordinalKind:  {tones{"#fdd5cd", "#c4321c"}, tones{"#561d16", "#ff8a73"}},
	nodeKind:     {tones{"#d0f0d6", "#1a7f37"}, tones{"#123d20", "#4ac26b"}},
	randomKind:   {tones{"#e8defc", "#7c4ddb"}, tones{"#352158", "#b392f0"}},
	hashKind:     {tones{"#f9dcee", "#b5308a"}, tones{"#501b40", "#f08cce"}},
	customKind:   {tones{"#f4ecc2", "#8a6d00"}, tones{"#43380a", "#d9b93b"}},
	localKind:    {tones{"#dfe9c4", "#5b7a0c"}, tones{"#2f3d0d", "#a4c639"}},
	fixedKind:    {tones{"#e6eaef", "#6e7781"}, tones{"#2b323b", "#8b949e"}},
}

// grounds are the colours of the ground, its edge, text, and text that stands back.
var grounds = struct {
	light, dark struct{ fill, edge, text, soft string }
}{
	light: struct{ fill, edge, text, soft string }{"#ffffff", "#d1d9e0", "#1f2328", "#57606a"},
	dark:  struct{ fill, edge, text, soft string }{"#0d1117", "#3d444d", "#f0f6fc", "#9da7b3"},
}

// kinds are the kinds in the order in which the style has them.
var kinds = []string{timeKind, fractionKind, sequenceKind, ordinalKind, nodeKind, randomKind, hashKind, customKind, localKind, fixedKind}

// style returns the style sheet of a picture that uses some kinds. The picture has a ground of
// its own, so that it is readable too where the page is dark and the browser asks for light, or
// the other way round.
func style(used map[string]bool) string {
	var light, dark strings.Builder
	add := func(b *strings.Builder, dark bool) {
		g := grounds.light
		if dark {
			g = grounds.dark
		}
		fmt.Fprintf(b, ".ground{fill:%s;stroke:%s}text{fill:%s}.soft{fill:%s}.wall{stroke:%s}.axis{stroke:%s}\n",
			g.fill, g.edge, g.text, g.soft, g.edge, g.soft)
		for _, kind := range kinds {
			if !used[kind] {
				continue
			}
			t := paints[kind].light
			if dark {
				t = paints[kind].dark
			}
			fmt.Fprintf(b, ".%[1]s{fill:%[2]s;stroke:%[3]s}.%[1]s.bar{fill:%[3]s;stroke:none}.%[1]s.line{fill:none}\n", kind, t.fill, t.edge)
		}
	}
	add(&light, false)
	add(&dark, true)
	return `text{font:13px system-ui,"Segoe UI",Helvetica,Arial,sans-serif}
.title{font-size:17px;font-weight:600}.bold{font-weight:600}.small{font-size:11px}
.code{font:18px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.mid{text-anchor:middle}.end{text-anchor:end}
.wall,.axis,.line{fill:none;stroke-linejoin:round}.wall{stroke-width:6}.line{stroke-width:2}
` + light.String() + "@media (prefers-color-scheme:dark){\n" + dark.String() + "}\n"
}

// A canvas is a picture in the making.
type canvas struct {
	strings.Builder
	used map[string]bool
}

func newCanvas() *canvas { return &canvas{used: map[string]bool{}} }

// text writes text at x and the base line y, with some classes of the style.
func (c *canvas) text(x, y float64, classes, text string) {
	if classes != "" {
		classes = ` class="` + classes + `"`
	}
	fmt.Fprintf(c, `<text%s x="%s" y="%s">%s</text>`+"\n", classes, number(x), number(y), html.EscapeString(text))
}

// box writes a filled rectangle of some kind.
func (c *canvas) box(kind string, x, y, width, height float64) {
	c.used[kind] = true
	fmt.Fprintf(c, `<rect class="%s" x="%s" y="%s" width="%s" height="%s" rx="3"/>`+"\n",
		kind, number(x), number(y), number(width), number(height))
}

// path writes a line of some classes.
func (c *canvas) path(classes, d string) {
	fmt.Fprintf(c, `<path class="%s" d="%s"/>`+"\n", classes, d)
}

// svg returns the picture, of some height. Its title and description are for those who do not
// see it.
func (c *canvas) svg(height float64, title, desc string) string {
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %s" width="%d" height="%s"`+
		` role="img" aria-labelledby="title desc">
<title id="title">%s</title>
<desc id="desc">%s</desc>
<style>
%s</style>
<rect class="ground" x="0.5" y="0.5" width="%d" height="%s" rx="8"/>
%s</svg>
`, width, number(height), width, number(height),
		html.EscapeString(title), html.EscapeString(desc), style(c.used), width-1, number(height-1), c)
}

// number returns v with at most one digit after the point.
func number(v float64) string {
	return strings.TrimSuffix(fmt.Sprintf("%.1f", v), ".0")
}
