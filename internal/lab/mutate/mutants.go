package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A mutant is one small fault in one file: a span of its bytes and what stands there instead.
type mutant struct {
	// name says where the mutant is and what it is. It holds no line number, so that it outlives
	// changes elsewhere in the file.
	name     string
	operator string // the name of what made it

	file       *source
	fn         *ast.FuncDecl // nil outside functions
	start, end int           // offsets in the file
	text       string

	id int // what the woven program knows it by, from 1
}

// A source is a Go file that is to be mutated.
type source struct {
	dir, base string // the package's directory under the root, and the file's name in it
	path      string
	text      []byte
	syntax    *ast.File
	mutants   []*mutant
}

// operators are what makes mutants of the nodes of a file.
var operators = []struct {
	name  string
	visit func(*finder, ast.Node) bool
}{
	{"token", (*finder).token}, // an operator, a condition, a number, the order of arguments; a statement dropped
	{"name", (*finder).otherName},
	{"narrow", (*finder).narrow},
	{"operand", (*finder).operand},
	{"statement", (*finder).statement},
	{lock, (*finder).lock},
	{"unit", (*finder).unit},
	{"order", (*finder).order},
	{"field", (*finder).field},
	{"error", (*finder).failed},
	{"slice", (*finder).slice},
	{"signed", (*finder).signed},
	{"when", (*finder).when},
}

const lock = "lock" // the mutants of this operator are judged by the race detector

// A code is the files of a package.
type code struct {
	dir, path string
	fset      *token.FileSet
	files     []*source
	imports   types.Importer
}

// find parses the files of the package and finds all mutants that compile.
func (c *code) find(names []string, root string) error {
	c.fset = token.NewFileSet()
	for _, name := range names {
		s := &source{dir: c.dir, base: name, path: filepath.Join(root, c.dir, name)}
		var err error
		if s.text, err = os.ReadFile(s.path); err != nil {
			return err
		}
		if s.syntax, err = parser.ParseFile(c.fset, s.path, s.text, parser.SkipObjectResolution); err != nil {
			return err
		}
		c.files = append(c.files, s)
	}
	info := &types.Info{Types: make(map[ast.Expr]types.TypeAndValue), Defs: make(map[*ast.Ident]types.Object),
		Uses: make(map[*ast.Ident]types.Object), Selections: make(map[*ast.SelectorExpr]*types.Selection)}
	conf := types.Config{Importer: c.imports}
	var files []*ast.File
	for _, s := range c.files {
		files = append(files, s.syntax)
	}
	pkg, err := conf.Check(c.path, c.fset, files, info)
	if err != nil {
		return err
	}
	id := 0
	for _, s := range c.files {
		f := &finder{code: c, s: s, pkg: pkg, info: info, names: make(map[string]int)}
		for _, d := range s.syntax.Decls {
			f.fn, _ = d.(*ast.FuncDecl)
			for _, o := range operators {
				f.operator = o.name
				ast.Inspect(d, func(n ast.Node) bool { return o.visit(f, n) })
			}
		}
		slices.SortStableFunc(s.mutants, func(a, b *mutant) int { return a.start - b.start })
		for _, m := range s.mutants {
			if f.names[m.name]++; f.names[m.name] > 1 {
				m.name += fmt.Sprintf(" #%d", f.names[m.name])
			}
			id++
			m.id = id
		}
	}
	return c.sieve()
}

// A finder collects the mutants of a file.
type finder struct {
	*code
	s        *source
	pkg      *types.Package
	info     *types.Info
	operator string
	fn       *ast.FuncDecl
	names    map[string]int
}

// add adds the mutant that has text from start to end. shown stands for text in the name.
func (f *finder) add(start, end token.Pos, text, shown string) {
	m := &mutant{operator: f.operator, file: f.s, fn: f.fn, start: f.offset(start), end: f.offset(end), text: text}
	whole := string(f.s.text)
	from := strings.LastIndexByte(whole[:m.start], '\n') + 1
	before, after, old := whole[from:m.start], whole[m.end:], whole[m.start:m.end]
	after, _, _ = strings.Cut(after, "\n")
	if first, _, more := strings.Cut(old, "\n"); more {
		old, after = first+" ...", ""
	}
	where := "top"
	if f.fn != nil {
		where = f.fn.Name.Name
		if f.fn.Recv != nil {
			where = strings.TrimPrefix(types.ExprString(f.fn.Recv.List[0].Type), "*") + "." + where
		}
	}
	if f.fn == nil || f.fn.Body == nil || start < f.fn.Body.Lbrace {
		m.fn = nil // the type of a function is not in it
	}
	m.name = fmt.Sprintf("%s %s: %s", filepath.ToSlash(filepath.Join(f.s.dir, f.s.base)), where,
		strings.Join(strings.Fields(before+"["+old+" -> "+shown+"]"+after), " "))
	f.s.mutants = append(f.s.mutants, m)
}

func (f *finder) offset(p token.Pos) int { return f.fset.Position(p).Offset }

// src returns the text of n.
func (f *finder) src(n ast.Node) string { return string(f.s.text[f.offset(n.Pos()):f.offset(n.End())]) }

// replace adds the mutant that has text for n.
func (f *finder) replace(n ast.Node, text string) { f.add(n.Pos(), n.End(), text, text) }

