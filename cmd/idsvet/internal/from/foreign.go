package from

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// foreign notes the places of the file that use a name of a package outside of the program, which has a type of the library and
// keeps it. The text of a note is the package, and the type as a conversion calls it.
func (f *file) foreign() (notes []note) {
	for id, obj := range f.info.Uses {
		switch o := obj.(type) { // of a generic type the declared one: what it is given is the program's
		case *types.Func:
			obj = o.Origin()
		case *types.Var:
			if obj = o.Origin(); !o.IsField() && o.Kind() != types.PackageVar {
				continue
			}
		default:
			continue
		}
		if obj.Pkg() == nil || f.lib.declares(obj.Pkg()) || f.lib.owned(obj) || id.Pos() < f.syntax.FileStart || id.Pos() > f.syntax.FileEnd {
			continue
		}
		if kept := f.lib.held(obj.Type(), none); kept != nil {
			n := f.note(id.Pos(), obj.Pkg().Path()+" "+f.lib.name+"."+kept[0].name)
			n.of = obj.Name()
			notes = append(notes, n)
		}
	}
	for n := range ast.Preorder(f.syntax) {
		if call, ok := n.(*ast.CallExpr); ok {
			notes = append(notes, f.asserted(call)...)
		}
	}
	return notes
}

// asserted notes a call that gets a type of the library in an interface, if its package, or one of the same module, asserts the
// old type: it finds that no more.
func (f *file) asserted(call *ast.CallExpr) (notes []note) {
	fun := f.callee(call)
	if fun == nil || fun.Pkg() == nil || f.lib.asserting[fun.Pkg().Path()] == "" {
		return nil
	}
	params := fun.Signature().Params()
	for i, arg := range call.Args {
		param := params.At(min(i, params.Len()-1)).Type()
		if s, ok := param.(*types.Slice); ok && fun.Signature().Variadic() && i >= params.Len()-1 && !call.Ellipsis.IsValid() {
			param = s.Elem()
		}
		if types.IsInterface(param) && len(f.lib.held(f.info.TypeOf(arg), allFields)) > 0 {
			n := f.note(call.Pos(), fun.Pkg().Path())
			n.of = fun.Name()
			return []note{n}
		}
	}
	return nil
}

// printForeign prints how many places each module dictates, and which.
func (r *run) printForeign() {
	byTitle := map[string][]note{}
	for _, n := range r.foreign {
		pkg, kept, isType := strings.Cut(n.text, " ")
		module := cmp.Or(r.dependencies[pkg].module, pkg)
		title := "the type of " + module + ": move that first, or stay, or convert"
		n.text = "of " + pkg + ": convert, as by " + kept + "(id)"
		if !isType {
			title = "an id for " + module + ", which asserts the old type (" + r.asserting[pkg] + ") and does not find this one: move that first, or stay"
			n.text = "of " + pkg
		}
		byTitle[title] = append(byTitle[title], n)
	}
	for _, title := range slices.SortedFunc(maps.Keys(byTitle), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(byTitle[b]), len(byTitle[a])), cmp.Compare(a, b))
	}) {
		const few = 50
		notes := byTitle[title]
		if title = places(len(notes)) + " " + title; len(notes) <= few {
			r.printNotes(title, notes)
		} else {
			fmt.Fprintf(r.out, "\n%s\n", title)
		}
	}
}

// places says how many places have something.
func places(n int) string {
	if n == 1 {
		return "1 place has"
	}
	return strconv.Itoa(n) + " places have"
}
