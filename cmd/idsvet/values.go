package main

import (
	"go/ast"
	"go/types"
	"regexp"
	"slices"
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

var errEqual = rule("errequal", "report err == ids.ErrSyntax and its kind, also in a switch", errEquals)

func errEquals(p *program) {
	for c, s := range each[*ast.SelectorExpr](p) {
		v, ok := p.Uses[s.Sel].(*types.Var)
		if ok && !v.IsField() && ours(v.Pkg()) && strings.HasPrefix(v.Name(), "Err") && p.compared(c) {
			p.ReportRangef(s, "the errors of this library are wrapped, and so not equal to %s.%s: use errors.Is", v.Pkg().Name(), v.Name())
		}
	}
}

// compared reports whether the error at c is compared by ==, != or switch, but with nil, or in a method Is, which errors.Is calls
// for each error that is wrapped.
func (p *program) compared(c inspector.Cursor) bool {
	if around := function(c); around.Valid() {
		if f, ok := around.Node().(*ast.FuncDecl); ok && f.Name.Name == "Is" && f.Recv != nil {
			return false
		}
	}
	for c.ParentEdgeKind() == edge.ParenExpr_X {
		c = c.Parent()
	}
	switch n := c.Parent().Node().(type) {
	case *ast.BinaryExpr:
		return !p.Types[n.X].IsNil() && !p.Types[n.Y].IsNil()
	case *ast.CaseClause:
		return true
	}
	return false
}
