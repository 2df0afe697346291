package docs

// Tests of the exported names.

import (
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestAPI compares the exported names of the root, the packages uuid, ulid and snowflake,
// clockfile, typeid and nostock with api.txt, so that no name and no type changes unnoticed.
func TestAPI(t *testing.T) {
	dir := Root(t)
	apiFile := filepath.Join(dir, "api.txt")
	var lines []string
	for _, pkg := range compiled(t, dir, ".", "./uuid", "./ulid", "./snowflake", "./clockfile", "./typeid", "./nostock") {
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
	listed := strings.Split(strings.TrimSuffix(string(want), "\n"), "\n")
	for _, line := range slices.Concat(listed, lines) {
		if is := slices.Contains(lines, line); is != slices.Contains(listed, line) {
			t.Errorf("exported: %v, in %s: %v: %s", is, apiFile, !is, line)
		}
	}
	if string(want) != got {
		t.Errorf("%s differs; if that is meant, go test ./internal/docs -run TestAPI -update writes it anew", apiFile)
	}
}

var preset = regexp.MustCompile(`(?m)^ids: func (\w+)Layout\(\) SnowflakeLayout$`)

// TestPresets checks that each layout in api.txt is everywhere that layouts are named: in package
// snowflake, in idgen, in leases and in the test vectors.
func TestPresets(t *testing.T) {
	root := Root(t)
	api := read(t, root, "api.txt")
	for _, m := range preset.FindAllStringSubmatch(api, -1) {
		name := strings.ToLower(m[1])
		for text, in := range map[string]string{
			"snowflake: func " + m[1] + "() Layout\n":        api,
			`{"name":"` + name + `",`:                        read(t, root, "testdata", "vectors.json"),
			fmt.Sprintf("%q: ids.%sLayout()", name, m[1]):    read(t, root, "nodelease", "cmd", "leases", "layout.go"),
			fmt.Sprintf("{ids.%sLayout(), %q, ", m[1], name): read(t, root, "cmd", "idgen", "layout.go"),
		} {
			if !strings.Contains(in, text) {
				t.Errorf("the layout %s lacks %s", name, text)
			}
		}
	}
}

// compiled returns packages as the compiler sees them, without the packages that they import.
func compiled(t *testing.T, dir string, patterns ...string) (all []*types.Package) {
	t.Helper()
	out := command(t, dir, "go", append([]string{"list", "-export", "-deps", "-f", "{{.ImportPath}} {{.DepOnly}} {{.Export}}"}, patterns...)...)
	var named []string
	exports := map[string]string{} // compiled file of each package
	for line := range strings.Lines(out) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 3)
		exports[f[0]] = f[2]
		if f[1] == "false" {
			named = append(named, f[0])
		}
	}
	imp := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	for _, path := range named {
		pkg, err := imp.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, pkg)
	}
	return all
}

// surface returns a line for each exported name of a package, and for each exported field and
// method of its types.
func surface(pkg *types.Package) (lines []string) {
	inside := func(p *types.Package) string {
		if p == pkg {
			return ""
		}
		return p.Name()
	}
	add := func(format string, args ...any) {
		// A field may have no tag.
		lines = append(lines, pkg.Name()+": "+strings.TrimSpace(fmt.Sprintf(format, args...)))
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
			sig := obj.Signature()
			add("func %s%s%s", name, parameters(sig.TypeParams(), inside), unnamed(sig, inside))
		case *types.TypeName:
			if alias, ok := obj.Type().(*types.Alias); ok {
				add("type %s%s = %s", name, parameters(alias.TypeParams(), inside), types.TypeString(alias.Rhs(), inside))
				continue
			}
			named := obj.Type().(*types.Named)
			params := parameters(named.TypeParams(), inside)
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
					add("func (%s).%s%s", types.TypeString(sig.Recv().Type(), inside), m.Name(), unnamed(sig, inside))
				}
			}
		}
	}
	slices.Sort(lines)
	return lines
}

// parameters returns type parameters as text.
func parameters(list *types.TypeParamList, q types.Qualifier) (text string) {
	for p := range list.TypeParams() {
		text += fmt.Sprintf("[%s %s]", p, types.TypeString(p.Constraint(), q))
	}
	return text
}

// unnamed returns a function's parameters and results as text, without their names, which are not
// part of the API.
func unnamed(sig *types.Signature, q types.Qualifier) string {
	strip := func(tuple *types.Tuple) *types.Tuple {
		var vars []*types.Var
		for v := range tuple.Variables() {
			vars = append(vars, types.NewParam(token.NoPos, nil, "", v.Type()))
		}
		return types.NewTuple(vars...)
	}
	bare := types.NewSignatureType(nil, nil, nil, strip(sig.Params()), strip(sig.Results()), sig.Variadic())
	return strings.TrimPrefix(types.TypeString(bare, q), "func")
}
