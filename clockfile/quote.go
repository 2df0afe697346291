package clockfile

// How a path or an owner is written in a command that an error prints.

import (
	"fmt"
	"runtime"
	"strings"
	"unicode"
	"unicode/utf8"
)

// word returns a path or an owner as one word of a command, which the shell takes for what it is. On Windows, where a path has no
// quotes, double quotes must do.
func shellQuote(s string) string {
	const digits = "0123456789"
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	switch {
	case runtime.GOOS == "windows":
		if strings.ContainsAny(s, " &;()<>|'*?[#") {
			return `"` + s + `"`
		}
		return s
	case s != "" && strings.Trim(s, digits+letters+"/._-+:,@") == "":
		return s
	case utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }):
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	// Bash, ksh and zsh read this. What cannot be printed is an octal number, and a line remains one.
	quoted := "$'"
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == '\'' || r == '\\':
			quoted += `\` + s[:n]
		case unicode.IsPrint(r) && (r != utf8.RuneError || n > 1):
			quoted += s[:n]
		default:
			for _, b := range []byte(s[:n]) {
				quoted += fmt.Sprintf(`\%03o`, b)
			}
		}
		s = s[n:]
	}
	return quoted + "'"
}
