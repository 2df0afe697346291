package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/oneclock/ids"
)

// bounds prints the least id of a span of time and the least after it.
func (t *tool) bounds(args []string) error {
	fs := newFlags()
	fs.addForm()
	from, to, layout := fs.addTime("from"), fs.addTime("to"), fs.addLayout()
	kinds, err := fs.parse(args)
	switch {
	case err != nil:
		return err
	case len(kinds) != 1:
		return usagef("range takes one kind, uuid7, ulid or snowflake, not %d", len(kinds))
	case !from.given || !to.given:
		return usageError("range needs -from and -to")
	case !to.end.After(from.begin):
		return usageError("-to must be after -from: it is not included")
	}
	first, last := time.UnixMilli(0).UTC(), time.UnixMilli(1<<48).Add(-1).UTC() // in 48 bits of milliseconds
	least := func(at time.Time) any { return ids.MinV7At(at) }
	kind := strings.ToLower(kinds[0])
	switch kind {
	case "uuid7":
	case "ulid":
		least = func(at time.Time) any { return ids.MinULIDAt(at) }
	case "snowflake":
		l := (*layout)[0].SnowflakeLayout
		first, last = l.Epoch, l.Last().Add(l.Tick-1)
		least = func(at time.Time) any { return l.MinAt(at) }
	default:
		return usagef("range does not support %q, only uuid7, ulid and snowflake", kinds[0])
	}
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
	shown, where := end+"  (not included)", " AND id < "+literal(kind, *fs.form, end)
	switch {
	case to.end.After(last):
		shown, where = "none: -to is after the last possible id", ""
	case end == id:
		return usagef("from %s to %s there is no id: -to is not included", stamp(from.begin), stamp(to.end))
	}
	text := fmt.Sprintf("from   %s\nto     %s  (not included)\nleast  %s\nend    %s\n", stamp(from.begin), stamp(to.end), id, shown)
	if least := literal(kind, *fs.form, id); least != "" {
		text += fmt.Sprintf("SQL    id >= %s%s\n", least, where)
	}
	return t.print(text)
}

// stamp returns a time to the millisecond: no kind of id tells more of it to range.
func stamp(t time.Time) string { return t.UTC().Format(toMilli) }

// literal returns an id of a form as SQL has it, or "" for a form that has no literal, or that a database sorts
// otherwise if it takes upper and lower case for one.
func literal(kind, form, id string) string {
	switch {
	case form == "text" && kind == "snowflake":
		return id
	case form == "text", form == "base32", form == "typeid":
		return "'" + id + "'"
	case form == "hex" && kind != "snowflake":
		return "x'" + id + "'" // 16 bytes
	}
	return ""
}
