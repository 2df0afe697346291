package from

// This file computes the new text of a source file. It applies the edits and adapts the imports.

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ast/astutil"
	"golang.org/x/tools/imports"
)

// markedPackage matches the marked name of a package.
var markedPackage = regexp.MustCompile("\x00(\\w+)\x00")

// A newImports describes the imports of a file after its conversion.
type newImports struct {
	// names contains the names that the file uses for the packages in the edits. The keys are the
	// names of these packages in templates.
	names  map[string]string
	keep   bool   // the old library is still used
	rename string // new import name of the old library, or "" if it keeps its name
	edits  []edit // edits to the whole file
}

// rewritten returns the text of the file with its conversions applied. It also returns notes about
// the variables that are unused in that text, because the compiler rejects unused variables.
func (f *file) rewritten(conversions []conversion) (text []byte, notes []note, err error) {
	var all []edit
	for _, c := range conversions {
		all = append(all, c.edits...)
	}
	left := f.qualifiers(all)
	to := newImports{names: map[string]string{}, keep: len(left) > 0}
	for _, e := range all {
		for _, m := range markedPackage.FindAllStringSubmatch(e.text, -1) {
			if to.names[m[1]] == "" {
				to.names[m[1]] = cmp.Or(f.knownName(m[1]), f.freeName(m[1]))
			}
		}
	}
	// If the file already imports the new package, use the name of that import, so that the file
	// imports the package only once. Do not use that name if it is shadowed in the file.
	if name := f.importName(newPackages[f.lib.door]); to.names[f.lib.door] != "" && name != "" && !f.redeclares(name) {
		to.names[f.lib.door] = name
	}
	if _, old := f.oldImport(); to.keep && to.names[f.lib.door] == old {
		to.rename = f.freeName(f.lib.name)
		for _, q := range left {
			q.text = to.rename
			all = append(all, q)
		}
	}
	to.edits = all
	head, err := f.head(to)
	if err != nil {
		return nil, nil, err
	}
	all = append(all, edit{0, f.headEnd(), head})
	for i, e := range all {
		all[i].text = markedPackage.ReplaceAllStringFunc(e.text, func(m string) string { return to.names[strings.Trim(m, "\x00")] })
	}
	out := []byte(render(f.src, 0, len(f.src), all))
	if bytes.Equal(out, f.src) {
		return f.original, nil, nil
	}
	return f.formatted(out), f.unusedNotes(all), nil
}

// qualifiers finds the uses of the old library's package name that remain after the given edits.
// For each of these uses, it returns an edit that covers the name. The caller fills in the new
// name.
func (f *file) qualifiers(edits []edit) (left []edit) {
	for c := range f.root.Preorder((*ast.Ident)(nil)) {
		id := c.Node().(*ast.Ident)
		name, ok := f.info.Uses[id].(*types.PkgName)
		if ok && f.lib.isOld(name.Imported()) && !isCovered(edits, f.offset(id.Pos())) {
			left = append(left, f.replace(id, ""))
		}
	}
	return left
}

// formatted returns the new text of the file in gofmt's format if the old text was in that format.
// It always restores the line endings of the old text.
func (f *file) formatted(out []byte) []byte {
	if was, err := format.Source(f.src); err == nil && bytes.Equal(was, f.src) {
		if is, err := format.Source(out); err == nil {
			out = is
		}
	}
	if len(f.original) != len(f.src) {
		out = bytes.ReplaceAll(out, []byte("\n"), []byte("\r\n"))
	}
	return out
}

// knownName returns the name under which the file imports pkg. If pkg replaces the old library, the
// name under which the file imports that library takes precedence. If neither name exists,
// knownName returns "".
func (f *file) knownName(pkg string) string {
	for _, i := range f.syntax.Imports {
		name := f.info.PkgNameOf(i).Name()
		inPlace := pkg == f.lib.door && slices.Contains(f.lib.paths, importPath(i)) && (i.Name != nil || name == pkg)
		if inPlace && name != "_" && name != "." {
			return name
		}
	}
	return f.importName(newPackages[pkg])
}

// importName returns the name under which the file imports a path, or "".
func (f *file) importName(path string) string {
	for _, i := range f.syntax.Imports {
		if name := f.info.PkgNameOf(i).Name(); importPath(i) == path && name != "_" && name != "." {
			return name
		}
	}
	return ""
}

// redeclares reports whether a declaration in the file has the given name. It ignores imports,
// fields and methods.
func (f *file) redeclares(name string) bool {
	for c := range f.root.Preorder((*ast.Ident)(nil)) {
		id := c.Node().(*ast.Ident)
		obj, declared := f.info.Defs[id]
		_, isImport := obj.(*types.PkgName)
		isMember := obj != nil && obj.Parent() == nil // a field or a method
		if declared && id.Name == name && !isImport && !isMember {
			return true
		}
	}
	return false
}

