package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/oneclock/ids"
)

// A scale is what a scheme has of time.
type scale struct {
	first, last time.Time             // the times that the scheme can hold
	least       func(time.Time) ident // of a tick
}

// scaleOf returns the scale of a scheme.
func scaleOf(scheme string, some []namedLayout) (scale, error) {
	if len(some) == 1 && scheme != "snowflake" {
		return scale{}, usageError("-layout is for snowflake only")
	}
	first, last := time.UnixMilli(0).UTC(), time.UnixMilli(1<<48).Add(-1).UTC() // in 48 bits of milliseconds
	switch scheme {
	case "uuid7":
		return scale{first, last, func(t time.Time) ident { return ids.MinV7At(t) }}, nil
	case "ulid":
		return scale{first, last, func(t time.Time) ident { return ids.MinULIDAt(t) }}, nil
	case "snowflake":
		l := some[0]
		return scale{l.Epoch, l.Last().Add(l.Tick - 1), func(t time.Time) ident { return l.MinAt(t) }}, nil
	}
	return scale{}, usagef("range does not support %s, only uuid7, ulid and snowflake", quoted(scheme))
}

// A bounds is what range prints. The greatest ids of a scheme have no end after them.
type bounds struct {
	Scheme string          `json:"scheme"`
	From   string          `json:"from"`
	To     string          `json:"to"`
	Least  json.RawMessage `json:"least"`
	End    json.RawMessage `json:"end,omitempty"`
}

// bounds prints the least id of a span of time and the least after it.
func (t *tool) bounds(args []string) error {
	fs := formFlags()
	fromText := fs.String("from", "", "")
	toText := fs.String("to", "", "")
	layout := fs.addLayout()
	schemes, write, err := t.parse(fs, args)
	if err != nil {
		return err
	}
	if len(schemes) != 1 {
		return usagef("range takes one kind, uuid7, ulid or snowflake, not %d", len(schemes))
	}
	scheme := strings.ToLower(schemes[0])
	s, err := scaleOf(scheme, *layout)
	if err != nil {
		return err
	}
	from, _, err := parseTime("-from", *fromText)
	if err != nil {
		return err
	}
	_, to, err := parseTime("-to", *toText)
	if err != nil {
		return err
	}
	switch {
	case !to.After(from):
		return usageError("-to must be after -from: it is not included")
	case !to.After(s.first), from.After(s.last):
		return usagef("there are no ids of that time, only from %s to %s", stamp(s.first), stamp(s.last))
	}
	first, end := s.least(from), s.least(to)
	text, err := write(nil, first)
	if err != nil {
		return err
	}
	if end == first && !to.After(s.last) {
		return usagef("from %s to %s there is no id: -to is not included", stamp(from), stamp(to))
	}
	if from.Before(s.first) {
		fmt.Fprintf(t.errs, "idgen: note: -from is before the first possible id; using %s\n", stamp(s.first))
		from = s.first
	}
	b := bounds{Scheme: scheme, From: stamp(from), To: stamp(to), Least: text}
	if to.After(s.last) {
		fmt.Fprintf(t.errs, "idgen: note: -to is after the last possible id, of %s; no id is the end\n", stamp(s.last))
	} else {
		b.End, _ = write(nil, end) // it has the form, as the least has
	}
	if *fs.format == "json" {
		return json.NewEncoder(t.out).Encode(b)
	}
	fmt.Fprintf(t.out, "from   %s\nto     %s  (not included)\nleast  %s\n", b.From, b.To, b.Least)
	least, where := literal(scheme, *fs.format, b.Least), ""
	if b.End != nil {
		fmt.Fprintf(t.out, "end    %s  (not included)\n", b.End)
		where = " AND id < " + literal(scheme, *fs.format, b.End)
	}
	if least != "" {
		fmt.Fprintf(t.out, "SQL    id >= %s%s\n", least, where)
	}
	return nil
}

// literal returns an id of a form as SQL has it, or "" for a form that has no literal, or that a database sorts
// otherwise if it takes upper and lower case for one.
func literal(scheme, form string, id []byte) string {
	switch {
	case form == "text" && scheme == "snowflake":
		return string(id)
	case form == "text", form == "base32", form == "typeid":
		return "'" + string(id) + "'"
	case form == "hex" && scheme != "snowflake":
		return "x'" + string(id) + "'" // 16 bytes
	}
	return ""
}
