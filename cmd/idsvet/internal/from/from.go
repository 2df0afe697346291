// Package from moves a program from an old ID library to github.com/oneclock/ids, which the
// comments in this package call ids. It relies on the program's types, so the program must still
// compile with the old library. It changes only the code that its tables describe.
//
// A move has these stages:
//
//  1. load (load.go) loads the packages with their types, for each configuration.
//  2. conversions (convert.go) walks the syntax tree of each file. For each expression, byRule
//     calls matches (match.go). The method matches finds the rules (table.go) whose patterns match
//     the expression, and binds the letters in these patterns. The methods fill and fit
//     (template.go) write the replacement and adapt it to its context.
//  3. merged (from.go) keeps the conversions on which all configurations agree.
//  4. rewritten (imports.go) chooses the names of the packages, and applies the edits (edit.go) to
//     the text.
//  5. write (write.go) replaces the files, once all new files are ready.
//  6. require (gocmd.go) changes go.mod.
//
// The report (report.go) lists the places where the program behaves differently after the move. The
// code in differs.go, stored.go, methods.go and refused.go finds these places, and the code in
// foreign.go finds those that involve other modules. The report also lists files that mention the
// old library but that no configuration compiles. The code in elsewhere.go finds these files.
// Finally, the report lists the differences that type information does not reveal. The "unseen"
// rows of the tables contain these differences.
package from

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"io"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/rogpeppe/go-internal/diff"
	"golang.org/x/tools/go/packages"
)

// Run runs the command in dir with the given arguments, and returns its exit status. It writes the
// report to out, and errors to errOut.
func Run(dir string, args []string, out, errOut io.Writer) int {
	flags := flag.NewFlagSet("idsvet", flag.ContinueOnError)
	flags.SetOutput(errOut)
	name := flags.String("from", "", "move the program from a `library`: "+strings.Join(Libraries(), ", "))
	fix := flags.Bool("fix", false, "change the files; without it, print the changes")
	goos := flags.String("goos", "", "also check the program for these `systems`, such as linux,windows")
	var tags []string
	flags.Func("tags", "also check the program with these build `tags`, such as a,b; may be repeated", func(set string) error {
		tags = append(tags, set)
		return nil
	})
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	}
	t, err := readTable(*name)
	if i := slices.IndexFunc(flags.Args(), func(arg string) bool { return strings.HasPrefix(arg, "-") }); err == nil && i >= 0 {
		err = fmt.Errorf("flag %s follows the packages; write flags first", flags.Arg(i))
	}
	systems := strings.Fields(strings.ReplaceAll(*goos, ",", " "))
	if err == nil {
		err = knownSystems(dir, systems)
	}
	if err != nil {
		fmt.Fprintln(errOut, "idsvet:", err)
		return 2
	}
	r := &run{
		library: library{
			table: t, uses: map[string]bool{}, verbs: map[string]bool{}, own: map[string]string{}, sentinels: map[string]bool{}, dependencies: map[string]*packages.Package{},
			published: map[[2]string]bool{}, databases: map[string]bool{}, asserting: map[string]string{},
		},
		report: report{old: t.name, out: out}, fix: *fix, patterns: flags.Args(), files: map[string][]*file{}, cgo: map[string]bool{},
		forks: map[string]bool{},
	}
	if len(r.patterns) == 0 {
		r.patterns = []string{"./..."}
	}
	if r.dir, err = filepath.Abs(dir); err == nil {
		err = r.move(configs(systems, tags))
	}
	if err != nil {
		fmt.Fprintln(errOut, "idsvet:", err)
		return 1
	}
	return 0
}

