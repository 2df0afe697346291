package docs

import (
	"flag"
	"go/ast"
	"go/doc"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
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

// own are the names of doors whose doc comment does not follow the root's, but for the fields and methods in it.
var own = []string{"uuid.Binary", "ulid.Binary", "uuid.NullBinary", "ulid.NullBinary", "snowflake.Null"}

// An export is an exported name of the root.
type export struct {
	doc string
	typ *doc.Type // nil if it is no type
}

// A declaration is a package-level name of a door, and the name of the root that it is an alias of, forwards to or copies: "" if it does none of these.
type declaration struct {
	name, target string
	doc          *ast.CommentGroup
	node         ast.Node
	of           string // the first name of the root among the type arguments of an alias
}

// TestDoors parses the doors: each declaration must be an alias, a one-line forward or a copied
// value of the root, with the root's doc comment, and each exported name of the root must be at
// a door or in rootOnly.
func TestDoors(t *testing.T) {
	dir := Root(t)
	root := exports(t, dir)
	served := map[string]bool{}
	for _, name := range rootOnly {
		if _, ok := root[name]; !ok {
			t.Errorf("rootOnly lists %s, which the root does not export", name)
		}
		served[name] = true
	}
	for _, door := range []string{"uuid", "ulid", "snowflake"} {
		for _, name := range checkDoor(t, filepath.Join(dir, door, door+".go"), root) {
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

// exports returns what the package in dir exports, by name.
func exports(t *testing.T, dir string) map[string]export {
	fset := token.NewFileSet()
	var sources []*ast.File
	for _, path := range folders(t, dir, "*.go", false)["."] {
		if !strings.HasSuffix(path, "_test.go") {
			sources = append(sources, parse(t, fset, path))
		}
	}
	pkg, err := doc.NewFromFiles(fset, sources, "github.com/oneclock/ids")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]export{}
	values, funcs := slices.Concat(pkg.Consts, pkg.Vars), pkg.Funcs
	for _, typ := range pkg.Types {
		all[typ.Name] = export{typ.Doc, typ}
		values, funcs = slices.Concat(values, typ.Consts, typ.Vars), slices.Concat(funcs, typ.Funcs)
	}
	for _, v := range values {
		for _, name := range v.Names {
			all[name] = export{doc: v.Doc}
		}
	}
	for _, f := range funcs {
		all[f.Name] = export{doc: f.Doc}
	}
	return all
}

var ofRoot = regexp.MustCompile(`^ids\.([A-Z]\w*)(?:\[ids\.(\w+).*\])?$`)

// newDeclaration returns a declaration whose target is an expression, such as ids.Null[ids.UUID].
func newDeclaration(name *ast.Ident, comment *ast.CommentGroup, node ast.Node, target string) declaration {
	d := declaration{name: name.Name, doc: comment, node: node}
	if m := ofRoot.FindStringSubmatch(target); m != nil {
		d.target, d.of = m[1], m[2]
	}
	return d
}

// declarations returns what a door declares.
func declarations(t *testing.T, f *ast.File) (all []declaration) {
	for _, decl := range f.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok {
			all = append(all, newDeclaration(fn.Name, fn.Doc, fn, forwarded(fn)))
			continue
		}
		decl := decl.(*ast.GenDecl)
		for _, spec := range decl.Specs {
			switch spec := spec.(type) {
			case *ast.ImportSpec:
				if path := spec.Path.Value; path != `"github.com/oneclock/ids"` && path != `"time"` {
					t.Errorf("door %s imports %s", f.Name, path)
				}
			case *ast.TypeSpec:
				target := ""
				if spec.Assign.IsValid() && len(decl.Specs) == 1 {
					target = types.ExprString(spec.Type)
				}
				all = append(all, newDeclaration(spec.Name, decl.Doc, decl, target))
			case *ast.ValueSpec:
				for i, name := range spec.Names {
					target := ""
					if i < len(spec.Values) {
						target = types.ExprString(spec.Values[i])
					}
					all = append(all, newDeclaration(name, decl.Doc, spec, target))
				}
			}
		}
	}
	return all
}

// forwarded returns the function that fn calls with its own parameters, if it does nothing else, or "".
func forwarded(fn *ast.FuncDecl) string {
	if len(fn.Body.List) != 1 || fn.Recv != nil {
		return ""
	}
	call := ""
	switch stmt := fn.Body.List[0].(type) {
	case *ast.ReturnStmt:
		if len(stmt.Results) == 1 {
			call = types.ExprString(stmt.Results[0])
		}
	case *ast.ExprStmt:
		call = types.ExprString(stmt.X)
	}
	var params []string
	for _, field := range fn.Type.Params.List {
		for _, name := range field.Names {
			params = append(params, name.Name)
		}
	}
	name, ok := strings.CutSuffix(call, "("+strings.Join(params, ", ")+")")
	if !ok {
		return ""
	}
	return name
}

// checkDoor checks one door, or writes its doc comments with -update, and returns the names of the root that it serves.
func checkDoor(t *testing.T, path string, root map[string]export) (served []string) {
	fset := token.NewFileSet()
	f := parse(t, fset, path)
	ds := declarations(t, f)
	names := map[string]string{} // root name: door name
	for _, d := range ds {
		if _, ok := root[d.target]; !ok {
			t.Errorf("%s: %s is not an alias, a one-line forward or a copy of an exported name of the root", path, d.name)
		}
		if names[d.target] == "" || d.name == d.target {
			names[d.target] = d.name
		}
		served = append(served, d.target)
	}
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range slices.Backward(ds) {
		if _, ok := d.node.(*ast.ValueSpec); ok {
			if d.doc == nil { // values stand in groups, each under a doc comment of its own
				t.Errorf("%s: the group of %s has no doc comment", path, d.name)
			}
			continue
		}
		got, want := d.doc.Text(), translate(root[d.target].doc, d.target, d.name, names)
		if slices.Contains(own, f.Name.Name+"."+d.name) {
			want = members.ReplaceAllString(got, "")
		}
		if typ := root[d.target].typ; typ != nil {
			at := len(definitions.ReplaceAllString(want, "")) // which stay last
			more := fields(t, d, typ, names)
			if len(typ.Methods) > 0 {
				more += "\nFor its methods see [ids." + typ.Name + "].\n"
			}
			want = want[:at] + more + want[at:]
		}
		if got != want && !*update {
			t.Errorf("%s: the doc of %s has drifted from that of ids.%s: go test ./internal/docs -run TestDoors -update mends it\n got: %s\nwant: %s",
				path, d.name, d.target, got, want)
		}
		start := fset.Position(d.node.Pos()).Offset
		cut := start
		if d.doc != nil {
			cut = fset.Position(d.doc.Pos()).Offset
		}
		comment := ""
		for line := range strings.Lines(want) {
			comment += strings.TrimRight("// "+line, " \n") + "\n"
		}
		src = slices.Concat(src[:cut], []byte(comment), src[start:])
	}
	if *update {
		if src, err = format.Source(src); err == nil {
			err = os.WriteFile(path, src, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return served
}

// fields returns a paragraph with the exported fields of the type that d is an alias of, in the names of the door.
func fields(t *testing.T, d declaration, typ *doc.Type, names map[string]string) string {
	st, ok := typ.Decl.Specs[0].(*ast.TypeSpec).Type.(*ast.StructType)
	if !ok || len(st.Fields.List) == 0 { // go/doc leaves out what is not exported
		return ""
	}
	inDoor := func(name string) string {
		if name == "T" { // of Null[T]
			name = d.of
		}
		switch {
		case names[name] != "":
			return names[name]
		case ast.IsExported(name):
			return "ids." + name
		}
		return name
	}
	src := "type T struct {\n"
	for _, f := range st.Fields.List {
		var all []string
		for _, name := range f.Names {
			all = append(all, name.Name)
		}
		src += strings.Join(all, ", ") + " " + word.ReplaceAllStringFunc(types.ExprString(f.Type), inDoor)
		if f.Comment != nil {
			src += " // " + strings.TrimSpace(f.Comment.Text())
		}
		src += "\n"
	}
	formatted, err := format.Source([]byte(src + "}\n"))
	if err != nil {
		t.Fatal(err)
	}
	_, body, _ := strings.Cut(string(formatted), "\n")
	return "\nIts fields are:\n\n" + strings.TrimSuffix(body, "}\n")
}

var (
	docLink = regexp.MustCompile(`\[([A-Z]\w*)((?:\.\w+)*)\]`)
	word    = regexp.MustCompile(`\w+(\.\w+)*`)

	members     = regexp.MustCompile(`(?s)\nIts fields are:\n.*|\nFor its methods see .*`)
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
