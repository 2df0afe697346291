package from

// This file matches the patterns of rules against the expressions of the program.

import (
	"go/ast"
	"go/constant"
	"go/types"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A match is a rule whose pattern matches an expression of the program.
type match struct {
	*file
	rule  *rule
	bound map[string]ast.Expr // expression to which each letter is bound
	// For each letter, path contains the embedded fields that lead from the bound expression to the
	// method, such as ".UUID".
	path map[string]string
}

// matches returns a match for each rule whose pattern matches e.
func (f *file) matches(e ast.Expr) (all []*match) {
	for _, r := range f.lib.rules {
		if reflect.TypeOf(r.pattern) != reflect.TypeOf(e) {
			continue // a fast check that excludes most rules
		}
		m := &match{f, r, map[string]ast.Expr{}, map[string]string{}}
		if m.match(r.pattern, e) {
			all = append(all, m)
		}
	}
	return all
}

// match reports whether e matches p, which is a part of the pattern. It binds the letters in p.
func (m *match) match(p, e ast.Expr) bool {
	if _, ok := p.(*ast.ParenExpr); !ok && p != m.rule.pattern {
		e = ast.Unparen(e)
	}
	switch p := p.(type) {
	case *ast.Ident:
		if isLetter(p.Name) {
			return m.bind(p.Name, e)
		}
		id, ok := e.(*ast.Ident)
		return ok && id.Name == p.Name && m.info.Uses[id] == types.Universe.Lookup(p.Name)
	case *ast.SelectorExpr:
		s, ok := e.(*ast.SelectorExpr)
		if !ok || s.Sel.Name != p.Sel.Name {
			return false
		}
		if x, ok := p.X.(*ast.Ident); ok && !isLetter(x.Name) {
			return m.qualified(x.Name, s)
		}
		return m.member(p, s)
	case *ast.CallExpr:
		c, ok := e.(*ast.CallExpr)
		return ok && !c.Ellipsis.IsValid() && m.match(p.Fun, c.Fun) && slices.EqualFunc(p.Args, c.Args, m.match)
	case *ast.BinaryExpr:
		b, ok := e.(*ast.BinaryExpr)
		return ok && b.Op == p.Op && m.match(p.X, b.X) && m.match(p.Y, b.Y)
	case *ast.ArrayType:
		a, ok := e.(*ast.ArrayType)
		return ok && a.Len == nil && p.Len == nil && m.match(p.Elt, a.Elt)
	case *ast.BasicLit:
		n, ok := constant.Val(m.info.Types[e].Value).(int64)
		return ok && p.Value == strconv.FormatInt(n, 10)
	}
	return false
}

// qualified reports whether s selects a name from the package that is called pkg in patterns. If
// this package belongs to the old library, the name must also have a rule that may be applied here.
func (m *match) qualified(pkg string, s *ast.SelectorExpr) bool {
	x, _ := s.X.(*ast.Ident)
	name, ok := m.info.Uses[x].(*types.PkgName)
	switch {
	case !ok:
		return false
	case pkg == m.lib.pkg:
		return m.lib.isOld(name.Imported()) && m.lib.isAllowed(s.Sel.Name)
	}
	return name.Imported().Path() == newPackages[pkg]
}

// member reports whether s selects the method or field that p names. If so, it binds the letter in
// p.
func (m *match) member(p, s *ast.SelectorExpr) bool {
	sel := m.info.Selections[s]
	if sel == nil || sel.Kind() == types.MethodExpr {
		return false
	}
	x, ok := p.X.(*ast.Ident)
	if !ok {
		return m.match(p.X, s.X)
	}
	want, _ := strings.CutPrefix(m.lib.letters[x.Name], "*")
	name := m.lib.oldName(sel.Obj())
	if name == "" || name != want+"."+s.Sel.Name || !m.lib.isAllowed(name) {
		return false
	}
	path := ""
	t := sel.Recv()
	for _, i := range sel.Index()[:len(sel.Index())-1] {
		st, ok := named(t).Underlying().(*types.Struct)
		if !ok {
			return false
		}
		path += "." + st.Field(i).Name()
		t = st.Field(i).Type()
	}
	m.bound[x.Name], m.path[x.Name] = ast.Unparen(s.X), path
	return true
}

var errorType = types.Universe.Lookup("error").Type()

var canonicalUUID = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

// bind binds letter to e if e matches the table's let row for the letter:
//
//   - Without a let row, the letter matches any expression.
//   - The word "constant" matches a string constant that is a UUID in canonical form.
//   - The word "string" matches a value of type string, or an untyped constant string. It does not
//     match a value of another type whose underlying type is string.
//   - The word "error" matches an error value.
//   - Any other word names a type of the old library, and matches a value of that type.
func (m *match) bind(letter string, e ast.Expr) bool {
	tv := m.info.Types[e]
	switch want := m.lib.letters[letter]; want {
	case "":
	case "constant":
		text, ok := constant.Val(tv.Value).(string)
		if !ok || !canonicalUUID.MatchString(text) {
			return false
		}
	case "string":
		if tv.Type == nil || types.Default(tv.Type) != types.Typ[types.String] {
			return false
		}
	case "error":
		if tv.Type == nil || !types.AssignableTo(tv.Type, errorType) {
			return false
		}
	default:
		n := named(tv.Type)
		pointer := tv.Type != nil && n != types.Unalias(tv.Type)
		if n == nil || m.lib.oldName(n.Obj()) != strings.TrimPrefix(want, "*") || pointer != strings.HasPrefix(want, "*") {
			return false
		}
	}
	m.bound[letter] = e
	return true
}
