package from

import (
	_ "embed"
	"go/ast"
	"go/types"
	"regexp"
	"strings"
)

// methodsTXT has the lines of api.txt for the methods of the types that old ones become.
//
//go:embed methods.txt
var methodsTXT string

var methodLine = regexp.MustCompile(`(?m)^ids: func \(\*?(\w+)(?:\[T\])?\)\.(.*)$`)

// newMethods has the methods of each type here, with their parameters and results.
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

// satisfied notes an interface that values of an old type satisfy and values of the new one do not; and if gains is true, which is
// for a type switch, also one that they satisfy only here.
func (f *file) satisfied(e ast.Expr, gains bool) (notes []note) {
	want, ok := f.info.TypeOf(e).Underlying().(*types.Interface)
	if !ok || want.NumMethods() == 0 {
		return nil
	}
	for _, pkg := range f.packages {
		for name, methods := range newMethods {
			obj, ok := pkg.Scope().Lookup(name).(*types.TypeName)
			if !ok || name == "NullUUID" && !f.lib.uses[name] {
				continue
			}
			before, now := types.Implements(types.NewPointer(obj.Type()), want), true
			for m := range want.Methods() {
				now = now && methods[form(m)]
			}
			switch {
			case before && !now:
				notes = append(notes, f.note(e.Pos(), "a value of the library's "+name+" does not satisfy this interface any more"))
			case gains && now && !before:
				notes = append(notes, f.note(e.Pos(), "a value of the library's "+name+" satisfies this interface from now on"))
			}
		}
	}
	return notes
}

// form returns a method as methods.txt writes it.
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
			return "" // perhaps the old library
		}
		return p.Name()
	})
	return m.Name() + strings.ReplaceAll(strings.TrimPrefix(text, "func"), "interface{}", "any")
}
