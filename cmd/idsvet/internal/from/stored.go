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

// querying finds the names of methods that take a query, and statement a text of SQL.
var (
	querying  = regexp.MustCompile(`^(Must)?(Named)?(Exec|Query)(Row|Rows)?x?(Context)?$`)
	statement = regexp.MustCompile(`(?is)\b(select|insert\s+into|update|delete\s+from)\b.*(\$1|\?|[:@]\w)`)
)

func contains(path string, parts []string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(path, part) })
}

// isQuery reports whether a function takes arguments of a query in a call: it is of a database's package, or it is called as
// its methods are, or the call has a text of SQL.
func (f *file) isQuery(call *ast.CallExpr) bool {
	fun := f.callee(call)
	if fun == nil || fun.Pkg() == nil || strings.Contains(fun.Name(), "Scan") {
		return false
	}
	return contains(fun.Pkg().Path(), databases) || fun.Signature().Variadic() && (querying.MatchString(fun.Name()) || slices.ContainsFunc(call.Args, func(arg ast.Expr) bool {
		text, _ := constant.Val(f.info.Types[arg].Value).(string)
		return statement.MatchString(text)
	}))
}

// storedBy notes the types of the library that a call writes or reads, in a query or by a codec.
func (f *file) storedBy(c inspector.Cursor, call *ast.CallExpr) (notes []note) {
	to, name := "", "" // the package and the function
	if fun := f.callee(call); fun != nil && fun.Pkg() != nil && !f.lib.declares(fun.Pkg()) {
		to, name = strings.Replace(fun.Pkg().Path(), "go.mongodb.org/mongo-driver", "bson", 1), fun.Name()
	}
	model := contains(to, models) || strings.Contains(to, "sqlx") && ofStructs.MatchString(name)
	for _, s := range f.lib.stored {
		codec := !s.inQueries() && contains(to, s.codecs) && to != "sigs.k8s.io/yaml" // which is JSON
		query := s.inQueries() && (f.isQuery(call) || f.appends(c, call))
		for _, arg := range call.Args {
			t := f.info.TypeOf(arg)
			switch {
			case codec && slices.Contains(f.lib.held(t, allFields), s.name), query && slices.Contains(f.lib.held(t, embedded), s.name):
				notes = append(notes, f.note(call.Pos(), s.name+": "+s.what))
			case query && model:
				notes = append(notes, f.columns(s, t, arg.Pos(), map[types.Type]bool{})...)
			}
		}
	}
	return notes
}

func (s stored) inQueries() bool { return slices.Contains(s.codecs, "query") }

// columns notes the fields of a model that have a type of the library, where they are declared, or at p if others declare them.
func (f *file) columns(s stored, model types.Type, p token.Pos, seen map[types.Type]bool) (notes []note) {
	for {
		inner, ok := model.Underlying().(interface{ Elem() types.Type })
		if !ok || seen[model] {
			break
		}
		seen[model] = true
		model = inner.Elem()
	}
	fields, ok := model.Underlying().(*types.Struct)
	if !ok || seen[model] {
		return nil
	}
	seen[model] = true
	for field := range fields.Fields() {
		switch {
		case !field.Exported() && !field.Embedded():
		case slices.Contains(f.lib.held(field.Type(), embedded), s.name):
			n := f.note(p, s.name+": "+s.what)
			if at := f.fset.PositionFor(field.Pos(), false); f.lib.declares(field.Pkg()) {
				n.path, n.line = at.Filename, at.Line
			}
			notes = append(notes, n)
		default:
			notes = append(notes, f.columns(s, field.Type(), p, seen)...)
		}
	}
	return notes
}

// listed notes the types of the library in a map or a list of any that a query gets: squirrel.Eq, pgx.NamedArgs, []any.
func (f *file) listed(c inspector.Cursor, lit *ast.CompositeLit) (notes []note) {
	if !f.takesAny(lit) || !f.toQuery(c) {
		return nil
	}
	for _, e := range lit.Elts {
		if pair, ok := e.(*ast.KeyValueExpr); ok {
			e = pair.Value
		}
		notes = append(notes, f.argument(e)...)
	}
	return notes
}

// assigned notes those that become an element of such a map or list.
func (f *file) assigned(c inspector.Cursor, n *ast.AssignStmt) (notes []note) {
	for i, to := range n.Lhs {
		index, ok := ast.Unparen(to).(*ast.IndexExpr)
		if ok && i < len(n.Rhs) && f.takesAny(index.X) && f.variableToQuery(c, index.X) {
			notes = append(notes, f.argument(n.Rhs[i])...)
		}
	}
	return notes
}

