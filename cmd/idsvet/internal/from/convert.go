package from

// This file converts the expressions in a source file. The code in this file and the code in
// template.go call each other, because a conversion fills a template, and the expressions in a
// template are also converted. This recursion is intended.

import (
	"cmp"
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
)

// conversions returns the conversions of the node at c and of all nodes below it.
func (f *file) conversions(c inspector.Cursor) (all []conversion) {
	switch n := c.Node().(type) {
	case *ast.ImportSpec, *ast.CommentGroup:
		return nil
	case ast.Expr:
		if all = f.expression(c, n); all != nil {
			return all
		}
	}
	for part := range c.Children() {
		all = append(all, f.conversions(part)...)
	}
	return all
}

// expression returns the conversions of e, which is the expression at c. The result is nil if no
// rule applies to e itself and e does not refer to the old library.
func (f *file) expression(c inspector.Cursor, e ast.Expr) []conversion {
	if done := f.byRule(c, e); done != nil {
		return []conversion{*done}
	}
	if call, ok := e.(*ast.CallExpr); ok {
		if name := f.named(call.Fun); name != "" && !f.lib.isKept(name) && len(f.matches(call.Fun)) == 0 {
			return []conversion{f.leave(e, name, f.leftReason(name))}
		}
	}
	if name := f.named(e); name != "" {
		return f.name(c, e, name)
	}
	return nil
}

// byRule converts e with the first matching rule that can be applied. If rules match, but none of
// them can be applied, byRule returns a conversion that leaves e unchanged, with the reason from
// the first matching rule. If no rule matches, it returns nil.
func (f *file) byRule(c inspector.Cursor, e ast.Expr) (first *conversion) {
	for _, m := range f.matches(e) {
		done := m.fill(c)
		if done.left == "" {
			done.left = m.fit(&done, c)
		}
		f.finish(&done, e)
		if done.left == "" {
			return &done
		}
		first = cmp.Or(first, &done)
	}
	return first
}

// name converts e, which refers to a name of the old library and matches no rule. If the name also
// exists in ids, or if the table contains a new name for it, the converted code uses that name in
// ids. The conversion leaves e unchanged if there is no such name, or if another declaration hides
// the name of the new package.
func (f *file) name(c inspector.Cursor, e ast.Expr, name string) []conversion {
	s, isSelector := e.(*ast.SelectorExpr)
	done := conversion{uses: 1}
	done.start, done.end = f.span(e)
	operand := func() []conversion { return f.conversions(c.ChildAt(edge.SelectorExpr_X, -1)) }
	switch now := f.lib.names[name]; {
	case now != "" && isSelector:
		done.edits = []edit{f.replace(s.Sel, now)}
		return append(operand(), done)
	case now != "":
		done.edits = []edit{f.replace(e, now)}
	case !f.lib.isKept(name):
		return []conversion{f.leave(e, name, f.leftReason(name))}
	case isSelector && f.info.Selections[s] != nil:
		return append(operand(), done)
	case isSelector:
		if why := f.hiddenReason(f.lib.door, e); why != "" {
			return []conversion{f.leave(e, name, why)}
		}
		done.edits = []edit{f.replace(s.X, markPackage(f.lib.door))}
	}
	return []conversion{done}
}

// leave returns a conversion that leaves e unchanged because e uses name. The last parameter is the
// reason for the report.
func (f *file) leave(e ast.Expr, name, why string) conversion {
	done := conversion{left: why, name: name[strings.LastIndex(name, ".")+1:]}
	f.finish(&done, e)
	return done
}

// leftReason returns the reason that a name stays unchanged.
func (f *file) leftReason(name string) string {
	if !f.lib.isAllowed(name) {
		return "the program sets " + strings.Join(f.lib.set[name], " or ") + ", so it needs its own layout: " + f.lib.left[name]
	}
	return cmp.Or(f.lib.left[name], "no rule applies to it")
}

// finish sets the range of a conversion to the whole expression e. If the conversion leaves e
// unchanged, finish removes the edits and counts all uses of the old library in e.
func (f *file) finish(done *conversion, e ast.Expr) {
	done.start, done.end = f.span(e)
	if done.left != "" {
		done.edits, done.uses = nil, f.countUses(e)
	}
}

// hiddenReason returns the reason that a template cannot use a package's name at the position of e.
// It returns "" if the template can use the name.
func (f *file) hiddenReason(pkg string, e ast.Expr) string {
	name := f.knownName(pkg)
	if name == "" {
		return "" // the new import gets a name that is unused in the file
	}
	_, obj := f.pkg.Scope().Innermost(e.Pos()).LookupParent(name, e.Pos())
	if _, ok := obj.(*types.PkgName); obj == nil || ok {
		return ""
	}
	return name + " is not a package here; rename the variable"
}
