package main

// This file contains the inspect command, which shows the fields of an ID.

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// inspect shows the fields of IDs.
func (t *tool) inspect(args []string) error {
	fs := newFlags()
	asJSON, brief, field := fs.Bool("json", false, ""), fs.Bool("brief", false, ""), ""
	fs.Func("field", "", func(s string) error {
		if s == "" || field != "" {
			return errors.New("must be the name of one field, such as time")
		}
		field = s
		return nil
	})
	read, layout := fs.addAs(), fs.addLayout()
	texts, err := fs.parse(args)
	if err != nil {
		return err
	}
	if *asJSON && *brief || *asJSON && field != "" || *brief && field != "" {
		return usageError("-brief, -field and -json are mutually exclusive")
	}
	shown, assumed := *layout, len(*layout) > 1
	if *brief || field != "" {
		shown = shown[:1] // one layout for all IDs, so that their times can be compared
	}
	return t.each(texts, func(text string) (string, error) {
		id, err := read(text)
		if err != nil {
			return "", err
		}
		all := views(id, shown)
		if id.kind == "snowflake" && assumed && (*asJSON || field != "") {
			fmt.Fprintf(t.errs, "idgen: note: without -layout, Snowflakes are read in the layout %s\n", layouts[0].name)
			assumed = false // print the note only once
		}
		switch {
		case *asJSON:
			line, err := json.Marshal(report{id.kind, id.String(), formsOf(id), all})
			return string(line), err
		case *brief:
			return all[0].heading(id), nil
		case field == "":
			slices.SortStableFunc(all, func(a, b *view) int { return min(len(a.doubt), 1) - min(len(b.doubt), 1) })
			return draw(id, all), nil
		}
		return all[0].value(field)
	})
}

// A report is the output of inspect -json for an ID.
type report struct {
	Kind  string            `json:"kind"` // uuid, ulid, snowflake or typeid
	ID    string            `json:"id"`
	Forms map[string]string `json:"forms"`
	Views []*view           `json:"views"`
}

// formsOf returns the ID in each form that an ID of its kind can have. The keys of the map are the
// names of the forms.
func formsOf(id ident) map[string]string {
	all := map[string]string{}
	for _, name := range formNames() {
		if text, err := id.write(name); err == nil {
			all[name] = text
		}
	}
	return all
}

// draw returns a string that shows the ID and its forms, followed by the fields and the bits of
// each view. To the right of the bits, the string shows the key of the field to which each bit
// belongs.
func draw(id ident, all []*view) string {
	var b strings.Builder
	inBytes := func(s string) string { return s[:8] + " " + s[8:16] + " " + s[16:24] + " " + s[24:32] }
	for i, v := range all {
		fmt.Fprintf(&b, "%s\n\n", v.heading(id))
		if forms := formsOf(id); i == 0 {
			for _, name := range slices.Sorted(maps.Keys(forms)) {
				fmt.Fprintf(&b, "  as %-12s  %s\n", name, forms[name])
			}
			fmt.Fprintln(&b)
		}
		for _, f := range v.Fields {
			note := ""
			if f.Note != "" {
				note = "  (" + f.Note + ")"
			}
			fmt.Fprintf(&b, "  %c  %-14s  %s%s\n", f.key, f.Name, f.Value, note)
		}
		fmt.Fprintln(&b)
		for row := 0; row < len(v.bits); row += 32 {
			fmt.Fprintf(&b, "  %3d  %s   %s\n", row, inBytes(v.bits[row:]), inBytes(v.keys[row:]))
		}
		if i < len(all)-1 {
			fmt.Fprintln(&b)
		}
	}
	return b.String()
}