// move loads the program, converts it, writes the changes and prints the report.
func (r *run) move(configs []config) error {
	if err := Older(r.dir); err != nil {
		return err
	}
	mods, err := modules(r.dir)
	if err != nil {
		return err
	}
	root := mods[0]
	if len(r.patterns) != 1 || r.patterns[0] != "./..." {
		mods = []string{r.dir} // patterns are relative to this directory
		for _, pattern := range r.patterns {
			if !slices.ContainsFunc(configs, func(c config) bool { return r.matchesPackage(pattern, c) }) {
				return fmt.Errorf("%s matches no package", pattern)
			}
		}
	}
	var errs []error
	for _, mod := range mods {
		for _, c := range configs {
			errs = append(errs, r.load(mod, c))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if len(r.uses) == 0 {
		fmt.Fprintf(r.out, "nothing here uses %s, because no package imports %s\n", r.name, strings.Join(r.paths, " or "))
		r.otherFiles()
		r.print()
		return nil
	}
	r.searchOthers(slices.Compact(slices.Sorted(slices.Values(append(slices.Clip(mods), root)))))
	changes, err := r.convert()
	if err != nil {
		return err
	}
	if err := r.replace(changes); err != nil {
		return err
	}
	r.otherFiles()
	r.printUnseen()
	r.print()
	err = r.require(mods, changes)
	r.summary(len(changes))
	return err
}

// matchesPackage reports whether pattern matches a package in configuration c.
func (r *run) matchesPackage(pattern string, c config) bool {
	folders, _ := goIn(r.dir, []string{"GOOS=" + c.goos}, "list", "-e", "-tags="+c.tags, "-f", "{{.Dir}}", pattern)
	return strings.TrimSpace(folders) != ""
}

// replace writes the changes or, without -fix, prints them as a diff. If a signal arrives before
// the last new file is prepared, replace changes no file. If a signal arrives later, replace still
// changes all files, and then returns an error.
func (r *run) replace(changes []change) error {
	if !r.fix {
		for _, c := range changes {
			fmt.Fprintf(r.out, "%s", diff.Diff("a/"+r.rel(c.path), c.before, "b/"+r.rel(c.path), c.now))
		}
		return nil
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	err := write(ctx, changes)
	if err == nil && ctx.Err() != nil {
		err = errors.New("interrupted: the files are changed, but go.mod is not")
	}
	return err
}

// convert returns the changes to all files. It also records the expressions that stay unchanged,
// and the places where the program behaves differently after the move.
func (r *run) convert() (changes []change, err error) {
	for _, path := range slices.Sorted(maps.Keys(r.files)) {
		f := r.files[path][0]
		if i := slices.IndexFunc(f.syntax.Imports, func(i *ast.ImportSpec) bool {
			return i.Name != nil && i.Name.Name == "." && slices.Contains(r.paths, importPath(i))
		}); i >= 0 {
			r.total += f.countUses(f.syntax)
			r.left = append(r.left, f.note(f.syntax.Imports[i].Pos(), "the file has a dot import and stays unchanged; name the package and run this again"))
			continue
		}
		all := r.merged(path)
		for _, c := range all {
			r.total += c.uses
			if c.left == "" {
				r.converted += c.uses
			} else {
				n := f.note(f.positions.Pos(c.start), c.left)
				n.name = c.name
				r.left = append(r.left, n)
			}
		}
		now, unused, err := f.rewritten(all)
		if err != nil {
			return nil, err
		}
		r.left = append(r.left, unused...)
		r.differ = append(r.differ, f.differences()...)
		if !bytes.Equal(now, f.original) {
			changes = append(changes, change{path, f.original, now})
			if ast.IsGenerated(f.syntax) {
				r.other = append(r.other, note{path: path, line: 1, text: "the file is generated; change its generator to use the new type, or its next run restores the old one"})
			}
		}
	}
	return changes, nil
}

// merged returns the conversions that are the same in all configurations that compile the file. An
// expression that the configurations would convert differently stays unchanged.
func (r *run) merged(path string) []conversion {
	files := r.files[path]
	all := make([][]conversion, len(files))
	agree := map[string]int{} // number of configurations that contain each conversion
	for i, f := range files {
		all[i] = f.conversions(f.root)
		for _, c := range all[i] {
			agree[fmt.Sprint(c)]++
		}
	}
	var agreed, not []conversion
	for i, some := range all {
		for _, c := range some {
			switch {
			case agree[fmt.Sprint(c)] < len(files):
				not = append(not, c)
			case i == 0:
				agreed = append(agreed, c)
			}
		}
	}
	for _, c := range not {
		agreed = slices.DeleteFunc(agreed, func(a conversion) bool { return c.start < a.end && a.start < c.end })
		c.edits, c.left = nil, "its types differ for another system, for other tags or in tests; convert it by hand"
		agreed = append(agreed, c)
	}
	return agreed
}

// printUnseen prints the differences that the user must search for by hand. It omits differences
// that concern only names that the program does not use.
func (r *run) printUnseen() {
	fmt.Fprintf(r.out, "\ntypes cannot show these; look for them by hand, with https://%s/blob/main/docs/from/%s.md:\n",
		root, r.page())
	has := func(name string) bool { return r.uses[name] || r.verbs[name] || r.dependencies[name] != nil }
	for _, u := range r.unseen {
		if u.names == nil || slices.ContainsFunc(u.names, has) {
			fmt.Fprintf(r.out, "- %s\n", u.sentence)
		}
	}
}
