package from

// The functions in this file search code that is loaded without type information: files that no
// configuration compiles, and the program's dependencies.

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/packages"
)

// otherFiles adds notes about files that mention the old library but were not compiled.
func (r *run) otherFiles() {
	names := make([]string, len(r.paths))
	for i, p := range r.paths {
		names[i] = regexp.QuoteMeta(p)
	}
	named := regexp.MustCompile(`(` + strings.Join(names, "|") + `)("|'|\.|\s|$)`)
	walk(r.dir, r.forks, func(path string, d fs.DirEntry) {
		switch ext := filepath.Ext(path); {
		case slices.Contains([]string{".md", ".mod", ".sum", ".work"}, ext):
		case ext == ".go":
			if r.files[path] == nil && !r.cgo[path] && len(r.usesIn(path)) > 0 {
				r.other = append(r.other, note{path: path, line: 1, text: "it imports the old library, but no checked configuration compiles it; see -goos, -tags and the packages"})
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
					r.other = append(r.other, note{path: path, line: i + 1, text: "it names the old library: " + strings.TrimSpace(line)})
				}
			}
		}
	})
}

// importedBy reports whether f imports the old library.
func (r *run) importedBy(f *ast.File) bool {
	return slices.ContainsFunc(f.Imports, func(i *ast.ImportSpec) bool { return slices.Contains(r.paths, importPath(i)) })
}

// folder returns the directory of a package. It resolves symbolic links if possible.
func folder(p *packages.Package) string {
	dir, err := filepath.EvalSymlinks(p.Dir)
	if err != nil {
		return p.Dir
	}
	return dir
}

// findDependencies finds the packages that the modules need. One of the program's modules may
// require a published version of another of these modules. The packages of that version are not
// converted, so they keep the old types.
func (r *run) findDependencies(mods []string) {
	for _, mod := range mods {
		// If Load returns an error, the packages that it did find are still valid.
		pkgs, _ := packages.Load(&packages.Config{
			Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedModule,
			Dir:  mod, Tests: true, Env: append(os.Environ(), environment(mod)...),
		}, "./...")
		packages.Visit(pkgs, nil, func(p *packages.Package) {
			switch own := r.own[p.PkgPath]; {
			case own == "":
				r.dependencies[p.PkgPath] = p
			case own != folder(p):
				r.dependencies[p.PkgPath] = p
				r.published[[2]string{mod, p.PkgPath}] = true
			}
			need := slices.ContainsFunc(slices.Collect(maps.Keys(p.Imports)), func(path string) bool { return r.databases[path] })
			r.databases[p.PkgPath] = p.PkgPath == "database/sql" || need && (p.Module == nil || !p.Module.Main) && !slices.Contains(r.paths, p.PkgPath)
		})
	}
}

// searchOthers searches code outside the loaded files. It looks for names that disable rules, such
// as snowflake.Epoch. It searches the modules' other Go files, regardless of package patterns,
// operating systems and build tags. It also searches the modules' dependencies, and finds the
// modules among them that contain type assertions to the old types.
func (r *run) searchOthers(mods []string) {
	for _, mod := range mods {
		walk(mod, r.forks, func(path string, _ fs.DirEntry) {
			if filepath.Ext(path) == ".go" && r.files[path] == nil {
				r.addCauses(r.usesIn(path))
			}
		})
	}
	r.findDependencies(mods)
	for _, path := range slices.Sorted(maps.Keys(r.dependencies)) {
		p := r.dependencies[path]
		uses := func(path string) bool { return p.Imports[path] != nil }
		if p.Module == nil || !slices.ContainsFunc(r.paths, uses) {
			continue
		}
		for _, file := range slices.Concat(p.GoFiles, p.IgnoredFiles) {
			names := r.usesIn(file)
			r.addCauses(names)
			if i := slices.IndexFunc(names, func(n use) bool { return n.asserted }); i >= 0 && r.asserting[p.Module.Path] == "" {
				r.asserting[p.Module.Path] = fmt.Sprintf("%s/%s:%d", path, filepath.Base(file), names[i].line)
			}
		}
	}
}

// addCauses adds each of the given names to r.uses if the name disables rules. It also adds a note
// about each use of such a name.
func (r *run) addCauses(names []use) {
	for _, n := range names {
		for _, causes := range r.set {
			if slices.Contains(causes, n.name) {
				r.uses[n.name] = true
				n.text = "the old library's variable is used here, so nodes need their own layout"
				r.other = append(r.other, n.note)
			}
		}
	}
}

// A use is an identifier that may refer to a name of the old library. It occurs in a file that is
// loaded without type information.
type use struct {
	note
	asserted bool // the name is that of an ID type in a type assertion or a case clause
}

var isType = regexp.MustCompile(`^(Null)?(UUID|ULID|ID)$`).MatchString

// usesIn returns the uses of the old library's names in a file that is loaded without type
// information. It does not find methods and fields. If the file has a dot import of the old
// library, usesIn returns all identifiers that do not follow a dot. If the file cannot be parsed,
// it returns nil.
func (r *run) usesIn(path string) (all []use) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil
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
	for c := range inspector.New([]*ast.File{f}).Root().Preorder((*ast.Ident)(nil)) {
		of := c.Node().(*ast.Ident).Name
		if s, ok := c.Parent().Node().(*ast.SelectorExpr); ok && c.ParentEdgeKind() == edge.SelectorExpr_Sel {
			c = c.Parent()
			if x, ok := s.X.(*ast.Ident); !ok || !local[x.Name] {
				continue
			}
		} else if !local["."] {
			continue
		}
		kind := c.ParentEdgeKind()
		at := note{path: path, line: fset.Position(c.Node().Pos()).Line, name: of}
		all = append(all, use{at, isType(of) && (kind == edge.TypeAssertExpr_Type || kind == edge.CaseClause_List)})
	}
	return all
}
