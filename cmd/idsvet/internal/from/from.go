// Package from moves a program from another library of identifiers to github.com/oneclock/ids. It goes by the types of the
// program, while that still compiles with the old library, and changes only the bytes that its tables name.
package from

import (
	"bytes"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// A note is a sentence about a line of a file.
type note struct {
	path string
	line int
	text string
}

// A run is one call of the command.
type run struct {
	table    *table
	dir      string // in which it was called
	patterns []string
	fix      bool
	out      io.Writer

	mu     sync.Mutex
	uses   map[string]bool
	known  map[*types.TypeName]bool
	fields map[types.Object]string
	own    map[string]bool // the program's packages
	files  map[string][]*file

	left, differ, other []note
}

func (r *run) note(path string, line int, text string) {
	r.left = append(r.left, note{path, line, text})
}

// Run runs the command with its arguments in a folder, and writes its report to out.
func Run(dir string, args []string, out, errOut io.Writer) int {
	flags := flag.NewFlagSet("idsvet", flag.ContinueOnError)
	flags.SetOutput(errOut)
	library := flags.String("from", "", "move the program from a `library`: "+strings.Join(Libraries(), ", "))
	fix := flags.Bool("fix", false, "change the files; without it, the changes are printed")
	goos := flags.String("goos", "", "look at the program for these `systems` too, as linux,windows")
	var tags []string
	flags.Func("tags", "look at the program with these build `tags` too, as a,b; may be given several times", func(set string) error {
		tags = append(tags, set)
		return nil
	})
	if err := flags.Parse(args); err != nil {
		return 2
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		fmt.Fprintln(errOut, "idsvet:", err)
		return 1
	}
	t, err := readTable(*library)
	if err != nil {
		fmt.Fprintln(errOut, "idsvet:", err)
		return 2
	}
	r := &run{
		table: t, dir: dir, patterns: flags.Args(), fix: *fix, out: out,
		uses: map[string]bool{}, known: map[*types.TypeName]bool{}, fields: map[types.Object]string{}, own: map[string]bool{}, files: map[string][]*file{},
	}
	if len(r.patterns) == 0 {
		r.patterns = []string{"./..."}
	}
	if err := r.move(strings.Fields(strings.ReplaceAll(*goos, ",", " ")), tags); err != nil {
		fmt.Fprintln(errOut, "idsvet:", err)
		return 1
	}
	return 0
}

// configs returns the systems and tags to look at: those of this machine, and all that are named, each with each.
func configs(goos, tags []string) (all []config) {
	for _, system := range append([]string{cmp.Or(os.Getenv("GOOS"), runtime.GOOS)}, goos...) {
		for _, set := range append([]string{""}, tags...) {
			if c := (config{system, set}); !slices.Contains(all, c) {
				all = append(all, c)
			}
		}
	}
	return all
}

func (r *run) move(goos, tags []string) error {
	if err := Older(r.dir); err != nil {
		return err
	}
	mods, err := modules(r.dir)
	if err != nil {
		return err
	}
	if len(r.patterns) != 1 || r.patterns[0] != "./..." {
		mods = []string{r.dir} // the patterns are relative to it
	}
	var errs []error
	for _, mod := range mods {
		for _, c := range configs(goos, tags) {
			files, err := r.load(mod, c)
			errs = append(errs, err)
			for _, f := range files {
				r.own[strings.TrimSuffix(f.pkg.Path(), "_test")] = true
				r.files[f.path] = append(r.files[f.path], f)
			}
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if len(r.uses) == 0 {
		return fmt.Errorf("nothing here uses %s: no package imports %s", r.table.name, strings.Join(r.table.paths, " or "))
	}
	var changes []change
	uses, converted := 0, 0
	for _, path := range slices.Sorted(maps.Keys(r.files)) {
		f := r.files[path][0]
		ps := r.merged(path)
		for _, p := range ps {
			uses += p.uses
			if p.why == "" {
				converted += p.uses
			} else {
				r.note(path, f.line(p.start), p.why)
			}
		}
		now, notes, err := f.rewritten(ps)
		if err != nil {
			return err
		}
		r.left = append(append(r.left, notes...), f.foreign(r.own)...)
		r.differ = append(r.differ, f.differs()...)
		if !bytes.Equal(now, f.raw) {
			changes = append(changes, change{path, f.raw, now})
			if ast.IsGenerated(f.syntax) {
				r.other = append(r.other, note{path, 1, "it is generated: let its generator know the new type, or the next run brings the old one back"})
			}
		}
	}
	if r.fix {
		if err := write(changes); err != nil {
			return err
		}
	} else {
		for _, c := range changes {
			fmt.Fprint(r.out, unified(r.rel(c.path), c.before, c.now))
		}
	}
	r.otherFiles()
	r.print("left to you", r.left)
	r.print("differs without an error", r.differ)
	r.print("look at these, too", r.other)
	share := 100 * float64(converted) / float64(max(uses, 1))
	fmt.Fprintf(r.out, "%s: %d of %d uses converted (%.1f %%) in %d files\n", r.table.name, converted, uses, share, len(changes))
	return r.require(mods, changes)
}

func (r *run) rel(path string) string {
	rel, err := filepath.Rel(r.dir, path)
	if err != nil || strings.HasPrefix(rel, "..") {
		return path
	}
	return rel
}

func (f *file) line(at int) int { return f.at.PositionFor(f.at.Pos(at), false).Line }

// merged returns the pieces of a file on which all configurations that compile it agree. Where they do not, it is left.
func (r *run) merged(path string) []piece {
	files := r.files[path]
	all := make([][]piece, len(files))
	for i, f := range files {
		if len(f.uses) > 0 {
			all[i] = f.below(f.syntax)
		}
	}
	var agreed, not []piece
	for i, ps := range all {
		for _, p := range ps {
			same := !slices.ContainsFunc(all, func(other []piece) bool {
				return !slices.ContainsFunc(other, func(q piece) bool { return reflect.DeepEqual(p, q) })
			})
			switch {
			case !same:
				not = append(not, p)
			case i == 0:
				agreed = append(agreed, p)
			}
		}
	}
	for _, p := range not {
		agreed = slices.DeleteFunc(agreed, func(q piece) bool { return p.start < q.end && q.start < p.end })
		p.edits, p.why = nil, "it has other types for another system, other tags, or in tests: write it by hand"
		p.qualifiers = files[0].qualifiers(p.start, p.end)
		agreed = append(agreed, p)
	}
	return agreed
}

// otherFiles notes what was not compiled and names the old library.
func (r *run) otherFiles() {
	names := make([]string, len(r.table.paths))
	for i, p := range r.table.paths {
		names[i] = regexp.QuoteMeta(p)
	}
	named := regexp.MustCompile(`(` + strings.Join(names, "|") + `)("|'|\.|\s|$)`)
	root := os.DirFS(r.dir)
	_ = fs.WalkDir(root, ".", func(rel string, d fs.DirEntry, err error) error {
		path := filepath.Join(r.dir, filepath.FromSlash(rel))
		switch ext := filepath.Ext(path); {
		case err != nil:
			return nil // what cannot be read is not noted
		case d.IsDir() && rel != "." && skipped(d.Name()):
			return filepath.SkipDir
		case !d.Type().IsRegular() || slices.Contains([]string{".md", ".mod", ".sum", ".work"}, ext):
		case ext == ".go":
			if r.files[path] == nil && r.imports(path) {
				r.other = append(r.other, note{path, 1, "it imports the old library, and nothing that was looked at compiles it: see -goos, -tags and the packages"})
			}
		default:
			info, err := d.Info()
			if err != nil || info.Size() > 1<<20 || len(r.table.paths[0]) < 5 {
				return nil
			}
			text, err := fs.ReadFile(root, rel)
			if err != nil || bytes.IndexByte(text, 0) >= 0 {
				return nil
			}
			for i, line := range strings.Split(string(text), "\n") {
				if named.MatchString(line) {
					r.other = append(r.other, note{path, i + 1, "it names the old library: " + strings.TrimSpace(line)})
				}
			}
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
	return slices.ContainsFunc(f.Imports, func(i *ast.ImportSpec) bool { return slices.Contains(r.table.paths, importPath(i)) })
}

// print prints notes by their places.
func (r *run) print(title string, notes []note) {
	slices.SortFunc(notes, func(a, b note) int {
		return cmp.Or(cmp.Compare(a.path, b.path), cmp.Compare(a.line, b.line), cmp.Compare(a.text, b.text))
	})
	notes = slices.Compact(notes)
	if len(notes) == 0 {
		return
	}
	fmt.Fprintf(r.out, "\n%s (%d):\n", title, len(notes))
	for _, n := range notes {
		place := r.rel(n.path)
		if n.line > 0 {
			place += fmt.Sprintf(":%d", n.line)
		}
		fmt.Fprintf(r.out, "%s: %s\n", place, n.text)
	}
}

// require lets each module that was changed require this library, or prints how.
func (r *run) require(mods []string, changes []change) error {
	var errs []error
	for _, mod := range mods {
		changed := slices.ContainsFunc(changes, func(c change) bool { return moduleOf(c.path, mods) == mod })
		if !changed {
			continue
		}
		env := environment(mod)
		commands := [][]string{{"get", root}, {"mod", "tidy"}}
		known, err := goIn(mod, env, "mod", "edit", "-json")
		if err == nil && strings.Contains(known, fmt.Sprintf("%q", root)) { // required, or replaced
			commands = commands[1:]
		}
		if _, err := os.Stat(filepath.Join(mod, "vendor", "modules.txt")); err == nil {
			commands = append(commands, []string{"mod", "vendor"})
		}
		if env == nil && inWorkspace(mod) { // whose go version must not be below that of its modules
			commands = append(commands, []string{"work", "use"})
		}
		for _, c := range commands {
			if !r.fix {
				fmt.Fprintf(r.out, "to run: (cd %s && go %s)\n", cmp.Or(r.rel(mod), "."), strings.Join(c, " "))
			} else if _, err := goIn(mod, env, c...); err != nil {
				errs = append(errs, fmt.Errorf("the files are changed, go.mod is not: %w", err))
			}
		}
	}
	return errors.Join(errs...)
}

// moduleOf returns the innermost of the modules that has the file.
func moduleOf(path string, mods []string) (best string) {
	for _, m := range mods {
		if strings.HasPrefix(path, m+string(filepath.Separator)) && len(m) > len(best) {
			best = m
		}
	}
	return best
}
