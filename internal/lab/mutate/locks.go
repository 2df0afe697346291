package main

import (
	"go/ast"
	"strings"
)

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