// freeName returns a name that the file and its package do not use. If the given name is in use,
// freeName replaces the number at the end of the name, or adds a number.
func (f *file) freeName(name string) string {
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

// oldImport returns the first import of the old library, and its name in the file. If there is
// none, it returns nil and "".
func (f *file) oldImport() (*ast.ImportSpec, string) {
	for _, i := range f.syntax.Imports {
		if slices.Contains(f.lib.paths, importPath(i)) {
			return i, f.info.PkgNameOf(i).Name()
		}
	}
	return nil, ""
}

// importPath returns the path of an import without its quotes.
func importPath(i *ast.ImportSpec) string { return strings.Trim(i.Path.Value, `"`+"`") }

// importsAs reports whether the file imports path under the given name.
func (f *file) importsAs(path, name string) bool {
	return slices.ContainsFunc(f.syntax.Imports, func(i *ast.ImportSpec) bool {
		return importPath(i) == path && f.info.PkgNameOf(i).Name() == name
	})
}

// headEnd returns the offset of the end of the last import declaration or, if there is none, of the
// end of the package clause. If a comment follows on the same line, headEnd returns the offset of
// the end of that comment.
func (f *file) headEnd() int {
	end := f.syntax.Name.End()
	for _, d := range f.syntax.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
			end = g.End()
		}
	}
	for _, c := range f.syntax.Comments {
		if c.Pos() > end && f.positions.Line(c.Pos()) == f.positions.Line(end) {
			return f.offset(c.List[0].End())
		}
	}
	return f.offset(end)
}

// head returns the new text of the file up to the end of the imports. It adds the imports that are
// needed, and removes those that are unused after the edits.
func (f *file) head(to newImports) (string, error) {
	fset := token.NewFileSet()
	src := string(f.src[:f.headEnd()])
	// The empty lines make room for an additional import.
	head, err := parser.ParseFile(fset, f.path, src+"\n\n\n", parser.ParseComments)
	if err != nil {
		return "", err
	}
	changed := f.replaceImports(fset, head, to)
	for _, pkg := range slices.Sorted(maps.Keys(to.names)) {
		if !f.importsAs(newPackages[pkg], to.names[pkg]) && astutil.AddNamedImport(fset, head, to.explicitName(pkg), newPackages[pkg]) {
			changed = true
		}
	}
	if !changed {
		return src, nil
	}
	var out bytes.Buffer
	if err := format.Node(&out, fset, head); err != nil {
		return "", err
	}
	grouped, err := imports.Process(f.path, out.Bytes(), &imports.Options{FormatOnly: true, Comments: true, TabIndent: true, TabWidth: 8})
	return strings.TrimSuffix(string(grouped), "\n"), err
}

// explicitName returns the name that an import of pkg must specify. It returns "" if the file uses
// the package's own name.
func (to newImports) explicitName(pkg string) string {
	if to.names[pkg] == pkg {
		return ""
	}
	return to.names[pkg]
}

// replaceImports deletes, renames and replaces imports in head, which is a copy of the file's head.
// It reports whether it changed any of them.
func (f *file) replaceImports(fset *token.FileSet, head *ast.File, to newImports) (changed bool) {
	door := f.lib.door
	old, _ := f.oldImport()
	specs := slices.Clone(head.Imports)
	for n, i := range f.syntax.Imports {
		name, path := "", importPath(i)
		if i.Name != nil {
			name = i.Name.Name
		}
		isOld := slices.Contains(f.lib.paths, path)
		switch {
		case i == old && to.rename != "":
			setImport(specs[n], to.rename, path)
		case isOld && (to.keep || name == "_" || name == "."), !isOld && !f.isGone(f.info.PkgNameOf(i), to.edits):
			continue
		case i == old && to.names[door] != "" && !f.importsAs(newPackages[door], to.names[door]):
			setImport(specs[n], to.explicitName(door), newPackages[door])
		default:
			astutil.DeleteNamedImport(fset, head, name, path)
		}
		changed = true
	}
	return changed
}

// setImport gives an import a new path and name. If the name is empty, the import uses the
// package's own name.
func setImport(i *ast.ImportSpec, name, path string) {
	at := i.Pos()
	i.Name, i.Path.Value = nil, strconv.Quote(path)
	if name != "" {
		i.Name = &ast.Ident{NamePos: at, Name: name}
	}
}

// isGone reports whether the edits remove all uses of obj, which is a package or a variable, from
// the file. It returns false if the file does not use obj.
func (f *file) isGone(obj types.Object, edits []edit) bool {
	used, name := false, regexp.MustCompile(`\b`+regexp.QuoteMeta(obj.Name())+`\b`)
	for node := range ast.Preorder(f.syntax) {
		id, ok := node.(*ast.Ident)
		if !ok || f.info.Uses[id] != obj {
			continue
		}
		used = true
		at := f.offset(id.Pos())
		in := slices.IndexFunc(edits, func(e edit) bool { return e.start <= at && at < e.end })
		if in < 0 || name.MatchString(edits[in].text) {
			return false
		}
	}
	return used
}

// unusedNotes returns notes about the local variables that are unused after the edits.
func (f *file) unusedNotes(edits []edit) (notes []note) {
	for c := range f.root.Preorder((*ast.Ident)(nil)) {
		v, ok := f.info.Defs[c.Node().(*ast.Ident)].(*types.Var)
		if ok && v.Kind() == types.LocalVar && f.isGone(v, edits) {
			notes = append(notes, f.note(v.Pos(), v.Name()+" is no longer used; delete it"))
		}
	}
	return notes
}
