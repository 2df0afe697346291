package clockfile

// This file contains shellQuote, which quotes paths and owners in the commands that errors print.

import (
	"fmt"
	"runtime"
	"strings"
	"unicode"
	"unicode/utf8"
)

// shellQuote quotes a path or an owner as one word of a shell command. On Windows, where paths
// contain no quotes, it uses double quotes.
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
	// Bash, ksh and zsh support this form. Unprintable bytes become octal escapes, so that the
	// command stays on one line.
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
