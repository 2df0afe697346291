// Package refused knows which texts the parsers of the library refuse.
package refused

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/types"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/tools/go/types/typeutil"
)

var (
	uuidText = regexp.MustCompile(strings.ReplaceAll(
		`^(([uU][rR][nN]:[uU][uU][iI][dD]:)?H{8}(-H{4}){3}-H{12}|\{H{8}(-H{4}){3}-H{12}\}|H{32})$`, "H", "[0-9a-fA-F]"))
	ulidText = regexp.MustCompile(`^[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}$`)
	typeText = regexp.MustCompile(`^([a-z]([a-z_]{0,61}[a-z])?_)?[0-7][0-9a-hjkmnp-tv-z]{25}$`)
	digits   = regexp.MustCompile(`^[0-9]{1,19}$`)
)

// MustParse says why a call panics, if it is of a library's MustParse with a constant text that is refused here, or returns "".
func MustParse(info *types.Info, call *ast.CallExpr, library func(*types.Package) bool) string {
	f, ok := typeutil.Callee(info, call).(*types.Func)
	if !ok || !library(f.Pkg()) || !strings.HasPrefix(f.Name(), "MustParse") {
		return ""
	}
	s, constant := constant.Val(info.Types[call.Args[0]].Value).(string)
	t, named := types.Unalias(f.Signature().Results().At(0).Type()).(*types.Named)
	if !constant || !named || Why(t.Obj().Name(), s) == "" {
		return ""
	}
	return fmt.Sprintf("%q %s", s, Why(t.Obj().Name(), s))
}

// Why says why the parser of the type does not accept s, or returns "" if it does, or if that cannot be told.
func Why(kind, s string) string {
	switch kind {
	case "UUID":
		if !uuidText.MatchString(s) {
			return "is no UUID: write 8-4-4-4-12 hexadecimal digits"
		}
	case "ULID":
		if !ulidText.MatchString(s) {
			return "is no ULID, though oklog/ulid may read it: write 26 digits and letters but I, L, O and U, which begin with 0 to 7"
		}
	case "ID": // of typeid
		if !typeText.MatchString(s) {
			return "is no TypeID: after the prefix come 26 digits and lower-case letters but i, l, o and u, which begin with 0 to 7"
		}
	case "Snowflake":
		_, err := strconv.ParseInt(s, 10, 64)
		if err != nil || !digits.MatchString(s) {
			return "is no Snowflake: write at most 19 decimal digits, up to 9223372036854775807"
		}
	}
	return ""
}
