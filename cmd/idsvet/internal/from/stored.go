package from

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"
)

// databases are parts of the paths of packages whose functions take the arguments of queries, and models of those that take
// structs, each field of which is a column, with a tag or without one. Of sqlx those do whose names are in ofStructs.
var (
	databases = []string{"database/sql", "sqlx", "pgx", "lib/pq", "go-pg", "gorm.io", "/bun", "xorm", "squirrel", "goqu", "gorp", "dbr"}
	models    = []string{"gorm.io", "/bun", "xorm", "go-pg", "gorp"}
	ofStructs = regexp.MustCompile(`^(Must)?(Named|BindNamed)`)
	tagged    = []string{"gorm", "db", "bun", "xorm", "pg"}
)

// querying finds the names of methods that take a query, logging those of others that take any arguments, and statement a text
// of SQL.
var (
	logging   = regexp.MustCompile(`(?i)log|print|f$|debug|info|warn|error|fatal|panic|trace`)
	querying  = regexp.MustCompile(`^(Must)?(Named)?(Exec|Query)(Row|Rows)?x?(Context)?$`)
	statement = regexp.MustCompile(`(?is)\b(select|insert\s+into|update|delete\s+from)\b.*(\$1|\?|[:@]\w)`)
)

func contains(path string, parts []string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(path, part) })
}

// isQuery reports whether a function takes arguments of a query in a call: it is of a database's package, or is called as its
// methods are, or is one of the program's that takes any arguments beside such a package, or the call has a text of SQL.
func (f *file) isQuery(call *ast.CallExpr) bool {
	if fun := f.callee(call); fun != nil {
		switch {
		case fun.Pkg() == nil, strings.Contains(fun.Name(), "Scan"):
			return false
		case contains(fun.Pkg().Path(), databases):
			return true
		case !fun.Signature().Variadic():
			return false
		case querying.MatchString(fun.Name()), f.lib.declares(fun.Pkg()) && importsDatabase(fun.Pkg()) && !logging.MatchString(fun.Name()):
			return true
		}
	}
	return slices.ContainsFunc(call.Args, func(arg ast.Expr) bool {
		text, _ := constant.Val(f.info.Types[arg].Value).(string)
		return statement.MatchString(text)
	})
}

// stored notes the types of the library in the expression at c, if a codec or a query gets that.
func (f *file) stored(c inspector.Cursor) (notes []note) {
	e := c.Node().(ast.Expr)
	to, name := "", "" // the package and the function that get it
	if call, ok := c.Parent().Node().(*ast.CallExpr); ok && c.ParentEdgeKind() == edge.CallExpr_Args {
		if fun := f.callee(call); fun != nil && fun.Pkg() != nil && !f.lib.declares(fun.Pkg()) {
			to, name = strings.Replace(fun.Pkg().Path(), "go.mongodb.org/mongo-driver", "bson", 1), fun.Name()
		}
	}
	model := contains(to, models) || strings.Contains(to, "sqlx") && ofStructs.MatchString(name)
	for _, s := range f.lib.stored {
		codec := !s.inQueries() && contains(to, s.codecs) && to != "sigs.k8s.io/yaml" // which is JSON
		switch t := f.info.TypeOf(e); {
		case codec && f.lib.holds(t, allFields, s.name), s.inQueries() && f.lib.holds(t, embedded, s.name) && f.isArgument(c) && f.toQuery(c):
			notes = append(notes, f.note(e.Pos(), s.name+": "+s.what))
		case s.inQueries() && model:
			for _, h := range f.lib.held(t, allFields) {
				n := f.note(e.Pos(), s.name+": "+s.what)
				if h.name == s.name && h.field != nil {
					at := f.fset.PositionFor(h.field.Pos(), false)
					n.path, n.line = at.Filename, at.Line
				}
				notes = append(notes, n)
			}
		}
	}
	return notes
}

func (s stored) inQueries() bool { return slices.Contains(s.codecs, "query") }

// isArgument reports whether the value at c is an argument of a query, or becomes an element of a map or a list of any:
// squirrel.Eq, pgx.NamedArgs, []any.
func (f *file) isArgument(c inspector.Cursor) bool {
	kind, i := c.ParentEdge()
	switch parent := c.Parent().Node().(type) {
	case *ast.CallExpr:
		return kind == edge.CallExpr_Args && (f.isQuery(parent) || i > 0 && f.calls(parent, "append") && f.takesAny(parent.Args[0]))
	case *ast.CompositeLit:
		return f.takesAny(parent)
	case *ast.KeyValueExpr:
		return kind == edge.KeyValueExpr_Value && f.takesAny(c.Parent().Parent().Node().(ast.Expr))
	case *ast.AssignStmt:
		if kind == edge.AssignStmt_Rhs && i < len(parent.Lhs) {
			to, ok := ast.Unparen(parent.Lhs[i]).(*ast.IndexExpr)
			return ok && f.takesAny(to.X)
		}
	}
	return false
}

// takesAny reports whether the elements of a map or list are of an interface, in a package that imports one of a database.
func (f *file) takesAny(e ast.Expr) bool {
	t, ok := f.info.TypeOf(e).Underlying().(interface{ Elem() types.Type })
	return ok && types.IsInterface(t.Elem()) && importsDatabase(f.pkg)
}

func importsDatabase(pkg *types.Package) bool {
	return slices.ContainsFunc(pkg.Imports(), func(p *types.Package) bool { return contains(p.Path(), databases) })
}

// calls reports whether a function of the language is called.
func (f *file) calls(call *ast.CallExpr, name string) bool {
	b, ok := typeutil.Callee(f.info, call).(*types.Builtin)
	return ok && b.Name() == name
}

