package from

import (
	"go/ast"
	"go/types"
	"slices"
)

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
	n.of, n.first = obj.Pkg().Name()+"."+obj.Name(), true
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
	n.of, n.first = fun.Pkg().Name()+"."+fun.Name(), true
	return []note{n}
}
