package main

import (
	"go/ast"
	"go/token"
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
		f := p.callee(call)
		if f == nil || !ours(f.Pkg()) || !strings.HasPrefix(f.Name(), "MustParse") || p.Types[call.Args[0]].Value == nil {
			continue
		}
		s := p.text(call.Args[0])
		why := refused.Why(idName(f.Signature().Results().At(0).Type()), s)
		if why != "" && !p.panicWanted(c) {
			p.ReportRangef(call, "%s.%s panics here: %q %s", f.Pkg().Name(), f.Name(), s, why)
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
	for c := range p.code.Preorder((*ast.BinaryExpr)(nil), (*ast.CaseClause)(nil)) {
		var parts []ast.Expr
		switch n := c.Node().(type) {
		case *ast.BinaryExpr:
			if (n.Op == token.EQL || n.Op == token.NEQ) && !p.Types[n.X].IsNil() && !p.Types[n.Y].IsNil() {
				parts = []ast.Expr{n.X, n.Y}
			}
		case *ast.CaseClause:
			if s, ok := c.Parent().Parent().Node().(*ast.SwitchStmt); ok && s.Tag != nil {
				parts = n.List
			}
		}
		if around := function(c); around.Valid() {
			if f, ok := around.Node().(*ast.FuncDecl); ok && f.Name.Name == "Is" && f.Recv != nil {
				continue // errors.Is calls it for each error that is wrapped
			}
		}
		for _, e := range parts {
			if name := p.sentinel(e); name != "" {
				p.ReportRangef(e, "the errors of this library are wrapped, and so not equal to %s: use errors.Is", name)
			}
		}
	}
}

// sentinel returns the name of the error of the library that e names, or "".
func (p *program) sentinel(e ast.Expr) string {
	s, ok := ast.Unparen(e).(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	v, ok := p.Uses[s.Sel].(*types.Var)
	if !ok || v.IsField() || !ours(v.Pkg()) || !strings.HasPrefix(v.Name(), "Err") {
		return ""
	}
	return v.Pkg().Name() + "." + v.Name()
}
