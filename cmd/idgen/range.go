package main

// This file contains the range command, which prints the bounds of the IDs in a time range.

import (
	"fmt"
	"strings"
	"time"

	"github.com/oneclock/ids"
)

// bounds prints the first ID in a time range and the first ID after that range. If the IDs can be
// written as SQL literals, it also prints an SQL condition. With -column, it prints only the
// condition.
func (t *tool) bounds(args []string) error {
	fs := newFlags()
	fs.addForm()
	from, to, layout, column := fs.addTime("from"), fs.addTime("to"), fs.addLayout(), fs.String("column", "", "")
	kinds, err := fs.parse(args)
	switch {
	case err != nil:
		return err
	case len(kinds) != 1:
		return usagef("range requires one kind (uuid6, uuid7, ulid or snowflake), not %d", len(kinds))
	case *fs.form == "guid" || *fs.form == "base64":
		return usagef("IDs in the form %s do not sort by time, so they have no bounds", *fs.form)
	case !from.given || !to.given:
		return usageError("range requires -from and -to")
	case !to.end.After(from.begin):
		return usageError("-to must be after -from, because the time -to is not included")
	}
	kind := strings.ToLower(kinds[0])
	s, ok := findSorted(kind, (*layout)[0].SnowflakeLayout)
	stamp := func(t time.Time) string { return t.UTC().Format(s.decimals) }
	switch {
	case !ok:
		return usagef("range does not support %q, only uuid6, uuid7, ulid and snowflake", kinds[0])
	case kind != "snowflake" && len(*layout) == 1:
		return usageError("-layout is only for snowflake")
	case !to.end.After(s.first), from.begin.After(s.last):
		return usagef("there are no IDs of that time, but only from %s to %s", stamp(s.first), stamp(s.last))
	}
	id, err := fs.write(identOf(s.minAt(from.begin)))
	if err != nil {
		return usageError(err.Error())
	}
	end, _ := fs.write(identOf(s.minAt(to.end))) // cannot fail, because the first call did not fail
	endless, shown := to.end.After(s.last), end+"  (not included)"
	switch {
	case endless:
		shown = "none, because -to is after the last possible ID"
	case end == id:
		return usagef("there is no ID from %s to %s; the time -to is not included", stamp(from.begin), stamp(to.end))
	}
	text := fmt.Sprintf("from   %s\nto     %s  (not included)\nfirst  %s\nend    %s\n", stamp(from.begin), stamp(to.end), id, shown)
	title, name := "SQL    ", "id"
	if *column != "" {
		text, title, name = "", "", *column
	}
	ends := literals(kind, *fs.form, end)
	for i, literal := range literals(kind, *fs.form, id) {
		text += title + name + " >= " + literal
		if !endless {
			text += " AND " + name + " < " + ends[i]
		}
		text += "\n"
	}
	if text == "" {
		return usagef("-format %s has no literal that every database sorts like the IDs", *fs.form)
	}
	return t.print(text)
}

// A sortedKind is a kind of ID that sorts by time.
type sortedKind struct {
	first, last time.Time              // earliest and latest time that an ID can have
	minAt       func(at time.Time) any // returns the smallest ID with the given time
	decimals    string                 // format of the times
}

// findSorted returns the kind with the given name, or false if IDs of that kind do not sort by
// time. It uses the layout l only for Snowflakes.
func findSorted(kind string, l ids.SnowflakeLayout) (sortedKind, bool) {
	first, last := time.UnixMilli(0), time.UnixMilli(1<<48).Add(-1) // 48 bits of milliseconds
	switch kind {
	case "uuid6":
		first, _ = ids.MinV6At(time.Time{}).Time()
		last, _ = ids.MaxV6At(last).Time() // a far earlier time
		return sortedKind{first, last, func(at time.Time) any { return ids.MinV6At(at) }, to100ns}, true
	case "uuid7":
		return sortedKind{first, last, func(at time.Time) any { return ids.MinV7At(at) }, toMilli}, true
	case "ulid":
		return sortedKind{first, last, func(at time.Time) any { return ids.MinULIDAt(at) }, toMilli}, true
	case "snowflake":
		return sortedKind{l.Epoch, l.Last().Add(l.Tick - 1), func(at time.Time) any { return l.MinAt(at) }, toMilli}, true
	}
	return sortedKind{}, false
}

// literals returns the SQL literals for an ID in the given form. In the hex form, a 16-byte ID has
// two literals: the first is for MySQL, MariaDB and SQLite, and the second is for PostgreSQL. Some
// forms have no literal, because not every database sorts them in the order of the IDs. For
// example, a database that ignores case sorts IDs in Base58 in a different order.
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
