package from

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// A file is a file of the program in one configuration.
type file struct {
	path   string
	raw    []byte // as it was read
	src    []byte // with LF alone
	at     *token.File
	table  *table
	info   *types.Info
	pkg    *types.Package
	syntax *ast.File
	uses   map[string]bool // the names of the library that the program uses
	fields map[types.Object]string
}

// An edit replaces the bytes from start to end. Names of packages in the text are marked, as "\x00uuid\x00", until it is known
// how the file calls them.
type edit struct {
	start, end int
	text       string
}

// A piece is an expression of the program that is converted or left as a whole.
type piece struct {
	start, end int
	edits      []edit
	uses       int    // of the library's names
	why        string // it is left, or ""
	qualifiers []edit // the names of the old package in it, if it is left
}

func (f *file) offset(p token.Pos) int { return f.at.Offset(p) }

func (f *file) text(n ast.Node) string {
	return string(f.src[f.offset(n.Pos()):f.offset(n.End())])
}

// pieces returns what is to be done with n and all below it. up is what n is a part of.
func (f *file) pieces(n, up ast.Node) []piece {
	switch n := n.(type) {
	case *ast.ImportSpec, *ast.CommentGroup:
		return nil
	case ast.Expr:
		if ps := f.expression(n, up); ps != nil {
			return ps
		}
	}
	return f.below(n)
}

// below returns the pieces of the parts of n.
func (f *file) below(n ast.Node) (all []piece) {
	ast.Inspect(n, func(part ast.Node) bool {
		if part != nil && part != n {
			all = append(all, f.pieces(part, n)...)
		}
		return part == n
	})
	return all
}

// expression returns the pieces of e, or nil if it is none itself.
func (f *file) expression(e ast.Expr, up ast.Node) []piece {
	call, isCall := e.(*ast.CallExpr)
	if isCall && len(call.Args) == 1 && f.named(call.Fun) == "Must" { // of what cannot fail here
		inner := f.matches(call.Args[0])
		if len(inner) > 0 && inner[0].rule.second == "nil" && f.table.allowed(f.uses, "Must") {
			p := inner[0].piece(call.Args[0])
			p.start, p.end, p.uses = f.offset(e.Pos()), f.offset(e.End()), p.uses+1
			p.edits = append(p.edits, edit{p.start, f.offset(call.Args[0].Pos()), ""}, edit{f.offset(call.Args[0].End()), p.end, ""})
			return []piece{f.whole(p, e)}
		}
	}
	var first *piece // of the rules that match, of which none can be used here
	for _, m := range f.matches(e) {
		p := m.piece(e)
		if p.why == "" {
			p.why = m.inContext(&p, e, up)
		}
		if p = f.whole(p, e); p.why == "" {
			return []piece{p}
		}
		if first == nil {
			first = &p
		}
	}
	if first != nil {
		return []piece{*first}
	}
	if isCall {
		if name := f.named(call.Fun); name != "" && !f.kept(name) && len(f.matches(call.Fun)) == 0 {
			return []piece{f.leave(e, name)}
		}
	}
	name := f.named(e)
	if name == "" {
		return nil
	}
	p := piece{start: f.offset(e.Pos()), end: f.offset(e.End()), uses: 1}
	s, isSelector := e.(*ast.SelectorExpr)
	switch id, _ := e.(*ast.Ident); {
	case f.table.names[name] != "" && isSelector:
		p.edits = []edit{f.replace(s.Sel, f.table.names[name])}
		return append(f.pieces(s.X, s), p)
	case f.table.names[name] != "":
		p.edits = []edit{f.replace(id, f.table.names[name])}
	case !f.kept(name):
		return []piece{f.leave(e, name)}
	case isSelector && f.info.Selections[s] != nil:
		return append(f.pieces(s.X, s), p)
	case isSelector:
		if p.why = f.hidden(f.table.door(), e); p.why != "" {
			return []piece{f.leave(e, name, p.why)}
		}
		p.edits = []edit{f.replace(s.X, mark(f.table.door()))}
	}
	return []piece{p}
}

func mark(pkg string) string { return "\x00" + pkg + "\x00" }

func (f *file) replace(n ast.Node, text string) edit {
	return edit{f.offset(n.Pos()), f.offset(n.End()), text}
}

// kept reports whether a name of the library is the same here.
func (f *file) kept(name string) bool {
	return (f.table.same[name] || f.table.names[name] != "") && f.table.allowed(f.uses, name)
}

