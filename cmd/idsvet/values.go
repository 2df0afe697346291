package main

import (
	"go/ast"
	"go/types"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
)

var funcValue = rule("funcvalue", "report uuid.Nil, uuid.Max or a namespace that is used as a value, without a call", funcValues)

var constants = regexp.MustCompile(`^((Nil|Max)(UUID)?|Namespace(DNS|URL|OID|X500))$`)

func funcValues(p *program) {
	for c := range p.code.Preorder((*ast.SelectorExpr)(nil), (*ast.Ident)(nil)) {
		e := c.Node().(ast.Expr)
		to := p.wanted(c)
		from := p.origin(e)
		if s, ok := from.(*ast.SelectorExpr); ok {
			from = s.Sel
		}
		id, _ := from.(*ast.Ident)
		fun, ok := p.ObjectOf(id).(*types.Func)
		if !ok || !ours(fun.Pkg()) || !constants.MatchString(fun.Name()) || to == nil || !types.IsInterface(to) {
			continue
		}
		f := p.callee(c.Parent().Node())
		if f != nil && (f.FullName() == "reflect.ValueOf" || f.FullName() == "reflect.TypeOf") || p.amongFunctions(c) {
			continue // the function is meant
		}
		d := analysis.Diagnostic{
			Pos: e.Pos(), End: e.End(),
			Message: fun.Pkg().Name() + "." + fun.Name() + " is a function: as a value it is equal to no id and prints as an address; call it",
		}
		switch c.Parent().Node().(type) {
		case *ast.KeyValueExpr, *ast.CompositeLit: // what is listed may be wanted as a function
		default:
			d.SuggestedFixes = []analysis.SuggestedFix{{TextEdits: []analysis.TextEdit{{Pos: e.End(), End: e.End(), NewText: []byte("()")}}}}
		}
		p.Report(d)
	}
}

// amongFunctions reports whether c is a value of a map that is called FuncMap, as those of templates are, or in which another
// value is a function that returns something else than an id.
func (p *program) amongFunctions(c inspector.Cursor) bool {
	lit, ok := c.Parent().Parent().Node().(*ast.CompositeLit)
	if !ok {
		return false
	}
	named, ok := types.Unalias(p.TypeOf(lit)).(*types.Named)
	return ok && named.Obj().Name() == "FuncMap" || slices.ContainsFunc(lit.Elts, func(e ast.Expr) bool {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			return false
		}
		f, ok := p.TypeOf(kv.Value).Underlying().(*types.Signature)
		return ok && (f.Results().Len() != 1 || idName(f.Results().At(0).Type()) == "")
	})
}

var mustParse = rule("mustparse", "report MustParse of a constant text that it refuses", mustParses)

func mustParses(p *program) {
	for c, call := range each[*ast.CallExpr](p) {
		f := p.callee(call)
		if f == nil || !ours(f.Pkg()) || !strings.HasPrefix(f.Name(), "MustParse") || p.Types[call.Args[0]].Value == nil {
			continue
		}
		s := p.text(call.Args[0])
		why := refused(idName(f.Signature().Results().At(0).Type()), s)
		if why != "" && !p.panicWanted(c) {
			p.ReportRangef(call, "%s.%s panics here: %q %s", f.Pkg().Name(), f.Name(), s, why)
		}
	}
}

const base32 = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

var (
	uuidText = regexp.MustCompile(strings.ReplaceAll(
		`^(([uU][rR][nN]:[uU][uU][iI][dD]:)?H{8}(-H{4}){3}-H{12}|\{H{8}(-H{4}){3}-H{12}\}|H{32})$`, "H", "[0-9a-fA-F]"))
	ulidText = regexp.MustCompile(`^[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}$`)
	typeText = regexp.MustCompile(`^([a-z]([a-z_]{0,61}[a-z])?_)?[0-7][0-9a-hjkmnp-tv-z]{25}$`)
	letters  = regexp.MustCompile(`^[0-9A-Za-z]{26}$`)
	digits   = regexp.MustCompile(`^[0-9]{1,19}$`)
)

// refused says why the parser of the type does not accept s, or returns "" if it does, or if that cannot be told.
func refused(kind, s string) string {
	switch kind {
	case "UUID":
		if !uuidText.MatchString(s) {
			return "is no UUID: write 8-4-4-4-12 hexadecimal digits"
		}
	case "ULID":
		if ulidText.MatchString(s) {
			return ""
		}
		const rule = "is no ULID: write 26 digits and letters but I, L, O and U, which begin with 0 to 7"
		if !letters.MatchString(s) || s[0] > '7' { // what oklog/ulid refuses too
			return rule
		}
		return rule + "; oklog/ulid reads it as " + lax(s)
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

// lax returns the text of the ULID that oklog/ulid makes of 26 characters. A wrong one has the value 255 there, whose upper
// bits go into the digit before, as far as both lie in one byte.
func lax(s string) string {
	id := new(big.Int)
	text := []byte(strings.ToUpper(s))
	for i := range text {
		low := 5 * (25 - i) // the place of the digit's lowest bit
		digit := strings.IndexByte(base32, text[i])
		if digit < 0 {
			digit = 1<<min(8, 8*((low+4)/8+1)-low) - 1
		}
		id.Or(id, new(big.Int).Lsh(big.NewInt(int64(digit)), uint(low)))
	}
	for i := range text {
		text[i] = base32[new(big.Int).Rsh(id, uint(5*(25-i))).Uint64()&31]
	}
	return string(text)
}

// panicWanted reports whether a function around c recovers, or is passed to a function such as assert.Panics.
func (p *program) panicWanted(c inspector.Cursor) bool {
	for f := range c.Enclosing((*ast.FuncLit)(nil), (*ast.FuncDecl)(nil)) {
		if f.ParentEdgeKind() == edge.CallExpr_Args {
			to := p.callee(f.Parent().Node())
			if to != nil && strings.Contains(strings.ToLower(to.Name()), "panic") {
				return true
			}
		}
		for id := range f.Preorder((*ast.Ident)(nil)) {
			if p.Uses[id.Node().(*ast.Ident)] == types.Universe.Lookup("recover") {
				return true
			}
		}
	}
	return false
}
