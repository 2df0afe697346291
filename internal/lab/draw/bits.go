package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/oneclock/ids"
)

// Measures of the drawings of bits.
const (
	blockHeight = 50
	rowStep     = 82
	firstRow    = 92
	keyStep     = 22
	keyText     = margin + 160
)

// draw returns the picture of a scheme: its fields in two rows of 64 bits, an example in which
// each character has the colours of its bits, and what the fields are.
func (s scheme) draw() string {
	c := newCanvas()
	c.text(margin, 34, "title", s.title)
	c.text(margin, 55, "soft", s.about)
	y := float64(firstRow)
	for _, row := range rows(s.fields) {
		c.row(row.fields, row.first, y)
		y += rowStep
	}
	y += 8
	c.example(s, y)
	y += 44
	for _, k := range s.keys {
		if k.kind != "" {
			c.box(k.kind, margin, y-11, 13, 13)
		}
		c.text(margin+22, y, "bold", k.name)
		c.text(keyText, y, "", k.text)
		y += keyStep
	}
	return c.svg(y, "The bits of a "+s.title, s.describe())
}

// describe tells in words what the picture shows.
func (s scheme) describe() string {
	var parts []string
	first := 0
	for _, f := range s.fields {
		what := f.name
		if f.value != "" {
			what += " " + f.value
		}
		parts = append(parts, fmt.Sprintf("bits %d to %d are %s", first, first+f.bits-1, strings.Replace(what, "var ", "variant ", 1)))
		first += f.bits
	}
	return fmt.Sprintf("%s: %s. From the most significant bit: %s. The example is %s.", s.title, s.about, strings.Join(parts, ", "), s.example)
}

// A bitRow is the fields of 64 bits.
type bitRow struct {
	fields []field
	first  int // bit
}

// rows returns the fields in rows. None spans two.
func rows(fields []field) (all []bitRow) {
	bit := 0
	for _, f := range fields {
		if bit%rowBits == 0 {
			all = append(all, bitRow{first: bit})
		}
		last := &all[len(all)-1]
		last.fields = append(last.fields, f)
		bit += f.bits
	}
	return all
}

// row draws fields whose blocks begin at y, with the number of the first bit of each above it.
func (c *canvas) row(fields []field, first int, y float64) {
	x, bit := float64(margin), first
	for _, f := range fields {
		w := float64(f.bits * bitWidth)
		c.box(f.kind, x, y, w, blockHeight)
		if f.bits > 1 {
			c.text(x+1, y-6, "soft small", fmt.Sprint(bit))
		}
		below := fmt.Sprintf("%d bits", f.bits)
		if f.value != "" {
			below = f.value
		}
		if f.bits < 4 && f.value == "" {
			below = fmt.Sprint(f.bits)
		}
		name := y + 22
		if f.name == "" {
			c.text(x+w/2, y+blockHeight/2+4, "mid small", below)
		} else {
			class := "mid"
			if f.bits < 8 {
				class = "mid small"
			}
			c.text(x+w/2, name, class, f.name)
			c.text(x+w/2, y+39, "mid small soft", below)
		}
		x += w
		bit += f.bits
	}
	c.text(x-1, y-6, "end soft small", fmt.Sprint(bit-1))
}

// example draws the text of an id at the base line y and below each character a bar for its bits.
func (c *canvas) example(s scheme, y float64) {
	const step = float64(rowBits*bitWidth) / 36
	left := (width - step*float64(len(s.example))) / 2
	var at []string
	for i := range s.example {
		at = append(at, number(left+step*(float64(i)+0.5)))
	}
	fmt.Fprintf(c, `<text class="code mid" x="%s" y="%s">%s</text>`+"\n", strings.Join(at, " "), number(y), s.example)

	bit := -strings.Count(s.example, "")*s.charBits + s.charBits // of all characters but hyphens, the last ends at bit 128
	bit += strings.Count(s.example, "-")*s.charBits + 128
	part := step * 0.84 / float64(s.charBits)
	for i, char := range s.example {
		if char == '-' {
			continue
		}
		// Bits of one kind that are neighbours are one bar.
		from := left + step*(float64(i)+0.08)
		for n := 0; n < s.charBits; {
			kind, run := s.kindAt(bit+n), 1
			for n+run < s.charBits && s.kindAt(bit+n+run) == kind {
				run++
			}
			if kind != "" {
				c.used[kind] = true
				fmt.Fprintf(c, `<rect class="%s" x="%s" y="%s" width="%s" height="8"/>`+"\n",
					kind+" bar", number(from+part*float64(n)), number(y+8), number(part*float64(run)))
			}
			n += run
		}
		bit += s.charBits
	}
}

// kindAt returns the kind of the field that has a bit, or "" if the bit lies before the first.
func (s scheme) kindAt(bit int) string {
	if bit < 0 {
		return ""
	}
	for _, f := range s.fields {
		if bit < f.bits {
			return f.kind
		}
		bit -= f.bits
	}
	panic("no such bit")
}

// drawSnowflakes returns the picture of the layouts of Snowflakes.
func drawSnowflakes() string {
	c := newCanvas()
	c.text(margin, 34, "title", "Snowflake")
	c.text(margin, 55, "soft", "64 bits that sort by time. They do not tell their layout; these four are known")
	var told []string
	y := float64(firstRow + 16)
	for _, f := range flakes() {
		l := f.layout
		about := fmt.Sprintf("ticks of %d ms since %s, until %d; %d ids of a node in each",
			l.Tick.Milliseconds(), l.Epoch.Format("2006-01-02 15:04:05.999"),
			l.Split(ids.Snowflake(math.MaxInt64)).Time.Year(), 1<<l.SequenceBits)
		c.text(margin, y-24, "bold", f.name)
		c.text(margin+90, y-24, "", about)
		c.row(f.fields(), 0, y)
		var parts []string
		for _, part := range f.fields()[1:] {
			parts = append(parts, fmt.Sprintf("%d of %s", part.bits, part.name))
		}
		told = append(told, fmt.Sprintf("%s: one bit 0, then %s; %s.", f.name, strings.Join(parts, ", "), about))
		y += rowStep + 22
	}
	c.text(margin, y-22, "soft", "The 10 bits of the node are datacenter and worker of Twitter, worker and process of Discord, 5 bits each.")
	return c.svg(y-4, "The bits of a Snowflake in four layouts", strings.Join(told, " "))
}
