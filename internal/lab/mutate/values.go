package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// narrow adds the mutants in which a computed or converted integer loses its upper half.
func (f *finder) narrow(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		if arithmetic(n) {
			f.halve(n)
		}
	case *ast.CallExpr:
		if f.info.Types[n.Fun].IsType() && !arithmetic(n.Args[0]) {
			f.halve(n.Args[0])
		}
	}
	return true
}

// arithmetic reports whether x is an operation whose result may need more bits than its operands.
func arithmetic(x ast.Expr) bool {
	b, ok := x.(*ast.BinaryExpr)
	return ok && slices.Contains([]token.Token{token.ADD, token.SUB, token.MUL, token.SHL}, b.Op)
}

// halves are the types of half the bits.
var halves = map[types.BasicKind]string{
	types.Int: "int32", types.Int64: "int32", types.Int32: "int16", types.Int16: "int8",
	types.Uint: "uint32", types.Uint64: "uint32", types.Uint32: "uint16", types.Uint16: "uint8",
}

// halve adds the mutant in which an integer is converted to half its bits and back.
func (f *finder) halve(x ast.Expr) {
	value := f.info.Types[x]
	if t, ok := value.Type.Underlying().(*types.Basic); ok && value.Value == nil && halves[t.Kind()] != "" {
		half := halves[t.Kind()] + "(" + f.src(x) + ")"
		whole := types.TypeString(value.Type, (*types.Package).Name)
		whole = strings.TrimPrefix(whole, f.pkg.Name()+".")
		f.add(x.Pos(), x.End(), whole+"("+half+")", half)
	}
}

// operand adds the mutants in which min or max lacks one of its operands.
func (f *finder) operand(n ast.Node) bool {
	call, ok := n.(*ast.CallExpr)
	if !ok || f.src(call.Fun) != "min" && f.src(call.Fun) != "max" {
		return true
	}
	for i := range call.Args {
		var rest []string
		for _, x := range slices.Delete(slices.Clone(call.Args), i, i+1) {
			rest = append(rest, f.src(x))
		}
		f.replace(call, f.src(call.Fun)+"("+strings.Join(rest, ", ")+")")
	}
	return true
}
