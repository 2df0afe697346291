// Deps shows which files of a package use declarations in which other files. The result is exact,
// because deps uses go/types. It prints one row of files per line. A cycle is a set of files that
// use each other, directly or indirectly. Each file uses only files in lower rows and files in its
// own cycle. If a cycle is not allowed, deps prints the uses within the cycle and fails.
//
//	go -C internal/lab run ./deps ../..                    # one package
//	go -C internal/lab run ./deps ../../... ../../nodelease/...
//	go -C internal/lab run ./deps -from Generator.NewV7,ParseULID ../..
//
// For each function that is named with -from, deps also measures the code that the function uses in
// its package, directly and indirectly. It prints the numbers of functions, files, lines and
// unexported names in this code. If code uses a field, this counts as a use of the file that
// declares the struct type. A method's receiver does not count as a use of the file that declares
// the receiver's type.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"log"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// allowed maps the import path of a package to the names of the files that are allowed to use each
// other in a cycle.
var allowed = map[string]string{
	// A template can contain a conversion, and a conversion can have a template.
	"github.com/oneclock/ids/cmd/idsvet/internal/from": "convert.go template.go",
}

func main() {
	log.SetFlags(0)
	names := flag.String("from", "", "names of functions, with commas between them, such as Generator.NewV7")
	flag.Parse()
	if flag.NArg() == 0 {
		log.Fatal("usage: deps [-from FUNCTION,...] DIRECTORY[/...] ...")
	}
	if err := run(os.Stdout, flag.Args(), strings.FieldsFunc(*names, func(c rune) bool { return c == ',' })); err != nil {
		log.Fatal(err)
	}
}

// run prints the files of each package in dirs, in rows. For each function in names, it also prints
// the number of functions, files, lines and unexported names in the code that the function uses.
// The error that run returns lists all cycles that are not allowed.
func run(w io.Writer, dirs, names []string) error {
	var cycles []error
	met := map[string]bool{}
	for _, dir := range dirs {
		houses, err := readAll(dir)
		if err != nil {
			return err
		}
		for _, h := range houses {
			cycles = append(cycles, h.printFiles(w))
			for _, name := range names {
				if h.printReader(w, name) {
					met[name] = true
				}
			}
		}
	}
	for _, name := range names {
		if !met[name] {
			return fmt.Errorf("no function is named %s", name)
		}
	}
	return errors.Join(cycles...)
}

// listed describes a package in the output of go list.
type listed struct {
	Dir, ImportPath, Export string
	GoFiles                 []string
	DepOnly                 bool
}

// A decl is a top-level declaration in a package.
type decl struct {
	name, file string
	node       ast.Node
	lines      int
	uses       map[types.Object]bool // other declarations, and their fields, that this one uses
}

// A house contains the files and the declarations of a package.
type house struct {
	path  string
	fset  *token.FileSet
	info  *types.Info
	decls map[types.Object]*decl
	owner map[types.Object]types.Object // maps a field to its struct type
	files []string
}

// readAll reads the package in dir. If dir ends in /..., readAll reads all packages of the module
// in that directory and its subdirectories. It does not read test files.
func readAll(dir string) ([]*house, error) {
	pattern := "."
	if up, all := strings.CutSuffix(dir, "/..."); all {
		dir, pattern = up, "./..."
	}
	list := exec.Command("go", "list", "-export", "-deps", "-json=Dir,ImportPath,Export,GoFiles,DepOnly", pattern)
	list.Dir, list.Stderr = dir, os.Stderr
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list in %s: %w", dir, err)
	}
	exports := map[string]string{}
	var own []listed
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var p listed
		if err := d.Decode(&p); err != nil {
			return nil, err
		}
		exports[p.ImportPath] = p.Export
		if !p.DepOnly && len(p.GoFiles) > 0 {
			own = append(own, p)
		}
	}
	var houses []*house
	for _, p := range own {
		h, err := read(p, exports)
		if err != nil {
			return nil, err
		}
		houses = append(houses, h)
	}
	return houses, nil
}

// read parses and type-checks a package. For each import path, exports contains the name of the
// file with the package's export data.
func read(p listed, exports map[string]string) (*house, error) {
	h := &house{p.ImportPath, token.NewFileSet(), &types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}},
		map[types.Object]*decl{}, map[types.Object]types.Object{}, p.GoFiles}
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(h.fset, filepath.Join(p.Dir, name), nil, 0)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	conf := types.Config{Importer: importer.ForCompiler(h.fset, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})}
	pkg, err := conf.Check(p.ImportPath, h.fset, files, h.info)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		for _, d := range f.Decls {
			h.declare(pkg, d)
		}
	}
	for by, d := range h.decls {
		ast.Inspect(d.node, func(n ast.Node) bool {
			if f, ok := d.node.(*ast.FuncDecl); ok && n == f.Recv {
				return false
			}
			id, _ := n.(*ast.Ident)
			o := h.info.Uses[id]
			switch generic := o.(type) {
			case *types.Func:
				o = generic.Origin()
			case *types.Var:
				o = generic.Origin()
			}
			if of := h.home(o); h.decls[of] != nil && of != by {
				d.uses[o] = true
			}
			return true
		})
	}
	return h, nil
}

