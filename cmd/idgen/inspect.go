package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/oneclock/ids"
)

// inspect shows what is in ids.
func (t *tool) inspect(args []string) error {
	fs := newFlags()
	asJSON := fs.Bool("json", false, "")
	brief := fs.Bool("brief", false, "")
	field := fs.addField()
	as := fs.addAs()
	layout := fs.addLayout()
	texts, _, err := t.parse(fs, args)
	if err != nil {
		return err
	}
	if *asJSON && *brief || *asJSON && *field != "" || *brief && *field != "" {
		return usageError("-brief, -field and -json exclude each other")
	}
	ways, shown := readingsAs(*as), *layout
	if *brief || *field != "" {
		shown = shown[:1] // one for all ids, so that their times compare
	}
	if len(*layout) > 1 {
		t.note = fmt.Sprintf("idgen: note: without -layout, the field is that of a Snowflake of %s\n", layouts[0].name)
	}
	encoder := json.NewEncoder(t.out)
	t.aligned = *brief || *field != ""
	return t.inputs(texts, func(in input) error {
		id, way, err := ways.read(in.text)
		if err != nil {
			return err
		}
		switch all := views(id, shown); {
		case *asJSON:
			return encoder.Encode(newReport(in.line, id, way, all))
		case *brief:
			return t.brief(id, all[0])
		case *field != "":
			if all[0].Layout != "" {
				fmt.Fprint(t.errs, t.note)
				t.note = "" // once
			}
			value := all[0].value(*field)
			if value == "" {
				return all[0].lacks(*field)
			}
			_, err := fmt.Fprintln(t.out, value)
			return err
		default:
			t.show(id, way, all)
			return nil
		}
	})
}

// addField adds the option -field.
func (fs *flags) addField() *string {
	field := ""
	fs.Func("field", "", func(s string) error {
		switch {
		case s == "":
			return usageError("-field is empty; it is the name of a field, such as time")
		case field != "":
			return usageError("-field is given twice; it is one field")
		}
		field = s
		return nil
	})
	return &field
}

// brief writes an id, what it is and its time as a line.
func (t *tool) brief(id ident, v view) error {
	line := id.String() + "  " + v.title
	if v.Time != "" {
		line += "  " + v.Time
	}
	if v.doubt != "" {
		line += "  not plausible, since " + v.doubt
	}
	_, err := fmt.Fprintln(t.out, line)
	return err
}

// lacks returns the error for a field that a view does not have.
func (v view) lacks(name string) error {
	var has []string
	for _, f := range v.Fields {
		name := f.Name
		if strings.Contains(name, " ") {
			name = strconv.Quote(name)
		}
		has = append(has, name)
	}
	if v.UnixMS != nil {
		has = append(has, "unix_ms")
	}
	return fmt.Errorf("a %s has no field %s; it has %s", v.title, quoted(name), listed(has, "and"))
}

// show writes an id for people. The method inputs notices a failed write.
func (t *tool) show(id ident, way reading, all []view) {
	title := all[0].title
	if all[0].Layout != "" {
		title = "Snowflake"
	}
	fmt.Fprintf(t.out, "%s  %s\n  %s\n\n", title, id, strings.Join(otherForms(id, way), ", "))
	for _, v := range all {
		switch {
		case v.doubt != "":
			fmt.Fprintf(t.out, "  in the layout of %s: not plausible, since %s\n\n", v.Layout, v.doubt)
		case v.Layout != "":
			fmt.Fprintf(t.out, "  in the layout of %s: plausible\n\n", v.Layout)
		}
		v.draw(t.out, bytesOf(id))
		fmt.Fprintln(t.out)
	}
}

