package ids_test

import (
	"flag"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the doc comments of the doors and the list of exported names")

// rootOnly are the exported names of the root that no door repeats: what
// configures all schemes at once.
var rootOnly = []string{
	"Clock", "NewClock", "ClockOptions",
	"Generator", "NewGenerator", "GeneratorOptions", "ID", "Reseed",
}

// TestDoors parses the doors: each declaration must be an alias, a one-line forward or a copied
// value of the root, with the root's doc comment, and each exported name of the root must be at
// a door or in rootOnly.
func TestDoors(t *testing.T) {
	fset := token.NewFileSet()
	root := map[string]string{} // exported name: doc comment
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		for _, decl := range parse(t, fset, path).Decls {
			for _, d := range declared(decl) {
				if ast.IsExported(d.name) {
					root[d.name] = d.doc
				}
			}
		}
	}
	served := map[string]bool{}
	for _, name := range rootOnly {
		if _, ok := root[name]; !ok {
			t.Errorf("rootOnly lists %s, which the root does not export", name)
		}
		served[name] = true
	}
	for _, door := range []string{"uuid", "ulid", "snowflake"} {
		for _, name := range checkDoor(t, fset, filepath.Join(door, door+".go"), root) {
			if slices.Contains(rootOnly, name) {
				t.Errorf("%s is at door %s and in rootOnly", name, door)
			}
			served[name] = true
		}
	}
	for name := range root {
		if !served[name] {
			t.Errorf("%s is at no door and not in rootOnly", name)
		}
	}
}

func parse(t *testing.T, fset *token.FileSet, path string) *ast.File {
	t.Helper()
	f, err := parser.ParseFile(fset, path, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// A declaration is a package-level name with its doc comment and what it is set to.
type declaration struct {
	name, doc string
	node      ast.Node
	value     ast.Expr
}

// declared returns the names that decl declares, without methods.
func declared(decl ast.Decl) (ds []declaration) {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		if decl.Recv == nil {
			ds = append(ds, declaration{decl.Name.Name, decl.Doc.Text(), decl, nil})
		}
	case *ast.GenDecl:
		for _, spec := range decl.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				ds = append(ds, declaration{spec.Name.Name, decl.Doc.Text(), decl, spec.Type})
			case *ast.ValueSpec:
				for i, name := range spec.Names {
					d := declaration{name.Name, decl.Doc.Text(), spec, nil}
					if i < len(spec.Values) {
						d.value = spec.Values[i]
					}
					ds = append(ds, d)
				}
			}
		}
	}
	return ds
}

// checkDoor checks one door and returns the names of the root that it serves.
func checkDoor(t *testing.T, fset *token.FileSet, path string, root map[string]string) (served []string) {
	f := parse(t, fset, path)
	names := map[string]string{} // root name: door name
	var ds []declaration
	for _, decl := range f.Decls {
		if g, ok := decl.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
			continue
		}
		if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv != nil {
			t.Errorf("%s: method %s: a door has none", path, fn.Name.Name)
		}
		ds = append(ds, declared(decl)...)
	}
	targets := map[string]string{} // door name: root name
	for _, d := range ds {
		target := forwarded(d)
		if _, ok := root[target]; !ok {
			t.Errorf("%s: %s is no alias, one-line forward or copy of an exported name of the root", path, d.name)
			continue
		}
		targets[d.name] = target
		if names[target] == "" || d.name == target {
			names[target] = d.name
		}
		served = append(served, target)
	}
	for _, imp := range f.Imports {
		if imp.Path.Value != `"github.com/oneclock/ids"` && imp.Path.Value != `"time"` {
			t.Errorf("%s imports %s", path, imp.Path.Value)
		}
	}
	docs := map[string]string{}
	for _, d := range ds {
		docs[d.name] = translate(root[targets[d.name]], targets[d.name], d.name, names)
	}
	if *update {
		rewrite(t, fset, f, path, docs)
		return served
	}
	for _, d := range ds {
		if _, ok := d.node.(*ast.ValueSpec); ok {
			// Values stand in groups, under a doc comment of the group.
			if d.doc == "" {
				t.Errorf("%s: the group of %s has no doc comment", path, d.name)
			}
			continue
		}
		if got, want := d.doc, docs[d.name]; got != want {
			t.Errorf("%s: the doc of %s has drifted from that of ids.%s: go test -run TestDoors -update mends it\n got: %s\nwant: %s",
				path, d.name, targets[d.name], got, want)
		}
	}
	return served
}

