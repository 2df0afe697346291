package main

// This file contains the analyzers for single expressions: funcvalue (a function used as a value),
// errequal (an error compared with ==) and mustparse (a string constant that does not parse).

import (
	"go/ast"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/oneclock/ids/cmd/idsvet/internal/from"
	"github.com/oneclock/ids/cmd/idsvet/internal/syntax"
)

var funcValue = newAnalyzer("funcvalue", "report uuid.Nil, uuid.Max or a namespace that is used as a value, without a call"+
	"\n\nIt is silent where the program wants a function, that is in a FuncMap or in a map with other functions.", funcValues)

var constantFuncs = regexp.MustCompile(`^((Nil|Max)(UUID)?|Namespace(DNS|URL|OID|X500))$`)

func funcValues(p *target) {
	for c := range p.code.Preorder((*ast.SelectorExpr)(nil), (*ast.Ident)(nil)) {
		e := c.Node().(ast.Expr)
		to := syntax.Wanted(p.Info, c)
		from := p.origin(e)
		if s, ok := from.(*ast.SelectorExpr); ok {
			from = s.Sel
		}
		id, _ := from.(*ast.Ident)
		fun, ok := p.ObjectOf(id).(*types.Func)
		if !ok || !inLibrary(fun.Pkg()) || !constantFuncs.MatchString(fun.Name()) || to == nil || !types.IsInterface(to) {
			continue
		}
		f := p.callee(c.Parent().Node())
		if f != nil && (f.FullName() == "reflect.ValueOf" || f.FullName() == "reflect.TypeOf") || p.amongFunctions(c) {
			continue // the program needs the function itself
		}
		d := analysis.Diagnostic{
			Pos: e.Pos(), End: e.End(),
			Message: fun.Pkg().Name() + "." + fun.Name() + " is a function; as a value, it equals no ID and prints as an address; call it",
		}
		switch c.Parent().Node().(type) {
		case *ast.KeyValueExpr, *ast.CompositeLit: // the program may need the function itself
		default:
			d.SuggestedFixes = []analysis.SuggestedFix{{TextEdits: []analysis.TextEdit{{Pos: e.End(), End: e.End(), NewText: []byte("()")}}}}
		}
		p.Report(d)
	}
}

// amongFunctions reports whether c is a value in a composite literal that is meant to contain
// functions. Such a literal has a type named FuncMap, as in package template, or contains a
// function that does not return exactly one ID.
func (p *target) amongFunctions(c inspector.Cursor) bool {
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

var errEqual = newAnalyzer("errequal", "report err == ids.ErrSyntax and the like, also in a switch, for an error that the library or a codec returns"+
	"\n\nIt is silent for the errors of clocks and leases, which may be returned unwrapped, and for an err from elsewhere.", errEquals)

// wrappedErrors matches the names of the errors that this library always wraps before returning
// them.
var wrappedErrors = regexp.MustCompile(`^Err(Syntax|Length|Range|Locked|Owner|Corrupt)$`)

func errEquals(p *target) {
	for c, s := range each[*ast.SelectorExpr](p) {
		v, ok := p.Uses[s.Sel].(*types.Var)
		if ok && !v.IsField() && inLibrary(v.Pkg()) && wrappedErrors.MatchString(v.Name()) && slices.ContainsFunc(syntax.ComparedWith(c), p.isReturned) {
			p.ReportRangef(s, "this library wraps its errors, so they are not equal to %s.%s; use errors.Is", v.Pkg().Name(), v.Name())
		}
	}
}

// isReturned reports whether e is a call to a function in this library or in one of Go's encoding
// packages, or a local variable whose values come only from such calls.
func (p *target) isReturned(e ast.Expr) bool {
	values := []ast.Expr{ast.Unparen(e)}
	id, _ := values[0].(*ast.Ident)
	if v, ok := p.ObjectOf(id).(*types.Var); ok && v.Kind() == types.LocalVar {
		values = p.sources[v]
	}
	return len(values) > 0 && !slices.ContainsFunc(values, func(value ast.Expr) bool {
		f := p.callee(value)
		return f == nil || f.Pkg() == nil || !inLibrary(f.Pkg()) && !strings.HasPrefix(f.Pkg().Path(), "encoding/")
	})
}

var mustParse = newAnalyzer("mustparse", "report uuid.MustParse and the like with a constant text that is rejected", mustParses)

func mustParses(p *target) {
	for _, call := range each[*ast.CallExpr](p) {
		f := p.callee(call)
		if f == nil || !inLibrary(f.Pkg()) || !strings.HasPrefix(f.Name(), "MustParse") || p.Types[call.Args[0]].Value == nil {
			continue
		}
		text := p.constantText(call.Args[0])
		if why := from.Refused(idName(f.Signature().Results().At(0).Type()), text); why != "" {
			p.ReportRangef(call, "this panics, because %q %s", text, why)
		}
	}
}
