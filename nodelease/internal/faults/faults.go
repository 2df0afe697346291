// Package faults defines types for the faults of a store. A fault may be in the server, in the
// user's privileges or in the table.
package faults

import (
	"errors"
	"fmt"
	"strings"

	"github.com/oneclock/ids/nodelease"
)

// Grade is the severity of a fault. It determines whether a Take reports the fault, and whether New
// and Take refuse a store that has it. The leases command shows faults of all grades.
type Grade string

const (
	// Noted means that only the leases command shows the fault.
	Noted Grade = "noted"
	// Told means that the leases command shows the fault, and the first Take reports it.
	Told Grade = "told"
	// Unsafe means that a crash can set horizons back. New refuses the store unless the options
	// allow the fault.
	Unsafe Grade = "unsafe"
	// Passing means that New and Take refuse the store but may accept it later, because the fault
	// can go away on its own.
	Passing Grade = "passing"
	// Lasting means that New and Take refuse the store until an operator fixes the fault.
	Lasting Grade = "lasting"
)

// A Fault describes one problem with a store.
type Fault struct {
	Grade Grade
	Text  string
}

// List is a list of all faults that were found.
type List []Fault

// Add adds a fault.
func (l *List) Add(grade Grade, format string, args ...any) {
	*l = append(*l, Fault{grade, fmt.Sprintf(format, args...)})
}

// Err returns an error that lists all faults for which the store must be refused, or nil if there
// are none. The error matches [nodelease.ErrRefused] unless all of these faults have the grade
// Passing. If unsafe is true, faults of the grade Unsafe are allowed.
func (l List) Err(unsafe bool) error {
	var texts []string
	lasts := false
	for _, f := range l {
		text := f.Text
		switch {
		case f.Grade == Unsafe && !unsafe:
			text += ": for tests, set Options.AllowNoFsync"
		case f.Grade != Passing && f.Grade != Lasting:
			continue
		}
		texts = append(texts, text)
		lasts = lasts || f.Grade != Passing
	}
	text := strings.Join(texts, "; ")
	switch {
	case texts == nil:
		return nil
	case lasts:
		return Refused(errors.New(text))
	}
	return errors.New(text)
}

// Refused returns an error that has err's text and matches both err and [nodelease.ErrRefused].
func Refused(err error) error { return refusal{err} }

type refusal struct{ error }

func (r refusal) Unwrap() []error { return []error{nodelease.ErrRefused, r.error} }

// Texts returns the Text field of each fault.
func (l List) Texts() (texts []string) {
	for _, f := range l {
		texts = append(texts, f.Text)
	}
	return texts
}
