package from

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A note is a sentence about a line of a file.
type note struct {
	path string
	line int    // or 0
	of   string // the name that it is about, or ""
	text string
}

// A report is what the command prints beside the changes.
type report struct {
	dir string // in which it was called
	old string // the old library
	out io.Writer

	total, converted    int // uses of the library's names
	toEdit, toLookAt    int // places
	foreign             []dictate
	left, differ, other []note
}

// rel returns a path as the report shows it.
func (r *report) rel(path string) string {
	rel, err := filepath.Rel(r.dir, path)
	if err != nil || strings.HasPrefix(rel, "..") {
		return path
	}
	return rel
}

// print prints all notes, but those of what others dictate.
func (r *report) print() {
	r.toEdit += r.printNotes("left to you", r.left)
	r.toLookAt += r.printNotes("differs without an error", r.differ)
	r.toLookAt += r.printNotes("look at these, too", r.other)
}

// printNotes prints notes by their places, and returns how many there are. Those of one file that say the same have one line.
func (r *report) printNotes(title string, notes []note) int {
	slices.SortFunc(notes, func(a, b note) int {
		return cmp.Or(cmp.Compare(a.path, b.path), cmp.Compare(a.line, b.line), cmp.Compare(a.text, b.text), cmp.Compare(a.of, b.of))
	})
	notes = slices.Compact(notes)
	if len(notes) == 0 {
		return 0
	}
	fmt.Fprintf(r.out, "\n%s (%d):\n", title, len(notes))
	var order []note
	same := map[note][]note{}
	for _, n := range notes {
		key := note{path: n.path, text: n.text}
		if same[key] == nil {
			order = append(order, key)
		}
		same[key] = append(same[key], n)
	}
	for _, n := range order {
		fmt.Fprintf(r.out, "%s: %s\n", r.rel(n.path)+lines(same[n]), n.text)
	}
	return len(notes)
}

// lines returns the lines of notes on one file, and the names that they are about: ":7: New", or ":7 New, 9 Settings".
func lines(notes []note) (text string) {
	one := !slices.ContainsFunc(notes, func(n note) bool { return n.of != notes[0].of })
	for i, n := range notes {
		switch {
		case n.line == 0:
			continue
		case i == 0:
			text += ":"
		default:
			text += ", "
		}
		text += strconv.Itoa(n.line)
		if !one && n.of != "" {
			text += " " + n.of
		}
	}
	if one && notes[0].of != "" {
		text += ": " + notes[0].of
	}
	return text
}

// summary prints the last line of the report.
func (r *report) summary(files int) {
	fmt.Fprintf(r.out, "%s: %d of %d uses converted, in %d files; places to edit: %d; to look at: %d, and what the list above says\n",
		r.old, r.converted, r.total, files, r.toEdit, r.toLookAt)
}
