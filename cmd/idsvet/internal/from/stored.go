package from

// The code in this file finds values of the old library's types that codecs or databases may write
// or read. It also finds struct fields with such types.

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/oneclock/ids/cmd/idsvet/internal/syntax"
)

// storesNothing matches the names of functions that do not store their arguments.
var storesNothing = regexp.MustCompile(`(?i)scan|log|print|f$|debug|info|warn|error|fatal|panic|trace`)

// storedNotes returns notes about the value at c if the value is converted to an interface and may
// be passed to a codec or a database. Each note is about a type of the old library that the value
// contains.
func (f *file) storedNotes(c inspector.Cursor) []note {
	e := c.Node().(ast.Expr)
	return f.storedNotesFor(f.receivingPackage(c), e, f.info.TypeOf(e))
}

// instanceNotes returns notes about the old library's types in the type arguments of id. The
// identifier id refers to a generic type or function.
func (f *file) instanceNotes(id *ast.Ident) (notes []note) {
	for t := range f.info.Instances[id].TypeArgs.Types() {
		notes = append(notes, f.storedNotesFor(f.info.Uses[id].Pkg(), id, t)...)
	}
	return notes
}

// storedNotesFor returns the notes from the "stored" rows that apply to values of type t. The first
// parameter is the package that may receive such a value at e, or nil if no package stores the
// value. If a row contains the word "queries", and the old type occurs in a struct field that the
// program declares, the note refers to that field.
func (f *file) storedNotesFor(to *types.Package, e ast.Expr, t types.Type) (notes []note) {
	if to == nil {
		return nil
	}
	held := f.contained(t, allFields)
	database := f.reaches(to, func(path string) bool { return f.lib.databases[path] })
	for _, s := range f.lib.stored {
		codec := f.reaches(to, func(path string) bool {
			return path != "sigs.k8s.io/yaml" && slices.ContainsFunc(s.codecs, func(part string) bool { return strings.Contains(path, part) })
		})
		for _, h := range held {
			n := f.note(e.Pos(), s.name+": "+s.sentence)
			if s.queries && h.field != nil {
				at := f.fset.PositionFor(h.field.Pos(), false)
				n.path, n.line = at.Filename, at.Line
			}
			if s.about(h.typ) && (codec || s.queries && database) {
				notes = append(notes, n)
			}
		}
	}
	return notes
}

// reaches reports whether match returns true for the path of pkg or, if the program declares pkg,
// for the path of a package that pkg imports.
func (f *file) reaches(pkg *types.Package, match func(path string) bool) bool {
	return match(pkg.Path()) || f.declares(pkg) && slices.ContainsFunc(pkg.Imports(), func(p *types.Package) bool { return match(p.Path()) })
}

// receivingPackage returns the package that may receive the value at c after the value is converted
// to an interface. For an element of a composite literal of a named type, the result is the package
// of that type. For an argument of a call, the result is the package of the called function. The
// same is true for an element of a literal of an unnamed type if the literal is an argument of a
// call. Otherwise, the result is the package of the file. If the value is not converted to an
// interface, or if the function does not store its arguments, receivingPackage returns nil.
func (f *file) receivingPackage(c inspector.Cursor) *types.Package {
	if to := syntax.Wanted(f.info, c); to == nil || !types.IsInterface(to) {
		return nil
	}
	c = c.Parent()
	if _, ok := c.Node().(*ast.KeyValueExpr); ok {
		c = c.Parent()
	}
	if lit, ok := c.Node().(*ast.CompositeLit); ok {
		if n := named(f.info.TypeOf(lit)); n != nil {
			return n.Obj().Pkg()
		}
		c = c.Parent() // this may be the call to which the list is passed
	}
	call, ok := c.Node().(*ast.CallExpr)
	switch fun := f.callee(call); {
	case !ok || fun == nil:
		return f.pkg
	case storesNothing.MatchString(fun.Name()):
		return nil
	default:
		return fun.Pkg()
	}
}

