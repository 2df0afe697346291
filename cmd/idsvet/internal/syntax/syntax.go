// Package syntax finds the context of an expression: the enclosing function, the type to which its
// value is assigned, and the expressions with which it is compared.
package syntax

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
)

// Element returns the element type of a slice, array, map, channel or pointer type. For any other
// type it returns nil.
func Element(t types.Type) types.Type {
	u, ok := t.Underlying().(interface{ Elem() types.Type })
	if !ok {
		return nil
	}
	return u.Elem()
}

// Function returns the innermost function literal or declaration that encloses c.
func Function(c inspector.Cursor) (f inspector.Cursor) {
	for f = range c.Enclosing((*ast.FuncLit)(nil), (*ast.FuncDecl)(nil)) {
		break
	}
	return f
}

// Wanted returns the type of the variable, parameter, result, element or key that receives the
// value of the expression at c. It returns nil if the value is not assigned to any of these, or if
// their type is inferred from the expression.
func Wanted(info *types.Info, c inspector.Cursor) types.Type {
	kind, i := c.ParentEdge()
	switch n := c.Parent().Node().(type) {
	case *ast.CallExpr:
		sig, ok := info.TypeOf(n.Fun).Underlying().(*types.Signature)
		switch {
		case kind != edge.CallExpr_Args:
		case info.Types[n.Fun].IsType():
			return info.TypeOf(n)
		case ok && sig.Variadic() && i >= sig.Params().Len()-1 && !n.Ellipsis.IsValid():
			return Element(sig.Params().At(sig.Params().Len() - 1).Type())
		case ok:
			return sig.Params().At(i).Type()
		}
	case *ast.IndexExpr:
		if m, ok := info.TypeOf(n.X).Underlying().(*types.Map); ok && kind == edge.IndexExpr_Index {
			return m.Key()
		}
	case *ast.SendStmt:
		if kind == edge.SendStmt_Value {
			return Element(info.TypeOf(n.Chan))
		}
	case *ast.AssignStmt:
		if kind == edge.AssignStmt_Rhs && n.Tok == token.ASSIGN && len(n.Lhs) == len(n.Rhs) {
			return info.TypeOf(n.Lhs[i])
		}
	case *ast.ValueSpec:
		if kind == edge.ValueSpec_Values {
			return info.TypeOf(n.Type)
		}
	case *ast.ReturnStmt:
		f := Function(c.Parent()).Node() // c itself may be a function literal
		e, ok := f.(ast.Expr)
		if !ok {
			e = f.(*ast.FuncDecl).Name
		}
		return info.TypeOf(e).(*types.Signature).Results().At(i).Type()
	case *ast.KeyValueExpr:
		lit := info.TypeOf(c.Parent().Parent().Node().(ast.Expr))
		m, _ := lit.Underlying().(*types.Map)
		switch {
		case kind == edge.KeyValueExpr_Value && literalStruct(lit) != nil:
			return info.TypeOf(n.Key)
		case kind == edge.KeyValueExpr_Value:
			return Element(lit)
		case m != nil:
			return m.Key()
		}
	case *ast.CompositeLit:
		if s := literalStruct(info.TypeOf(n)); s != nil && kind == edge.CompositeLit_Elts {
			return s.Field(i).Type()
		}
		return Element(info.TypeOf(n))
	}
	return nil
}

// literalStruct returns the struct type of a composite literal of type t. If the literal is not a
// struct literal, it returns nil. The argument t can be a pointer type, because literals nested in
// a literal such as []*T{{}} may omit &T.
func literalStruct(t types.Type) *types.Struct {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	s, _ := t.Underlying().(*types.Struct)
	return s
}

// ComparedWith returns the expressions that the == operator, the != operator or a switch statement
// compares with the expression at c. For == and !=, the result also includes the expression at c.
func ComparedWith(c inspector.Cursor) (others []ast.Expr) {
	for c.ParentEdgeKind() == edge.ParenExpr_X {
		c = c.Parent()
	}
	switch parent := c.Parent().Node().(type) {
	case *ast.BinaryExpr:
		if parent.Op == token.EQL || parent.Op == token.NEQ {
			others = []ast.Expr{parent.X, parent.Y}
		}
	case *ast.CaseClause:
		if s, ok := c.Parent().Parent().Parent().Node().(*ast.SwitchStmt); ok && s.Tag != nil {
			others = []ast.Expr{s.Tag}
		}
	case *ast.SwitchStmt:
		for _, clause := range parent.Body.List {
			others = append(others, clause.(*ast.CaseClause).List...)
		}
	}
	return others
}
