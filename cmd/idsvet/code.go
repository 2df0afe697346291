package main

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

// rule makes an analyzer.
func rule(name, doc string, run func(*program), facts ...analysis.Fact) *analysis.Analyzer {
	return skipBroken(&analysis.Analyzer{
		Name: name, Doc: doc, FactTypes: facts, Requires: []*analysis.Analyzer{inspect.Analyzer, printfs},
		Run: func(pass *analysis.Pass) (any, error) {
			code := pass.ResultOf[inspect.Analyzer].(*inspector.Inspector).Root()
			p := &program{pass, pass.TypesInfo, code, map[*types.Var][]ast.Expr{}}
			p.collect()
			run(p)
			return nil, nil
		},
	}, nil)
}

// A program is a package under analysis.
type program struct {
	*analysis.Pass
	*types.Info

	code    inspector.Cursor
	sources map[*types.Var][]ast.Expr // all that is assigned to a variable, or the call that it is a result of; nil is an unknown value
}

// each yields all nodes of a type, and where they are.
func each[N ast.Node](p *program) iter.Seq2[inspector.Cursor, N] {
	return func(yield func(inspector.Cursor, N) bool) {
		var zero N
		for c := range p.code.Preorder(zero) {
			if !yield(c, c.Node().(N)) {
				return
			}
		}
	}
}

// ours reports whether the package belongs to the library.
func ours(pkg *types.Package) bool {
	const root = "github.com/oneclock/ids"
	return pkg != nil && (pkg.Path() == root || strings.HasPrefix(pkg.Path(), root+"/"))
}

// idName returns the name of the library's type, such as "UUID" or "Null", or "" for another type. An alias, as all types
// of the doors are, is the type that it stands for.
func idName(t types.Type) string {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || !ours(named.Obj().Pkg()) {
		return ""
	}
	return named.Obj().Name()
}

// elem returns what t holds, if it is a pointer, a slice, an array or a map without a name.
func elem(t types.Type) types.Type {
	u, ok := types.Unalias(t).(interface{ Elem() types.Type })
	if !ok {
		return t
	}
	return elem(u.Elem())
}

// method returns the method that v.NAME calls, for v of type t, which may come from an embedded field, or nil.
func method(t types.Type, name string) *types.Func {
	obj, _, _ := types.LookupFieldOrMethod(t, true, nil, name)
	f, _ := obj.(*types.Func)
	return f
}

// receiver returns the name of the library's type whose method f is, or "".
func receiver(f *types.Func) string {
	if f == nil || f.Signature().Recv() == nil {
		return ""
	}
	return idName(elem(f.Signature().Recv().Type()))
}

// collect fills p.sources.
func (p *program) collect() {
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
					assign(to, nil) // once more
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
		case *ast.SelectorExpr: // a method with a pointer receiver is called
			s := p.Selections[n]
			if s != nil && s.Kind() == types.MethodVal {
				if _, ok := s.Obj().(*types.Func).Signature().Recv().Type().(*types.Pointer); ok {
					assign(n.X, nil)
				}
			}
		}
	}
}

// value returns value i of a list, or the call that has several results, or nil.
func value(values []ast.Expr, i int) ast.Expr {
	switch {
	case i < len(values):
		return values[i]
	case len(values) == 1:
		return values[0]
	}
	return nil
}

// origin returns the expression that e has its value from: e itself, or what is assigned to the variable e, if that is assigned
// once and no pointer to it is taken.
func (p *program) origin(e ast.Expr) ast.Expr {
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

// text returns the constant string e, or "".
func (p *program) text(e ast.Expr) string {
	s, _ := constant.Val(p.Types[e].Value).(string)
	return s
}

// callee returns the function or method that e calls, or nil.
func (p *program) callee(e ast.Node) *types.Func {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return nil
	}
	f, _ := typeutil.Callee(p.Info, call).(*types.Func)
	return f
}

// operand returns the x of the call x.Method(…), or nil.
func operand(call ast.Expr) ast.Expr {
	s, ok := call.(*ast.CallExpr).Fun.(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	return s.X
}