// swapped is what stands for each binary operator and operator of an assignment. The first of two
// for a comparison moves its bound.
var swapped = map[token.Token][]string{
	token.ADD: {"-"}, token.SUB: {"+"}, token.MUL: {"/"}, token.QUO: {"*"}, token.REM: {"*"},
	token.AND: {"|"}, token.OR: {"&"}, token.XOR: {"&"}, token.AND_NOT: {"&"}, token.SHL: {">>"}, token.SHR: {"<<"},
	token.LSS: {"<=", ">="}, token.LEQ: {"<", ">"}, token.GTR: {">=", "<="}, token.GEQ: {">", "<"},
	token.EQL: {"!="}, token.NEQ: {"=="}, token.LAND: {"||"}, token.LOR: {"&&"},
	token.ADD_ASSIGN: {"-="}, token.SUB_ASSIGN: {"+="}, token.MUL_ASSIGN: {"/="}, token.QUO_ASSIGN: {"*="},
	token.REM_ASSIGN: {"*="}, token.AND_ASSIGN: {"|="}, token.OR_ASSIGN: {"&="}, token.XOR_ASSIGN: {"&="},
	token.SHL_ASSIGN: {">>="}, token.SHR_ASSIGN: {"<<="}, token.INC: {"--"}, token.DEC: {"++"},
}

// swap adds the mutants of an operator.
func (f *finder) swap(at token.Pos, op token.Token) {
	for _, other := range swapped[op] {
		f.add(at, at+token.Pos(len(op.String())), other, other)
	}
}

// condition adds the mutants in which a condition is always true, or always false. It is still
// evaluated, so that its variables are used.
func (f *finder) condition(x ast.Expr, values ...bool) {
	for _, v := range values {
		form := map[bool]string{true: "(%s || true)", false: "(%s && false)"}[v]
		f.add(x.Pos(), x.End(), fmt.Sprintf(form, "("+f.src(x)+")"), fmt.Sprint(v))
	}
}

// raised adds the mutants in which a number is one more, and one less.
func (f *finder) raised(x ast.Expr) {
	for _, by := range []string{"+1", "-1"} {
		f.add(x.Pos(), x.End(), "("+f.src(x)+by+")", f.src(x)+by)
	}
}

// bound is raised, except for what has mutants of its own.
func (f *finder) bound(x ast.Expr) {
	switch ast.Unparen(x).(type) {
	case *ast.Ident, *ast.SelectorExpr, *ast.CallExpr:
		f.raised(x)
	}
}

// token adds the mutants of one node in which a token differs, or that lack a statement.
func (f *finder) token(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.ImportSpec:
		return false
	case *ast.BinaryExpr:
		f.swap(n.OpPos, n.Op)
		switch n.Op {
		case token.LAND, token.LOR:
			f.condition(n.X, n.Op == token.LAND)
			f.condition(n.Y, n.Op == token.LAND)
		case token.SHL, token.SHR:
			f.bound(n.Y)
		}
	case *ast.UnaryExpr:
		if n.Op == token.NOT || n.Op == token.SUB || n.Op == token.XOR {
			f.add(n.OpPos, n.X.Pos(), "", "")
		}
	case *ast.BasicLit:
		if n.Kind == token.INT || n.Kind == token.CHAR || n.Kind == token.FLOAT {
			f.raised(n)
		}
	case *ast.Ident:
		if n.Name == "true" {
			f.replace(n, "false")
		} else if n.Name == "false" {
			f.replace(n, "true")
		}
	case *ast.SliceExpr:
		for _, x := range []ast.Expr{n.Low, n.High, n.Max} {
			f.bound(x)
		}
	case *ast.CallExpr:
		f.call(n)
	case *ast.IfStmt:
		f.condition(n.Cond, true, false)
	case *ast.ForStmt:
		if n.Cond != nil {
			f.condition(n.Cond, false)
		}
	case *ast.SwitchStmt:
		for _, c := range n.Body.List {
			for _, x := range c.(*ast.CaseClause).List {
				if n.Tag == nil {
					f.condition(x, true, false)
				}
			}
		}
	case *ast.BlockStmt:
		f.statements(n.List)
	case *ast.CaseClause:
		f.statements(n.Body)
	case *ast.AssignStmt:
		f.swap(n.TokPos, n.Tok)
	case *ast.IncDecStmt:
		f.swap(n.TokPos, n.Tok)
	case *ast.BranchStmt:
		if n.Tok == token.BREAK && n.Label == nil {
			f.replace(n, "continue")
		} else if n.Tok == token.CONTINUE && n.Label == nil {
			f.replace(n, "break")
		}
	}
	return true
}

// call adds the mutants in which two neighbouring arguments of one type change places, and min and
// max.
func (f *finder) call(n *ast.CallExpr) {
	if fun, ok := n.Fun.(*ast.Ident); ok && (fun.Name == "min" || fun.Name == "max") {
		f.replace(fun, map[string]string{"min": "max", "max": "min"}[fun.Name])
		return
	}
	for i := range len(n.Args) - 1 {
		x, y := n.Args[i], n.Args[i+1]
		if f.src(x) != f.src(y) && types.Identical(types.Default(f.info.TypeOf(x)), types.Default(f.info.TypeOf(y))) {
			between := string(f.s.text[f.offset(x.End()):f.offset(y.Pos())])
			f.add(x.Pos(), y.End(), f.src(y)+between+f.src(x), f.src(y)+between+f.src(x))
		}
	}
}

// statements adds the mutants that lack one statement of a list, or one of the assignments of a
// statement. The only statement of a block is left to its condition.
func (f *finder) statements(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.AssignStmt:
			if s.Tok == token.DEFINE {
				continue
			}
			for _, x := range s.Lhs {
				if len(s.Lhs) > 1 && f.src(x) != "_" {
					f.replace(x, "_")
				}
			}
		case *ast.ExprStmt, *ast.IncDecStmt, *ast.DeferStmt, *ast.GoStmt, *ast.SendStmt:
		case *ast.ReturnStmt, *ast.BranchStmt:
			if len(list) == 1 {
				continue
			}
		default:
			continue
		}
		f.add(s.Pos(), s.End(), "", "")
	}
}
