package from

import (
	"cmp"
	"fmt"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// foreign notes the places of the file that use a name of a package outside of the program, which has a type of the library and
// keeps it. The text of a note is the package, and the type as a conversion calls it.
func (f *file) foreign() (notes []note) {
	for id, obj := range f.info.Uses {
		switch o := obj.(type) { // of a generic type the declared one: what it is given is the program's
		case *types.Func:
			obj = o.Origin()
		case *types.Var:
			if obj = o.Origin(); !o.IsField() && o.Kind() != types.PackageVar {
				continue
			}
		default:
			continue
		}
		if obj.Pkg() == nil || f.lib.declares(obj.Pkg()) || f.lib.owned(obj) || id.Pos() < f.syntax.FileStart || id.Pos() > f.syntax.FileEnd {
			continue
		}
		if kept := f.lib.held(obj.Type(), none); kept != nil {
			n := f.note(id.Pos(), obj.Pkg().Path()+" "+f.lib.name+"."+kept[0])
			n.of = obj.Name()
			notes = append(notes, n)
		}
	}
	return notes
}

// printForeign prints how many places each module dictates, and which.
func (r *run) printForeign(mods []string) {
	modules := r.modulesOf(mods)
	byModule := map[string][]note{}
	for _, n := range r.foreign {
		pkg, kept, _ := strings.Cut(n.text, " ")
		n.text = "of " + pkg + ": convert, as by " + kept + "(id)"
		byModule[modules[pkg]] = append(byModule[modules[pkg]], n)
	}
	for _, module := range slices.SortedFunc(maps.Keys(byModule), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(byModule[b]), len(byModule[a])), cmp.Compare(a, b))
	}) {
		const few = 50
		notes := byModule[module]
		title := places(len(notes)) + " the type of " + module + ": move that first, or stay"
		if len(notes) <= few {
			r.printNotes(title+", or convert", notes)
		} else {
			fmt.Fprintf(r.out, "\n%s; after a move the compiler names them\n", title)
		}
	}
}

// places says how many places have something.
func places(n int) string {
	if n == 1 {
		return "1 place has"
	}
	return strconv.Itoa(n) + " places have"
}

// modulesOf returns the modules of the packages that keep the old types.
func (r *run) modulesOf(mods []string) map[string]string {
	of := map[string]string{}
	for _, n := range r.foreign {
		pkg, _, _ := strings.Cut(n.text, " ")
		of[pkg] = pkg // if the go command does not know better
	}
	args := append([]string{"list", "-e", "-f", "{{.ImportPath}} {{with .Module}}{{.Path}}{{end}}"}, slices.Sorted(maps.Keys(of))...)
	for _, mod := range mods {
		if len(of) == 0 {
			break
		}
		out, _ := goIn(mod, environment(mod), args...) // what it prints in spite of an error is right
		for line := range strings.Lines(out) {
			if pkg, module, _ := strings.Cut(strings.TrimSpace(line), " "); module != "" {
				of[pkg] = module
			}
		}
	}
	return of
}
