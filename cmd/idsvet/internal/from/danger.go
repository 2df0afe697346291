package from

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/types/typeutil"

	"github.com/oneclock/ids/cmd/idsvet/internal/refused"
)

// differs returns the places of a file where the program behaves otherwise after its move, without an error of the compiler.
func (f *file) differs() (notes []note) {
	for n := range ast.Preorder(f.syntax) {
		switch n := n.(type) {
		case *ast.CallExpr:
			notes = append(notes, f.storedBy(n)...)
			notes = append(notes, f.panics(n)...)
			if comparing.MatchString(lastName(n.Fun)) {
				notes = append(notes, f.compared(n, n.Args...)...)
			}
		case *ast.BinaryExpr:
			if n.Op == token.EQL || n.Op == token.NEQ {
				notes = append(notes, f.compared(n, n.X, n.Y)...)
			}
		case *ast.CaseClause:
			notes = append(notes, f.compared(n, n.List...)...)
		case *ast.StructType:
			notes = append(notes, f.tags(n)...)
		}
	}
	return notes
}

// panics notes a MustParse of a constant text that the old library reads and this one refuses.
func (f *file) panics(call *ast.CallExpr) (notes []note) {
	fun, _ := typeutil.Callee(f.info, call).(*types.Func)
	if fun == nil || !f.table.owned(fun) || !strings.HasPrefix(fun.Name(), "MustParse") {
		return nil
	}
	s, ok := constant.Val(f.info.Types[call.Args[0]].Value).(string)
	if n := named(fun.Signature().Results().At(0).Type()); ok && n != nil {
		if why := refused.Why(n.Obj().Name(), s); why != "" {
			notes = append(notes, f.note(call.Pos(), fmt.Sprintf("MustParse panics here: %q %s", s, why)))
		}
	}
	return notes
}

// comparing finds the names of functions that compare texts, or in testify the texts of errors and names of types.
var comparing = regexp.MustCompile(`^(Equal|ErrorContains|Contains|HasPrefix|HasSuffix|AnythingOfType)`)

// compared notes texts among the parts of a comparison that are others here: those of errors, names of types and import paths.
func (f *file) compared(n ast.Node, parts ...ast.Expr) (notes []note) {
	call, _ := n.(*ast.CallExpr)
	ofError := call != nil && strings.Contains(lastName(call.Fun), "Error") // or beside a call of the method Error
	for _, e := range parts {
		c, ok := ast.Unparen(e).(*ast.CallExpr)
		ofError = ofError || ok && lastName(c.Fun) == "Error" && len(c.Args) == 0
	}
	for _, e := range parts {
		s, _ := constant.Val(f.info.Types[e].Value).(string)
		pkg, name, _ := strings.Cut(strings.TrimLeft(s, "*[]"), ".")
		switch {
		case ofError && slices.ContainsFunc(f.table.texts, func(text string) bool { return len(s) > 5 && (strings.Contains(s, text) || strings.Contains(text, s)) }):
			notes = append(notes, f.note(e.Pos(), "the texts of errors are others here: use errors.Is"))
		case slices.Contains(f.table.paths, s) && s != f.table.pkg:
			notes = append(notes, f.note(e.Pos(), "this text is the path of the old library: the types are those of "+root))
		case pkg == f.table.pkg && f.uses[name] && ast.IsExported(name):
			notes = append(notes, f.note(e.Pos(), "no type is called "+s+" here: compare types, or write mock.IsType with a value"))
		}
	}
	return notes
}

// queries are packages whose functions take the arguments of queries, and statement finds a text of SQL.
var (
	queries   = []string{"database/sql", "sqlx", "pgx", "gorm.io", "/bun", "squirrel"}
	statement = regexp.MustCompile(`(?is)\b(select|insert\s+into|update|delete\s+from)\b.*(\$1|\?|[:@]\w)`)
)

