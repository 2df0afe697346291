package from

import (
	"cmp"
	"slices"
	"strings"
)

// An edit replaces the bytes from start to end. Names of packages in the text are marked, as "\x00uuid\x00", until it is known
// how the file calls them.
type edit struct {
	start, end int
	text       string
}

func mark(pkg string) string { return "\x00" + pkg + "\x00" }

// A conversion is an expression of the program that is written anew, or left as a whole.
type conversion struct {
	start, end int
	edits      []edit
	uses       int    // of the library's names
	left       string // why it is left, as the report says it; "" if it is not
	of         string // the name that is left
}

// render returns the text from start to end with its edits made.
func render(src []byte, start, end int, edits []edit) string {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end)) })
	var out strings.Builder
	for _, e := range edits {
		out.Write(src[start:e.start])
		out.WriteString(e.text)
		start = e.end
	}
	out.Write(src[start:end])
	return out.String()
}

// covered reports whether edits replace what is at an offset.
func covered(edits []edit, at int) bool {
	return slices.ContainsFunc(edits, func(e edit) bool { return e.start <= at && at < e.end })
}
