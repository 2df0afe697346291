package from

// This file describes a source file of the program, and the program's use of the old library.

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/types/typeutil"
)

// A library contains the old library's table, and information about the program's use of that
// library.
type library struct {
	*table
	uses  map[string]bool   // names in use, in the notation of the tables
	verbs map[string]bool   // format verbs in literals, such as "%x" and "%#v"
	own   map[string]string // directories of the program's packages, by import path

	// sentinels contains package variables of the program, each identified by its objectPath. Each
	// of these variables is initialized with one of the old library's errors.
	sentinels map[string]bool
	// dependencies maps import paths to the packages that the program needs but does not contain.
	// They include published versions of the program's own packages.
	dependencies map[string]*packages.Package
	// published contains a pair for each module that needs a published version of one of the
	// program's packages. The pair consists of the module's directory and the package's import
	// path.
	published map[[2]string]bool
	// databases is a set of import paths. It contains the path of database/sql, and the path of
	// each package that depends on database/sql and belongs to another module or to the standard
	// library. It does not contain the paths of the old library's packages.
	databases map[string]bool
	// asserting has an entry for each module that contains a type assertion to an old type. The key
	// is the module's path, and the value is the position of one such assertion.
	asserting map[string]string
}

// A file is a source file of the program, as loaded for one build configuration.
type file struct {
	lib       *library
	module    string // directory of its module
	path      string
	original  []byte // contents as read
	src       []byte // contents after withLF
	positions *token.File
	fset      *token.FileSet
	syntax    *ast.File
	root      inspector.Cursor // the root of syntax
	pkg       *types.Package
	info      *types.Info
	packages  map[string]*types.Package // packages of the old library, by import path
}

// declares reports whether pkg is one of the program's packages. It returns false if the file's
// module requires a published version of pkg instead.
func (f *file) declares(pkg *types.Package) bool {
	return f.lib.own[pkg.Path()] != "" && !f.lib.published[[2]string{f.module, pkg.Path()}]
}

func (f *file) offset(p token.Pos) int { return f.positions.Offset(p) }

// span returns the offsets of the start and the end of n.
func (f *file) span(n ast.Node) (start, end int) { return f.offset(n.Pos()), f.offset(n.End()) }

func (f *file) text(n ast.Node) string {
	start, end := f.span(n)
	return string(f.src[start:end])
}

// replace returns an edit that replaces n with text.
func (f *file) replace(n ast.Node, text string) edit {
	start, end := f.span(n)
	return edit{start, end, text}
}

// note returns a note about the line that contains p.
func (f *file) note(p token.Pos, text string) note {
	return note{path: f.path, line: f.positions.PositionFor(p, false).Line, text: text}
}

// firstNote returns a note about name. The report prints such a note before other notes.
func (f *file) firstNote(p token.Pos, name, text string) []note {
	n := f.note(p, text)
	n.name, n.first = name, true
	return []note{n}
}

// collect finds the names from the old library that a package uses. It adds these names to l.uses,
// and their packages to old. It reports whether there are any such names.
func (l *library) collect(info *types.Info, old map[string]*types.Package) (any bool) {
	if info == nil {
		return false
	}
	for _, obj := range info.Uses {
		if l.owns(obj) {
			any = true
			l.uses[l.oldName(obj)] = true
			old[obj.Pkg().Path()] = obj.Pkg()
		}
	}
	return any
}

// isAllowed reports whether the rules for name may be applied. A row "set NAME… for NAME…" contains
// two lists of names. If the program uses a name from the first list, the row disables the rules
// for all names in the second list.
func (l *library) isAllowed(name string) bool {
	for _, cause := range l.set[name] {
		if l.uses[cause] {
			return false
		}
	}
	return true
}

// isKept reports whether name is allowed and also exists in ids. A field may have a different name
// in ids.
func (l *library) isKept(name string) bool {
	return (l.same[name] || l.names[name] != "") && l.isAllowed(name)
}

// If e refers to an object of the old library, named returns the name that the tables use for this
// object. Otherwise, it returns "". An embedded field that the program declares also counts if its
// type belongs to the old library and has a different name in ids. An embedded field is named after
// its type, so the migration also renames the field.
func (f *file) named(e ast.Expr) string {
	obj := f.objectOf(e)
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

// objectOf returns the object to which the identifier, selector or index expression e refers, or
// nil.
func (f *file) objectOf(e ast.Expr) types.Object {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return f.info.Uses[e]
	case *ast.SelectorExpr:
		return f.info.Uses[e.Sel]
	case *ast.IndexExpr:
		return f.objectOf(e.X)
	}
	return nil
}

// field returns the name of a field of the old library, such as "NullUUID.UUID". For an embedded
// field whose type has a different name in ids, it returns a name such as "embedded.NullUUID". For
// any other field, it returns "".
func (f *file) field(v *types.Var) string {
	if f.lib.owns(v) {
		scope := v.Pkg().Scope()
		for _, name := range scope.Names() {
			s, ok := scope.Lookup(name).Type().Underlying().(*types.Struct)
			if ok && slices.Contains(slices.Collect(s.Fields()), v.Origin()) {
				return name + "." + v.Name()
			}
		}
	}
	n := named(v.Type())
	if !v.Embedded() || n == nil || f.lib.names["embedded."+n.Obj().Name()] == "" || !f.lib.owns(n.Obj()) {
		return ""
	}
	return "embedded." + n.Obj().Name()
}

// countUses returns the number of times that n uses a name from the old library.
func (f *file) countUses(n ast.Node) (all int) {
	for part := range ast.Preorder(n) {
		if id, ok := part.(*ast.Ident); ok && f.lib.owns(f.info.Uses[id]) {
			all++
		}
	}
	return all
}

// callee returns the function or method that the call invokes. It returns nil if there is none, or
// if call is nil.
func (f *file) callee(call *ast.CallExpr) *types.Func {
	if call == nil {
		return nil
	}
	fun, _ := typeutil.Callee(f.info, call).(*types.Func)
	return fun
}
