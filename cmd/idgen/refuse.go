package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// A refusal says that an input is not an id, and why.
type refusal struct {
	at   int    // the byte that is wrong, or -1 if none alone is
	what string // "a UUID"
	why  string
}

func (r *refusal) Error() string { return "not " + r.what + ": " + r.why }

// A parseError is an error of a function that parses an id: of package ids or typeid.
type parseError interface {
	error
	Scheme() string
	Offset() (offset int, ok bool)
}

// refused returns the refusal for an error of a way to read what, such as "a UUID", in a text that
// begins at offset in the input.
func refused(err error, what string, offset int) error {
	if own, ok := errors.AsType[*refusal](err); ok {
		if own.at >= 0 {
			offset += own.at
		} else {
			offset = -1
		}
		return &refusal{offset, own.what, own.why}
	}
	bad, _ := errors.AsType[parseError](err)
	why := strings.TrimPrefix(strings.TrimPrefix(bad.Error(), "ids: parsing "+bad.Scheme()+": "), "typeid: ")
	why, _, _ = strings.Cut(why, " at byte ")
	at, ok := bad.Offset()
	if !ok {
		return &refusal{-1, what, why}
	}
	return &refusal{offset + at, what, why}
}

// refuse returns the refusal of s, which begins at offset in the input. Bad is the refusal by the
// reading that fits s, or nil if none fits. A character that no id has comes before it: it says
// more, as the reading is a guess.
func (rs readings) refuse(s string, offset int, bad error) error {
	for i, r := range s {
		if r >= utf8.RuneSelf || !(r|0x20 >= 'a' && r|0x20 <= 'z' || r >= '0' && r <= '9' || strings.ContainsRune("-{}:_", r)) {
			_, size := utf8.DecodeRuneInString(s[i:])
			return &refusal{offset + i, rs.what, fmt.Sprintf("%+q cannot occur in one", s[i:i+size])}
		}
	}
	if bad != nil {
		return bad
	}
	if s == "" {
		return &refusal{-1, rs.what, "it is blank"}
	}
	numbers := slices.ContainsFunc(rs.ways, func(r reading) bool { return r.kind == "snowflake" && r.form == "text" })
	if numbers && len(s) <= len("9223372036854775807") {
		return &refusal{-1, rs.what, "it is not a number, and no other has " + characters(len(s))}
	}
	return &refusal{-1, rs.what, "none has " + characters(len(s))}
}

// characters returns "n characters".
func characters(n int) string {
	if n == 1 {
		return "1 character"
	}
	return fmt.Sprintf("%d characters", n)
}

// mostReports is how many bad inputs are reported one by one. A file of another kind has a million.
const mostReports = 20

// report writes what is wrong with an input, and counts it. After mostReports it counts only, and says so once.
func (t *tool) report(message string) {
	t.bad++
	switch {
	case t.bad == mostReports+1:
		message = "more are bad; from here on they are only counted"
	case t.bad > mostReports:
		return
	}
	t.out.Flush() // so that output and reports come in the order of the input; stopped returns its error later
	fmt.Fprintf(t.errs, "idgen: %s\n", message)
}

// complaint says where an input is and what is wrong with it. It repeats an argument. It does not
// repeat a line, whose number is enough to find it.
func (t *tool) complaint(where string, in input, err error) string {
	var bad *refusal
	if !errors.As(err, &bad) {
		return where + ": " + err.Error()
	}
	if in.line > 0 {
		return where + column(in.text, bad.at) + ": " + bad.Error()
	}
	// No id has a dot or a slash, but most names of files have one.
	if strings.ContainsAny(in.text, `./\`) {
		return fmt.Sprintf("%s: %s is not %s (to read a file: idgen %s < FILE)", where, quoted(in.text), bad.what, t.name)
	}
	return where + column(in.text, bad.at) + ": " + quoted(in.text) + " is " + bad.Error()
}

// column returns which character of a text begins at a byte, counted from 1, as a part of a
// message. It is empty if at is negative.
func column(text string, at int) string {
	if at < 0 {
		return ""
	}
	return fmt.Sprintf(", column %d", utf8.RuneCountInString(text[:at])+1)
}
