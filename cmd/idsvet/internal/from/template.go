package from

// The code in this file applies templates. A template is the replacement in a rule. The method fill
// puts the operands of the old expression into a template, and the method fit adapts the result to
// its context. The code in this file and the code in convert.go call each other, because the
// operands of the old expression are also converted. This recursion is intended.

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"
)

// fill converts the expression at c as the rule specifies, and returns the conversion. The text of
// an expression that is bound to a letter stays unchanged, except for the parts that are also
// converted. The other edits replace the text between these expressions.
func (m *match) fill(c inspector.Cursor) conversion {
	e := c.Node().(ast.Expr)
	done := conversion{uses: m.countUses(e)}
	done.start, done.end = m.span(e)
	at, text := done.start, "" // start and text of the next edit
	for i, part := range m.rule.parts {
		bound := m.bound[part.letter]
		if bound == nil {
			text += part.text
			switch {
			case part.pkg != "":
				text += markPackage(part.pkg)
				done.left = cmp.Or(done.left, m.hiddenReason(part.pkg, e))
			case part.value:
				text += m.info.Types[e].Value.ExactString()
			case part.result:
				text += m.info.TypeOf(e).(*types.Tuple).At(0).Type().String()
			}
			continue
		}
		open, end := "", m.path[part.letter]
		if !part.noParens && !needsNoParens(bound) {
			open, end = "(", ")"+end
		}
		start, next := m.span(bound)
		done.edits = append(done.edits, edit{at, start, text + open})
		inner, _ := c.FindNode(bound)
		for _, sub := range m.conversions(inner) {
			if done.left == "" {
				done.left, done.name = sub.left, sub.name
			}
			done.edits = append(done.edits, sub.edits...)
		}
		_, pointer := m.info.TypeOf(bound).Underlying().(*types.Pointer)
		if sliced := strings.HasPrefix(m.rule.parts[i+1].text, "[:"); sliced && m.path[part.letter] == "" && !pointer && !m.info.Types[bound].Addressable() {
			done.left = cmp.Or(done.left, m.text(e)+": only a variable can be sliced; assign it to v and write v[:]")
		}
		at, text = next, end
	}
	done.edits = append(done.edits, edit{at, done.end, text})
	done.left = cmp.Or(done.left, m.commentReason(done.edits))
	return done
}

// commentReason returns the reason to leave an expression unchanged if the edits would delete a
// comment. Otherwise, it returns "".
func (m *match) commentReason(edits []edit) string {
	for _, c := range m.syntax.Comments {
		if isCovered(edits, m.offset(c.Pos())) {
			return "it contains a comment; write it by hand: " + m.rule.row
		}
	}
	return ""
}

// needsNoParens reports whether e needs no parentheses as an operand.
func needsNoParens(e ast.Expr) bool {
	switch e.(type) {
	case *ast.BinaryExpr, *ast.UnaryExpr, *ast.StarExpr, *ast.FuncLit, *ast.KeyValueExpr:
		return false
	}
	return true
}

// fit adapts a filled template to the context of the expression at c. If the template cannot be
// used there, fit returns the reason. Otherwise, it returns "".
func (m *match) fit(done *conversion, c inspector.Cursor) string {
	e := c.Node().(ast.Expr)
	if m.isVariable(c, e) {
		return m.text(e) + " is not a variable here; assign its value to one first"
	}
	fits := true
	switch m.rule.resultChange {
	case withNil:
		_, several := m.info.TypeOf(e).(*types.Tuple)
		fits = !several || m.addNil(done, c)
	case withoutOK, withoutFirst:
		fits = m.addBlank(done, c)
	case onlyRead:
		fits = m.isRead(c)
	}
	if fits {
		return ""
	}
	name := m.named(e.(*ast.CallExpr).Fun)
	done.name = name[strings.LastIndex(name, ".")+1:]
	return m.leftReason(name)
}

// targets returns the variables to which the values of the expression at c are assigned, and
// reports whether the same statement declares these variables. If the declaration contains a type,
// targets returns no variables.
func targets(c inspector.Cursor) (to []ast.Expr, declares bool) {
	switch parent := c.Parent().Node().(type) {
	case *ast.AssignStmt:
		if parent.Tok == token.ASSIGN || parent.Tok == token.DEFINE {
			to, declares = parent.Lhs, parent.Tok == token.DEFINE
		}
	case *ast.ValueSpec:
		for _, name := range parent.Names {
			if parent.Type == nil {
				to, declares = append(to, name), true
			}
		}
	}
	return to, declares
}

