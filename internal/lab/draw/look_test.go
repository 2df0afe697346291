package main

import (
	"encoding/xml"
	"math"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestInside checks that all shapes and texts are inside the picture, by an estimate of the
// width of text in a wide font, and that no text meets another.
func TestInside(t *testing.T) {
	for name, picture := range pictures() {
		var svg struct {
			Width  float64 `xml:"width,attr"`
			Height float64 `xml:"height,attr"`
			Rects  []struct {
				X      float64 `xml:"x,attr"`
				Y      float64 `xml:"y,attr"`
				Width  float64 `xml:"width,attr"`
				Height float64 `xml:"height,attr"`
			} `xml:"rect"`
			Texts []struct {
				Class string  `xml:"class,attr"`
				X     string  `xml:"x,attr"`
				Y     float64 `xml:"y,attr"`
				Text  string  `xml:",chardata"`
			} `xml:"text"`
		}
		if err := xml.Unmarshal([]byte(picture), &svg); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, r := range svg.Rects {
			if r.X < 0 || r.Y < 0 || r.Width <= 0 || r.X+r.Width > svg.Width || r.Y+r.Height > svg.Height {
				t.Errorf("%s: a shape of %+v is not inside", name, r)
			}
		}
		type extent struct {
			left, right, y, size float64
			text                 string
		}
		var all []extent
		for _, text := range svg.Texts {
			if strings.Contains(text.Class, "code") {
				continue // each character has a place of its own
			}
			x, err := strconv.ParseFloat(text.X, 64)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			size, em := 13.0, 0.56
			for class := range strings.FieldsSeq(text.Class) {
				switch class {
				case "small":
					size, em = 11, 0.59
				case "title":
					size, em = 17, 0.62
				case "bold":
					em = 0.62
				}
			}
			e := extent{x, x + size*em*float64(utf8.RuneCountInString(text.Text)), text.Y, size, text.Text}
			switch w := e.right - e.left; {
			case strings.Contains(text.Class, "mid"):
				e.left, e.right = e.left-w/2, e.right-w/2
			case strings.Contains(text.Class, "end"):
				e.left, e.right = e.left-w, e.right-w
			}
			if e.left < 10 || e.right > svg.Width-10 || e.y < size+4 || e.y > svg.Height-4 {
				t.Errorf("%s: %q, from %.0f to %.0f at %.0f, is not inside %.0f × %.0f", name, e.text, e.left, e.right, e.y, svg.Width, svg.Height)
			}
			for _, o := range all {
				if e.left < o.right && o.left < e.right && e.y-e.size < o.y && o.y-o.size < e.y {
					t.Errorf("%s: %q at %.0f meets %q at %.0f", name, e.text, e.y, o.text, o.y)
				}
			}
			all = append(all, e)
		}
	}
}

// TestContrast checks that text and lines can be read on what they are on, by the measure of
// WCAG 2.
func TestContrast(t *testing.T) {
	check := func(what, a, b string, least float64) {
		if got := contrast(t, a, b); got < least {
			t.Errorf("%s: the contrast of %s and %s is %.2f, less than %.1f", what, a, b, got, least)
		}
	}
	for _, kind := range kinds {
		for ground, p := range map[string]tones{"light": paints[kind].light, "dark": paints[kind].dark} {
			g := grounds.light
			if ground == "dark" {
				g = grounds.dark
			}
			check(kind+", "+ground+", text", g.text, p.fill, 4.5)
			check(kind+", "+ground+", soft text", g.soft, p.fill, 4.5)
			check(kind+", "+ground+", line", p.edge, g.fill, 3)
			check(ground+", text", g.text, g.fill, 7)
			check(ground+", soft text", g.soft, g.fill, 4.5)
		}
	}
}

// contrast returns the contrast of two colours, from 1 to 21.
func contrast(t *testing.T, a, b string) float64 {
	la, lb := luminance(t, a), luminance(t, b)
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}

// linear returns the light of a colour's part, of both from 0 to 1.
func linear(v float64) float64 {
	if v <= 0.04045 {
		return v / 12.92
	}
	return math.Pow((v+0.055)/1.055, 2.4)
}

// luminance returns the relative luminance of a colour.
func luminance(t *testing.T, colour string) (l float64) {
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		v, err := strconv.ParseUint(colour[1+2*i:3+2*i], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		l += weight * linear(float64(v)/255)
	}
	return l
}
