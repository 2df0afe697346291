package from

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
)

// otherFiles notes what was not compiled and names the old library.
func (r *run) otherFiles() {
	names := make([]string, len(r.paths))
	for i, p := range r.paths {
		names[i] = regexp.QuoteMeta(p)
	}
	named := regexp.MustCompile(`(` + strings.Join(names, "|") + `)("|'|\.|\s|$)`)
	walk(r.dir, func(path string, d fs.DirEntry) {
		switch ext := filepath.Ext(path); {
		case slices.Contains([]string{".md", ".mod", ".sum", ".work"}, ext):
		case ext == ".go":
			if r.files[path] == nil && !r.cgo[path] && r.imports(path) {
				r.other = append(r.other, note{path, 1, "", "it imports the old library, and nothing that was looked at compiles it: see -goos, -tags and the packages"})
			}
		default:
			info, err := d.Info()
			if err != nil || info.Size() > 1<<20 || len(r.paths[0]) < 5 {
				return
			}
			text, err := os.ReadFile(path)
			if err != nil || bytes.IndexByte(text, 0) >= 0 {
				return
			}
			for i, line := range strings.Split(string(text), "\n") {
				if named.MatchString(line) {
					r.other = append(r.other, note{path, i + 1, "", "it names the old library: " + strings.TrimSpace(line)})
				}
			}
		}
	})
}

// walk calls look for the files of a folder and those below it that belong to the program. What cannot be read is left out.
func walk(dir string, look func(path string, d fs.DirEntry)) {
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
		case d.IsDir() && path != dir && skipped(d.Name()):
			return filepath.SkipDir
		case d.Type().IsRegular():
			look(path, d)
		}
		return nil
	})
}

// imports reports whether a file imports the library.
func (r *run) imports(path string) bool {
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	return err == nil && r.importedBy(f)
}

func (r *run) importedBy(f *ast.File) bool {
	return slices.ContainsFunc(f.Imports, func(i *ast.ImportSpec) bool { return slices.Contains(r.paths, importPath(i)) })
}

// A dependency is a package that the program needs, perhaps one of its own.
type dependency struct{ module, dir string }

// findDependencies finds the packages of the modules and what they need, and among those the ones that import the old library.
func (r *run) findDependencies(mods []string) (old []string) {
	format := `-f={{if not .Standard}}{{.ImportPath}}	{{with .Module}}{{.Path}}{{end}}	{{.Dir}}	{{join .Imports " "}}{{end}}`
	for _, mod := range mods {
		out, _ := goIn(mod, environment(mod), "list", "-e", "-deps", "-test", format, "./...") // what it prints in spite of an error is right
		for line := range strings.Lines(out) {
			fields := strings.Split(strings.TrimSpace(line), "\t")
			if len(fields) < 4 {
				continue
			}
			path, _, _ := strings.Cut(fields[0], " [") // of a test
			if slices.ContainsFunc(strings.Fields(fields[3]), func(path string) bool { return slices.Contains(r.paths, path) }) && r.dependencies[path].dir == "" {
				old = append(old, path)
			}
			r.dependencies[path] = dependency{fields[1], fields[2]}
		}
	}
	return old
}

// searchOthers looks into what is not compiled here: for the names that forbid rules, as snowflake.Epoch, in all files of the
// modules, whatever the patterns, systems and tags, and of what they need; and for packages of others that assert the old types.
func (r *run) searchOthers(mods []string) {
	old := r.findDependencies(mods)
	for _, mod := range mods {
		walk(mod, func(path string, _ fs.DirEntry) {
			if filepath.Ext(path) == ".go" && r.files[path] == nil {
				r.names(path, r.addCause)
			}
		})
	}
	asserting := map[string]string{} // by modules, where
	for _, pkg := range old {
		if r.own[strings.TrimSuffix(strings.TrimSuffix(pkg, ".test"), "_test")] {
			continue
		}
		of := r.dependencies[pkg]
		sources, _ := filepath.Glob(filepath.Join(of.dir, "*.go"))
		for _, path := range sources {
			r.names(path, func(path string, line int, name string, asserted bool) {
				r.addCause(path, line, name, asserted)
				if asserted && !strings.HasSuffix(path, "_test.go") {
					asserting[of.module] = cmp.Or(asserting[of.module], fmt.Sprintf("%s/%s:%d", pkg, filepath.Base(path), line))
				}
			})
		}
	}
	for pkg, of := range r.dependencies {
		if asserting[of.module] != "" {
			r.asserting[pkg] = asserting[of.module]
		}
	}
}

// addCause adds a name that forbids rules, and notes where it is.
func (r *run) addCause(path string, line int, name string, _ bool) {
	for _, causes := range r.set {
		if slices.Contains(causes, name) {
			r.uses[name] = true
			r.other = append(r.other, note{path, line, name, "the old library's variable is named here, so that nodes need a layout of their own"})
		}
	}
}

// names calls found for each name of the old library in a file that is not compiled, and tells whether it is the type in an
// assertion or a switch.
func (r *run) names(path string, found func(path string, line int, name string, asserted bool)) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
	if err != nil || !r.importedBy(f) {
		return
	}
	local := map[string]bool{}
	for _, i := range f.Imports {
		switch {
		case !slices.Contains(r.paths, importPath(i)):
		case i.Name != nil:
			local[i.Name.Name] = true
		default:
			local[r.pkg] = true
		}
	}
	for c := range inspector.New([]*ast.File{f}).Root().Preorder((*ast.SelectorExpr)(nil), (*ast.Ident)(nil)) {
		name := ""
		switch n := c.Node().(type) {
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && local[x.Name] {
				name = n.Sel.Name
			}
		case *ast.Ident:
			if local["."] {
				name = n.Name
			}
		}
		if name != "" {
			kind := c.ParentEdgeKind()
			found(path, fset.Position(c.Node().Pos()).Line, name, isType(name) && (kind == edge.TypeAssertExpr_Type || kind == edge.CaseClause_List))
		}
	}
}

var isType = regexp.MustCompile(`^(Null)?(UUID|ULID|ID)$`).MatchString
