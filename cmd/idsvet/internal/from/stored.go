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

	"golang.org/x/tools/go/ast/inspector"

	"github.com/oneclock/ids/cmd/idsvet/internal/syntax"
)

// harmless finds the names of functions that store nothing of what they are given.
var harmless = regexp.MustCompile(`(?i)scan|log|print|f$|debug|info|warn|error|fatal|panic|trace`)

// stored notes the types of the library in the expression at c, if a codec or a database may get it in an interface.
func (f *file) stored(c inspector.Cursor) []note {
	e := c.Node().(ast.Expr)
	return f.storedBy(f.receiver(c), e, f.info.TypeOf(e))
}

// instance notes the types of the library in the arguments of a generic type or function.
func (f *file) instance(id *ast.Ident) (notes []note) {
	for t := range f.info.Instances[id].TypeArgs.Types() {
		notes = append(notes, f.storedBy(f.info.Uses[id].Pkg(), id, t)...)
	}
	return notes
}

// storedBy notes what the table says of the values of a type, which a package gets at e. For a database, the fields are noted
// that hold them.
func (f *file) storedBy(to *types.Package, e ast.Expr, t types.Type) (notes []note) {
	if to == nil {
		return nil
	}
	held := f.held(t, allFields)
	database := f.reaches(to, func(path string) bool { return f.lib.databases[path] })
	for _, s := range f.lib.stored {
		codec := f.reaches(to, func(path string) bool {
			return path != "sigs.k8s.io/yaml" && slices.ContainsFunc(s.codecs, func(part string) bool { return strings.Contains(path, part) })
		})
		for _, h := range held {
			n := f.note(e.Pos(), s.name+": "+s.what)
			if s.queries && h.field != nil {
				at := f.fset.PositionFor(h.field.Pos(), false)
				n.path, n.line = at.Filename, at.Line
			}
			if s.about(h.of) && (codec || s.queries && database) {
				notes = append(notes, n)
			}
		}
	}
	return notes
}

// reaches reports whether is is true of the path of a package, or of one that it imports, if it is the program's.
func (f *file) reaches(pkg *types.Package, is func(path string) bool) bool {
	return is(pkg.Path()) || f.declares(pkg) && slices.ContainsFunc(pkg.Imports(), func(p *types.Package) bool { return is(p.Path()) })
}

// receiver returns the package that gets the value at c in an interface: that of the function which is called, or of the type of
// which the value becomes a part; nil if the value goes into no interface.
func (f *file) receiver(c inspector.Cursor) *types.Package {
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
		c = c.Parent() // perhaps the call that gets the list
	}
	call, ok := c.Node().(*ast.CallExpr)
	switch fun := f.callee(call); {
	case !ok || fun == nil:
		return f.pkg
	case harmless.MatchString(fun.Name()):
		return nil
	default:
		return fun.Pkg()
	}
}

// A depth is how far into a type to look for those of the library.
type depth int

const (
	none      depth = iota // not into structs, but into functions; and always into the arguments of generic types
	allFields              // into all fields that codecs see
)

// A holding is a type of the library in another type, and the field of the program that has it there, or nil.
type holding struct {
	of    *types.TypeName
	field *types.Var
}

// held returns the types of the library of which values of a type have some in them.
func (f *file) held(in types.Type, into depth) []holding {
	if in == nil {
		return nil
	}
	return f.heldAt(nil, in, into, map[types.Type]bool{})
}

// heldAt does so for the type of a field, or of none.
func (f *file) heldAt(at *types.Var, in types.Type, into depth, seen map[types.Type]bool) (all []holding) {
	look := func(parts ...types.Type) {
		for _, part := range parts {
			all = append(all, f.heldAt(at, part, into, seen)...)
		}
	}
	n, ok := types.Unalias(in).(*types.Named)
	switch {
	case seen[in]:
		return nil
	case ok && f.lib.owned(n.Obj()):
		return []holding{{n.Obj(), at}}
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
			if into == allFields && (field.Exported() || field.Embedded()) {
				if f.declares(field.Pkg()) {
					at = field
				}
				look(field.Type())
			}
		}
	}
	return all
}

// tags notes fields that a codec or a database finds by the tag, or leaves out here.
func (f *file) tags(s *ast.StructType) (notes []note) {
	for _, field := range s.Fields.List {
		if field.Tag == nil {
			continue
		}
		text, _ := constant.Val(constant.MakeFromLiteral(field.Tag.Value, token.STRING, 0)).(string)
		tag, t := reflect.StructTag(text), f.info.TypeOf(field.Type)
		named := func(key string) bool { return tag.Get(key) != "" && tag.Get(key) != "-" }
		omitted := func(word string) bool {
			key, option, _ := strings.Cut(word, ":")
			_, plain := t.Underlying().(*types.Array) // is omitted by omitzero if it is all zero, with IsZero or without
			return slices.Contains(strings.Split(tag.Get(key), ",")[1:], option) && !(plain && option == "omitzero")
		}
		for _, s := range f.lib.stored {
			about := func(h holding) bool { return s.about(h.of) }
			if slices.ContainsFunc(s.tags, named) && slices.ContainsFunc(f.held(t, none), about) || slices.ContainsFunc(s.omits, omitted) && f.lib.gainsIsZero(t, s.name) {
				notes = append(notes, f.note(field.Pos(), s.name+": "+s.what))
			}
		}
	}
	return notes
}

// gainsIsZero reports whether values of t have the methods of the library's type, and no method IsZero of that or their own.
func (l *library) gainsIsZero(t types.Type, name string) bool {
	text, _, _ := types.LookupFieldOrMethod(t, true, nil, "String")
	zero, _, _ := types.LookupFieldOrMethod(t, true, nil, "IsZero")
	return zero == nil && l.oldName(text) == name+".String"
}
