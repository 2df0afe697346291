package from

// The code in this file finds string constants that the parsers in ids reject.

import (
	"fmt"
	"go/ast"
	"go/constant"
	"regexp"
	"strconv"
	"strings"
)

// parsers contains an entry for each ID type: a regular expression that matches the strings
// accepted by the type's parser, and a message for all other strings.
var parsers = map[string]struct {
	accepted *regexp.Regexp
	not      string
}{
	"UUID": {regexp.MustCompile(strings.ReplaceAll(
		`^(([uU][rR][nN]:[uU][uU][iI][dD]:)?H{8}(-H{4}){3}-H{12}|\{H{8}(-H{4}){3}-H{12}\}|H{32})$`, "H", "[0-9a-fA-F]")),
		"is not a UUID; write 8-4-4-4-12 hexadecimal digits"},
	"ULID": {regexp.MustCompile(`^[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}$`),
		"is not a ULID; write 26 digits and letters except I, L, O and U, beginning with 0 to 7"},
	// type ID in package typeid
	"ID": {regexp.MustCompile(`^([a-z]([a-z_]{0,61}[a-z])?_)?[0-7][0-9a-hjkmnp-tv-z]{25}$`),
		"is not a TypeID; after the prefix, write 26 digits and lower-case letters except i, l, o and u, beginning with 0 to 7"},
	"Snowflake": {regexp.MustCompile(`^[0-9]{1,19}$`), "is not a Snowflake; write at most 19 decimal digits, up to 9223372036854775807"},
}

// panicNotes returns a note if the called function is a MustParse function of the old library and
// its argument is a string constant that ids rejects.
func (f *file) panicNotes(call *ast.CallExpr) (notes []note) {
	fun := f.callee(call)
	if fun == nil || !f.lib.owns(fun) || !strings.HasPrefix(fun.Name(), "MustParse") {
		return nil
	}
	s, ok := constant.Val(f.info.Types[call.Args[0]].Value).(string)
	if n := named(fun.Signature().Results().At(0).Type()); ok && n != nil {
		if why := Refused(n.Obj().Name(), s); why != "" {
			notes = append(notes, f.note(call.Pos(), fmt.Sprintf("MustParse panics here, because %q %s", s, why)))
		}
	}
	return notes
}

// Refused returns a message that explains why ids cannot parse s as an ID of the given kind. It
// returns "" if ids accepts s, or if the kind is unknown.
func Refused(kind, s string) string {
	text, known := parsers[kind]
	_, err := strconv.ParseInt(s, 10, 64)
	if !known || text.accepted.MatchString(s) && (kind != "Snowflake" || err == nil) {
		return ""
	}
	return text.not
}
