package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/oneclock/ids"
)

// bounds prints the first id of a span of time and the first after it, or with -column only the condition for SQL.
func (t *tool) bounds(args []string) error {
	fs := newFlags()
	fs.addForm()
	from, to, layout, column := fs.addTime("from"), fs.addTime("to"), fs.addLayout(), fs.String("column", "", "")
	kinds, err := fs.parse(args)
	switch {
	case err != nil:
		return err
	case len(kinds) != 1:
		return usagef("range takes one kind, uuid6, uuid7, ulid or snowflake, not %d", len(kinds))
	case *fs.form == "guid" || *fs.form == "base64":
		return usagef("ids do not sort by time in the form %s, so it has no bounds", *fs.form)
	case !from.given || !to.given:
		return usageError("range needs -from and -to")
	case !to.end.After(from.begin):
		return usageError("-to must be after -from: it is not included")
	}
	first, last := time.UnixMilli(0), time.UnixMilli(1<<48).Add(-1) // in 48 bits of milliseconds
	least, decimals := func(at time.Time) any { return ids.MinV7At(at) }, toMilli
	kind := strings.ToLower(kinds[0])
	switch kind {
	case "uuid6":
		first, _ = ids.MinV6At(time.Time{}).Time()
		last, _ = ids.MaxV6At(last).Time() // far before that
		least, decimals = func(at time.Time) any { return ids.MinV6At(at) }, to100ns
	case "uuid7":
	case "ulid":
		least = func(at time.Time) any { return ids.MinULIDAt(at) }
	case "snowflake":
		l := (*layout)[0].SnowflakeLayout
		first, last = l.Epoch, l.Last().Add(l.Tick-1)
		least = func(at time.Time) any { return l.MinAt(at) }
	default:
		return usagef("range does not support %q, only uuid6, uuid7, ulid and snowflake", kinds[0])
	}
	stamp := func(t time.Time) string { return t.UTC().Format(decimals) }
	switch {
	case kind != "snowflake" && len(*layout) == 1:
		return usageError("-layout is for snowflake only")
	case !to.end.After(first), from.begin.After(last):
		return usagef("there are no ids of that time, only from %s to %s", stamp(first), stamp(last))
	}
	id, err := fs.write(identOf(least(from.begin)))
	if err != nil {
		return usageError(err.Error())
	}
	end, _ := fs.write(identOf(least(to.end))) // it has the form, as the least has
	open, shown := to.end.After(last), end+"  (not included)"
	switch {
	case open:
		shown = "none: -to is after the last possible id"
	case end == id:
		return usagef("from %s to %s there is no id: -to is not included", stamp(from.begin), stamp(to.end))
	}
	text := fmt.Sprintf("from   %s\nto     %s  (not included)\nfirst  %s\nend    %s\n", stamp(from.begin), stamp(to.end), id, shown)
	title, name := "SQL    ", "id"
	if *column != "" {
		text, title, name = "", "", *column
	}
	ends := literals(kind, *fs.form, end)
	for i, literal := range literals(kind, *fs.form, id) {
		text += title + name + " >= " + literal
		if !open {
			text += " AND " + name + " < " + ends[i]
		}
		text += "\n"
	}
	if text == "" {
		return usagef("-format %s has no literal that every database sorts as the ids", *fs.form)
	}
	return t.print(text)
}

// literals returns an id of a form as SQL has it: of 16 bytes in the way of MySQL, MariaDB and SQLite and in that of
// PostgreSQL. There is none for a form that a database sorts otherwise if it takes upper and lower case for one.
func literals(kind, form, id string) []string {
	switch {
	case form == "text" && kind == "snowflake":
		return []string{id}
	case form == "text", form == "base32", form == "typeid":
		return []string{"'" + id + "'"}
	case form == "hex" && kind != "snowflake":
		return []string{"x'" + id + "'", `'\x` + id + "'::bytea"}
	}
	return nil
}