// toQuery reports whether the value at c may reach a query, in a map or list or by itself. It may not if a call of another package
// than the program's and a database's takes it, such as that of a logger.
func (f *file) toQuery(c inspector.Cursor) bool {
	kind, i := c.ParentEdge()
	switch parent := c.Parent().Node().(type) {
	case *ast.CallExpr:
		if f.info.Types[parent.Fun].IsType() || f.calls(parent, "append") {
			return f.toQuery(c.Parent())
		}
		return kind == edge.CallExpr_Args && f.mayQuery(parent)
	case *ast.KeyValueExpr, *ast.CompositeLit, *ast.ParenExpr, *ast.UnaryExpr:
		return f.toQuery(c.Parent())
	case *ast.AssignStmt:
		return i < len(parent.Lhs) && f.variableToQuery(c, parent.Lhs[i])
	case *ast.ValueSpec:
		return i < len(parent.Names) && f.variableToQuery(c, parent.Names[i])
	}
	return kind != edge.RangeStmt_X
}

// mayQuery reports whether a call may pass its arguments to a query: one of a database's package, or of the program's that
// imports such a package.
func (f *file) mayQuery(call *ast.CallExpr) bool {
	fun := f.callee(call)
	return fun == nil || fun.Pkg() == nil || f.isQuery(call) || f.lib.declares(fun.Pkg()) && importsDatabase(fun.Pkg())
}

// variableToQuery reports whether a variable, or one of its elements, may reach a query: some call that gets it may query, or
// none is seen.
func (f *file) variableToQuery(c inspector.Cursor, v ast.Expr) bool {
	if element, ok := ast.Unparen(v).(*ast.IndexExpr); ok {
		v = element.X
	}
	id, _ := ast.Unparen(v).(*ast.Ident)
	calls, may := 0, 0
	for around := range c.Enclosing((*ast.FuncDecl)(nil)) {
		for use := range around.Preorder((*ast.Ident)(nil)) {
			if id == nil || f.info.Uses[use.Node().(*ast.Ident)] != f.info.ObjectOf(id) || use.ParentEdgeKind() != edge.CallExpr_Args {
				continue
			}
			call := use.Parent().Node().(*ast.CallExpr)
			if _, builtin := typeutil.Callee(f.info, call).(*types.Builtin); builtin {
				continue
			}
			calls++
			if f.mayQuery(call) {
				may++
			}
		}
	}
	return calls == 0 || may > 0
}

// A depth is how far into a type to look for those of the library.
type depth int

const (
	none      depth = iota // not into structs, but into functions; and always into the arguments of generic types
	embedded               // into embedded fields, whose methods it has
	allFields              // into all fields that codecs see
)

// A holding is a type of the library in another type, and the field of the program that has it there, or nil.
type holding struct {
	name  string
	field *types.Var
}

// holds reports whether values of t have some of the library's type in them.
func (l *library) holds(in types.Type, into depth, name string) bool {
	return slices.ContainsFunc(l.held(in, into), func(h holding) bool { return h.name == name })
}

// held returns the types of the library of which values of a type have some in them.
func (l *library) held(in types.Type, into depth) []holding {
	if in == nil {
		return nil
	}
	return l.heldAt(nil, in, into, map[types.Type]bool{})
}

// heldAt does so for the type of a field, or of none.
func (l *library) heldAt(at *types.Var, in types.Type, into depth, seen map[types.Type]bool) (all []holding) {
	look := func(parts ...types.Type) {
		for _, part := range parts {
			all = append(all, l.heldAt(at, part, into, seen)...)
		}
	}
	n, ok := types.Unalias(in).(*types.Named)
	switch {
	case seen[in]:
		return nil
	case ok && l.owned(n.Obj()):
		return []holding{{n.Obj().Name(), at}}
	case ok:
		seen[in] = true
		look(slices.Collect(n.TypeArgs().Types())...)
	}
	switch u := in.Underlying().(type) {
	case *types.Signature:
		if into == none {
			look(u.Params(), u.Results())
		}
	case *types.Tuple:
		for v := range u.Variables() {
			look(v.Type())
		}
	case *types.Map:
		look(u.Key(), u.Elem())
	case interface{ Elem() types.Type }:
		look(u.Elem())
	case *types.Struct:
		for field := range u.Fields() {
			if into == allFields && field.Exported() || into != none && field.Embedded() {
				if l.declares(field.Pkg()) {
					at = field
				}
				look(field.Type())
			}
		}
	}
	return all
}

// tags notes fields that a codec leaves out here, and those of a table's row.
func (f *file) tags(s *ast.StructType) (notes []note) {
	for _, field := range s.Fields.List {
		if field.Tag == nil {
			continue
		}
		text, _ := constant.Val(constant.MakeFromLiteral(field.Tag.Value, token.STRING, 0)).(string)
		tag := reflect.StructTag(text)
		row := slices.ContainsFunc(tagged, func(key string) bool { return tag.Get(key) != "" && tag.Get(key) != "-" })
		for _, s := range f.lib.stored {
			found := slices.ContainsFunc(s.codecs, func(codec string) bool {
				key, option, _ := strings.Cut(codec, ",")
				return option != "" && slices.Contains(strings.Split(tag.Get(key), ",")[1:], option) || key == "query" && row
			})
			if found && f.lib.holds(f.info.TypeOf(field.Type), none, s.name) {
				notes = append(notes, f.note(field.Pos(), s.name+": "+s.what))
			}
		}
	}
	return notes
}
