package main

// This file contains the analyzers for code that loses information: prefix (a prefix of an ID's
// text), modulo (a remainder), float (a conversion to a float) and nexterror (a dropped error).

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/oneclock/ids/cmd/idsvet/internal/syntax"
)

var prefix = newAnalyzer("prefix", "report id.String()[:8] of an ID that begins with its time"+
	"\n\nIt is silent if the version is unknown, or if the prefix is longer than the time.", prefixes)

func prefixes(p *target) {
	for _, cut := range each[*ast.SliceExpr](p) {
		n, ok := constant.Val(p.Types[cut.High].Value).(int64)
		zero := cut.Low == nil || constant.Val(p.Types[cut.Low].Value) == int64(0)
		text := p.origin(cut.X)
		f := p.callee(text)
		if !ok || !zero || f == nil || f.Name() != "String" || operand(text) == nil {
			continue
		}
		kind := receiverName(f)
		name := "" // name of the function that made the ID
		from := p.callee(p.origin(operand(text)))
		if from != nil && inLibrary(from.Pkg()) {
			name = from.Name()
		}
		// The first 8 characters of a ULID, and the first 10 of a version 6 or 7 UUID, stay the
		// same for more than a second.
		switch {
		case kind == "ULID" && name != "ULID" && n <= 8: // the method ULID converts any UUID
		case kind == "UUID" && (strings.HasPrefix(name, "NewV7") || strings.HasPrefix(name, "NewV6")) && n <= 10:
			kind = "version " + name[4:5]
		default:
			continue
		}
		p.ReportRangef(cut, "the first %d characters of a %s are its time, so IDs of the same second share them; use the last ones", n, kind)
	}
}

var modulo = newAnalyzer("modulo", "report id % n and id & 15 of a Snowflake"+
	"\n\nIt is silent if n is an odd constant, and for 1024, 4096 and 65536, which extract a field.", modulos)

func modulos(p *target) {
	for _, n := range each[*ast.BinaryExpr](p) {
		by, known := constant.Val(p.Types[p.origin(n.Y)].Value).(int64)
		if n.Op == token.AND && known && by > 0 && by&(by+1) == 0 {
			by++ // id & mask equals id % (mask + 1)
		} else if n.Op != token.REM {
			continue
		}
		id := p.snowflakeOrigin(n.X)
		switch cut, _ := id.(*ast.BinaryExpr); {
		case id == nil:
		case cut != nil && cut.Op == token.SHR: // the shift has discarded the low-order bits
		case known && by%2 == 1: // for an odd divisor, the time bits make the remainders uniform
		case known && (by == 1<<10 || by == 1<<12 || by == 1<<16): // the sequence or node number
		default:
			p.ReportRangef(n, "the last bits of a Snowflake are mostly 0 or equal, so its remainders are uneven; use the remainder of a hash")
		}
	}
}

// If the value of e is a Snowflake, snowflakeOrigin returns the expression that determines this
// value. If the value was converted from a Snowflake to a different type, snowflakeOrigin returns
// the expression for that Snowflake. In all other cases, it returns nil.
func (p *target) snowflakeOrigin(e ast.Expr) ast.Expr {
	from := p.origin(e) // may be a call that returns e as the first of several results
	if call, ok := from.(*ast.CallExpr); ok && p.Types[call.Fun].IsType() {
		if id := p.snowflakeOrigin(call.Args[0]); id != nil {
			return id
		}
	}
	if idName(p.TypeOf(e)) != "Snowflake" {
		return nil
	}
	return from
}

var float = newAnalyzer("float", "report float64(id) of a Snowflake, and snowflake.ID(f) of a float64"+
	"\n\nThe first is often the score of a sorted set. The float64 of the second often comes from encoding/json, "+
	"which decodes a number into an any as a float64. It is silent for the result of an operator, such as a "+
	"difference, and for a constant that is exact.", floats)

func floats(p *target) {
	for _, call := range each[*ast.CallExpr](p) {
		if p.Types[call.Fun].IsType() && idName(p.TypeOf(call)) == "Snowflake" && p.isFloat(call.Args[0]) {
			p.ReportRangef(call, "a float may have rounded this Snowflake to another one; decode its text, or decode JSON into a snowflake.ID")
		}
		if !p.Types[call.Fun].IsType() || !isKind(p.TypeOf(call), types.IsFloat) || !isKind(p.TypeOf(call.Args[0]), types.IsInteger) {
			continue
		}
		id := p.snowflakeOrigin(call.Args[0])
		_, made := id.(*ast.BinaryExpr)
		if id != nil && !made && !p.isExact(id) {
			p.ReportRangef(call, "a float rounds this Snowflake, so consecutive IDs become equal; write its text, or use the milliseconds of its time")
		}
	}
}

// isFloat reports whether e is a float, or an integer that was converted from a float. It returns
// false for constants and for results of binary operators.
func (p *target) isFloat(e ast.Expr) bool {
	from := p.origin(e)
	if call, ok := from.(*ast.CallExpr); ok && p.Types[call.Fun].IsType() && isKind(p.TypeOf(e), types.IsInteger) {
		return p.isFloat(call.Args[0])
	}
	_, computed := from.(*ast.BinaryExpr)
	return isKind(p.TypeOf(e), types.IsFloat) && !computed && p.Types[from].Value == nil
}

// isExact reports whether e is a constant that a float64 can represent exactly.
func (p *target) isExact(e ast.Expr) bool {
	v := p.Types[e].Value
	if v == nil {
		return false
	}
	_, exact := constant.Float64Val(v)
	return exact
}

// isKind reports whether t, or its underlying type, is a basic type of the given kind.
func isKind(t types.Type, kind types.BasicInfo) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&kind != 0
}

var nextError = newAnalyzer("nexterror", "report id, _ := node.TryNext(), also for NextContext and for a nodelease.Minter"+
	"\n\nIt is silent if the ID is dropped, too, or compared with 0.", nextErrors)

func nextErrors(p *target) {
	for c, n := range each[*ast.AssignStmt](p) {
		f := p.callee(n.Rhs[0])
		if f == nil || !inLibrary(f.Pkg()) || len(n.Lhs) != 2 || !isBlank(n.Lhs[1]) || isBlank(n.Lhs[0]) {
			continue
		}
		if strings.Contains(f.Name(), "Next") && idName(f.Signature().Results().At(0).Type()) == "Snowflake" && !p.comparedWithZero(c, n.Lhs[0]) {
			p.ReportRangef(n, "with an error, which is dropped here, %s returns the ID 0; check the error", f.Name())
		}
	}
}

// comparedWithZero reports whether the function that contains c compares the variable v with 0 or
// uses the variable's IsZero method.
func (p *target) comparedWithZero(c inspector.Cursor, v ast.Expr) bool {
	id, _ := v.(*ast.Ident)
	obj := p.ObjectOf(id)
	for use := range syntax.Function(c).Preorder((*ast.Ident)(nil)) {
		if obj == nil || p.ObjectOf(use.Node().(*ast.Ident)) != obj {
			continue
		}
		switch n := use.Parent().Node().(type) {
		case *ast.BinaryExpr:
			if constant.Val(p.Types[n.Y].Value) == int64(0) || constant.Val(p.Types[n.X].Value) == int64(0) {
				return true
			}
		case *ast.SelectorExpr:
			if n.Sel.Name == "IsZero" {
				return true
			}
		}
	}
	return false
}

func isBlank(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "_"
}