// declare records every name that the top-level declaration d declares in the package.
func (h *house) declare(pkg *types.Package, d ast.Decl) {
	if f, ok := d.(*ast.FuncDecl); ok {
		name := f.Name.Name
		if f.Recv != nil {
			name = strings.TrimPrefix(types.ExprString(f.Recv.List[0].Type), "*") + "." + name
		}
		h.add(h.info.Defs[f.Name], name, f)
		return
	}
	for _, spec := range d.(*ast.GenDecl).Specs {
		ast.Inspect(spec, func(n ast.Node) bool {
			id, _ := n.(*ast.Ident)
			if o := h.info.Defs[id]; o != nil && o.Parent() == pkg.Scope() {
				h.add(o, id.Name, spec)
			}
			return true
		})
	}
}

// add records a declaration and, for a struct type, its fields.
func (h *house) add(o types.Object, name string, n ast.Node) {
	from, to := h.fset.Position(n.Pos()), h.fset.Position(n.End())
	h.decls[o] = &decl{name, filepath.Base(from.Filename), n, to.Line - from.Line + 1, map[types.Object]bool{}}
	if t, ok := o.(*types.TypeName); ok {
		if s, ok := t.Type().Underlying().(*types.Struct); ok {
			for f := range s.Fields() {
				h.owner[f] = o
			}
		}
	}
}

// home returns the struct type that contains the field o. If o is not such a field, home returns o.
func (h *house) home(o types.Object) types.Object {
	if t := h.owner[o]; t != nil {
		return t
	}
	return o
}

// arrows returns a map from pairs of files to the names that the first file uses from the second
// file. The map does not contain pairs without such names.
func (h *house) arrows() map[[2]string]map[string]bool {
	arrows := map[[2]string]map[string]bool{}
	for _, d := range h.decls {
		for o := range d.uses {
			if a := [2]string{d.file, h.decls[h.home(o)].file}; a[0] != a[1] {
				if arrows[a] == nil {
					arrows[a] = map[string]bool{}
				}
				arrows[a][o.Name()] = true
			}
		}
	}
	return arrows
}

// printFiles prints the files in rows. The files in a cycle are in the same row. The error that
// printFiles returns lists the cycles that are not allowed.
func (h *house) printFiles(w io.Writer) error {
	arrows := h.arrows()
	fmt.Fprintf(w, "%s: %d files, %d arrows\n", h.path, len(h.files), len(arrows))
	// The keys of below[f] are the files that f uses directly or indirectly.
	below := map[string]map[string]bool{}
	for _, f := range h.files {
		below[f] = map[string]bool{}
		var walk func(string)
		walk = func(by string) {
			for _, g := range h.files {
				if arrows[[2]string{by, g}] != nil && !below[f][g] {
					below[f][g] = true
					walk(g)
				}
			}
		}
		walk(f)
	}
	var cycles []error
	// The next row contains the remaining files that no other remaining file uses. Uses within a
	// cycle do not count.
	for left := h.files; len(left) > 0; {
		isTop := func(f string) bool {
			return !slices.ContainsFunc(left, func(by string) bool { return below[by][f] && !below[f][by] })
		}
		var row []string
		for _, f := range left {
			if isTop(f) {
				row = append(row, f)
			}
		}
		fmt.Fprintln(w, "\t"+strings.Join(row, " "))
		for _, f := range row {
			if cycle := slices.DeleteFunc(slices.Clone(row), func(g string) bool { return !below[f][g] }); len(cycle) > 0 && cycle[0] == f {
				cycles = append(cycles, h.cycleError(cycle, arrows))
			}
		}
		left = slices.DeleteFunc(slices.Clone(left), func(f string) bool { return slices.Contains(row, f) })
	}
	return errors.Join(cycles...)
}

// cycleError returns an error that lists the uses in a cycle of files, or nil if the cycle is
// allowed.
func (h *house) cycleError(cycle []string, arrows map[[2]string]map[string]bool) error {
	if strings.Join(cycle, " ") == allowed[h.path] {
		return nil
	}
	text := fmt.Sprintf("%s: a cycle of %d files", h.path, len(cycle))
	for _, by := range cycle {
		for _, f := range cycle {
			if names := arrows[[2]string{by, f}]; names != nil {
				text += fmt.Sprintf("\n\t%s uses %s: %s", by, f, strings.Join(slices.Sorted(maps.Keys(names)), " "))
			}
		}
	}
	return errors.New(text)
}

// printReader prints the amount of code that the named function uses. It reports whether h contains
// that function.
func (h *house) printReader(w io.Writer, name string) bool {
	files, words := map[string]bool{}, map[string]bool{}
	met := map[types.Object]bool{}
	functions, lines := 0, 0
	var walk func(o types.Object)
	walk = func(o types.Object) {
		if !o.Exported() {
			words[o.Name()] = true
		}
		if o = h.home(o); met[o] {
			return
		}
		met[o] = true
		d := h.decls[o]
		files[d.file] = true
		lines += d.lines
		if _, ok := o.(*types.Func); ok {
			functions++
		}
		for u := range d.uses {
			walk(u)
		}
	}
	for o, d := range h.decls {
		if d.name == name {
			walk(o)
		}
	}
	if len(met) == 0 {
		return false
	}
	fmt.Fprintf(w, "%s: %d functions, %d files, %d lines, %d private names: %s\n",
		name, functions, len(files), lines, len(words), strings.Join(slices.Sorted(maps.Keys(files)), " "))
	return true
}
