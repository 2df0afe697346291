package from

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
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

// collectCauses looks for the names that forbid rules, as snowflake.Epoch, where nothing was compiled: in all files of the
// modules, whatever the patterns, systems and tags, and in those of all modules that they require.
func (r *run) collectCauses(mods []string) {
	if len(r.set) == 0 {
		return
	}
	slices.Sort(mods)
	for _, mod := range slices.Compact(mods) {
		walk(mod, func(path string, _ fs.DirEntry) {
			if filepath.Ext(path) == ".go" && r.files[path] == nil {
				r.collectCause(path)
			}
		})
		out, _ := goIn(mod, environment(mod), "list", "-e", "-deps", "-test", "-f", `{{if not .Standard}}{{.Dir}} {{join .Imports " "}}{{end}}`, "./...")
		for line := range strings.Lines(out) {
			words := strings.Fields(line)
			if len(words) == 0 || !slices.ContainsFunc(words[1:], func(path string) bool { return slices.Contains(r.paths, path) }) {
				continue
			}
			sources, _ := filepath.Glob(filepath.Join(words[0], "*.go"))
			for _, path := range sources {
				if r.files[path] == nil {
					r.collectCause(path)
				}
			}
		}
	}
}

// collectCause adds such names of a file, and notes where they are.
func (r *run) collectCause(path string) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
	if err != nil || !r.importedBy(f) {
		return
	}
	for _, i := range f.Imports {
		if !slices.Contains(r.paths, importPath(i)) {
			continue
		}
		local := r.pkg
		if i.Name != nil {
			local = i.Name.Name
		}
		for n := range ast.Preorder(f) {
			if name := nameOf(n, local); name != "" && r.isCause(name) {
				r.uses[name] = true
				r.other = append(r.other, note{path, fset.Position(n.Pos()).Line, name, "the old library's variable is named here, so that nodes need a layout of their own"})
			}
		}
	}
}

// nameOf returns the name that n is, if n is of a package that the file calls local, or "".
func nameOf(n ast.Node, local string) string {
	switch n := n.(type) {
	case *ast.SelectorExpr:
		if x, ok := n.X.(*ast.Ident); ok && x.Name == local {
			return n.Sel.Name
		}
	case *ast.Ident:
		if local == "." {
			return n.Name
		}
	}
	return ""
}

// isCause reports whether a name forbids rules.
func (t *table) isCause(name string) bool {
	for _, causes := range t.set {
		if slices.Contains(causes, name) {
			return true
		}
	}
	return false
}