// addNil adds nil in place of the error that the call no longer returns. It reports whether the
// context allows this.
func (m *match) addNil(done *conversion, c inspector.Cursor) bool {
	switch c.Parent().Node().(type) {
	case *ast.ExprStmt:
		// This edit must come before the other edits that insert text at this offset.
		done.edits = append([]edit{{done.start, done.start, "_ = "}}, done.edits...)
		return true
	case *ast.ReturnStmt, *ast.CallExpr:
		done.edits = append(done.edits, edit{done.end, done.end, ", nil"})
		return true
	}
	to, declares := targets(c)
	if len(to) != 2 {
		return false
	}
	id, _ := to[1].(*ast.Ident)
	switch {
	case id != nil && id.Name == "_":
		done.edits = append(done.edits, edit{m.offset(to[0].End()), m.offset(to[1].End()), ""})
	case declares && m.info.Defs[id] != nil:
		done.edits = append(done.edits, edit{done.end, done.end, ", error(nil)"})
	default:
		done.edits = append(done.edits, edit{done.end, done.end, ", nil"})
	}
	return true
}

// addBlank adds a blank identifier for the additional result of the new call. It reports whether
// the context allows this.
func (m *match) addBlank(done *conversion, c inspector.Cursor) bool {
	to, _ := targets(c)
	if len(to) != 1 {
		return false
	}
	start, end := m.span(to[0])
	if m.rule.resultChange == withoutOK {
		done.edits = append(done.edits, edit{end, end, ", _"})
	} else {
		done.edits = append(done.edits, edit{start, start, "_, "})
	}
	return true
}

// isRead reports whether the slice at c is only used to read its bytes and is not retained. Such a
// use is a conversion that copies the bytes, an index expression, a range clause, or a call to
// copy, bytes.Equal or bytes.Compare.
func (m *match) isRead(c inspector.Cursor) bool {
	kind, i := c.ParentEdge()
	switch parent := c.Parent().Node().(type) {
	case *ast.ParenExpr:
		return m.isRead(c.Parent())
	case *ast.RangeStmt:
		return kind == edge.RangeStmt_X
	case *ast.IndexExpr:
		around := c.Parent().ParentEdgeKind()
		return around != edge.AssignStmt_Lhs && around != edge.UnaryExpr_X && around != edge.IncDecStmt_X
	case *ast.CallExpr:
		if m.info.Types[parent.Fun].IsType() {
			switch m.info.TypeOf(parent).Underlying().(type) {
			case *types.Basic, *types.Array:
				return true
			}
			return false
		}
		fun := m.callee(parent)
		return i == 1 && m.callsBuiltin(parent, "copy") || fun != nil && (fun.FullName() == "bytes.Equal" || fun.FullName() == "bytes.Compare")
	}
	return false
}

// isVariable reports whether the expression at c is a variable of the old library that cannot be
// replaced with a call. This is the case if the code assigns to the variable or takes its address.
// A slice expression or a method call can also take a variable's address.
func (m *match) isVariable(c inspector.Cursor, e ast.Expr) bool {
	s, _ := e.(*ast.SelectorExpr)
	if s == nil || m.info.Selections[s] != nil {
		return false
	}
	if _, ok := m.info.Uses[s.Sel].(*types.Var); !ok {
		return false
	}
	switch parent := c.Parent().Node().(type) {
	case *ast.UnaryExpr:
		return parent.Op == token.AND
	case *ast.SliceExpr:
		return parent.X == e
	case *ast.AssignStmt:
		return slices.Contains(parent.Lhs, e)
	case *ast.SelectorExpr:
		if called := m.info.Selections[parent]; called != nil && called.Kind() == types.MethodVal {
			_, pointer := called.Obj().(*types.Func).Signature().Recv().Type().(*types.Pointer)
			return pointer
		}
	}
	return false
}

// callsBuiltin reports whether call calls the built-in function with the given name.
func (f *file) callsBuiltin(call *ast.CallExpr, name string) bool {
	b, ok := typeutil.Callee(f.info, call).(*types.Builtin)
	return ok && b.Name() == name
}
