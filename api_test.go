package ids_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	apiFile  = "api.txt"
	rootPath = "github.com/oneclock/ids"
)

// TestAPI compares what the root, the doors and clockfile export with api.txt, so that no name and no type
// changes unseen.
func TestAPI(t *testing.T) {
	c := newChecker()
	var lines []string
	for _, path := range []string{rootPath, rootPath + "/uuid", rootPath + "/ulid", rootPath + "/snowflake", rootPath + "/clockfile"} {
		pkg, err := c.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, surface(pkg)...)
	}
	got := strings.Join(lines, "\n") + "\n"
	if *update {
		if err := os.WriteFile(apiFile, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(apiFile)
	if err != nil {
		t.Fatal(err)
	}
	if gone, added := differ(strings.Split(string(want), "\n"), strings.Split(got, "\n")); len(gone)+len(added) > 0 {
		t.Errorf("the exported names differ from %s; if that is meant, go test -run TestAPI -update . writes it anew\n%s%s",
			apiFile, marked("-", gone), marked("+", added))
	} else if string(want) != got {
		t.Errorf("%s is not in order", apiFile)
	}
}

// differ returns the lines that are only in a and only in b.
func differ(a, b []string) (onlyA, onlyB []string) {
	in := func(lines []string) func(string) bool {
		return func(line string) bool { return slices.Contains(lines, line) }
	}
	return slices.DeleteFunc(slices.Clone(a), in(b)), slices.DeleteFunc(slices.Clone(b), in(a))
}

func marked(mark string, lines []string) string {
	var b strings.Builder
	for _, line := range lines {
		fmt.Fprintln(&b, mark, line)
	}
	return b.String()
}

// surface returns a line for each name that a package exports, and for each exported field and
// method of its types.
func surface(pkg *types.Package) (lines []string) {
	inside := func(p *types.Package) string {
		if p == pkg {
			return ""
		}
		return p.Name()
	}
	add := func(format string, args ...any) {
		lines = append(lines, pkg.Name()+": "+fmt.Sprintf(format, args...))
	}
	for _, name := range pkg.Scope().Names() {
		obj := pkg.Scope().Lookup(name)
		if !obj.Exported() {
			continue
		}
		switch obj := obj.(type) {
		case *types.Const:
			add("const %s %s = %s", name, types.TypeString(obj.Type(), inside), obj.Val())
		case *types.Var:
			add("var %s %s", name, types.TypeString(obj.Type(), inside))
		case *types.Func:
			add("func %s%s", name, strings.TrimPrefix(unnamed(obj.Type(), inside), "func"))
		case *types.TypeName:
			if alias, ok := obj.Type().(*types.Alias); ok {
				add("type %s = %s", name, types.TypeString(alias.Rhs(), inside))
				continue
			}
			named := obj.Type().(*types.Named)
			params := ""
			for p := range named.TypeParams().TypeParams() {
				params += fmt.Sprintf("[%s %s]", p, types.TypeString(p.Constraint(), inside))
			}
			fields, isStruct := named.Underlying().(*types.Struct)
			if !isStruct {
				add("type %s%s %s", name, params, types.TypeString(named.Underlying(), inside))
			} else {
				add("type %s%s struct", name, params)
				for i := range fields.NumFields() {
					if f := fields.Field(i); f.Exported() {
						add("type %s struct, %s %s %s", name, f.Name(), types.TypeString(f.Type(), inside), fields.Tag(i))
					}
				}
			}
			for m := range named.Methods() {
				if m.Exported() {
					sig := m.Signature()
					add("func (%s).%s%s", types.TypeString(sig.Recv().Type(), inside), m.Name(), strings.TrimPrefix(unnamed(sig, inside), "func"))
				}
			}
		}
	}
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	slices.Sort(lines)
	return lines
}

// unnamed returns a type as text. In that of a function it leaves out the names of parameters
// and results, which bind nobody.
func unnamed(t types.Type, q types.Qualifier) string {
	sig, ok := t.(*types.Signature)
	if !ok {
		return types.TypeString(t, q)
	}
	strip := func(tuple *types.Tuple) *types.Tuple {
		var vars []*types.Var
		for v := range tuple.Variables() {
			vars = append(vars, types.NewParam(token.NoPos, nil, "", v.Type()))
		}
		return types.NewTuple(vars...)
	}
	return types.TypeString(types.NewSignatureType(nil, nil, nil, strip(sig.Params()), strip(sig.Results()), sig.Variadic()), q)
}

// A checker loads packages from their source, so that a test needs no compiled ones.
type checker struct {
	fset   *token.FileSet
	std    types.Importer
	loaded map[string]*types.Package
}

func newChecker() *checker {
	fset := token.NewFileSet()
	return &checker{fset, importer.ForCompiler(fset, "source", nil), map[string]*types.Package{}}
}

// Import loads a package of this module from its folder, and any other from Go's.
func (c *checker) Import(path string) (*types.Package, error) {
	dir, ok := strings.CutPrefix(path, rootPath)
	if !ok {
		return c.std.Import(path)
	}
	if pkg, ok := c.loaded[path]; ok {
		return pkg, nil
	}
	found, err := build.Default.ImportDir(filepath.Join(".", dir), 0)
	if err != nil {
		return nil, err
	}
	var files []*ast.File
	for _, name := range found.GoFiles {
		f, err := parser.ParseFile(c.fset, filepath.Join(found.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	if len(files) == 0 {
		return nil, errors.New("no Go files in " + found.Dir)
	}
	config := types.Config{Importer: c, IgnoreFuncBodies: true}
	pkg, err := config.Check(path, c.fset, files, nil)
	c.loaded[path] = pkg
	return pkg, err
}
