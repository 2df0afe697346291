package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"strings"
	"time"

	"github.com/oneclock/ids"
)

// limits are what a scheme has between two times.
type limits struct {
	first, last     time.Time // the times that the scheme can hold
	least, greatest func(time.Time) ident
}

// limitsOf returns the limits of a scheme.
func limitsOf(scheme, layout string) (limits, error) {
	if layout == "" {
		layout = "twitter"
	} else if scheme != "snowflake" {
		return limits{}, usageError("-layout is for snowflake only")
	}
	first, last := time.UnixMilli(0).UTC(), time.UnixMilli(1<<48-1).UTC() // in 48 bits of milliseconds
	switch scheme {
	case "uuid7":
		return limits{first, last,
			func(t time.Time) ident { return ids.MinV7At(t) },
			func(t time.Time) ident { return ids.MaxV7At(t) }}, nil
	case "ulid":
		return limits{first, last,
			func(t time.Time) ident { return ids.MinULIDAt(t) },
			func(t time.Time) ident { return ids.MaxULIDAt(t) }}, nil
	case "snowflake":
		l, err := layoutNamed(layout)
		if err != nil {
			return limits{}, err
		}
		return limits{l.Epoch, l.lastTime(),
			func(t time.Time) ident { return l.MinAt(t) },
			func(t time.Time) ident { return l.MaxAt(t) }}, nil
	}
	return limits{}, usagef("range does not support %s, only uuid7, ulid and snowflake", quoted(scheme))
}

// bounds prints the least and the greatest id between two times.
func (t *tool) bounds(args []string) error {
	fs := flag.NewFlagSet("", flag.ContinueOnError)
	fromText := fs.String("from", "", "")
	toText := fs.String("to", "", "")
	layout := word(fs, "layout", "")
	format := word(fs, "format", "text")
	schemes, err := t.parse(fs, args)
	if err != nil {
		return err
	}
	switch len(schemes) {
	case 0:
		return usageError("say which kind: idgen range -from … -to … uuid7 (or ulid, snowflake)")
	case 1:
	default:
		return usagef("range takes one kind, but there is %s after %s", quoted(schemes[1]), quoted(schemes[0]))
	}
	scheme := strings.ToLower(schemes[0])
	l, err := limitsOf(scheme, *layout)
	if err != nil {
		return err
	}
	write, err := formNamed(*format)
	if err != nil {
		return err
	}
	from, err := parseTime("-from", *fromText, 0)
	if err != nil {
		return err
	}
	to, err := parseTime("-to", *toText, 24*time.Hour-1)
	if err != nil {
		return err
	}
	if from, to, err = l.clip(t, from, to); err != nil {
		return err
	}
	least, err := write(nil, l.least(from))
	if err != nil {
		return err
	}
	greatest, err := write(nil, l.greatest(to))
	if err != nil {
		return err
	}
	if *format == "json" {
		return json.NewEncoder(t.out).Encode(struct {
			Scheme   string          `json:"scheme"`
			From     string          `json:"from"`
			To       string          `json:"to"`
			Least    json.RawMessage `json:"least"`
			Greatest json.RawMessage `json:"greatest"`
		}{scheme, stamp(from), stamp(to), least, greatest})
	}
	quote := "'"
	if scheme == "snowflake" && *format == "text" {
		quote = "" // a number
	}
	_, err = fmt.Fprintf(t.out, "from      %s\nto        %s\nleast     %s\ngreatest  %s\nSQL       id BETWEEN %s%s%s AND %s%s%s\n",
		stamp(from), stamp(to), least, greatest, quote, least, quote, quote, greatest, quote)
	return err
}

// clip moves two times into the span that the scheme can hold, and says so.
func (l limits) clip(t *tool, from, to time.Time) (time.Time, time.Time, error) {
	switch {
	case to.Before(from):
		return from, to, usageError("-to is before -from")
	case to.Before(l.first), from.After(l.last):
		return from, to, usagef("there are no ids of that time, only from %s to %s", stamp(l.first), stamp(l.last))
	}
	if from.Before(l.first) {
		fmt.Fprintf(t.errs, "idgen: note: -from is before the first possible id; using %s\n", stamp(l.first))
		from = l.first
	}
	if to.After(l.last) {
		fmt.Fprintf(t.errs, "idgen: note: -to is after the last possible id; using %s\n", stamp(l.last))
		to = l.last
	}
	return from, to, nil
}

// parseTime reads a time, or a date, to whose start it adds rest.
func parseTime(name, s string, rest time.Duration) (time.Time, error) {
	if t, err := time.Parse(time.RFC3339, s); err == nil {
		return t, nil
	}
	if t, err := time.Parse(time.DateOnly, s); err == nil {
		return t.Add(rest), nil
	}
	if s == "" {
		return time.Time{}, usageError(name + " is missing")
	}
	return time.Time{}, usagef("%s %s is neither a date (2026-01-31) nor a time (2026-01-31T12:00:00Z)", name, quoted(s))
}

// stamp returns a time to the millisecond: no kind of id tells more of it to range.
func stamp(t time.Time) string { return t.UTC().Format(toMilli) }
