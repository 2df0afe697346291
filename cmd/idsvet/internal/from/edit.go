package from

// This file defines edits, which change the text of a source file, and conversions, which consist
// of edits.

import (
	"cmp"
	"slices"
	"strings"
)

// An edit replaces the bytes from start to end with text. Package names in the new text are marked,
// as in "\x00uuid\x00", until the file's names for these packages are known.
type edit struct {
	start, end int
	text       string
}

// markPackage returns the marked name of a package.
func markPackage(pkg string) string { return "\x00" + pkg + "\x00" }

// A conversion is the result of converting an expression in the program. The expression is either
// rewritten as a whole or left unchanged.
type conversion struct {
	start, end int
	edits      []edit
	uses       int    // number of uses of the old library's names
	left       string // reason why the expression stays unchanged, for the report, or ""
	name       string // name that keeps the expression from being converted
}

// render returns the text from start to end with the edits applied.
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

// isCovered reports whether one of the edits replaces the byte at offset at.
func isCovered(edits []edit, at int) bool {
	return slices.ContainsFunc(edits, func(e edit) bool { return e.start <= at && at < e.end })
}
