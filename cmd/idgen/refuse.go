package main

import (
	"errors"
	"fmt"
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
		return own.moved(offset)
	}
	bad, _ := errors.AsType[parseError](err)
	why := strings.TrimPrefix(strings.TrimPrefix(bad.Error(), "ids: parsing "+bad.Scheme()+": "), "typeid: ")
	why, _, _ = strings.Cut(why, " at byte ")
	why = strings.TrimSuffix(why, ", want 36") // uuid8 takes other lengths too
	at, ok := bad.Offset()
	if !ok {
		at = -1
	}
	return (&refusal{at, what, why}).moved(offset)
}

// moved returns r for a text that begins at offset in another.
func (r *refusal) moved(offset int) *refusal {
	if r.at < 0 {
		return r
	}
	return &refusal{offset + r.at, r.what, r.why}
}

// refuse returns the refusal of s, which begins at offset in the input. Bad is the refusal by the
// reading that fits s, or nil if none fits. A character that no id has comes before it: it says
// more, as the reading is a guess.
func (rs readings) refuse(s string, offset int, bad error) error {
	for i, r := range s {
		if i == 0 && strings.HasPrefix(s, bytea) {
			continue
		}
		if r >= utf8.RuneSelf || !(r|0x20 >= 'a' && r|0x20 <= 'z' || r >= '0' && r <= '9' || strings.ContainsRune("-{}:_", r)) {
			_, size := utf8.DecodeRuneInString(s[i:])
			return &refusal{offset + i, rs.what, fmt.Sprintf("%+q cannot occur in one", s[i:i+size])}
		}
	}
	if bad != nil {
		return bad
	}
	why := fmt.Sprintf("no known form, length %d", len(s))
	if other := map[int]string{20: "an xid", 24: "an ObjectId", 27: "a KSUID"}[len(s)]; other != "" {
		why += ", as of " + other + ", which idgen does not read"
	}
	return &refusal{-1, rs.what, why}
}
