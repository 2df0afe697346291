package from

// This file loads the program's packages with their types.

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/packages"
)

const loadMode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedTypes |
	packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedModule | packages.NeedForTest

// load type-checks a module's packages in the configuration c, and adds their source files to
// r.files. If a package that uses the old library does not compile, load returns an error.
func (r *run) load(module string, c config) error {
	texts := map[string][]byte{}
	cfg := &packages.Config{
		Mode: loadMode, Dir: module, Fset: token.NewFileSet(), Tests: true,
		Env: append(append(os.Environ(), environment(module)...), "GOOS="+c.goos),
		ParseFile: func(fset *token.FileSet, name string, src []byte) (*ast.File, error) {
			r.mu.Lock()
			texts[name] = src
			r.mu.Unlock()
			return parser.ParseFile(fset, name, withLF(src), parser.ParseComments|parser.SkipObjectResolution)
		},
	}
	if c.goos != runtime.GOOS {
		cfg.Env = append(cfg.Env, "CGO_ENABLED=0")
	}
	if c.tags != "" {
		cfg.BuildFlags = []string{"-tags=" + c.tags}
	}
	pkgs, err := packages.Load(cfg, r.patterns...)
	if err != nil {
		return fmt.Errorf("%s (%s): %w", r.rel(module), c, err)
	}
	var broken []packages.Error
	old := map[string]*types.Package{}
	for _, p := range pkgs {
		if strings.HasSuffix(p.PkgPath, ".test") {
			continue
		}
		if r.isFork(p) {
			r.addFork(p.Module.Dir)
			continue
		}
		r.own[p.PkgPath] = folder(p)
		if r.collect(p.TypesInfo, old) || slices.ContainsFunc(p.Syntax, r.importedBy) || p.TypesInfo == nil {
			broken = append(broken, p.Errors...)
		} else if len(p.Errors) > 0 {
			r.other = append(r.other, note{path: module, text: "does not compile, but does not use the library: " + r.errorTexts(p.Errors)[0]})
			continue
		}
		r.addFiles(module, p, texts, old)
	}
	if len(broken) > 0 {
		causes := append(r.errorTexts(r.missingErrors(*cfg)), r.errorTexts(broken)...)
		return fmt.Errorf("%s (%s) does not compile, so its types are unknown; nothing is changed. If a run was interrupted, undo its changes first.\n\t%s",
			r.rel(module), c, strings.Join(causes[:min(len(causes), 10)], "\n\t"))
	}
	return nil
}

// isFork reports whether p is part of a copy of the old library in the program's directory. A copy
// is a module with the old library's path. Go's own package uuid belongs to no module. Therefore, a
// module with the path uuid is part of the program, not a copy of this package.
func (r *run) isFork(p *packages.Package) bool {
	return p.Module != nil && strings.Contains(p.Module.Path, ".") && slices.Contains(r.paths, p.Module.Path)
}

// addFork records that the folder contains a copy of the old library. Such a copy stays unchanged.
func (r *run) addFork(folder string) {
	r.forks[folder] = true
	r.other = append(r.other, note{path: folder, text: "it is a copy of the old library and stays unchanged; delete it when nothing needs it"})
}

// addFiles adds the files of a package. A file that uses cgo cannot be converted, because the go
// command compiles a different file in its place. If such a file imports the old library, addFiles
// adds a note about it.
func (r *run) addFiles(module string, p *packages.Package, texts map[string][]byte, old map[string]*types.Package) {
	for i, syntax := range p.Syntax {
		path := p.CompiledGoFiles[i]
		if !slices.Contains(p.GoFiles, path) {
			if at := p.Fset.PositionFor(syntax.Name.Pos(), true).Filename; r.importedBy(syntax) && slices.Contains(p.GoFiles, at) {
				r.cgo[at] = true
				r.left = append(r.left, note{path: at, text: "it uses cgo, so the go command compiles another file in its place; convert it by hand"})
			}
			continue
		}
		code, _ := inspector.New([]*ast.File{syntax}).Root().FirstChild()
		f := &file{
			lib: &r.library, module: module, path: path, original: texts[path], src: withLF(texts[path]), positions: p.Fset.File(syntax.FileStart), fset: p.Fset,
			syntax: syntax, root: code, pkg: p.Types, info: p.TypesInfo, packages: old,
		}
		r.files[path] = append(r.files[path], f)
		for c := range code.Preorder((*ast.ValueSpec)(nil), (*ast.BasicLit)(nil)) {
			switch n := c.Node().(type) {
			case *ast.ValueSpec:
				for i, value := range n.Values {
					if v := p.TypesInfo.Defs[n.Names[i]]; f.sentinel(value) != "" && v.Parent() == p.Types.Scope() {
						r.sentinels[objectPath(v)] = true
					}
				}
			case *ast.BasicLit:
				for _, m := range verbRE.FindAllStringSubmatch(n.Value, -1) {
					r.verbs["%"+m[1]] = true
				}
			}
		}
	}
}

// verbRE matches the verbs in a format string. It ignores their flags, except for the flag in %#v.
var verbRE = regexp.MustCompile(`%[-+# 0-9.*]*?(#v|[a-zA-Z])`)

// missingErrors returns the go command's errors about missing modules and packages. A type error
// may result from a missing package, but does not explain why the package is missing.
func (r *run) missingErrors(cfg packages.Config) (errs []packages.Error) {
	cfg.Mode = packages.NeedName | packages.NeedImports | packages.NeedDeps
	pkgs, _ := packages.Load(&cfg, r.patterns...)
	packages.Visit(pkgs, nil, func(p *packages.Package) { errs = append(errs, p.Errors...) })
	return errs
}

// errorTexts returns the messages of errs without duplicates. It omits errors without a position
// and errors caused by a missing module, unless there are no others.
func (r *run) errorTexts(errs []packages.Error) (texts []string) {
	for _, e := range errs {
		texts = append(texts, strings.TrimPrefix(strings.TrimSpace(e.Error()), r.dir+string(filepath.Separator)))
	}
	slices.Sort(texts)
	texts = slices.Compact(texts)
	first := slices.DeleteFunc(slices.Clone(texts), func(text string) bool {
		return strings.HasPrefix(text, "-: ") || strings.Contains(text, "could not import")
	})
	if len(first) > 0 {
		return first
	}
	return texts
}

// withLF replaces CR LF with LF if all lines of src end in CR LF. Otherwise, it returns src
// unchanged.
func withLF(src []byte) []byte {
	if bytes.Count(src, []byte("\r\n")) != bytes.Count(src, []byte("\n")) {
		return src
	}
	return bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n"))
}
