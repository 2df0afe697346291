package from

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"go/version"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// A config is a system and a set of build tags for which the program is compiled.
type config struct{ goos, tags string }

func (c config) String() string {
	return strings.TrimSuffix(c.goos+" -tags "+c.tags, " -tags ")
}

// Older says that the program's toolchain is newer than the one that compiled this command, which then cannot read its
// packages, or returns nil.
func Older(dir string) error {
	out, err := goIn(dir, nil, "env", "GOVERSION")
	if err != nil {
		return err
	}
	there, here := strings.TrimSpace(out), runtime.Version()
	if newerGo(there, here) {
		return fmt.Errorf("this program was built by %s and cannot read one of %s: build it anew by GOTOOLCHAIN=%[2]s go install %s/cmd/idsvet@latest", here, there, root)
	}
	return nil
}

// newerGo reports whether release a, such as go1.27.0, is of a later minor version than b.
func newerGo(a, b string) bool {
	return version.IsValid(b) && version.Compare(version.Lang(a), version.Lang(b)) > 0
}

// goIn runs the go command in dir.
func goIn(dir string, env []string, args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	var stderr bytes.Buffer
	cmd.Dir, cmd.Stderr, cmd.Env = dir, &stderr, append(os.Environ(), env...)
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s in %s: %w\n%s", strings.Join(args, " "), dir, err, bytes.TrimSpace(stderr.Bytes()))
	}
	return string(out), nil
}

// modules returns the folders below dir that have a go.mod, and the one whose go.mod counts in dir.
func modules(dir string) ([]string, error) {
	out, err := goIn(dir, nil, "env", "GOMOD")
	if err != nil {
		return nil, err
	}
	var all []string
	if mod := strings.TrimSpace(out); filepath.Base(mod) == "go.mod" {
		all = append(all, filepath.Dir(mod))
	}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != dir && skipped(d.Name()):
			return filepath.SkipDir
		case d.Name() == "go.mod" && !d.IsDir() && !slices.Contains(all, filepath.Dir(path)):
			all = append(all, filepath.Dir(path))
		}
		return nil
	})
	if err == nil && len(all) == 0 {
		err = errors.New("there is no go.mod here, above or below")
	}
	return all, err
}

// skipped reports whether no module of the program is in a folder of that name; examples may be in one that begins with "_".
func skipped(name string) bool {
	return name == "vendor" || name == "testdata" || name == "node_modules" || name[0] == '.'
}

// environment returns what the go command needs beside the environment for a module that its workspace does not have.
func environment(module string) []string {
	all, err := goIn(module, nil, "list", "-m", "-f", "{{.Dir}}")
	if err == nil && slices.Contains(strings.Split(all, "\n"), module) {
		return nil
	}
	return []string{"GOWORK=off"}
}

func inWorkspace(module string) bool {
	work, err := goIn(module, nil, "env", "GOWORK")
	work = strings.TrimSpace(work)
	return err == nil && work != "" && work != "off"
}

const loadMode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedTypes |
	packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedModule | packages.NeedForTest

// load returns the files of a module's packages in a configuration.
func (r *run) load(module string, c config) ([]*file, error) {
	texts := map[string][]byte{}
	fset := token.NewFileSet()
	cfg := &packages.Config{
		Mode: loadMode, Dir: module, Fset: fset, Tests: true,
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
		return nil, fmt.Errorf("%s (%s): %w", r.rel(module), c, err)
	}
	var files []*file
	var broken []string
	for _, p := range pkgs {
		if strings.HasSuffix(p.PkgPath, ".test") {
			continue
		}
		uses := r.used(p.TypesInfo)
		for _, e := range p.Errors {
			text := strings.TrimPrefix(e.Error(), r.dir+string(filepath.Separator))
			if uses || slices.ContainsFunc(p.Syntax, r.importedBy) || p.TypesInfo == nil {
				broken = append(broken, text)
			} else {
				r.other = append(r.other, note{module, 0, "does not compile, and does not use the library: " + text})
			}
		}
		for i, syntax := range p.Syntax {
			name := p.CompiledGoFiles[i]
			if !slices.Contains(p.GoFiles, name) {
				if uses {
					r.note(name, 0, "the package has cgo, whose files the go command generates: convert it by hand")
				}
				continue
			}
			files = append(files, &file{path: name, raw: texts[name], src: withLF(texts[name]), at: fset.File(syntax.FileStart),
				table: r.table, info: p.TypesInfo, pkg: p.Types, syntax: syntax, uses: r.uses, fields: r.fields})
		}
	}
	if len(broken) > 0 {
		slices.Sort(broken)
		broken = slices.Compact(broken)
		return nil, fmt.Errorf("%s (%s) does not compile, so that its types are not known; nothing is changed. If a run was interrupted, take its changes back first.\n\t%s",
			r.rel(module), c, strings.Join(broken[:min(len(broken), 10)], "\n\t"))
	}
	return files, nil
}

// withLF returns a text of which each line ends in CR and LF with LF alone, and others as they are.
func withLF(src []byte) []byte {
	if bytes.Count(src, []byte("\r\n")) != bytes.Count(src, []byte("\n")) {
		return src
	}
	return bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n"))
}

// used collects the names of the library that a package uses, and the fields of its types, and reports whether there are any.
func (r *run) used(info *types.Info) (any bool) {
	if info == nil {
		return false
	}
	for _, obj := range info.Uses {
		if !r.table.owned(obj) {
			continue
		}
		any = true
		r.uses[r.table.oldName(obj)] = true
		for _, name := range obj.Pkg().Scope().Names() {
			tn, ok := obj.Pkg().Scope().Lookup(name).(*types.TypeName)
			if !ok || r.known[tn] {
				continue
			}
			r.known[tn] = true
			if s, ok := tn.Type().Underlying().(*types.Struct); ok {
				for f := range s.Fields() {
					r.fields[f] = name + "." + f.Name()
				}
			}
		}
	}
	return any
}
