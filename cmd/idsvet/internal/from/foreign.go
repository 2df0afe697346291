package from

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/oneclock/ids/cmd/idsvet/internal/syntax"
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
			all = append(all, f.differing(c, f.lib.oldName(f.info.Uses[n]))...)
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
	return []dictate{{n, "has the type of " + f.lib.module(obj.Pkg()) + ": move that first, or stay, or convert"}}
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
	return []dictate{{n, "gives an id to " + module + ", which asserts the old type (" + where + ") and does not find this one: move that first, or stay"}}
}

// differing returns a use at c of a name that gives another value here. That is decided if all arguments are constant or the
// library's, or if the value is compared with the library's constants.
func (f *file) differing(c inspector.Cursor, name string) []dictate {
	if f.lib.differs[name] == "" {
		return nil
	}
	n := f.note(c.Node().Pos(), name)
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
	return []dictate{{n, f.lib.differs[name]}}
}

// isNumber reports whether e is no variable of the library's types, and no constant of the library.
func (f *file) isNumber(e ast.Expr) bool {
	tv := f.info.Types[e]
	n := named(tv.Type)
	return n == nil || !f.lib.owned(n.Obj()) || tv.Value != nil && !f.lib.owned(f.used(e))
}

// printUnseen prints what to look for by hand.
func (r *run) printUnseen() {
	fmt.Fprintf(r.out, "\nno type shows these; look for them by hand, with https://%s/blob/main/docs/from/%s.md:\n", root, r.page())
	for _, what := range r.unseen {
		fmt.Fprintf(r.out, "- %s\n", what)
	}
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
		if notes := byTitle[title]; len(notes) <= 50 {
			r.toLookAt += r.printNotes(title, notes)
		} else {
			fmt.Fprintf(r.out, "\n%s (%d)\n", title, len(notes))
			r.toLookAt += len(notes)
		}
	}
}
