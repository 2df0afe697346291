package docs

import (
	"cmp"
	"flag"
	"go/ast"
	"go/doc"
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

var update = flag.Bool("update", false, "rewrite the doc comments of the doors, api.txt and testdata/vectors.json")

// rootOnly are the exported names of the root that no door repeats: what configures all schemes at once, and
// ID, which is the name of Snowflake at its door already.
var rootOnly = []string{
	"Clock", "NewClock", "ClockOptions", "ClockLimit", "NewLimitedClock", "ID",
	"Generator", "NewGenerator", "GeneratorOptions", "Nullable", "Reseed",
}

// own are doc comments of doors that say something else than the root's of the type that they are an alias of.
var own = map[string]string{
	"uuid.Binary":     ownBinary,
	"ulid.Binary":     ownBinary,
	"uuid.NullBinary": ownNullBinary,
	"ulid.NullBinary": ownNullBinary,
	"snowflake.Null": `Null is an id that may be absent: NULL in a database, null in JSON, the empty text elsewhere. An
empty string in a database or in JSON is an error. The zero value is absent.
`,
}

const (
	ownBinary = `Binary is an id that a database stores as its 16 bytes, for columns of type BINARY(16), BLOB
or bytea. Its text and JSON are the id's. For a column that may be NULL see [NullBinary].
`
	ownNullBinary = `NullBinary is a [Binary] that may be absent: a database stores 16 bytes or NULL. Absent, it is null in
JSON, and the empty text elsewhere. An empty string in a database or in JSON is an error. The zero value
is absent.
`
)

// TestDoors parses the doors: each declaration must be an alias, a one-line forward or a copied
// value of the root, with the root's doc comment, and each exported name of the root must be at
// a door or in rootOnly.
func TestDoors(t *testing.T) {
	fset := token.NewFileSet()
	dir := Root(t)
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var sources []*ast.File
	for _, path := range paths {
		if !strings.HasSuffix(path, "_test.go") {
			sources = append(sources, parse(t, fset, path))
		}
	}
	pkg, err := doc.NewFromFiles(fset, sources, "github.com/oneclock/ids")
	if err != nil {
		t.Fatal(err)
	}
	root := map[string]string{} // exported name: doc comment
	types := map[string]*doc.Type{}
	values, funcs := append(pkg.Consts, pkg.Vars...), pkg.Funcs
	for _, typ := range pkg.Types {
		root[typ.Name], types[typ.Name] = typ.Doc, typ
		values, funcs = slices.Concat(values, typ.Consts, typ.Vars), append(funcs, typ.Funcs...)
	}
	for _, v := range values {
		for _, name := range v.Names {
			root[name] = v.Doc
		}
	}
	for _, f := range funcs {
		root[f.Name] = f.Doc
	}
	members := func(d declaration, target string, names map[string]string) string {
		return fields(t, d, types[target], names) + methodNames(types[target])
	}
	served := map[string]bool{}
	for _, name := range rootOnly {
		if _, ok := root[name]; !ok {
			t.Errorf("rootOnly lists %s, which the root does not export", name)
		}
		served[name] = true
	}
	for _, door := range []string{"uuid", "ulid", "snowflake"} {
		for _, name := range checkDoor(t, fset, filepath.Join(dir, door, door+".go"), root, members) {
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
	name  string
	doc   *ast.CommentGroup
	node  ast.Node
	value ast.Expr
}

// declared returns the names that decl declares, without methods.
func declared(decl ast.Decl) (ds []declaration) {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		if decl.Recv == nil {
			ds = append(ds, declaration{decl.Name.Name, decl.Doc, decl, nil})
		}
	case *ast.GenDecl:
		for _, spec := range decl.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				ds = append(ds, declaration{spec.Name.Name, decl.Doc, decl, spec.Type})
			case *ast.ValueSpec:
				for i, name := range spec.Names {
					d := declaration{name.Name, decl.Doc, spec, nil}
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

// fields returns a paragraph with the exported fields of the type that d is an alias of, in the
// names of the door.
func fields(t *testing.T, d declaration, typ *doc.Type, names map[string]string) string {
	st, ok := typ.Decl.Specs[0].(*ast.TypeSpec).Type.(*ast.StructType)
	if !ok {
		return ""
	}
	var src strings.Builder
	for _, f := range st.Fields.List {
		var all []string // go/doc leaves out what is not exported
		for _, name := range f.Names {
			all = append(all, name.Name)
		}
		src.WriteString(strings.Join(all, ", ") + " " + inDoor(d, f.Type, names))
		if text := strings.TrimSpace(f.Comment.Text()); text != "" {
			src.WriteString(" // " + text)
		}
		src.WriteString("\n")
	}
	if src.Len() == 0 {
		return ""
	}
	formatted, err := format.Source([]byte("type T struct {\n" + src.String() + "}\n"))
	if err != nil {
		t.Fatal(err)
	}
	_, body, _ := strings.Cut(string(formatted), "\n")
	return "\nIts fields are:\n\n" + strings.TrimSuffix(body, "}\n")
}

// inDoor returns a type of the root as it is written at a door.
func inDoor(d declaration, e ast.Expr, names map[string]string) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return "*" + inDoor(d, e.X, names)
	case *ast.SelectorExpr:
		return e.X.(*ast.Ident).Name + "." + e.Sel.Name
	}
	name := e.(*ast.Ident).Name
	if index, ok := d.value.(*ast.IndexExpr); ok && name == "T" { // of Null[T]
		of := index.Index
		if inner, ok := of.(*ast.IndexExpr); ok { // of Null[Binary[T]]
			of = inner.X
		}
		name = ofRoot(of)
	}
	switch {
	case names[name] != "":
		return names[name]
	case ast.IsExported(name):
		return "ids." + name
	}
	return name
}

// methodNames returns a paragraph with the names of the methods of a type of the root.
func methodNames(typ *doc.Type) (text string) {
	var all []string
	for _, m := range typ.Methods {
		all = append(all, m.Name)
	}
	last := len(all) - 1
	words := ""
	switch {
	case last < 0:
		return ""
	case last == 0:
		words = "Its method is " + all[0]
	default:
		words = "Its methods are " + strings.Join(all[:last], ", ") + " and " + all[last]
	}
	width := 0
	for word := range strings.FieldsSeq(words + ": see [ids." + typ.Name + "].") {
		space := " "
		if width == 0 || width+1+len(word) > 96 {
			space, width = "\n", -1
		}
		text += space + word
		width += 1 + len(word)
	}
	return text + "\n"
}

// checkDoor checks one door and returns the names of the root that it serves.
func checkDoor(t *testing.T, fset *token.FileSet, path string, root map[string]string,
	members func(d declaration, target string, names map[string]string) string) (served []string) {
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
			t.Errorf("%s: %s is not an alias, a one-line forward or a copy of an exported name of the root", path, d.name)
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
		docs[d.name] = cmp.Or(own[f.Name.Name+"."+d.name], translate(root[targets[d.name]], targets[d.name], d.name, names))
		if g, ok := d.node.(*ast.GenDecl); ok && g.Tok == token.TYPE {
			at := len(definitions.ReplaceAllString(docs[d.name], "")) // which stay last
			docs[d.name] = docs[d.name][:at] + members(d, targets[d.name], names) + docs[d.name][at:]
		}
	}
	if *update {
		rewrite(t, fset, ds, path, docs)
		return served
	}
	for _, d := range ds {
		if _, ok := d.node.(*ast.ValueSpec); ok {
			// Values stand in groups, under a doc comment of the group.
			if d.doc == nil {
				t.Errorf("%s: the group of %s has no doc comment", path, d.name)
			}
			continue
		}
		if got, want := d.doc.Text(), docs[d.name]; got != want {
			t.Errorf("%s: the doc of %s has drifted from that of ids.%s: go test ./internal/docs -run TestDoors -update mends it\n got: %s\nwant: %s",
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
	docLink = regexp.MustCompile(`\[([A-Z]\w*)((?:\.\w+)*)\]`)
	word    = regexp.MustCompile(`\w+(\.\w+)*`)

	definitions = regexp.MustCompile(`(?:\n\[[^\]]+\]: .*)+\n$`) // of the links in a doc comment
)

// translate returns a doc comment of the root in the names of a door.
func translate(doc, from, to string, names map[string]string) string {
	if rest, ok := strings.CutPrefix(doc, "Snowflake is "); ok {
		doc = to + " is a Snowflake, " + rest
	}
	doc = docLink.ReplaceAllStringFunc(doc, func(s string) string {
		m := docLink.FindStringSubmatch(s)
		if name, ok := names[m[1]]; ok && m[2] == "" { // an alias has no methods to link to
			return "[" + name + "]"
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
func rewrite(t *testing.T, fset *token.FileSet, ds []declaration, path string, docs map[string]string) {
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range slices.Backward(ds) {
		if _, ok := d.node.(*ast.ValueSpec); ok {
			continue // values have a doc comment of their group
		}
		start := fset.Position(d.node.Pos()).Offset
		cut := start
		if d.doc != nil {
			cut = fset.Position(d.doc.Pos()).Offset
		}
		var comment strings.Builder
		for line := range strings.Lines(docs[d.name]) {
			comment.WriteString(strings.TrimRight("// "+line, " \n") + "\n")
		}
		src = slices.Concat(src[:cut], []byte(comment.String()), src[start:])
	}
	formatted, err := format.Source(src)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, formatted, 0o666); err != nil {
		t.Fatal(err)
	}
}
