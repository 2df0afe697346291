package main

import (
	"cmp"
	"go/ast"
	"go/types"
	"reflect"
	"slices"
)

// otherName adds the mutants in which one name stands for another of the same type: a variable for
// a variable, a constant for a constant, a field for a field of the same struct.
func (f *finder) otherName(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.ArrayType:
		return false // the compiler refuses some lengths
	case *ast.SelectorExpr:
		if s := f.info.Selections[n]; s != nil && s.Kind() == types.FieldVal {
			f.exchange(n.Sel, s.Obj(), siblings(s))
		}
	case *ast.Ident:
		if o := f.info.Uses[n]; o != nil && o.Pkg() == f.pkg {
			if v, ok := o.(*types.Var); !ok || !v.IsField() {
				f.exchange(n, o, f.visible(n))
			}
		}
	}
	return true
}

// exchange adds the mutants that have another object for o at id. All that fit would be too many: it takes
// the ones whose declarations are next to that of o, on either side.
func (f *finder) exchange(id *ast.Ident, o types.Object, all []types.Object) {
	slices.SortFunc(all, func(a, b types.Object) int { return cmp.Compare(a.Pos(), b.Pos()) })
	all = slices.DeleteFunc(all, func(other types.Object) bool { return !f.alike(o, other) })
	i := slices.Index(all, o)
	for _, j := range []int{i - 1, i + 1} {
		if i >= 0 && 0 <= j && j < len(all) {
			f.replace(id, all[j].Name())
		}
	}
}

// alike reports whether two objects are both variables or both constants, and of one type. A variable of
// the package is like no local one, or its initialization would come to depend on itself.
func (f *finder) alike(a, b types.Object) bool {
	top := f.pkg.Scope()
	return reflect.TypeOf(a) == reflect.TypeOf(b) && b.Name() != "_" && types.Identical(a.Type(), b.Type()) &&
		(reflect.TypeFor[*types.Var]() != reflect.TypeOf(a) || (a.Parent() == top) == (b.Parent() == top))
}

// siblings returns the fields of the struct that a field is selected from.
func siblings(s *types.Selection) (fields []types.Object) {
	t := s.Recv()
	for _, i := range s.Index() {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		whole, ok := t.Underlying().(*types.Struct)
		if !ok {
			return nil // a type parameter
		}
		fields = fields[:0]
		for v := range whole.Fields() {
			fields = append(fields, v)
		}
		t = whole.Field(i).Type()
	}
	return fields
}

// visible returns the objects of the package that names at id can mean.
func (f *finder) visible(id *ast.Ident) (all []types.Object) {
	scope := f.pkg.Scope().Innermost(id.Pos())
	for _, o := range f.info.Defs {
		if o != nil {
			if _, seen := scope.LookupParent(o.Name(), id.Pos()); seen == o {
				all = append(all, o)
			}
		}
	}
	return all
}
