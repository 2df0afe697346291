package typeid

// This file contains the errors for text and bytes that are not IDs. Returning them does not
// allocate.

import (
	"fmt"

	"github.com/oneclock/ids"
)

// A parseError describes an error in the text or the bytes of an ID.
type parseError struct {
	problem problem
	n       uint8 // offset of the invalid byte, or the actual length; at most tooLong
}

// A problem is a kind of error.
type problem uint8

const (
	wrongDigit problem = iota
	wrongLetter
	longText
	longPrefix
	wrongCount
	wrongBinary
	tooLarge
	null
	cut
)

const (
	maxPrefix = 63
	numDigits = 26
	maxText   = maxPrefix + 1 + numDigits
)

const tooLong = maxText + 1 // represents this length and all greater ones

var problems = [...]string{
	wrongDigit:  "not a Crockford Base32 digit in lower case",
	wrongLetter: "neither a letter a to z of a prefix nor an underscore within one",
	longText:    "more than 90 characters",
	longPrefix:  "prefix of more than 63 characters",
	wrongCount:  "26 after the prefix",
	wrongBinary: "16 bytes",
	tooLarge:    "digits above 7zzzzzzzzzzzzzzzzzzzzzzzzz",
	null:        "NULL: scan into a typeid.Null or a pointer",
	cut:         "a column of 16 bytes has truncated a text: write id.UUID().Binary(), or use ids.UUIDFromBytes if its keys have such characters",
}

// parseErrors contains an error for each combination of a problem and a number, so that returning
// one does not allocate.
var parseErrors = func() (all [len(problems)][tooLong + 1]parseError) {
	for p := range all {
		for n := range all[p] {
			all[p][n] = parseError{problem(p), uint8(n)}
		}
	}
	return all
}()

// fault returns the error for p. n is the offset or the length that the error reports.
func fault(p problem, n int) error { return &parseErrors[p][min(n, tooLong)] }

func (e *parseError) Error() string {
	text := "typeid: " + problems[e.problem]
	switch e.problem {
	case wrongDigit, wrongLetter:
		return fmt.Sprintf("%s at byte %d", text, e.n)
	case wrongCount, wrongBinary:
		more := ""
		if e.n == tooLong {
			more = " or more"
		}
		return fmt.Sprintf("typeid: length %d%s, want %s", e.n, more, problems[e.problem])
	}
	return text
}

// Scheme returns "TypeID".
func (*parseError) Scheme() string { return "TypeID" }

// Offset returns the index of the invalid byte. ok reports whether the problem is an invalid byte.
func (e *parseError) Offset() (offset int, ok bool) {
	if e.problem == wrongDigit || e.problem == wrongLetter {
		return int(e.n), true
	}
	return 0, false
}

// Unwrap returns the error in package ids for this kind of problem.
func (e *parseError) Unwrap() error {
	switch e.problem {
	case longText, longPrefix, wrongCount, wrongBinary:
		return ids.ErrLength
	case tooLarge:
		return ids.ErrRange
	}
	return ids.ErrSyntax
}