// isQuery reports whether a call takes arguments of a query: one of a database's package, one that has a text of SQL, or
// append to a []any in a package that imports such a package.
func (f *file) isQuery(call *ast.CallExpr) bool {
	imports := func(path string) bool {
		return slices.ContainsFunc(queries, func(q string) bool { return strings.Contains(path, q) })
	}
	switch callee := typeutil.Callee(f.info, call).(type) {
	case *types.Builtin:
		s, ok := f.info.TypeOf(call).(*types.Slice)
		return ok && callee.Name() == "append" && types.IsInterface(s.Elem()) &&
			slices.ContainsFunc(f.pkg.Imports(), func(p *types.Package) bool { return imports(p.Path()) })
	case *types.Func:
		if strings.Contains(callee.Name(), "Scan") || callee.Pkg() == nil {
			return false
		}
		return imports(callee.Pkg().Path()) || callee.Signature().Variadic() && slices.ContainsFunc(call.Args, func(arg ast.Expr) bool {
			text, _ := constant.Val(f.info.Types[arg].Value).(string)
			return statement.MatchString(text)
		})
	}
	return false
}

// storedBy notes the types of the library that a call writes or reads.
func (f *file) storedBy(call *ast.CallExpr) (notes []note) {
	var to string // the package
	if fun, _ := typeutil.Callee(f.info, call).(*types.Func); fun != nil && fun.Pkg() != nil {
		to = strings.Replace(fun.Pkg().Path(), "go.mongodb.org/mongo-driver", "bson", 1)
	}
	for _, s := range f.table.stored {
		query := slices.Contains(s.codecs, "query") && f.isQuery(call)
		codec := slices.ContainsFunc(s.codecs, func(c string) bool { return strings.Contains(to, c) }) && to != "sigs.k8s.io/yaml" // which is JSON
		if (query || codec) && slices.ContainsFunc(call.Args, func(arg ast.Expr) bool { return slices.Contains(f.table.held(f.info.TypeOf(arg), codec), s.name) }) {
			notes = append(notes, f.note(call.Pos(), s.name+": "+s.what))
		}
	}
	return notes
}

// held returns the names of the library's types of which values of t have some in them. fields is whether to look into structs.
func (t *table) held(in types.Type, fields bool) (names []string) {
	seen := map[types.Type]bool{}
	var look func(types.Type)
	look = func(in types.Type) {
		if in == nil || seen[in] {
			return
		}
		seen[in] = true
		if n, ok := types.Unalias(in).(*types.Named); ok && t.owned(n.Obj()) {
			names = append(names, n.Obj().Name())
			return
		}
		switch u := in.Underlying().(type) {
		case *types.Signature:
			look(u.Params())
			look(u.Results())
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
				if fields && (field.Exported() || field.Embedded()) {
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
		for _, s := range f.table.stored {
			found := slices.ContainsFunc(s.codecs, func(codec string) bool {
				key, option, _ := strings.Cut(codec, ",")
				_, gorm := tag.Lookup("gorm")
				_, db := tag.Lookup("db")
				return option != "" && slices.Contains(strings.Split(tag.Get(key), ",")[1:], option) || key == "query" && (gorm || db)
			})
			if found && slices.Contains(f.table.held(f.info.TypeOf(field.Type), false), s.name) {
				notes = append(notes, f.note(field.Pos(), s.name+": "+s.what))
			}
		}
	}
	return notes
}

// foreign notes the names of packages outside of the program that have a type of the library, and so keep it.
func (f *file) foreign(own map[string]bool) (notes []note) {
	for id, obj := range f.info.Uses {
		v, isVar := obj.(*types.Var)
		if _, isFunc := obj.(*types.Func); !isFunc && !(isVar && (v.IsField() || v.Kind() == types.PackageVar)) {
			continue
		}
		if obj.Pkg() == nil || own[obj.Pkg().Path()] || f.table.owned(obj) || id.Pos() < f.syntax.FileStart || id.Pos() > f.syntax.FileEnd {
			continue
		}
		for _, t := range f.table.held(obj.Type(), false) {
			notes = append(notes, f.note(id.Pos(), fmt.Sprintf("%s of %s keeps the old %s: convert, as by %s.%[3]s(id)", obj.Name(), obj.Pkg().Path(), t, f.table.name)))
		}
	}
	return notes
}
