package from

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

// load adds the files of a module's packages in a configuration.
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
			r.other = append(r.other, note{path: module, text: "does not compile, and does not use the library: " + r.causes(p.Errors)[0]})
			continue
		}
		r.addFiles(module, p, texts, old)
	}
	if len(broken) > 0 {
		causes := append(r.causes(r.missing(*cfg)), r.causes(broken)...)
		return fmt.Errorf("%s (%s) does not compile, so that its types are not known; nothing is changed. If a run was interrupted, take its changes back first.\n\t%s",
			r.rel(module), c, strings.Join(causes[:min(len(causes), 10)], "\n\t"))
	}
	return nil
}

// isFork reports whether p belongs to a copy of the old library in the program's folder. Go's own
// uuid has no module, so a module of that name is the program's.
func (r *run) isFork(p *packages.Package) bool {
	return p.Module != nil && strings.Contains(p.Module.Path, ".") && slices.Contains(r.paths, p.Module.Path)
}

func (r *run) addFork(folder string) {
	r.forks[folder] = true
	r.other = append(r.other, note{path: folder, text: "it is a copy of the old library, and stays as it is: delete it when nothing needs it"})
}

// addFiles adds the files of a package. Of one that has cgo the go command compiles another file.
func (r *run) addFiles(module string, p *packages.Package, texts map[string][]byte, old map[string]*types.Package) {
	for i, syntax := range p.Syntax {
		path := p.CompiledGoFiles[i]
		if !slices.Contains(p.GoFiles, path) {
			if at := p.Fset.PositionFor(syntax.Name.Pos(), true).Filename; r.importedBy(syntax) && slices.Contains(p.GoFiles, at) {
				r.cgo[at] = true
				r.left = append(r.left, note{path: at, text: "it has cgo, so that the go command compiles another file: convert it by hand"})
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
				for _, m := range verbs.FindAllStringSubmatch(n.Value, -1) {
					r.verbs["%"+m[1]] = true
				}
			}
		}
	}
}

// verbs finds the verbs in a text, without their flags but that of %#v.
var verbs = regexp.MustCompile(`%[-+# 0-9.*]*?(#v|[a-zA-Z])`)

// missing returns what the go command says of modules and packages that it cannot find, of which the errors of types tell only
// the consequences.
func (r *run) missing(cfg packages.Config) (errs []packages.Error) {
	cfg.Mode = packages.NeedName | packages.NeedImports | packages.NeedDeps
	pkgs, _ := packages.Load(&cfg, r.patterns...)
	packages.Visit(pkgs, nil, func(p *packages.Package) { errs = append(errs, p.Errors...) })
	return errs
}

// causes returns the texts of errors, each once, without those that have no place or follow from a module that is missing, if
// there are others.
func (r *run) causes(errs []packages.Error) (texts []string) {
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

// withLF returns a text of which each line ends in CR and LF with LF alone, and others as they are.
func withLF(src []byte) []byte {
	if bytes.Count(src, []byte("\r\n")) != bytes.Count(src, []byte("\n")) {
		return src
	}
	return bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n"))
}
