package from

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/format"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"
)

// render returns the text from start to end with its edits made.
func render(src []byte, start, end int, edits []edit) string {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end)) })
	var out strings.Builder
	for _, e := range edits {
		out.Write(src[start:e.start])
		out.WriteString(e.text)
		start = e.end
	}
	out.Write(src[start:end])
	return out.String()
}

var marked = regexp.MustCompile("\x00(\\w+)\x00")

// rewritten returns the text of the file with its pieces converted, and notes of what does not compile then.
func (f *file) rewritten(pieces []piece) (text []byte, notes []note) {
	var all, left []edit
	for _, p := range pieces {
		all = append(all, p.edits...)
		left = append(left, p.qualifiers...)
	}
	needed := map[string]bool{}
	for _, e := range all {
		for _, m := range marked.FindAllStringSubmatch(e.text, -1) {
			needed[m[1]] = true
		}
	}
	names := f.names(needed)
	all = append(all, f.imports(names, left, all)...)
	var changed []edit
	for _, e := range all {
		e.text = marked.ReplaceAllStringFunc(e.text, func(m string) string { return names[strings.Trim(m, "\x00")] })
		if e.text != string(f.src[e.start:e.end]) {
			changed = append(changed, e)
		}
	}
	if len(changed) == 0 {
		return f.src, nil
	}
	out := render(f.src, 0, len(f.src), changed)
	return []byte(formatted(string(f.src), out)), f.unused(all)
}

// formatted returns the text after, formatted if before was. Lines that end in CR and LF stay so.
func formatted(before, after string) string {
	crlf := strings.Contains(before, "\r\n")
	if crlf && strings.Count(before, "\r\n") != strings.Count(before, "\n") {
		return after
	}
	plain := func(s string) []byte { return []byte(strings.ReplaceAll(s, "\r\n", "\n")) }
	was, err := format.Source(plain(before))
	if err != nil || string(was) != string(plain(before)) {
		return after
	}
	is, err := format.Source(plain(after))
	switch {
	case err != nil:
		return after
	case crlf:
		return strings.ReplaceAll(string(is), "\n", "\r\n")
	}
	return string(is)
}

// names returns what the file is to call the packages that it needs.
func (f *file) names(needed map[string]bool) map[string]string {
	names := map[string]string{}
	for pkg := range needed {
		name := f.local(pkg)
		if !f.has(newPackages[pkg]) && !(pkg == f.table.door() && f.old() != nil && f.oldName() == name) {
			name = f.free(name)
		}
		names[pkg] = name
	}
	return names
}

// free returns the name, or one like it that the file does not have.
func (f *file) free(name string) string {
	taken := map[string]bool{}
	for n := range ast.Preorder(f.syntax) {
		if id, ok := n.(*ast.Ident); ok {
			taken[id.Name] = true
		}
	}
	for i := 2; taken[name] || f.pkg.Scope().Lookup(name) != nil; i++ {
		name = fmt.Sprintf("%s%d", strings.TrimRight(name, "0123456789"), i)
	}
	return name
}

// old returns the first import of the old library, or nil.
func (f *file) old() *ast.ImportSpec {
	for _, i := range f.syntax.Imports {
		if slices.Contains(f.table.paths, importPath(i)) {
			return i
		}
	}
	return nil
}

// oldName returns the name by which the file calls the old library.
func (f *file) oldName() string {
	i := f.old()
	if i.Name != nil {
		return i.Name.Name
	}
	return f.table.pkg
}

func importPath(i *ast.ImportSpec) string { return strings.Trim(i.Path.Value, `"`+"`") }

func (f *file) has(path string) bool {
	return slices.ContainsFunc(f.syntax.Imports, func(i *ast.ImportSpec) bool { return importPath(i) == path })
}

// imports returns the edits of the imports and of the names of the old library in what is left.
func (f *file) imports(names map[string]string, left, all []edit) (out []edit) {
	spec := func(pkg string) string {
		if pkg == names[pkg] {
			return fmt.Sprintf("%q", newPackages[pkg])
		}
		return fmt.Sprintf("%s %q", names[pkg], newPackages[pkg])
	}
	var add []string
	for pkg := range names {
		if !f.has(newPackages[pkg]) {
			add = append(add, pkg)
		}
	}
	slices.Sort(add)
	door := slices.Index(add, f.table.door())
	old := f.old()
	var rename []edit // after what is added before it
	if old != nil {
		switch {
		case len(left) > 0:
			if names[f.table.door()] == f.oldName() { // the door has the name: the old library gets its own
				other := f.free(f.table.name)
				for _, q := range left {
					q.text = other
					out = append(out, q)
				}
				rename = []edit{{f.offset(old.Pos()), f.offset(old.Path.Pos()), other + " "}}
			}
		case old.Name != nil && (old.Name.Name == "_" || old.Name.Name == "."):
		case door >= 0:
			out = append(out, f.replace(old, spec(f.table.door())))
			add = slices.Delete(add, door, door+1)
		default:
			out = append(out, f.remove(old))
		}
		if len(left) == 0 {
			for _, i := range f.syntax.Imports {
				if i != old && slices.Contains(f.table.paths, importPath(i)) {
					out = append(out, f.remove(i))
				}
			}
		}
	}
	for _, i := range f.syntax.Imports {
		if !slices.Contains(f.table.paths, importPath(i)) && f.dropped(i, all) {
			out = append(out, f.remove(i))
		}
	}
	var std, own []string
	for _, pkg := range add {
		if strings.HasPrefix(newPackages[pkg], root) {
			own = append(own, spec(pkg))
		} else {
			std = append(std, spec(pkg))
		}
	}
	return append(append(out, f.add(std, own)...), rename...)
}

