package from

// This file defines notes, and the report that lists them.

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
	path  string
	line  int    // line number, or 0
	name  string // name that the note is about, or ""
	text  string
	first bool // printed before other notes, and without positions if over 50 notes have this text
}

// A report is the output of the command without the diff.
type report struct {
	dir string // directory in which the command was run
	old string // name of the old library
	out io.Writer

	total, converted    int // counts of references to the old library
	toEdit, toLookAt    int // counts of positions
	left, differ, other []note
}

// rel returns path relative to r.dir, or path itself if it is outside of r.dir.
func (r *report) rel(path string) string {
	rel, err := filepath.Rel(r.dir, path)
	if err != nil || strings.HasPrefix(rel, "..") {
		return path
	}
	return rel
}

// print prints all notes.
func (r *report) print() {
	r.toLookAt += r.printNotes("check these first", r.differ)
	r.toEdit += r.printNotes("left to you", r.left)
	r.toLookAt += r.printNotes("check these too", r.other)
}

// printNotes prints the notes under a title. It prints each message once, followed by the positions
// to which the message applies. Notes whose field first is true, such as notes about calls to
// Parse, are printed without positions if more than 50 of them have the same message. The result is
// the number of distinct notes, including those whose positions it omits.
func (r *report) printNotes(title string, notes []note) int {
	order := func(n note) int {
		if n.first {
			return 0
		}
		return 1
	}
	slices.SortFunc(notes, func(a, b note) int {
		return cmp.Or(cmp.Compare(order(a), order(b)), cmp.Compare(a.path, b.path), cmp.Compare(a.line, b.line), cmp.Compare(a.text, b.text), cmp.Compare(a.name, b.name))
	})
	notes = slices.Compact(notes)
	if len(notes) == 0 {
		return 0
	}
	fmt.Fprintf(r.out, "\n%s (%d):\n", title, len(notes))
	var texts []string
	byText := map[string][]note{}
	for _, n := range notes {
		if byText[n.text] == nil {
			texts = append(texts, n.text)
		}
		byText[n.text] = append(byText[n.text], n)
	}
	for _, text := range texts {
		places := byText[text]
		fmt.Fprintf(r.out, "%s (%d)\n", text, len(places))
		if places[0].first && len(places) > 50 {
			continue
		}
		for _, n := range places {
			fmt.Fprintf(r.out, "\t%s\n", r.place(n))
		}
	}
	return len(notes)
}

// place returns the position of a note and the name that the note is about, such as "p.go:7: New".
func (r *report) place(n note) string {
	place := r.rel(n.path)
	if n.line > 0 {
		place += ":" + strconv.Itoa(n.line)
	}
	if n.name != "" {
		place += ": " + n.name
	}
	return place
}

// summary prints the last line of the report.
func (r *report) summary(files int) {
	fmt.Fprintf(r.out, "%s: %d of %d uses converted, in %d files; places to edit: %d; to check: %d, and the list above\n",
		r.old, r.converted, r.total, files, r.toEdit, r.toLookAt)
}
