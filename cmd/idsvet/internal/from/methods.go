package from

// This file finds interfaces that only the old types or only the new types satisfy.

import (
	_ "embed"
	"go/ast"
	"go/types"
	"regexp"
	"strings"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/oneclock/ids/cmd/idsvet/internal/syntax"
)

// methodsTXT contains the lines of api.txt that list the methods of the new types. A new type is a
// type in ids that replaces a type from one of the old libraries.
//
//go:embed methods.txt
var methodsTXT string

var methodLine = regexp.MustCompile(`(?m)^ids: func \(\*?(\w+)(?:\[T\])?\)\.(.*)$`)

// newMethods maps the name of each type in methodsTXT to the type's methods, with their parameters
// and results. The names of the old types are also keys.
var newMethods = func() map[string]map[string]bool {
	all := map[string]map[string]bool{}
	for _, m := range methodLine.FindAllStringSubmatch(methodsTXT, -1) {
		if all[m[1]] == nil {
			all[m[1]] = map[string]bool{}
		}
		all[m[1]][m[2]] = true
	}
	for old, now := range map[string]string{"NullUUID": "Null", "ID": "Snowflake", "Node": "SnowflakeNode", "Sonyflake": "SnowflakeNode", "MonotonicEntropy": "Generator"} {
		all[old] = all[now]
	}
	return all
}()

// interfaceNotes returns a note if the value at c is assigned to an interface that its new type
// does not satisfy.
func (f *file) interfaceNotes(c inspector.Cursor) []note {
	want := syntax.Wanted(f.info, c)
	if want == nil || !types.IsInterface(want) {
		return nil
	}
	// If the called function belongs to the old library, as in ulid.New(t, entropy), a rule handles
	// the call.
	if call, ok := c.Parent().Node().(*ast.CallExpr); ok && f.named(call.Fun) != "" {
		return nil
	}
	e := c.Node().(ast.Expr)
	for m := range want.Underlying().(*types.Interface).Methods() {
		method, _, _ := types.LookupFieldOrMethod(f.info.TypeOf(e), true, nil, m.Name())
		of, _, _ := strings.Cut(f.lib.oldName(method), ".")
		// The method may come from an embedded type. One example is MonotonicEntropy's Read method.
		if n := named(f.info.TypeOf(e)); of == "" && n != nil {
			of = f.lib.oldName(n.Obj())
		}
		if newMethods[of] != nil && !newMethods[of][form(m)] {
			return []note{f.note(e.Pos(), of+" does not satisfy this interface here")}
		}
	}
	return nil
}

// assertionNotes returns notes about t, which is the type in a type assertion or a type switch. The
// second parameter is the type of the operand. If t is an interface, there is one note for each ID
// type that satisfies t before the move but not after it, or the reverse. ID types that the operand
// cannot have are ignored.
func (f *file) assertionNotes(t ast.Expr, asked types.Type) (notes []note) {
	want, ok := f.info.TypeOf(t).Underlying().(*types.Interface)
	if !ok {
		return nil
	}
	for _, pkg := range f.packages {
		for name, methods := range newMethods {
			obj, ok := pkg.Scope().Lookup(name).(*types.TypeName)
			if !ok || name == "NullUUID" && !f.lib.uses[name] {
				continue
			}
			old, now := types.NewPointer(obj.Type()), true
			for m := range want.Methods() {
				now = now && methods[form(m)]
			}
			switch before := types.Implements(old, want); {
			case !types.Implements(old, asked.Underlying().(*types.Interface)):
			case before && !now:
				notes = append(notes, f.note(t.Pos(), name+" does not satisfy this interface here"))
			case now && !before:
				notes = append(notes, f.note(t.Pos(), name+" satisfies this interface here, but did not before"))
			}
		}
	}
	return notes
}

// form returns the name, parameters and results of a method, in the format that methods.txt uses.
func form(m *types.Func) string {
	sig := m.Signature()
	unnamed := func(list *types.Tuple) *types.Tuple {
		var vars []*types.Var
		for v := range list.Variables() {
			vars = append(vars, types.NewParam(v.Pos(), nil, "", v.Type()))
		}
		return types.NewTuple(vars...)
	}
	text := types.TypeString(types.NewSignatureType(nil, nil, nil, unnamed(sig.Params()), unnamed(sig.Results()), sig.Variadic()), func(p *types.Package) string {
		if strings.Contains(p.Path(), ".") {
			return "" // the package may be the old library
		}
		return p.Name()
	})
	return m.Name() + strings.ReplaceAll(strings.TrimPrefix(text, "func"), "interface{}", "any")
}
