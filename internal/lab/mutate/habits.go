package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// These operators put in faults that pass a reader: another unit or zone, two statements in the other order, a field
// not set, an error lost, an alias for a copy.

// units are what stands for a unit or a mode. The first letters of a mode say that it is one.
var units = map[string]string{
	"time.Hour": "time.Minute", "time.Second": "time.Millisecond", "time.Millisecond": "time.Microsecond", "time.Microsecond": "time.Nanosecond",
	"1e9": "1e6", "1_000_000": "1_000", "1000": "1024", "time.UTC": "time.Local", "0o600": "0o666", "0o666": "0o600",
}

// unit adds the mutants that have another unit, zone or file mode.
func (f *finder) unit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.SelectorExpr, *ast.BasicLit:
		if other := units[f.src(n)]; other != "" {
			f.replace(n, other)
		}
	case *ast.CallExpr:
		if s, ok := n.Fun.(*ast.SelectorExpr); ok && len(n.Args) == 0 && s.Sel.Name == "UTC" {
			f.replace(s.Sel, "Local")
		}
	}
	return true
}

// order adds the mutants in which two statements change places, if one is a call or they share what one assigns.
// What precedes an Unlock is left to lock.
func (f *finder) order(n ast.Node) bool {
	var list []ast.Stmt
	switch n := n.(type) {
	case *ast.BlockStmt:
		list = n.List
	case *ast.CaseClause:
		list = n.Body
	}
	for i := 1; i < len(list); i++ {
		a, b := list[i-1], list[i]
		_, unlock := calls(f.src(b), "Unlock")
		if movable(a) && movable(b) && (f.precedes(a, b) || f.precedes(b, a)) && !unlock && f.src(a) != f.src(b) {
			f.add(a.Pos(), b.End(), f.src(b)+"\n"+f.src(a), strings.Join(strings.Fields(f.src(b)+"; "+f.src(a)), " "))
		}
	}
	return true
}

// movable reports whether a statement can come earlier or later. A defer that does is seen in a panic at most.
func movable(s ast.Stmt) bool {
	switch s.(type) {
	case *ast.AssignStmt, *ast.ExprStmt, *ast.GoStmt, *ast.SendStmt, *ast.IncDecStmt, *ast.IfStmt:
		return true
	}
	return false
}

// precedes reports whether a is a call, or assigns what b has. Of two definitions nothing can be seen.
func (f *finder) precedes(a, b ast.Stmt) bool {
	switch a := a.(type) {
	case *ast.AssignStmt:
		return a.Tok != token.DEFINE && slices.ContainsFunc(a.Lhs, func(x ast.Expr) bool { return strings.Contains(f.src(b), f.src(x)) })
	case *ast.IncDecStmt:
		return strings.Contains(f.src(b), f.src(a.X))
	}
	_, condition := a.(*ast.IfStmt)
	return !condition
}

// field adds the mutants in which a field of a new struct is zero.
func (f *finder) field(n ast.Node) bool {
	lit, ok := n.(*ast.CompositeLit)
	if !ok {
		return true
	}
	if _, ok := f.info.TypeOf(lit).Underlying().(*types.Struct); !ok {
		return true
	}
	for _, x := range lit.Elts {
		if pair, ok := x.(*ast.KeyValueExpr); ok {
			x = pair.Value
		}
		zero := "nil"
		if t, ok := f.info.TypeOf(x).Underlying().(*types.Basic); ok {
			zero = map[bool]string{true: "0"}[t.Info()&types.IsNumeric != 0]
			if t.Info()&types.IsString != 0 {
				zero = `""`
			} else if t.Info()&types.IsBoolean != 0 {
				zero = "false"
			}
		}
		if v := f.info.Types[x].Value; zero != "" && (v == nil || v.String() != zero) {
			f.replace(x, zero)
		}
	}
	return true
}

// failed adds the mutants that lose an error, wrap none, look for one itself, or name the place beside.
func (f *finder) failed(n ast.Node) bool {
	fault := types.Universe.Lookup("error").Type()
	switch n := n.(type) {
	case *ast.BasicLit:
		if n.Kind == token.STRING && strings.Contains(n.Value, "%w") {
			f.replace(n, strings.Replace(n.Value, "%w", "%v", 1))
		}
	case *ast.ReturnStmt:
		if len(n.Results) > 0 {
			x := n.Results[len(n.Results)-1]
			if t := f.info.TypeOf(x); f.src(x) != "nil" && types.Identical(types.Default(t), fault) {
				f.add(x.Pos(), x.End(), "[]error{nil, "+f.src(x)+"}[0]", "nil")
			}
		}
	case *ast.CallExpr:
		if f.src(n.Fun) == "errors.Is" {
			f.replace(n, "("+f.src(n.Args[0])+" == "+f.src(n.Args[1])+")")
		}
		if t := f.info.TypeOf(n); t != nil && types.Identical(t, fault) {
			for _, x := range n.Args {
				if b, ok := f.info.TypeOf(x).Underlying().(*types.Basic); ok && b.Info()&types.IsInteger != 0 && f.info.Types[x].Value == nil {
					f.raised(x)
				}
			}
		}
	}
	return true
}

// slice adds the mutants that append to nothing, share what should be a copy, or have two letters of an alphabet in
// the other order.
func (f *finder) slice(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BasicLit:
		if end := len(n.Value) - 1; n.Kind == token.STRING && end > 16 && !strings.ContainsAny(n.Value, " %\\_.:`") {
			f.replace(n, n.Value[:end-2]+n.Value[end-1:end]+n.Value[end-2:end-1]+n.Value[end:])
		}
	case *ast.CallExpr:
		switch fun := f.src(n.Fun); {
		case strings.HasSuffix(fun, ".Clone"):
			f.replace(n, f.src(n.Args[0]))
		case len(n.Args) > 1:
			if x, ok := n.Args[0].(*ast.Ident); ok && (fun == "append" || x.Name == "dst") {
				f.replace(x, x.Name+"[:0]")
			}
		}
	}
	return true
}

// signed adds the mutants in which unsigned numbers are compared as signed ones.
func (f *finder) signed(n ast.Node) bool {
	b, ok := n.(*ast.BinaryExpr)
	if !ok || !slices.Contains([]token.Token{token.LSS, token.LEQ, token.GTR, token.GEQ}, b.Op) {
		return true
	}
	if t, ok := f.info.TypeOf(b.X).Underlying().(*types.Basic); ok && t.Info()&types.IsUnsigned != 0 {
		whole := strings.TrimPrefix(t.Name(), "u")
		f.replace(b, whole+"("+f.src(b.X)+") "+b.Op.String()+" "+whole+"("+f.src(b.Y)+")")
	}
	return true
}

// when adds the mutants in which a deferred or concurrent call is made at once, or one of a variable concurrently.
func (f *finder) when(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.DeferStmt:
		if _, unlock := calls(f.src(n), "Unlock"); !unlock {
			f.add(n.Pos(), n.Call.Pos(), "", "")
		}
	case *ast.GoStmt:
		f.add(n.Pos(), n.Call.Pos(), "", "")
	case *ast.ExprStmt:
		call, ok := n.X.(*ast.CallExpr)
		if !ok {
			return true
		}
		s, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if _, variable := f.info.Uses[s.Sel].(*types.Var); variable {
			f.add(n.Pos(), n.Pos(), "go ", "go ")
		}
		if s.Sel.Name == "Broadcast" {
			f.replace(s.Sel, "Signal")
		}
	}
	return true
}
