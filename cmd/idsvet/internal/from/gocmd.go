package from

// This file calls the go command to get its version, to find the program's modules, and to change
// go.mod and go.work.

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"go/version"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// Older returns an error if the Go toolchain of the program in dir is at least one minor version
// newer than the toolchain that built this command. In that case, this command cannot read the
// program's packages.
func Older(dir string) error {
	out, err := goIn(dir, nil, "env", "GOVERSION")
	if err != nil {
		return err
	}
	newer, own := strings.TrimSpace(out), runtime.Version()
	if newerGo(newer, own) {
		return fmt.Errorf("built with %s, which cannot read a program for %s; run: GOTOOLCHAIN=%[2]s go install %s/cmd/idsvet@latest", own, newer, root)
	}
	return nil
}

// newerGo reports whether release a, such as go1.27.0, has a later minor version than b. It returns
// false if b is not a release.
func newerGo(a, b string) bool {
	return version.IsValid(b) && version.Compare(version.Lang(a), version.Lang(b)) > 0
}

// goIn runs the go command in dir with env added to the environment, and returns its output. The
// error includes the go command's output to standard error, without the lines about downloads.
func goIn(dir string, env []string, args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	var stderr bytes.Buffer
	cmd.Dir, cmd.Stderr, cmd.Env = dir, &stderr, append(os.Environ(), env...)
	out, err := cmd.Output()
	if err != nil {
		message := downloading.ReplaceAll(stderr.Bytes(), nil)
		err = fmt.Errorf("go %s in %s: %w\n%s", strings.Join(args, " "), dir, err, bytes.TrimSpace(message))
	}
	return string(out), err
}

var downloading = regexp.MustCompile(`(?m)^go: downloading .*\n`)

// modules returns the directories of the program's modules. If a go.mod file applies in dir, the
// first result is the directory of that file. The other results are the directories below dir that
// contain a go.mod file.
func modules(dir string) ([]string, error) {
	out, err := goIn(dir, nil, "env", "GOMOD")
	if err != nil {
		return nil, err
	}
	var all []string
	if mod := strings.TrimSpace(out); filepath.Base(mod) == "go.mod" {
		all = append(all, filepath.Dir(mod))
	}
	walk(dir, nil, func(path string, _ fs.DirEntry) {
		if filepath.Base(path) == "go.mod" && !slices.Contains(all, filepath.Dir(path)) {
			all = append(all, filepath.Dir(path))
		}
	})
	if len(all) == 0 {
		return nil, errors.New("found no go.mod here, above or below")
	}
	return all, nil
}

// isSkipped reports whether directories with the given name are skipped. Such a directory cannot
// contain a module of the program. A directory whose name begins with "_" is not skipped, because
// it may contain examples.
func isSkipped(name string) bool {
	return name == "vendor" || name == "testdata" || name == "node_modules" || name[0] == '.'
}

// environment returns the variables to add to the environment of a go command that runs in a
// module. If the enclosing workspace does not include the module, these variables disable the
// workspace.
func environment(module string) []string {
	all, err := goIn(module, nil, "list", "-m", "-f", "{{.Dir}}")
	if err == nil && slices.Contains(strings.Split(all, "\n"), module) {
		return nil
	}
	return []string{"GOWORK=off"}
}

// knownSystems returns an error if one of the systems is unknown to the go command.
func knownSystems(dir string, systems []string) error {
	if len(systems) == 0 {
		return nil
	}
	ports, err := goIn(dir, nil, "tool", "dist", "list")
	for _, system := range systems {
		if err == nil && !strings.Contains("\n"+ports, "\n"+system+"/") {
			err = fmt.Errorf("-goos %s: unknown system; run: go tool dist list", system)
		}
	}
	return err
}

var (
	goLine         = regexp.MustCompile(`(?m)^go (.*)$`)
	godebugDefault = regexp.MustCompile(`(?m)^(godebug |\t)default=`)
)

// A goFile is a go.mod or go.work file.
type goFile struct{ folder, kind, text string }

// readGoFile reads the go.mod file or the go.work file that the go command uses in the given
// folder. It reads go.mod if kind is "mod", and go.work if kind is "work".
func readGoFile(folder, kind string) goFile {
	text, _ := goIn(folder, nil, kind, "edit", "-print")
	return goFile{folder, kind, text}
}