// otherForms returns an id in the forms that show does not use, each after its name. It marks the
// form in which the id was given.
func otherForms(id ident, way reading) (others []string) {
	for _, name := range []string{"base32", "base58", "hex"} {
		if u, err := asUUID(id); err == nil && u != id && name == "base32" { // the usual form has the same digits
			others = append(others, "as a UUID "+u.String())
			continue
		}
		text, err := forms[name](nil, id)
		if err != nil { // a Snowflake has no Base58
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
func views(id ident, some []namedLayout) (all []view) {
	now := time.Now()
	switch id := id.(type) {
	case ids.UUID:
		all = []view{viewUUID(id, now)}
	case ids.ULID:
		all = []view{viewULID(id)}
	case typeID:
		all = []view{viewTypeID(id, now)}
	case ids.Snowflake:
		for _, l := range some {
			all = append(all, viewSnowflake(id, l, now))
		}
		slices.SortStableFunc(all, func(a, b view) int { return min(len(a.doubt), 1) - min(len(b.doubt), 1) })
	}
	for i := range all {
		all[i].Time = all[i].value("time")
	}
	return all
}

// A report is what inspect -json prints for one id.
type report struct {
	Line    int               `json:"line,omitempty"` // of standard input
	Kind    string            `json:"kind"`           // uuid, ulid, snowflake or typeid
	ID      string            `json:"id"`
	Version *int              `json:"version,omitempty"` // of a UUID
	Variant string            `json:"variant,omitempty"` // of a UUID
	Forms   map[string]string `json:"forms"`
	Views   []view            `json:"views"`
}

// newReport returns the report on an id.
func newReport(line int, id ident, way reading, all []view) report {
	r := report{Line: line, Kind: way.kind, ID: id.String(), Forms: map[string]string{}, Views: all}
	for _, name := range formNames {
		if text, err := forms[name](nil, id); err == nil && name != "json" {
			r.Forms[name] = string(text)
		}
	}
	if u, ok := uuidOf(id); ok {
		r.Variant = u.Variant().String()
		if u.Variant() == ids.VariantRFC9562 {
			version := u.Version()
			r.Version = &version
		}
	}
	return r
}

// draw writes a view: its fields as a table, then each bit and below it the letter of its field.
func (v view) draw(out io.Writer, id []byte) {
	digits, keys := make([]byte, len(id)*8), make([]byte, len(id)*8)
	for i := range digits {
		digits[i] = '0' + bit(id, i)
	}
	for _, f := range v.Fields {
		n := 0
		for _, piece := range f.Bits {
			for i := piece[0]; i <= piece[1]; i++ {
				keys[i] = f.key
				n++
			}
		}
		size := fmt.Sprintf("%3d bits", n)
		switch n {
		case 0:
			size = " no bits"
		case 1:
			size = "  1 bit "
		}
		fmt.Fprintf(out, "    %c  %-14s  %s  %s", f.key, f.Name, size, f.Value)
		if f.Note != "" {
			fmt.Fprintf(out, "  (%s)", f.Note)
		}
		fmt.Fprintln(out)
	}
	fmt.Fprintln(out)
	for row := 0; row < len(digits); row += 32 {
		fmt.Fprintf(out, "  %5d  %s   %s\n", row, inBytes(digits[row:row+32]), inBytes(keys[row:row+32]))
	}
}

// inBytes returns 32 characters with a space between each eight.
func inBytes(b []byte) string {
	return string(b[:8]) + " " + string(b[8:16]) + " " + string(b[16:24]) + " " + string(b[24:])
}

// bit returns bit i of an id.
func bit(id []byte, i int) byte { return id[i/8] >> (7 - i%8) & 1 }

// hexOf returns some bits of an id as one number in hexadecimal, without leading digits that no
// bit is in.
func hexOf(id []byte, bits [][2]int) string {
	n := 0
	for _, piece := range bits {
		n += piece[1] - piece[0] + 1
	}
	digits := make([]byte, (n+3)/4)
	for _, piece := range bits {
		for i := piece[0]; i <= piece[1]; i++ {
			digit := &digits[len(digits)-(n+3)/4]
			*digit = *digit<<1 | bit(id, i)
			n--
		}
	}
	for i, digit := range digits {
		digits[i] = "0123456789abcdef"[digit]
	}
	return string(digits)
}
