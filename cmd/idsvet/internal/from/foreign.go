package from

// The code in this file finds places where the program depends on the old types in other modules.
// It finds uses of names whose declarations contain an old type, and calls to modules that contain
// a type assertion to an old type.

import (
	"go/ast"
	"go/types"
	"slices"
)

// foreignNotes returns a note if id refers to a name that is declared in another module and whose
// declaration contains a type from the old library. The name can belong to a function, a variable
// or a field. It can also belong to an interface that the program's types no longer satisfy after
// the move. For a generic type or function, only the declaration counts, because the program
// chooses the type arguments.
func (f *file) foreignNotes(id *ast.Ident) []note {
	var obj types.Object
	var kept []containedType
	switch o := f.info.Uses[id].(type) {
	case *types.Func:
		obj, kept = o, f.contained(o.Origin().Type(), noFields)
	case *types.Var:
		if o.IsField() || o.Kind() == types.PackageVar {
			obj, kept = o, f.contained(o.Origin().Type(), noFields)
		}
	case *types.TypeName:
		if i, ok := o.Type().Underlying().(*types.Interface); ok {
			obj = o
			for m := range i.Methods() {
				kept = append(kept, f.contained(m.Type(), noFields)...)
			}
		}
	}
	if kept == nil || obj.Pkg() == nil || f.declares(obj.Pkg()) || f.lib.owns(obj) {
		return nil
	}
	return f.firstNote(id.Pos(), obj.Pkg().Name()+"."+obj.Name(),
		f.lib.module(obj.Pkg())+" keeps the old type; move it first, keep the old library, or convert, for example with "+
			f.lib.name+"."+kept[0].typ.Name()+"(id)")
}

// assertingNotes returns a note if a call passes a value that contains an old type to a function in
// another module, and if that module contains a type assertion to an old type. It returns no note
// if the function's parameters or results contain an old type. A module with such an assertion does
// not recognize the new type.
func (f *file) assertingNotes(call *ast.CallExpr) []note {
	fun := f.callee(call)
	if fun == nil || fun.Pkg() == nil || f.declares(fun.Pkg()) || f.contained(f.info.TypeOf(call.Fun), noFields) != nil {
		return nil
	}
	module := f.lib.module(fun.Pkg())
	where := f.lib.asserting[module]
	if where == "" || !slices.ContainsFunc(call.Args, func(arg ast.Expr) bool { return f.contained(f.info.TypeOf(arg), allFields) != nil }) {
		return nil
	}
	return f.firstNote(call.Pos(), fun.Pkg().Name()+"."+fun.Name(),
		module+" asserts the old type ("+where+") and does not recognize the new one; move it first, or keep the old library")
}

// module returns the path of the module that contains pkg. If the module is not known, the result
// is the path of pkg itself.
func (l *library) module(pkg *types.Package) string {
	if p := l.dependencies[pkg.Path()]; p != nil && p.Module != nil {
		return p.Module.Path
	}
	return pkg.Path()
}
