package from

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strconv"
)

// A dictate is a place where a module that is no part of the program wants the old type.
type dictate struct {
	note
	title string // says what the module has
}

// foreign returns such places of the file.
func (f *file) foreign() (all []dictate) {
	for c := range f.root.Preorder((*ast.Ident)(nil), (*ast.CallExpr)(nil)) {
		switch n := c.Node().(type) {
		case *ast.Ident:
			all = append(all, f.keeping(n)...)
		case *ast.CallExpr:
			all = append(all, f.asserted(n)...)
		}
	}
	return all
}

// keeping returns a name of another module that has a type of the library and keeps it. Of a generic type the declared one
// counts: what it is given is the program's.
func (f *file) keeping(id *ast.Ident) []dictate {
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
	if obj == nil || obj.Pkg() == nil || f.lib.declares(obj.Pkg()) || f.lib.owned(obj) {
		return nil
	}
	kept := f.lib.held(obj.Type(), none)
	if kept == nil {
		return nil
	}
	n := f.note(id.Pos(), "of "+obj.Pkg().Path()+": convert, as by "+f.lib.name+"."+kept[0].name+"(id)")
	n.of = obj.Name()
	return []dictate{{n, "the type of " + f.lib.module(obj.Pkg()) + ": move that first, or stay, or convert"}}
}

// asserted returns a call that gives a type of the library in an interface to a module that asserts the old one, and finds that
// no more.
func (f *file) asserted(call *ast.CallExpr) []dictate {
	fun := f.callee(call)
	if fun == nil || fun.Pkg() == nil || f.lib.held(f.info.TypeOf(call.Fun), none) != nil {
		return nil
	}
	module := f.lib.module(fun.Pkg())
	where := f.lib.asserting[module]
	if where == "" || !slices.ContainsFunc(call.Args, func(arg ast.Expr) bool { return f.lib.held(f.info.TypeOf(arg), allFields) != nil }) {
		return nil
	}
	n := f.note(call.Pos(), "of "+fun.Pkg().Path())
	n.of = fun.Name()
	return []dictate{{n, "an id for " + module + ", which asserts the old type (" + where + ") and does not find this one: move that first, or stay"}}
}

// printForeign prints how many places each module dictates, and which, if they are few.
func (r *run) printForeign() {
	byTitle := map[string][]note{}
	for _, d := range r.foreign {
		byTitle[d.title] = append(byTitle[d.title], d.note)
	}
	for _, title := range slices.SortedFunc(maps.Keys(byTitle), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(byTitle[b]), len(byTitle[a])), cmp.Compare(a, b))
	}) {
		notes := byTitle[title]
		places := strconv.Itoa(len(notes)) + " places have "
		if len(notes) == 1 {
			places = "1 place has "
		}
		if len(notes) <= 50 {
			r.printNotes(places+title, notes)
		} else {
			fmt.Fprintf(r.out, "\n%s%s\n", places, title)
		}
	}
}
