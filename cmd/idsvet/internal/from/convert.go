package from

// Conversions: which expressions of a file are rewritten or left. This file and template.go use
// each other because the recursion is true: a conversion is a filled template, and the expressions
// in a template have conversions of their own.

import (
	"cmp"
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
)

// conversions returns those of the node at c and of all below it.
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

// expression returns the conversions of e, which is at c, or nil if it is none itself.
func (f *file) expression(c inspector.Cursor, e ast.Expr) []conversion {
	if done := f.byRule(c, e); done != nil {
		return []conversion{*done}
	}
	if call, ok := e.(*ast.CallExpr); ok {
		if name := f.named(call.Fun); name != "" && !f.lib.kept(name) && len(f.matches(call.Fun)) == 0 {
			return []conversion{f.leave(e, name, f.why(name))}
		}
	}
	if name := f.named(e); name != "" {
		return f.name(c, e, name)
	}
	return nil
}

// byRule converts e by the first rule that fits. If none does, it returns why the first one does not; if none matches, nil.
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

// name converts a name of the library that no rule has: it is the same here, has another one, or is left.
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
	case !f.lib.kept(name):
		return []conversion{f.leave(e, name, f.why(name))}
	case isSelector && f.info.Selections[s] != nil:
		return append(operand(), done)
	case isSelector:
		if why := f.hidden(f.lib.door, e); why != "" {
			return []conversion{f.leave(e, name, why)}
		}
		done.edits = []edit{f.replace(s.X, mark(f.lib.door))}
	}
	return []conversion{done}
}

// leave returns the conversion of an expression that stays as it is, because of a name.
func (f *file) leave(e ast.Expr, name, why string) conversion {
	done := conversion{left: why, of: name[strings.LastIndex(name, ".")+1:]}
	f.finish(&done, e)
	return done
}

// why says why a name is left.
func (f *file) why(name string) string {
	if !f.lib.allowed(name) {
		return "the program sets " + strings.Join(f.lib.set[name], " or ") + ", so it needs its own layout: " + f.lib.left[name]
	}
	return cmp.Or(f.lib.left[name], "no rule knows it")
}

// finish makes a conversion that of all e, and takes its edits from one that is left.
func (f *file) finish(done *conversion, e ast.Expr) {
	done.start, done.end = f.span(e)
	if done.left != "" {
		done.edits, done.uses = nil, f.count(e)
	}
}

// hidden says why a template cannot name a package at e, or returns "".
func (f *file) hidden(pkg string, e ast.Expr) string {
	name := f.known(pkg)
	if name == "" {
		return "" // the import will have a name that the file has nowhere
	}
	_, obj := f.pkg.Scope().Innermost(e.Pos()).LookupParent(name, e.Pos())
	if _, ok := obj.(*types.PkgName); obj == nil || ok {
		return ""
	}
	return name + " is no package here: call the variable otherwise"
}