// A depth selects the parts of a type that are searched for old types. The type arguments of
// generic types are always searched.
type depth int

const (
	noFields  depth = iota // parameters and results of functions, but not struct fields
	allFields              // all struct fields that codecs can access, but not functions
)

// A containedType is a type of the old library that occurs in another type. If the type occurs in a
// struct field that the program declares, field is that struct field. Otherwise, field is nil.
type containedType struct {
	typ   *types.TypeName
	field *types.Var
}

// contained returns the types of the old library that a value of the given type may contain.
func (f *file) contained(in types.Type, into depth) []containedType {
	if in == nil {
		return nil
	}
	return f.containedAt(nil, in, into, map[types.Type]bool{})
}

// containedAt is like contained. If the given type occurs in a struct field that the program
// declares, at is that field. Otherwise, at is nil.
func (f *file) containedAt(at *types.Var, in types.Type, into depth, seen map[types.Type]bool) (all []containedType) {
	search := func(parts ...types.Type) {
		for _, part := range parts {
			all = append(all, f.containedAt(at, part, into, seen)...)
		}
	}
	n, ok := types.Unalias(in).(*types.Named)
	switch {
	case seen[in]:
		return nil
	case ok && f.lib.owns(n.Obj()):
		return []containedType{{n.Obj(), at}}
	case ok:
		seen[in] = true
		search(slices.Collect(n.TypeArgs().Types())...)
	}
	switch u := in.Underlying().(type) {
	case *types.Signature:
		if into == noFields {
			search(u.Params(), u.Results())
		}
	case *types.Tuple:
		for v := range u.Variables() {
			search(v.Type())
		}
	case *types.Map:
		search(u.Key(), u.Elem())
	case interface{ Elem() types.Type }:
		search(u.Elem())
	case *types.Struct:
		for field := range u.Fields() {
			if into == allFields && (field.Exported() || field.Embedded()) {
				if f.declares(field.Pkg()) {
					at = field
				}
				search(field.Type())
			}
		}
	}
	return all
}

// tagNotes returns notes about fields that a codec or a database recognizes by their tag, and about
// fields that a codec omits after the move but wrote before it.
func (f *file) tagNotes(s *ast.StructType) (notes []note) {
	for _, field := range s.Fields.List {
		if field.Tag == nil {
			continue
		}
		text, _ := constant.Val(constant.MakeFromLiteral(field.Tag.Value, token.STRING, 0)).(string)
		tag, t := reflect.StructTag(text), f.info.TypeOf(field.Type)
		named := func(key string) bool { return tag.Get(key) != "" && tag.Get(key) != "-" }
		omitted := func(word string) bool {
			key, option, _ := strings.Cut(word, ":")
			// With omitzero, an array of zeros is omitted even if its type has no IsZero method.
			_, plain := t.Underlying().(*types.Array)
			return slices.Contains(strings.Split(tag.Get(key), ",")[1:], option) && !(plain && option == "omitzero")
		}
		for _, s := range f.lib.stored {
			about := func(h containedType) bool { return s.about(h.typ) }
			if slices.ContainsFunc(s.tags, named) && slices.ContainsFunc(f.contained(t, noFields), about) || slices.ContainsFunc(s.omits, omitted) && f.lib.gainsIsZero(t, s.name) {
				notes = append(notes, f.note(field.Pos(), s.name+": "+s.sentence))
			}
		}
	}
	return notes
}

// gainsIsZero reports whether values of type t gain an IsZero method in the migration. This is the
// case if t has no IsZero method, and if its String method is declared by the old library's type
// with the given name.
func (l *library) gainsIsZero(t types.Type, name string) bool {
	text, _, _ := types.LookupFieldOrMethod(t, true, nil, "String")
	zero, _, _ := types.LookupFieldOrMethod(t, true, nil, "IsZero")
	return zero == nil && l.oldName(text) == name+".String"
}
