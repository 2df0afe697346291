// Deps prints which files of a package use which, exactly, by go/types: the files that use each other in a circle, and what uses
// what along it, and else an order of the files in which each uses only files after it. After names of functions it prints what
// a reader meets who follows them through the package: functions, files, lines and private words.
//
//	go -C internal/lab run ./deps ../.. [Generator.NewV7 ...]
//
// A method's receiver is no use of the file of its type, but a field is.
package main

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"log"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A decl is a declaration of the package, at its top.
type decl struct {
	name, file string
	node       ast.Node
	lines      int
	uses       map[types.Object]bool // other declarations, and fields of theirs
}

// A house is a package as files and declarations.
type house struct {
	fset  *token.FileSet
	info  *types.Info
	decls map[types.Object]*decl
	owner map[types.Object]types.Object // of a field: its struct type
	files []string
}

func main() {
	if len(os.Args) < 2 {
		log.Fatal("usage: deps DIRECTORY [FUNCTION ...]")
	}
	h := read(os.Args[1])
	h.printFiles()
	for _, name := range os.Args[2:] {
		h.printReader(name)
	}
}

// must returns v, or ends the program.
func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

// read parses and checks the package in dir, without its tests.
func read(dir string) *house {
	dirs := must(build.ImportDir(dir, 0))
	h := &house{token.NewFileSet(), &types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}},
		map[types.Object]*decl{}, map[types.Object]types.Object{}, dirs.GoFiles}
	var files []*ast.File
	for _, name := range dirs.GoFiles {
		files = append(files, must(parser.ParseFile(h.fset, filepath.Join(dir, name), nil, 0)))
	}
	must(0, os.Chdir(dir)) // whose go.mod says where imports are
	// A program built with -trimpath does not know where the standard library is.
	build.Default.GOROOT = strings.TrimSpace(string(must(exec.Command("go", "env", "GOROOT").Output())))
	conf := types.Config{Importer: importer.ForCompiler(h.fset, "source", nil)}
	pkg := must(conf.Check(dirs.ImportPath, h.fset, files, h.info))
	for _, f := range files {
		for _, d := range f.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				name := f.Name.Name
				if f.Recv != nil {
					name = strings.TrimPrefix(types.ExprString(f.Recv.List[0].Type), "*") + "." + name
				}
				h.add(h.info.Defs[f.Name], name, f)
				continue
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
	}
	for by, d := range h.decls {
		ast.Inspect(d.node, func(n ast.Node) bool {
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
	return h
}

// add notes a declaration, and the fields of a struct type.
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

// home returns the type of a field, and any other object itself.
func (h *house) home(o types.Object) types.Object {
	if t := h.owner[o]; t != nil {
		return t
	}
	return o
}

// printFiles prints an order of the files, and what is in no order.
func (h *house) printFiles() {
	arrows := map[[2]string]map[string]bool{} // from file to file: the names used
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
	fmt.Printf("%d files, %d arrows\n", len(h.files), len(arrows))
	left := slices.Clone(h.files)
	for top := left; len(top) > 0; { // those that none uses of which is left
		top = slices.DeleteFunc(slices.Clone(left), func(f string) bool {
			return slices.ContainsFunc(left, func(by string) bool { return arrows[[2]string{by, f}] != nil })
		})
		left = slices.DeleteFunc(left, func(f string) bool { return slices.Contains(top, f) })
		fmt.Println(strings.Join(top, " "))
	}
	for a, names := range arrows {
		if slices.Contains(left, a[0]) && slices.Contains(left, a[1]) {
			fmt.Printf("in a circle, or below one: %s uses %s: %s\n", a[0], a[1], strings.Join(slices.Sorted(maps.Keys(names)), " "))
		}
	}
}

// printReader prints what a reader of a function meets.
func (h *house) printReader(name string) {
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
		log.Fatalf("no declaration is named %s", name)
	}
	fmt.Printf("%s: %d functions, %d files, %d lines, %d private words: %s\n",
		name, functions, len(files), lines, len(words), strings.Join(slices.Sorted(maps.Keys(files)), " "))
}
