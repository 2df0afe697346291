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
	case *ast.ForStmt, *ast.RangeStmt:
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

// double adds the mutants that do one statement of a list twice, if that may do more than to do it once.
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
		case *ast.ExprStmt:
			if call, ok := s.X.(*ast.CallExpr); ok {
				if method, pointer := f.method(call.Fun); method && !pointer || f.src(call.Fun) == "panic" {
					continue
				}
			}
		case *ast.IncDecStmt:
		default:
			continue
		}
		f.add(s.End(), s.End(), again, again)
	}
}

// repeatable reports whether an assignment has a variable on both sides, or calls a method of a pointer.
func (f *finder) repeatable(s *ast.AssignStmt) bool {
	may := s.Tok != token.ASSIGN && s.Tok != token.DEFINE
	left := make(map[string]bool)
	for _, x := range s.Lhs {
		left[f.src(x)] = true
	}
	for _, x := range s.Rhs {
		ast.Inspect(x, func(n ast.Node) bool {
			if x, ok := n.(ast.Expr); ok {
				_, pointer := f.method(x)
				may = may || pointer || left[f.src(x)]
			}
			return true
		})
	}
	return may
}

// method reports whether x selects a method, and whether of a pointer or an interface.
func (f *finder) method(x ast.Expr) (is, pointer bool) {
	if x, ok := x.(*ast.SelectorExpr); ok && f.info.Selections[x] != nil {
		if m, ok := f.info.Selections[x].Obj().(*types.Func); ok {
			t := m.Signature().Recv().Type()
			_, pointer = t.(*types.Pointer)
			return true, pointer || types.IsInterface(t)
		}
	}
	return false, false
}

// lock adds the mutants of a list of statements that do not take a mutex, or that give back early one which
// was taken in another place: before the statement that precedes, or at once where a defer did it.
func (f *finder) lock(n ast.Node) bool {
	block, ok := n.(*ast.BlockStmt)
	if !ok {
		return true
	}
	var taken ast.Stmt
	for i, s := range block.List {
		switch deferred, is := calls(f.src(s), "Unlock"); {
		case !is:
			if _, is := calls(f.src(s), "Lock"); is {
				taken = s
			}
		case taken != nil:
			f.add(taken.Pos(), s.End(), f.between(taken, s), "no lock")
		case deferred:
			f.add(s.Pos(), s.(*ast.DeferStmt).Call.Pos(), "", "")
		case i > 0:
			before := block.List[i-1]
			f.add(before.Pos(), s.End(), f.src(s)+f.between(before, s)+f.src(before), f.src(s)+"; "+f.src(before))
		}
	}
	return true
}

// between returns the text between two nodes.
func (f *finder) between(a, b ast.Node) string {
	return string(f.s.text[f.offset(a.End()):f.offset(b.Pos())])
}

// calls reports whether a statement is a call of a mutex's method, and whether it is deferred.
func calls(statement, method string) (deferred, ok bool) {
	call, deferred := strings.CutPrefix(statement, "defer ")
	return deferred, strings.HasSuffix(call, "."+method+"()") && !strings.ContainsAny(call, " \n")
}
