// Package faults defines a list of the faults of a store: of its server, its user's rights, and its
// table.
package faults

import (
	"errors"
	"fmt"
	"strings"

	"github.com/oneclock/ids/nodelease"
)

// Grade is the severity of a fault. It decides whether a Take reports the fault and whether New and
// Take refuse it. The command leases shows faults of all grades.
type Grade string

const (
	// Noted is for people who look at the store.
	Noted Grade = "noted"
	// Told is like Noted, but the first Take reports it, too.
	Told Grade = "told"
	// Unsafe means that a crash can take horizons back. New refuses it unless the options allow it.
	Unsafe Grade = "unsafe"
	// Passing means that New and Take refuse it, and that it can pass by itself.
	Passing Grade = "passing"
	// Lasting means that New and Take refuse it until a person fixes it.
	Lasting Grade = "lasting"
)

// A Fault is one fault of a store.
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

// Err returns an error with all faults that a store refuses, or nil if there are none. It matches
// [nodelease.ErrRefused] unless all of them can pass by themselves. unsafe allows faults of the
// grade Unsafe.
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

// Refused returns an error with err's text that matches [nodelease.ErrRefused] in addition to err.
func Refused(err error) error { return refusal{err} }

type refusal struct{ error }

func (r refusal) Unwrap() []error { return []error{nodelease.ErrRefused, r.error} }

// Texts returns the texts of all faults.
func (l List) Texts() (texts []string) {
	for _, f := range l {
		texts = append(texts, f.Text)
	}
	return texts
}