// goVersion returns the version in the file's go line. If a go.mod has no such line, the go command
// assumes version 1.16.
func (g goFile) goVersion() string {
	if m := goLine.FindStringSubmatch(g.text); m != nil {
		return m[1]
	}
	return "1.16"
}

// reportRaised prints a message if the go command has raised the version in a file's go line. The
// decides parameter must be true if the file also determines the GODEBUG defaults. In that case, a
// second message shows how to keep these defaults, unless the file sets them explicitly. In a
// workspace, only go.work determines the GODEBUG defaults.
func (r *run) reportRaised(before goFile, decides bool) {
	was, is := before.goVersion(), readGoFile(before.folder, before.kind).goVersion()
	if is == was {
		return
	}
	fmt.Fprintf(r.out, "%s: the go command has raised \"go %s\" to \"go %s\", which this library needs. The go line also decides "+
		"language rules (loop variables since 1.22), GODEBUG defaults (panic(nil), ServeMux patterns, timers, TLS) "+
		"and what go test vets (non-constant format strings since 1.24)\n", r.rel(filepath.Join(before.folder, "go."+before.kind)), was, is)
	if decides && !godebugDefault.MatchString(before.text) {
		fmt.Fprintf(r.out, "to keep the former GODEBUG defaults: (cd %s && go %s edit -godebug=default=%s)\n",
			r.rel(before.folder), before.kind, version.Lang("go"+was))
	}
}

// require adds ids to the requirements of each changed module. Without -fix, it only prints the
// commands for this change.
func (r *run) require(mods []string, changes []change) error {
	var errs []error
	for _, mod := range mods {
		if !slices.ContainsFunc(changes, func(c change) bool { return moduleOf(c.path, mods) == mod }) {
			continue
		}
		env := environment(mod)
		before := readGoFile(mod, "mod")
		commands := [][]string{{"get", root}, {"mod", "tidy"}}
		if strings.Contains(before.text, root+" ") { // the module already requires or replaces ids
			commands = commands[1:]
		}
		if _, err := os.Stat(filepath.Join(mod, "vendor", "modules.txt")); err == nil {
			commands = append(commands, []string{"mod", "vendor"})
		}
		work, inWork := goFile{}, false
		if path, _ := goIn(mod, env, "env", "GOWORK"); strings.HasSuffix(strings.TrimSpace(path), ".work") {
			work, inWork = readGoFile(filepath.Dir(strings.TrimSpace(path)), "work"), true
			// The version in the go line of go.work must be at least as high as the versions in the
			// go lines of its modules.
			commands = append(commands, []string{"work", "use"})
		}
		for _, c := range commands {
			if !r.fix {
				fmt.Fprintf(r.out, "to run: (cd %s && go %s)\n", cmp.Or(r.rel(mod), "."), strings.Join(c, " "))
			} else if _, err := goIn(mod, env, c...); err != nil {
				is := "is not"
				if readGoFile(mod, "mod") != before {
					is = "is changed too"
				}
				errs = append(errs, fmt.Errorf("the files are changed, %s %s: %w", r.rel(filepath.Join(mod, "go.mod")), is, err))
				break
			}
		}
		r.reportRaised(before, !inWork)
		if inWork {
			r.reportRaised(work, true)
		}
	}
	return errors.Join(errs...)
}

// moduleOf returns the innermost module in mods that contains the file, or "".
func moduleOf(path string, mods []string) (best string) {
	for _, m := range mods {
		if strings.HasPrefix(path, m+string(filepath.Separator)) && len(m) > len(best) {
			best = m
		}
	}
	return best
}

// walk calls visit for each regular file of the program in dir and its subdirectories. It skips the
// directories in omit. It also skips directories and files that it cannot read.
func walk(dir string, omit map[string]bool, visit func(path string, d fs.DirEntry)) {
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
		case d.IsDir() && (path != dir && isSkipped(d.Name()) || omit[path]):
			return filepath.SkipDir
		case d.Type().IsRegular():
			visit(path, d)
		}
		return nil
	})
}