// named returns the name of the library's object that e names, as tables write it, or "". A field of the program that is
// called as a type of the library is the object, too, if the type has another name here.
func (f *file) named(e ast.Expr) string {
	e = ast.Unparen(e)
	if i, ok := e.(*ast.IndexExpr); ok {
		e = i.X
	}
	id, _ := e.(*ast.Ident)
	if s, ok := e.(*ast.SelectorExpr); ok {
		id = s.Sel
	}
	if id == nil {
		return ""
	}
	obj := f.info.Uses[id]
	if v, ok := obj.(*types.Var); ok && v.IsField() {
		if f.table.owned(v) {
			return f.fields[v.Origin()]
		}
		if n := named(v.Type()); v.Embedded() && n != nil && f.table.owned(n.Obj()) {
			if name := "embedded." + n.Obj().Name(); f.table.names[name] != "" {
				return name
			}
		}
		return ""
	}
	if fun, ok := obj.(*types.Func); ok {
		obj = fun.Origin()
	}
	return f.table.oldName(obj)
}

// leave returns the piece of an expression that stays as it is.
func (f *file) leave(e ast.Expr, name string, why ...string) piece {
	if len(why) == 0 {
		why = []string{cmp.Or(f.table.left[name], "no rule knows it")}
	}
	if causes := f.table.set[name]; !f.table.allowed(f.uses, name) {
		why = []string{"the program sets " + strings.Join(causes, " or ") + ", so it needs its own layout: " + f.table.left[name]}
	}
	p := piece{start: f.offset(e.Pos()), end: f.offset(e.End()), why: lastPart(name) + ": " + why[0]}
	return f.whole(p, e)
}

func lastPart(name string) string { return name[strings.LastIndex(name, ".")+1:] }

// whole completes a piece that is left.
func (f *file) whole(p piece, e ast.Expr) piece {
	p.start, p.end = f.offset(e.Pos()), f.offset(e.End())
	if p.why == "" {
		return p
	}
	p.edits, p.uses = nil, f.count(e)
	p.qualifiers = f.qualifiers(p.start, p.end)
	return p
}

// count returns how many names of the library e has.
func (f *file) count(e ast.Node) (n int) {
	for part := range ast.Preorder(e) {
		if id, ok := part.(*ast.Ident); ok && f.table.owned(f.info.Uses[id]) {
			n++
		}
	}
	return n
}

// piece returns e as the rule writes it, as edits of what stands between the letters.
func (m *match) piece(e ast.Expr) piece {
	p := piece{start: m.offset(e.Pos()), end: m.offset(e.End())}
	p.uses = m.count(e)
	at := p.start
	text := ""
	for i, part := range m.rule.parts {
		b := m.bound[part.letter]
		if b == nil {
			text += part.text
			switch {
			case part.pkg != "":
				text += mark(part.pkg)
				p.why = cmp.Or(p.why, m.hidden(part.pkg, e))
			case part.result:
				text += m.result(e)
			}
			continue
		}
		sub := m.pieces(b, e)
		for _, s := range sub {
			p.why = cmp.Or(p.why, s.why)
		}
		tv := m.info.Types[b]
		if strings.HasPrefix(m.rule.parts[i+1].text, "[:") && !tv.Addressable() && m.path[part.letter] == "" {
			if _, ok := tv.Type.Underlying().(*types.Pointer); !ok {
				p.why = cmp.Or(p.why, m.text(e)+": only a variable can be sliced: assign it to v, and write v[:]")
			}
		}
		open, end := "", m.path[part.letter]
		if !part.naked && !primary(b) {
			open, end = "(", ")"+end
		}
		p.edits = append(p.edits, edit{at, m.offset(b.Pos()), text + open})
		for _, s := range sub {
			p.edits = append(p.edits, s.edits...)
		}
		text, at = end, m.offset(b.End())
	}
	p.edits = append(p.edits, edit{at, p.end, text})
	for _, c := range m.syntax.Comments {
		for _, ed := range p.edits {
			if from := m.offset(c.Pos()); from >= ed.start && from < ed.end {
				p.why = cmp.Or(p.why, "a comment stands in it: write "+m.rule.row)
			}
		}
	}
	return p
}

func primary(e ast.Expr) bool {
	switch e.(type) {
	case *ast.BinaryExpr, *ast.UnaryExpr, *ast.StarExpr, *ast.FuncLit, *ast.KeyValueExpr:
		return false
	}
	return true
}

// hidden says why a template cannot name a package at e, or returns "".
func (f *file) hidden(pkg string, e ast.Expr) string {
	name := f.local(pkg)
	if _, old := f.old(); !f.has(newPackages[pkg]) && (pkg != f.table.door() || old != name) {
		return "" // the import will have a name that the file has nowhere
	}
	_, obj := f.pkg.Scope().Innermost(e.Pos()).LookupParent(name, e.Pos())
	if _, ok := obj.(*types.PkgName); obj == nil || ok {
		return ""
	}
	return name + " is no package here: call the variable otherwise"
}

