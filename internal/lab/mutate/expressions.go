package main

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strings"
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

// narrow adds the mutants in which a computed or converted integer loses its upper half.
func (f *finder) narrow(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		if arithmetic(n) {
			f.halve(n)
		}
	case *ast.CallExpr:
		if f.info.Types[n.Fun].IsType() && !arithmetic(n.Args[0]) {
			f.halve(n.Args[0])
		}
	}
	return true
}

// arithmetic reports whether x is an operation whose result may need more bits than its operands.
func arithmetic(x ast.Expr) bool {
	b, ok := x.(*ast.BinaryExpr)
	return ok && slices.Contains([]token.Token{token.ADD, token.SUB, token.MUL, token.SHL}, b.Op)
}

// halves are the types of half the bits. An int counts what is in memory, of which no test has so much.
var halves = map[types.BasicKind]string{
	types.Int64: "int32", types.Int32: "int16", types.Int16: "int8",
	types.Uint64: "uint32", types.Uint32: "uint16", types.Uint16: "uint8",
}

// halve adds the mutant in which an integer is converted to half its bits and back.
func (f *finder) halve(x ast.Expr) {
	value := f.info.Types[x]
	if t, ok := value.Type.Underlying().(*types.Basic); ok && value.Value == nil && halves[t.Kind()] != "" {
		half := halves[t.Kind()] + "(" + f.src(x) + ")"
		whole := types.TypeString(value.Type, (*types.Package).Name)
		whole = strings.TrimPrefix(whole, f.pkg.Name()+".")
		f.add(x.Pos(), x.End(), whole+"("+half+")", half)
	}
}

// operand adds the mutants in which min or max lacks one of its operands.
func (f *finder) operand(n ast.Node) bool {
	call, ok := n.(*ast.CallExpr)
	if !ok || f.src(call.Fun) != "min" && f.src(call.Fun) != "max" {
		return true
	}
	for i := range call.Args {
		var rest []string
		for _, x := range slices.Delete(slices.Clone(call.Args), i, i+1) {
			rest = append(rest, f.src(x))
		}
		f.replace(call, f.src(call.Fun)+"("+strings.Join(rest, ", ")+")")
	}
	return true
}
