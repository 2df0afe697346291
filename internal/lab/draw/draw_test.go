package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const docs = "../../../docs"

// measured are the pictures in the folder that internal/lab/compare makes, of what it measures.
var measured = []string{"speed.svg", "workers.svg"}

// TestCommitted checks that the folder holds what the program makes, and no other picture.
func TestCommitted(t *testing.T) {
	all := pictures()
	for name, want := range all {
		got, err := os.ReadFile(filepath.Join(docs, name))
		if err != nil {
			t.Error(err)
		} else if strings.ReplaceAll(string(got), "\r\n", "\n") != want { // git may end lines so
			t.Errorf("docs/%s is not what the program makes: go -C internal/lab run ./draw", name)
		}
	}
	found, err := filepath.Glob(filepath.Join(docs, "*.svg"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range found {
		name := filepath.Base(path)
		if _, ok := all[name]; !ok && !slices.Contains(measured, name) {
			t.Errorf("%s is not made by the program", path)
		}
	}
	shown, err := os.ReadFile(filepath.Join(docs, page))
	if err != nil {
		t.Fatal(err)
	}
	for name := range all {
		if !strings.Contains(string(shown), "]("+name+")") {
			t.Errorf("docs/layouts.md does not show %s", name)
		}
	}
	for _, m := range regexp.MustCompile(`\]\(([^)]*)\)`).FindAllStringSubmatch(string(shown), -1) {
		if _, ok := all[m[1]]; !ok {
			t.Errorf("docs/layouts.md shows %s, which is not a picture", m[1])
		}
	}
}

// TestXML checks that each picture is well-formed, has a title and a description, and needs
// nothing from elsewhere.
func TestXML(t *testing.T) {
	for name, picture := range pictures() {
		seen := map[string]string{} // text by element
		var root xml.StartElement
		var path []string
		d := xml.NewDecoder(strings.NewReader(picture))
		for {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			switch token := token.(type) {
			case xml.StartElement:
				if path = append(path, token.Name.Local); len(path) == 1 {
					root = token.Copy()
				}
				seen[token.Name.Local] += ""
			case xml.EndElement:
				path = path[:len(path)-1]
			case xml.CharData:
				if len(path) > 0 {
					seen[path[len(path)-1]] += string(token)
				}
			}
		}
		if root.Name.Local != "svg" || attr(root, "role") != "img" || attr(root, "aria-labelledby") != "title desc" {
			t.Errorf("%s: the root is %+v", name, root)
		}
		if len(seen["title"]) < 10 || len(seen["desc"]) < 100 {
			t.Errorf("%s: title %q, description %q", name, seen["title"], seen["desc"])
		}
		for element := range seen {
			if !strings.Contains(" svg title desc style rect text path ", " "+element+" ") {
				t.Errorf("%s has an element %s", name, element)
			}
		}
		for _, bad := range []string{"url(", "@import", "href", "NaN", "Inf", "%!"} {
			if strings.Contains(picture, bad) {
				t.Errorf("%s has %s in it", name, bad)
			}
		}
		if !strings.Contains(seen["style"], "prefers-color-scheme:dark") || !strings.Contains(seen["style"], "sans-serif") {
			t.Errorf("%s: the style is %q", name, seen["style"])
		}
	}
}

// attr returns an attribute of an element.
func attr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// TestWidths checks that the bits of the fields make up the id, and that no row is broken
// within a field.
func TestWidths(t *testing.T) {
	check := func(name string, want int, fields []field) {
		sum := 0
		for _, f := range fields {
			if f.bits <= 0 || sum/rowBits != (sum+f.bits-1)/rowBits {
				t.Errorf("%s: %s of %d bits at %d", name, f.name, f.bits, sum)
			}
			if f.value != "" && len(f.value) != f.bits {
				t.Errorf("%s: %s of %d bits has the value %s", name, f.name, f.bits, f.value)
			}
			if paints[f.kind] == (paint{}) {
				t.Errorf("%s: there is no paint for %s", name, f.kind)
			}
			sum += f.bits
		}
		if sum != want {
			t.Errorf("%s has %d bits, want %d", name, sum, want)
		}
	}
	for _, s := range schemes() {
		check(s.title, 128, s.fields)
		explained := map[string]bool{"": true}
		for _, k := range s.keys {
			explained[k.kind] = true
		}
		for _, f := range s.fields {
			if !explained[f.kind] {
				t.Errorf("%s: %s is not explained", s.title, f.name)
			}
		}
	}
	for _, f := range flakes() {
		check(f.name, 64, f.fields())
	}
	if len(paints) != len(kinds) {
		t.Error("kinds and paints differ")
	}
}

func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 10: "10", 1.25: "1.2", 99.96: "100", -2.5: "-2.5"} {
		if got := number(v); got != want {
			t.Errorf("number(%v) = %s, want %s", v, got, want)
		}
	}
}

func TestRows(t *testing.T) {
	got := rows([]field{{bits: 64}, {bits: 4}, {bits: 60}})
	if len(got) != 2 || got[0].first != 0 || len(got[0].fields) != 1 || got[1].first != 64 || len(got[1].fields) != 2 {
		t.Errorf("%+v", got)
	}
}
