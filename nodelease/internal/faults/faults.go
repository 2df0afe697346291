// Package faults has the list of what is wrong with a store: with its server, the rights of its user, and its table.
package faults

import (
	"errors"
	"fmt"
	"strings"

	"github.com/oneclock/ids/nodelease"
)

// Grade says who acts on a fault. The command leases shows all.
type Grade string

const (
	// Noted is for people who look.
	Noted Grade = "noted"
	// Told is what the first Take tells, too.
	Told Grade = "told"
	// Unsafe is that a crash can take horizons back. New refuses it, unless it is told to allow that.
	Unsafe Grade = "unsafe"
	// Passing is what New and Take refuse, and what can pass by itself.
	Passing Grade = "passing"
	// Lasting is what New and Take refuse until somebody mends it.
	Lasting Grade = "lasting"
)

// A Fault is one thing that is wrong.
type Fault struct {
	Grade Grade
	Text  string
}

// List is all that is wrong.
type List []Fault

// Add adds a fault.
func (l *List) Add(grade Grade, format string, args ...any) {
	*l = append(*l, Fault{grade, fmt.Sprintf(format, args...)})
}

// Err returns an error with what a store refuses, if there is anything. It matches [nodelease.ErrRefused] unless all of that can
// pass by itself. If unsafe, the store allows a server that forgets.
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

// Refused returns err as an error that matches [nodelease.ErrRefused], too.
func Refused(err error) error { return refusal{err} }

type refusal struct{ error }

func (r refusal) Unwrap() []error { return []error{nodelease.ErrRefused, r.error} }

// Texts returns the texts of all.
func (l List) Texts() (texts []string) {
	for _, f := range l {
		texts = append(texts, f.Text)
	}
	return texts
}