// argument notes a value of the library's that is an argument of a query.
func (f *file) argument(e ast.Expr) (notes []note) {
	for _, s := range f.lib.stored {
		if s.inQueries() && slices.Contains(f.lib.held(f.info.TypeOf(e), embedded), s.name) {
			notes = append(notes, f.note(e.Pos(), s.name+": "+s.what))
		}
	}
	return notes
}

// takesAny reports whether the elements of a map or list are of an interface, in a package that imports one of a database.
func (f *file) takesAny(e ast.Expr) bool {
	t, ok := f.info.TypeOf(e).Underlying().(interface{ Elem() types.Type })
	return ok && types.IsInterface(t.Elem()) && importsDatabase(f.pkg)
}

func importsDatabase(pkg *types.Package) bool {
	return slices.ContainsFunc(pkg.Imports(), func(p *types.Package) bool { return contains(p.Path(), databases) })
}

// appends reports whether a call is of append to a list of any that a query gets.
func (f *file) appends(c inspector.Cursor, call *ast.CallExpr) bool {
	callee, ok := typeutil.Callee(f.info, call).(*types.Builtin)
	return ok && callee.Name() == "append" && f.takesAny(call.Args[0]) && f.toQuery(c)
}

// toQuery reports whether the map or list at c may be that of a query's arguments. It may not if a call of another package than
// the program's and a database's takes it, such as that of a logger.
func (f *file) toQuery(c inspector.Cursor) bool {
	kind, i := c.ParentEdge()
	switch parent := c.Parent().Node().(type) {
	case *ast.CallExpr:
		switch {
		case kind == edge.CallExpr_Fun:
			return false
		case f.info.Types[parent.Fun].IsType():
			return f.toQuery(c.Parent())
		}
		return f.mayQuery(parent)
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

// variableToQuery reports whether a variable may be that of a query's arguments: some call that gets it may query, or none is seen.
func (f *file) variableToQuery(c inspector.Cursor, v ast.Expr) bool {
	id, _ := ast.Unparen(v).(*ast.Ident)
	obj := f.info.ObjectOf(id)
	calls, may := 0, 0
	for around := range c.Enclosing((*ast.FuncDecl)(nil)) {
		for call := range around.Preorder((*ast.CallExpr)(nil)) {
			n := call.Node().(*ast.CallExpr)
			_, builtin := typeutil.Callee(f.info, n).(*types.Builtin)
			if obj == nil || builtin || !slices.ContainsFunc(n.Args, func(arg ast.Expr) bool {
				id, _ := ast.Unparen(arg).(*ast.Ident)
				return id != nil && f.info.Uses[id] == obj
			}) {
				continue
			}
			calls++
			if f.mayQuery(n) {
				may++
			}
		}
	}
	return calls == 0 || may > 0
}

// A depth is how far into a type to look for those of the library.
type depth int

const (
	none      depth = iota // not into structs, but into functions
	embedded               // into embedded fields and the arguments of generic types: they have its methods, or pass them on
	allFields              // into all fields that codecs see
)

// held returns the names of the library's types of which values of t have some in them.
func (t *table) held(in types.Type, into depth) (names []string) {
	seen := map[types.Type]bool{}
	var look func(types.Type)
	look = func(in types.Type) {
		if in == nil || seen[in] {
			return
		}
		seen[in] = true
		n, ok := types.Unalias(in).(*types.Named)
		if ok && t.owned(n.Obj()) {
			names = append(names, n.Obj().Name())
			return
		}
		if ok && into == embedded {
			for arg := range n.TypeArgs().Types() {
				look(arg)
			}
		}
		switch u := in.Underlying().(type) {
		case *types.Signature:
			if into == none {
				look(u.Params())
				look(u.Results())
			}
		case *types.Tuple:
			for v := range u.Variables() {
				look(v.Type())
			}
		case *types.Map:
			look(u.Key())
			look(u.Elem())
		case interface{ Elem() types.Type }:
			look(u.Elem())
		case *types.Struct:
			for field := range u.Fields() {
				if into == allFields && field.Exported() || into != none && field.Embedded() {
					look(field.Type())
				}
			}
		}
	}
	look(in)
	return names
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
			if found && slices.Contains(f.lib.held(f.info.TypeOf(field.Type), none), s.name) {
				notes = append(notes, f.note(field.Pos(), s.name+": "+s.what))
			}
		}
	}
	return notes
}
