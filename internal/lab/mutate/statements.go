package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// statement adds the mutants that lack a whole loop, switch, case or else, or do a statement twice.
func (f *finder) statement(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.ForStmt, *ast.RangeStmt, *ast.SelectStmt:
		f.add(n.Pos(), n.End(), "", "")
	case *ast.IfStmt:
		if n.Else != nil {
			f.add(n.Body.End(), n.Else.End(), "", "")
		}
	case *ast.SwitchStmt:
		for _, s := range n.Body.List {
			if n.Tag != nil || s.(*ast.CaseClause).List == nil { // others have a condition
				f.add(s.Pos(), s.End(), "", "")
			}
		}
	case *ast.TypeSwitchStmt:
		for _, s := range n.Body.List {
			f.add(s.Pos(), s.End(), "", "")
		}
	case *ast.BlockStmt:
		f.double(n.List)
	case *ast.CaseClause:
		f.double(n.Body)
	}
	return true
}

// double adds the mutants that do one statement of a list twice.
func (f *finder) double(list []ast.Stmt) {
	for _, s := range list {
		again := "; " + f.src(s)
		switch s := s.(type) {
		case *ast.AssignStmt:
			if !f.repeatable(s) {
				continue
			}
			// The variables of a definition are there the second time.
			again = strings.Replace(again, token.DEFINE.String(), token.ASSIGN.String(), 1)
		case *ast.ExprStmt, *ast.IncDecStmt, *ast.SendStmt:
		default:
			continue
		}
		f.add(s.End(), s.End(), again, again)
	}
}

// repeatable reports whether an assignment may do more when it is done twice: because it has a variable on both
// sides, or calls a method of a pointer.
func (f *finder) repeatable(s *ast.AssignStmt) bool {
	may := s.Tok != token.ASSIGN && s.Tok != token.DEFINE
	left := make(map[string]bool)
	for _, x := range s.Lhs {
		left[f.src(x)] = true
	}
	for _, x := range s.Rhs {
		ast.Inspect(x, func(n ast.Node) bool {
			if x, ok := n.(ast.Expr); ok {
				may = may || left[f.src(x)]
			}
			if x, ok := n.(*ast.SelectorExpr); ok && f.info.Selections[x] != nil {
				if method, ok := f.info.Selections[x].Obj().(*types.Func); ok {
					_, pointer := method.Signature().Recv().Type().(*types.Pointer)
					may = may || pointer
				}
			}
			return true
		})
	}
	return may
}