// add returns the edits that add imports: of this library beside the old one or after the last, of Go's before the first.
func (f *file) add(std, own []string) (out []edit) {
	end := "\n"
	if strings.Contains(string(f.src), "\r\n") {
		end = "\r\n"
	}
	insert := func(at int, text string) { out = append(out, edit{at, at, text}) }
	lines := func(specs []string) string { return strings.Join(specs, end+"\t") }
	n := len(f.syntax.Imports)
	switch {
	case len(std)+len(own) == 0:
		return nil
	case n == 0:
		insert(f.offset(f.syntax.Name.End()), end+end+"import ("+end+"\t"+lines(append(std, own...))+end+")")
		return out
	}
	first, beside := f.syntax.Imports[0], cmp.Or(f.old(), f.syntax.Imports[n-1])
	if d := f.declaration(first); !d.Lparen.IsValid() && n == 1 {
		insert(f.offset(first.Pos()), "("+end+"\t")
		defer func() { insert(f.offset(first.End()), end+")") }()
	}
	if len(std) > 0 {
		text := lines(std) + end + "\t"
		if strings.Contains(importPath(first), ".") { // a group of its own
			text = lines(std) + end + end + "\t"
		}
		insert(f.offset(first.Pos()), text)
	}
	switch {
	case len(own) == 0:
	case !f.declaration(beside).Lparen.IsValid() && n > 1:
		insert(f.offset(f.declaration(beside).Pos()), "import ("+end+"\t"+lines(own)+end+")"+end)
	case !strings.Contains(importPath(beside), "."):
		insert(f.offset(beside.End()), end+end+"\t"+lines(own))
	case importPath(beside) < root:
		insert(f.offset(beside.End()), end+"\t"+lines(own))
	default:
		insert(f.offset(beside.Pos()), lines(own)+end+"\t")
	}
	return out
}

func (f *file) declaration(i *ast.ImportSpec) *ast.GenDecl {
	for _, d := range f.syntax.Decls {
		if g, ok := d.(*ast.GenDecl); ok && slices.Contains(g.Specs, ast.Spec(i)) {
			return g
		}
	}
	return nil
}

// remove returns the edit that removes an import and its line.
func (f *file) remove(i *ast.ImportSpec) edit {
	var n ast.Node = i
	if d := f.declaration(i); len(d.Specs) == 1 {
		n = d
	}
	e := f.replace(n, "")
	for e.start > 0 && strings.ContainsRune(" \t", rune(f.src[e.start-1])) {
		e.start--
	}
	if i := strings.IndexByte(string(f.src[e.end:]), '\n'); i >= 0 && strings.TrimSpace(string(f.src[e.end:e.end+i])) == "" {
		e.end += i + 1
	}
	return e
}

// dropped reports whether the edits remove all uses of an imported package.
func (f *file) dropped(i *ast.ImportSpec, edits []edit) bool {
	obj := f.info.Implicits[i]
	if i.Name != nil {
		obj = f.info.Defs[i.Name]
	}
	return obj != nil && f.gone(obj, edits)
}

// gone reports whether obj is used in the file, but only in what the edits remove.
func (f *file) gone(obj types.Object, edits []edit) bool {
	n, left := 0, 0
	for node := range ast.Preorder(f.syntax) {
		id, ok := node.(*ast.Ident)
		if !ok || f.info.Uses[id] != obj {
			continue
		}
		n++
		at := f.offset(id.Pos())
		in := slices.IndexFunc(edits, func(e edit) bool { return e.start <= at && at < e.end })
		if in < 0 || containsName(edits[in].text, id.Name) {
			left++
		}
	}
	return n > 0 && left == 0
}

func containsName(text, name string) bool {
	return regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\b`).MatchString(text)
}

// unused notes the local variables that the edits leave without a use.
func (f *file) unused(edits []edit) (notes []note) {
	for id, obj := range f.info.Defs {
		v, ok := obj.(*types.Var)
		if ok && v.Kind() == types.LocalVar && f.syntax.FileStart <= id.Pos() && id.Pos() < f.syntax.FileEnd && f.gone(v, edits) {
			notes = append(notes, f.note(id.Pos(), v.Name()+" has no use any more: delete it"))
		}
	}
	return notes
}

func (f *file) note(p token.Pos, text string) note {
	return note{f.path, f.at.PositionFor(p, false).Line, text}
}
