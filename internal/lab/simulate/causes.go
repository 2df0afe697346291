package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/oneclock/ids"
)

// A cause is why a limit is no later, or why a clock has ended. Each is another one.
type cause struct {
	machine int64
	number  int
}

func (c *cause) Error() string { return fmt.Sprintf("cause %d of machine %d.", c.number, c.machine) }

// asError returns c, or nil if it is nil.
func (c *cause) asError() error {
	if c == nil {
		return nil
	}
	return c
}

// newCause returns a cause that there has not been, or every third time nil.
func (m *machine) newCause() *cause {
	m.causes++
	if m.causes%3 == 0 {
		return nil
	}
	return &cause{m.number, m.causes}
}

// causesIn returns all causes that an error matches.
func causesIn(err error) []*cause {
	switch err := err.(type) {
	case *cause:
		return []*cause{err}
	case interface{ Unwrap() error }:
		return causesIn(err.Unwrap())
	case interface{ Unwrap() []error }:
		var all []*cause
		for _, e := range err.Unwrap() {
			all = append(all, causesIn(e)...)
		}
		return all
	}
	return nil
}

// because checks an error of a call whose id the limit withholds: that it matches ErrWithheld or ErrEnded, and the cause
// that was given with that, and that its text says so; and that it matches neither the other one nor another cause.
func (m *machine) because(err, why error) *violation {
	m.world.stats.refused++
	other := ids.ErrEnded
	if why == ids.ErrEnded {
		other = ids.ErrWithheld
	}
	var want []*cause
	if m.cause != nil {
		want = append(want, m.cause)
	}
	switch got := causesIn(err); {
	case !errors.Is(err, why) || errors.Is(err, other):
		return problem("cause: refused with %q, not with %q", err, why)
	case !slices.Equal(got, want):
		return problem("cause: refused with %q, where the causes that were given are %q", err, want)
	case m.cause != nil && !(errors.Is(err, m.cause) && strings.Contains(err.Error(), m.cause.Error())):
		return problem("cause: refused with %q, which does not say %q", err, m.cause)
	}
	return nil
}