// forwarded returns the name of the root that d is an alias, a forward or a copy of, or "".
func forwarded(d declaration) string {
	if fn, ok := d.node.(*ast.FuncDecl); ok {
		return forwardedCall(fn)
	}
	value := d.value
	if g, ok := d.node.(*ast.GenDecl); ok {
		spec, ok := g.Specs[0].(*ast.TypeSpec)
		if !ok || len(g.Specs) != 1 || !spec.Assign.IsValid() {
			return ""
		}
		if index, ok := value.(*ast.IndexExpr); ok { // ids.Null[ids.UUID]
			value = index.X
		}
	}
	return ofRoot(value)
}

// forwardedCall returns the root function that fn calls with its own parameters and does
// nothing else, or "".
func forwardedCall(fn *ast.FuncDecl) string {
	if len(fn.Body.List) != 1 {
		return ""
	}
	var call *ast.CallExpr
	switch stmt := fn.Body.List[0].(type) {
	case *ast.ReturnStmt:
		if len(stmt.Results) == 1 {
			call, _ = stmt.Results[0].(*ast.CallExpr)
		}
	case *ast.ExprStmt:
		call, _ = stmt.X.(*ast.CallExpr)
	}
	if call == nil {
		return ""
	}
	var params, args []string
	for _, field := range fn.Type.Params.List {
		for _, name := range field.Names {
			params = append(params, name.Name)
		}
	}
	for _, arg := range call.Args {
		if id, ok := arg.(*ast.Ident); ok {
			args = append(args, id.Name)
		}
	}
	if len(args) != len(call.Args) || !slices.Equal(params, args) {
		return ""
	}
	return ofRoot(call.Fun)
}

// ofRoot returns X of the expression ids.X, or "".
func ofRoot(e ast.Expr) string {
	if sel, ok := e.(*ast.SelectorExpr); ok {
		if pkg, ok := sel.X.(*ast.Ident); ok && pkg.Name == "ids" {
			return sel.Sel.Name
		}
	}
	return ""
}

var (
	link = regexp.MustCompile(`\[([A-Z]\w*)((?:\.\w+)*)\]`)
	word = regexp.MustCompile(`\w+(\.\w+)*`)
)

// translate returns a doc comment of the root in the names of a door.
func translate(doc, from, to string, names map[string]string) string {
	doc = link.ReplaceAllStringFunc(doc, func(s string) string {
		m := link.FindStringSubmatch(s)
		if name, ok := names[m[1]]; ok {
			return "[" + name + m[2] + "]"
		}
		return "[ids." + m[1] + m[2] + "]"
	})
	return word.ReplaceAllStringFunc(doc, func(s string) string {
		switch {
		case s == from && from != "Snowflake":
			return to
		case names[s] != "" && s != "Snowflake": // which is also the word for the thing
			return names[s]
		}
		return s
	})
}

// rewrite writes the door with the given doc comments.
func rewrite(t *testing.T, fset *token.FileSet, f *ast.File, path string, docs map[string]string) {
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	at := 0
	for _, decl := range f.Decls {
		ds := declared(decl)
		if len(ds) == 0 {
			continue
		}
		start := fset.Position(decl.Pos()).Offset
		var old *ast.CommentGroup
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			old = decl.Doc
		case *ast.GenDecl:
			old = decl.Doc
			if decl.Tok != token.TYPE {
				continue // values have a doc comment of their group
			}
		}
		cut := start
		if old != nil {
			cut = fset.Position(old.Pos()).Offset
		}
		out.Write(src[at:cut])
		for line := range strings.Lines(docs[ds[0].name]) {
			out.WriteString(strings.TrimRight("// "+line, " \n") + "\n")
		}
		at = start
	}
	out.Write(src[at:])
	formatted, err := format.Source([]byte(out.String()))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, formatted, 0o666); err != nil {
		t.Fatal(err)
	}
}
