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

	"github.com/oneclock/ids/cmd/idsvet/internal/refused"
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
		if why := refused.MustParse(p.Info, call, ours); why != "" && !p.panicWanted(c) {
			f := p.callee(call)
			p.ReportRangef(call, "%s.%s panics here: %s", f.Pkg().Name(), f.Name(), why)
		}
	}
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