// local returns the name by which the file is to call a package: the name that the old one has, if that is called as its door
// is, or its own.
func (f *file) local(pkg string) string {
	for _, i := range f.syntax.Imports {
		switch path := importPath(i); {
		case i.Name == nil || i.Name.Name == "_" || i.Name.Name == ".":
		case path == newPackages[pkg], pkg == f.table.door() && slices.Contains(f.table.paths, path):
			return i.Name.Name
		}
	}
	return pkg
}

// inContext completes the edits of a template with two values, and says why what stands around e does not allow that, or
// returns "".
func (m *match) inContext(p *piece, e ast.Expr, up ast.Node) string {
	if why := m.address(e, up); why != "" {
		return why
	}
	tuple, _ := m.info.TypeOf(e).(*types.Tuple)
	if m.rule.second == "" || m.rule.second == "nil" && tuple == nil {
		return ""
	}
	add := func(at int, text string) { p.edits = append(p.edits, edit{at, at, text}) }
	left := m.leave(e, m.named(e.(*ast.CallExpr).Fun)).why
	var to []ast.Expr // what gets the values
	plain, null := false, ", nil"
	switch up := up.(type) {
	case *ast.AssignStmt:
		to, plain = up.Lhs, up.Tok == token.ASSIGN || up.Tok == token.DEFINE
		if err, ok := to[len(to)-1].(*ast.Ident); ok && up.Tok == token.DEFINE && m.info.Defs[err] != nil {
			null = ", error(nil)"
		}
	case *ast.ValueSpec:
		if plain = up.Type == nil; plain {
			null = ", error(nil)"
		}
		for _, name := range up.Names {
			to = append(to, name)
		}
	case *ast.ExprStmt:
		if m.rule.second == "nil" {
			if !m.rule.call {
				p.edits = append([]edit{{p.start, p.start, "_ = "}}, p.edits...) // before what is else inserted there
			}
			return ""
		}
	case *ast.ReturnStmt, *ast.CallExpr:
	default:
		return left
	}
	if m.rule.second != "nil" {
		if len(to) != 1 || !plain {
			return left
		}
		if m.rule.second == "ok" {
			add(m.offset(to[0].End()), ", _")
		} else {
			add(m.offset(to[0].Pos()), "_, ")
		}
		return ""
	}
	if len(to) == 2 {
		if blank, ok := to[1].(*ast.Ident); ok && blank.Name == "_" {
			p.edits = append(p.edits, edit{m.offset(to[0].End()), m.offset(to[1].End()), ""})
			return ""
		}
	}
	add(p.end, null)
	return ""
}

// address says why a variable of the library cannot be a call at e, or returns "".
func (m *match) address(e ast.Expr, up ast.Node) string {
	id, _ := e.(*ast.SelectorExpr)
	if id == nil || m.info.Selections[id] != nil {
		return ""
	}
	if _, ok := m.info.Uses[id.Sel].(*types.Var); !ok {
		return ""
	}
	taken := false
	switch up := up.(type) {
	case *ast.UnaryExpr:
		taken = up.Op == token.AND
	case *ast.SliceExpr:
		taken = up.X == e
	case *ast.AssignStmt:
		taken = slices.Contains(up.Lhs, e)
	case *ast.SelectorExpr:
		if s := m.info.Selections[up]; s != nil && s.Kind() == types.MethodVal {
			_, taken = s.Obj().(*types.Func).Signature().Recv().Type().(*types.Pointer)
		}
	}
	if !taken {
		return ""
	}
	return m.text(e) + " is a function here: assign its value to a variable first"
}

// result returns the name of the type of the first result of the call e.
func (m *match) result(e ast.Expr) string {
	t := m.info.TypeOf(e)
	if tuple, ok := t.(*types.Tuple); ok {
		t = tuple.At(0).Type()
	}
	return t.String()
}

// qualifiers returns the names of the old package between two offsets.
func (f *file) qualifiers(start, end int) (all []edit) {
	for n := range ast.Preorder(f.syntax) {
		if s, ok := n.(*ast.SelectorExpr); ok {
			id, _ := s.X.(*ast.Ident)
			name, ok := f.info.Uses[id].(*types.PkgName)
			if ok && slices.Contains(f.table.paths, name.Imported().Path()) && f.offset(id.Pos()) >= start && f.offset(id.End()) <= end {
				all = append(all, f.replace(id, ""))
			}
		}
	}
	return all
}
