package main

import (
	"go/ast"
	"go/constant"
	"go/token"
	"strings"
)

var prefix = rule("prefix", "report id.String()[:8] of an id that begins with its time", prefixes)

func prefixes(p *program) {
	for _, cut := range each[*ast.SliceExpr](p) {
		n, ok := constant.Val(p.Types[cut.High].Value).(int64)
		zero := cut.Low == nil || constant.Val(p.Types[cut.Low].Value) == int64(0)
		text := p.origin(cut.X)
		f := p.callee(text)
		if !ok || !zero || f == nil || f.Name() != "String" || operand(text) == nil {
			continue
		}
		kind := receiver(f)
		name := "" // of the function that made the id
		from := p.callee(p.origin(operand(text)))
		if from != nil && ours(from.Pkg()) {
			name = from.Name()
		}
		// What fewer characters tell apart is more than a second: a ULID of 8 and a version 7 or 6 of 10 do not.
		switch {
		case kind == "ULID" && name != "ULID" && n <= 8: // u.ULID() may be any UUID
		case kind == "UUID" && (strings.HasPrefix(name, "NewV7") || strings.HasPrefix(name, "NewV6")) && n <= 10:
			kind = "version " + name[4:5]
		default:
			continue
		}
		p.ReportRangef(cut, "the first %d characters of a %s are its time: ids of the same second have the same; take the last ones", n, kind)
	}
}

var modulo = rule("modulo", "report id % n of a Snowflake", modulos)

func modulos(p *program) {
	for _, n := range each[*ast.BinaryExpr](p) {
		if n.Op != token.REM || !p.snowflake(n.X) {
			continue
		}
		by, known := constant.Val(p.Types[p.origin(n.Y)].Value).(int64)
		switch {
		case known && by%2 == 1: // the bits of the time make even shares
		case known && (by == 1<<10 || by == 1<<12 || by == 1<<16): // the sequence of a layout, or its number
		default:
			p.ReportRangef(n, "the last bits of a Snowflake are mostly 0 or equal, so that its remainder makes uneven shares; take that of a hash")
		}
	}
}

// snowflake reports whether e is a Snowflake, or one converted to another integer type.
func (p *program) snowflake(e ast.Expr) bool {
	e = p.origin(e)
	call, ok := e.(*ast.CallExpr)
	return idName(p.TypeOf(e)) == "Snowflake" || ok && p.Types[call.Fun].IsType() && p.snowflake(call.Args[0])
}

var nextError = rule("nexterror", "report id, _ := node.TryNext(), and the same of NextContext and of a nodelease.Minter", nextErrors)

func nextErrors(p *program) {
	for _, n := range each[*ast.AssignStmt](p) {
		f := p.callee(n.Rhs[0])
		if f == nil || !ours(f.Pkg()) || len(n.Lhs) != 2 || !blank(n.Lhs[1]) || blank(n.Lhs[0]) {
			continue
		}
		if strings.Contains(f.Name(), "Next") && idName(f.Signature().Results().At(0).Type()) == "Snowflake" {
			p.ReportRangef(n, "with an error, which is dropped here, the id of %s is 0: look at the error", f.Name())
		}
	}
}

func blank(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "_"
}
