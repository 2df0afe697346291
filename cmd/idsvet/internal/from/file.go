package from

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/types/typeutil"
)

// A library is the old library: its table, and what the program uses of it.
type library struct {
	*table
	uses  map[string]bool   // names, as tables write them
	verbs map[string]bool   // in its texts of formats, as "%x" and "%#v"
	own   map[string]string // the folders of the program's packages, by their paths

	sentinels    map[string]bool              // the program's variables that have an error of the library, by objectPath
	dependencies map[string]*packages.Package // what the program needs of others, by the paths
	published    map[[2]string]bool           // modules, and paths of the program's packages of which they need a published version
	databases    map[string]bool              // the paths of those that are database/sql, or need it, in other modules
	asserting    map[string]string            // the modules of those that assert the old types, and where
}

// A file is a file of the program in one configuration.
type file struct {
	lib       *library
	module    string // its folder
	path      string
	original  []byte // as it was read
	src       []byte // with LF alone
	positions *token.File
	fset      *token.FileSet
	syntax    *ast.File
	root      inspector.Cursor // of syntax
	pkg       *types.Package
	info      *types.Info
	packages  map[string]*types.Package // the library's packages, by their paths
}

// declares reports whether a package is one of the program's, as it is here and not as it was published.
func (f *file) declares(pkg *types.Package) bool {
	return f.lib.own[pkg.Path()] != "" && !f.lib.published[[2]string{f.module, pkg.Path()}]
}

func (f *file) offset(p token.Pos) int { return f.positions.Offset(p) }

// span returns the offsets where n begins and ends.
func (f *file) span(n ast.Node) (start, end int) { return f.offset(n.Pos()), f.offset(n.End()) }

func (f *file) text(n ast.Node) string {
	start, end := f.span(n)
	return string(f.src[start:end])
}

// replace returns the edit that writes something else for n.
func (f *file) replace(n ast.Node, text string) edit {
	start, end := f.span(n)
	return edit{start, end, text}
}

// note returns a note on the line of p.
func (f *file) note(p token.Pos, text string) note {
	return note{path: f.path, line: f.positions.PositionFor(p, false).Line, text: text}
}

// firstNote returns a note about a name that is one of the first.
func (f *file) firstNote(p token.Pos, of, text string) []note {
	n := f.note(p, text)
	n.of, n.first = of, true
	return []note{n}
}

// collect adds the names of the library that a package uses, and its packages to old, and reports whether there are any.
func (l *library) collect(info *types.Info, old map[string]*types.Package) (any bool) {
	if info == nil {
		return false
	}
	for _, obj := range info.Uses {
		if l.owned(obj) {
			any = true
			l.uses[l.oldName(obj)] = true
			old[obj.Pkg().Path()] = obj.Pkg()
		}
	}
	return any
}

// allowed reports whether the program has none of the names that forbid the rules of this one.
func (l *library) allowed(name string) bool {
	for _, cause := range l.set[name] {
		if l.uses[cause] {
			return false
		}
	}
	return true
}

// kept reports whether a name of the library is the same here, or that of a field which has another one.
func (l *library) kept(name string) bool {
	return (l.same[name] || l.names[name] != "") && l.allowed(name)
}

// named returns the name of the library's object that e names, as tables write it, or "". A field of the program that is
// called as a type of the library is the object, too, if the type has another name here.
func (f *file) named(e ast.Expr) string {
	obj := f.used(e)
	switch obj := obj.(type) {
	case *types.Func:
		return f.lib.oldName(obj.Origin())
	case *types.Var:
		if obj.IsField() {
			return f.field(obj)
		}
	}
	return f.lib.oldName(obj)
}

// used returns the object that e names, or nil.
func (f *file) used(e ast.Expr) types.Object {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return f.info.Uses[e]
	case *ast.SelectorExpr:
		return f.info.Uses[e.Sel]
	case *ast.IndexExpr:
		return f.used(e.X)
	}
	return nil
}

// field returns the name of a field of the library, or of one that embeds a type of the library.
func (f *file) field(v *types.Var) string {
	if f.lib.owned(v) {
		scope := v.Pkg().Scope()
		for _, name := range scope.Names() {
			s, ok := scope.Lookup(name).Type().Underlying().(*types.Struct)
			if ok && slices.Contains(slices.Collect(s.Fields()), v.Origin()) {
				return name + "." + v.Name()
			}
		}
	}
	n := named(v.Type())
	if !v.Embedded() || n == nil || f.lib.names["embedded."+n.Obj().Name()] == "" || !f.lib.owned(n.Obj()) {
		return ""
	}
	return "embedded." + n.Obj().Name()
}

// count returns how many names of the library n has.
func (f *file) count(n ast.Node) (all int) {
	for part := range ast.Preorder(n) {
		if id, ok := part.(*ast.Ident); ok && f.lib.owned(f.info.Uses[id]) {
			all++
		}
	}
	return all
}

// callee returns the function or method that is called, or nil.
func (f *file) callee(call *ast.CallExpr) *types.Func {
	if call == nil {
		return nil
	}
	fun, _ := typeutil.Callee(f.info, call).(*types.Func)
	return fun
}
