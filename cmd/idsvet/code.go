package main

// This file describes the package under analysis, and contains the functions that the analyzers
// share.

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"iter"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"
)

// newAnalyzer returns an analyzer that calls run for each package that compiles.
func newAnalyzer(name, doc string, run func(*target), facts ...analysis.Fact) *analysis.Analyzer {
	return skipBroken(&analysis.Analyzer{
		Name: name, Doc: doc, FactTypes: facts, Requires: []*analysis.Analyzer{inspect.Analyzer, printfs},
		Run: func(pass *analysis.Pass) (any, error) {
			code := pass.ResultOf[inspect.Analyzer].(*inspector.Inspector).Root()
			p := &target{pass, pass.TypesInfo, code, map[*types.Var][]ast.Expr{}}
			p.collect()
			run(p)
			return nil, nil
		},
	}, nil)
}

// A target is a package under analysis.
type target struct {
	*analysis.Pass
	*types.Info

	code inspector.Cursor
	// sources lists the expressions assigned to each variable. If one call returns the values of
	// several variables, the call is listed for each variable. A nil expression represents an
	// unknown value.
	sources map[*types.Var][]ast.Expr
}

// each returns an iterator over all nodes of type N and their cursors.
func each[N ast.Node](p *target) iter.Seq2[inspector.Cursor, N] {
	return func(yield func(inspector.Cursor, N) bool) {
		var zero N
		for c := range p.code.Preorder(zero) {
			if !yield(c, c.Node().(N)) {
				return
			}
		}
	}
}

// inLibrary reports whether pkg belongs to this library.
func inLibrary(pkg *types.Package) bool {
	const root = "github.com/oneclock/ids"
	return pkg != nil && (pkg.Path() == root || strings.HasPrefix(pkg.Path(), root+"/"))
}

// idName returns the name of t, such as "UUID" or "Null", if t is a type of this library. For any
// other type it returns "". It resolves aliases, such as uuid.UUID.
func idName(t types.Type) string {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || !inLibrary(named.Obj().Pkg()) {
		return ""
	}
	return named.Obj().Name()
}

// innermost returns the element type of an unnamed pointer, slice, array, map or channel. If that
// type is also an unnamed type of one of these kinds, innermost continues with its element type. It
// returns any other type unchanged.
func innermost(t types.Type) types.Type {
	u, ok := types.Unalias(t).(interface{ Elem() types.Type })
	if !ok {
		return t
	}
	return innermost(u.Elem())
}

// methodOf returns the method with the given name that can be called on a variable of type t, or
// nil if there is none. The method may come from an embedded field.
func methodOf(t types.Type, name string) *types.Func {
	obj, _, _ := types.LookupFieldOrMethod(t, true, nil, name)
	f, _ := obj.(*types.Func)
	return f
}

// If f is a method of this library, receiverName returns the name of its receiver type. Otherwise,
// it returns "".
func receiverName(f *types.Func) string {
	if f == nil || f.Signature().Recv() == nil {
		return ""
	}
	return idName(innermost(f.Signature().Recv().Type()))
}

// collect fills p.sources.
func (p *target) collect() {
	assign := func(to, from ast.Expr) {
		id, _ := to.(*ast.Ident)
		if v, ok := p.ObjectOf(id).(*types.Var); ok {
			p.sources[v] = append(p.sources[v], from)
		}
	}
	for c := range p.code.Preorder((*ast.AssignStmt)(nil), (*ast.ValueSpec)(nil), (*ast.RangeStmt)(nil), (*ast.UnaryExpr)(nil),
		(*ast.SelectorExpr)(nil)) {
		switch n := c.Node().(type) {
		case *ast.AssignStmt:
			for i, to := range n.Lhs {
				assign(to, value(n.Rhs, i))
				if n.Tok != token.ASSIGN && n.Tok != token.DEFINE {
					assign(to, nil) // the result also depends on the old value
				}
			}
		case *ast.ValueSpec:
			for i, to := range n.Names {
				assign(to, value(n.Values, i))
			}
		case *ast.RangeStmt:
			assign(n.Key, nil)
			assign(n.Value, nil)
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				assign(n.X, nil)
			}
		case *ast.SelectorExpr: // a method with a pointer receiver may change n.X
			s := p.Selections[n]
			if s != nil && s.Kind() == types.MethodVal {
				if _, ok := s.Obj().(*types.Func).Signature().Recv().Type().(*types.Pointer); ok {
					assign(n.X, nil)
				}
			}
		}
	}
}

// value returns the expression that is assigned to the variable with index i. If one
// call returns the values of several variables, value returns that call for each variable. If no
// expression is assigned, value returns nil.
func value(values []ast.Expr, i int) ast.Expr {
	switch {
	case i < len(values):
		return values[i]
	case len(values) == 1:
		return values[0]
	}
	return nil
}

// origin returns the expression that determines the value of e. If e is a variable that is assigned
// only once and whose address is not taken, origin continues with the assigned expression. It takes
// at most ten such steps. Any other expression is returned unchanged.
func (p *target) origin(e ast.Expr) ast.Expr {
	for range 10 {
		e = ast.Unparen(e)
		id, _ := e.(*ast.Ident)
		v, ok := p.ObjectOf(id).(*types.Var)
		if !ok || len(p.sources[v]) != 1 || p.sources[v][0] == nil {
			break
		}
		e = p.sources[v][0]
	}
	return e
}

// constantText returns the value of e if it is a constant string, or "".
func (p *target) constantText(e ast.Expr) string {
	s, _ := constant.Val(p.Types[e].Value).(string)
	return s
}

// callee returns the function or method that e calls, or nil.
func (p *target) callee(e ast.Node) *types.Func {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return nil
	}
	f, _ := typeutil.Callee(p.Info, call).(*types.Func)
	return f
}

// operand returns x for a call of the form x.Method(…), and nil for any other call.
func operand(call ast.Expr) ast.Expr {
	s, ok := call.(*ast.CallExpr).Fun.(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	return s.X
}
