package from

import (
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/oneclock/ids/cmd/idsvet/internal/syntax"
)

// foreign notes places where a module that is no part of the program wants the old type, and uses of names that give other values.
func (f *file) foreign() (all []note) {
	for c := range f.root.Preorder((*ast.Ident)(nil), (*ast.CallExpr)(nil)) {
		switch n := c.Node().(type) {
		case *ast.Ident:
			all = append(all, f.keeping(n)...)
			all = append(all, f.differing(c, f.lib.oldName(f.info.Uses[n]))...)
		case *ast.CallExpr:
			all = append(all, f.asserted(n)...)
		}
	}
	return all
}

// keeping returns a name of another module that has a type of the library and keeps it. Of a generic type the declared one
// counts: what it is given is the program's.
func (f *file) keeping(id *ast.Ident) []note {
	var obj types.Object
	switch o := f.info.Uses[id].(type) {
	case *types.Func:
		obj = o.Origin()
	case *types.Var:
		obj = o.Origin()
		if !o.IsField() && o.Kind() != types.PackageVar {
			return nil
		}
	}
	if obj == nil || obj.Pkg() == nil || f.declares(obj.Pkg()) || f.lib.owned(obj) {
		return nil
	}
	kept := f.held(obj.Type(), none)
	if kept == nil {
		return nil
	}
	n := f.note(id.Pos(), "the type of "+f.lib.module(obj.Pkg())+": move that first, or stay, or convert, as by "+f.lib.name+"."+kept[0].of.Name()+"(id)")
	n.of = obj.Pkg().Name() + "." + obj.Name()
	return []note{n}
}

// asserted returns a call that gives a type of the library in an interface to a module that asserts the old one, and finds that
// no more.
func (f *file) asserted(call *ast.CallExpr) []note {
	fun := f.callee(call)
	if fun == nil || fun.Pkg() == nil || f.held(f.info.TypeOf(call.Fun), none) != nil {
		return nil
	}
	module := f.lib.module(fun.Pkg())
	where := f.lib.asserting[module]
	if where == "" || !slices.ContainsFunc(call.Args, func(arg ast.Expr) bool { return f.held(f.info.TypeOf(arg), allFields) != nil }) {
		return nil
	}
	n := f.note(call.Pos(), "an id for "+module+", which asserts the old type ("+where+") and does not find this one: move that first, or stay")
	n.of = fun.Pkg().Name() + "." + fun.Name()
	return []note{n}
}

// differing returns a use at c of a name that gives another value here. That is decided if all arguments are constant or the
// library's, or if the value is compared with the library's constants.
func (f *file) differing(c inspector.Cursor, name string) []note {
	if f.lib.differs[name] == "" {
		return nil
	}
	n := f.note(c.Node().Pos(), f.lib.differs[name])
	n.of = name
	if c.ParentEdgeKind() == edge.SelectorExpr_Sel {
		c = c.Parent()
	}
	if call, ok := c.Parent().Node().(*ast.CallExpr); ok && c.ParentEdgeKind() == edge.CallExpr_Fun {
		c = c.Parent()
		variable := func(arg ast.Expr) bool {
			made, ok := ast.Unparen(arg).(*ast.CallExpr)
			return f.info.Types[arg].Value == nil && !(ok && f.callee(made) != nil && f.lib.owned(f.callee(made)))
		}
		if len(call.Args) > 0 && !slices.ContainsFunc(call.Args, variable) {
			return nil
		}
	}
	if others := syntax.ComparedWith(c); len(others) > 0 && !slices.ContainsFunc(others, f.isNumber) {
		return nil
	}
	return []note{n}
}

// isNumber reports whether e is no variable of the library's types, and no constant of the library.
func (f *file) isNumber(e ast.Expr) bool {
	tv := f.info.Types[e]
	n := named(tv.Type)
	return n == nil || !f.lib.owned(n.Obj()) || tv.Value != nil && !f.lib.owned(f.used(e))
}
