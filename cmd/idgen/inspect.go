package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/oneclock/ids"
)

// inspect shows what is in ids.
func (t *tool) inspect(args []string) error {
	fs := flag.NewFlagSet("", flag.ContinueOnError)
	asJSON := fs.Bool("json", false, "")
	as := word(fs, "as", "")
	layout := word(fs, "layout", "")
	texts, err := t.parse(fs, args)
	if err != nil {
		return err
	}
	ways, err := readingsAs(*as)
	if err != nil {
		return err
	}
	shown := layouts
	if *layout != "" {
		l, err := layoutNamed(*layout)
		if err != nil {
			return err
		}
		shown = []namedLayout{l}
	}
	encoder := json.NewEncoder(t.out)
	return t.inputs(texts, "ids", func(in input) error {
		id, way, err := ways.read(in.text)
		if err != nil {
			return err
		}
		if *asJSON {
			return encoder.Encode(newReport(in.line, id, way, views(id, shown)))
		}
		t.show(id, way, views(id, shown))
		return nil
	})
}

// show writes an id for people. The method inputs notices a failed write.
func (t *tool) show(id ident, way reading, all []view) {
	title := "Snowflake"
	if all[0].layout == "" {
		title = all[0].title
	}
	fmt.Fprintf(t.out, "%s  %s\n  %s\n\n", title, id, strings.Join(otherForms(id, way), ", "))
	for _, v := range all {
		if v.layout != "" {
			fmt.Fprintf(t.out, "  %s\n\n", v.title)
		}
		v.draw(t.out, bytesOf(id))
		fmt.Fprintln(t.out)
	}
}

// otherForms returns an id in the forms that show does not use, each after its name. It marks the
// form in which the id was given.
func otherForms(id ident, way reading) (others []string) {
	for _, name := range []string{"base32", "base58", "hex"} {
		if u, ok := id.(ids.ULID); ok && name == "base32" {
			others = append(others, "as a UUID "+u.UUID().String())
			continue
		}
		text, err := forms[name](nil, id)
		if err != nil {
			continue
		}
		other := name + " " + string(text)
		if name == way.form {
			other += " (as given)"
		}
		others = append(others, other)
	}
	return others
}

// views returns all ways to see an id. A Snowflake has one for each of some layouts, the plausible
// ones first.
func views(id ident, some []namedLayout) []view {
	switch id := id.(type) {
	case ids.UUID:
		return []view{viewUUID(id)}
	case ids.ULID:
		return []view{viewULID(id)}
	}
	var vs []view
	now := time.Now()
	for _, l := range some {
		vs = append(vs, viewSnowflake(id.(ids.Snowflake), l, now))
	}
	slices.SortStableFunc(vs, func(a, b view) int {
		switch {
		case a.likely && !b.likely:
			return -1
		case b.likely && !a.likely:
			return 1
		}
		return 0
	})
	return vs
}

// A report is what inspect -json prints for one id.
type report struct {
	Line    int               `json:"line,omitempty"` // of standard input
	Kind    string            `json:"kind"`           // uuid, ulid or snowflake
	ID      string            `json:"id"`
	Version *int              `json:"version,omitempty"` // of a UUID
	Variant string            `json:"variant,omitempty"` // of a UUID
	Forms   map[string]string `json:"forms"`
	Views   []jsonView        `json:"views"`
}

type jsonView struct {
	Layout    string      `json:"layout,omitempty"`
	Plausible *bool       `json:"plausible,omitempty"`
	Time      string      `json:"time,omitempty"` // RFC 3339, except that a ULID can be of a year with 5 digits
	Fields    []jsonField `json:"fields"`
}

type jsonField struct {
	Name  string   `json:"name"`
	Bits  [][2]int `json:"bits"` // first and last of each piece, the most significant piece first
	Hex   string   `json:"hex"`
	Value string   `json:"value"`
	Note  string   `json:"note,omitempty"`
}

// newReport returns the report on an id.
func newReport(line int, id ident, way reading, all []view) report {
	r := report{Line: line, Kind: way.kind, ID: id.String(), Forms: map[string]string{}}
	for _, name := range formNames {
		if text, err := forms[name](nil, id); err == nil && name != "json" {
			r.Forms[name] = string(text)
		}
	}
	if u, ok := id.(ids.UUID); ok {
		r.Variant = u.Variant().String()
		if u.Variant() == ids.VariantRFC9562 {
			version := u.Version()
			r.Version = &version
		}
	}
	for _, v := range all {
		j := jsonView{Layout: v.layout}
		if v.made != nil {
			j.Time = stamp(*v.made)
		}
		if v.layout != "" {
			j.Plausible = &v.likely
		}
		for _, f := range v.fields {
			jf := jsonField{Name: f.name, Hex: hexOf(bytesOf(id), f.spans), Value: f.value, Note: f.note}
			for _, s := range f.spans {
				jf.Bits = append(jf.Bits, [2]int{s.from, s.to})
			}
			j.Fields = append(j.Fields, jf)
		}
		r.Views = append(r.Views, j)
	}
	return r
}
