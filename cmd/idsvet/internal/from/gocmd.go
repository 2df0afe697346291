package from

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
		said := downloading.ReplaceAll(stderr.Bytes(), nil)
		err = fmt.Errorf("go %s in %s: %w\n%s", strings.Join(args, " "), dir, err, bytes.TrimSpace(said))
	}
	return string(out), err
}

var downloading = regexp.MustCompile(`(?m)^go: downloading .*\n`)

// modules returns the folder whose go.mod counts in dir, if there is one, and those below dir that have one.
func modules(dir string) ([]string, error) {
	out, err := goIn(dir, nil, "env", "GOMOD")
	if err != nil {
		return nil, err
	}
	var all []string
	if mod := strings.TrimSpace(out); filepath.Base(mod) == "go.mod" {
		all = append(all, filepath.Dir(mod))
	}
	walk(dir, func(path string, _ fs.DirEntry) {
		if filepath.Base(path) == "go.mod" && !slices.Contains(all, filepath.Dir(path)) {
			all = append(all, filepath.Dir(path))
		}
	})
	if len(all) == 0 {
		return nil, errors.New("there is no go.mod here, above or below")
	}
	return all, nil
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

var goLines = regexp.MustCompile(`(?m)^(go|toolchain) .*$`)

// readMod returns a module's go.mod, and its lines for the version of Go.
func readMod(module string) (text, lines string) {
	text, _ = goIn(module, nil, "mod", "edit", "-print")
	return text, strings.Join(goLines.FindAllString(text, -1), " ")
}

// require lets each module that was changed require this library, or prints how.
func (r *run) require(mods []string, changes []change) error {
	var errs []error
	for _, mod := range mods {
		if !slices.ContainsFunc(changes, func(c change) bool { return moduleOf(c.path, mods) == mod }) {
			continue
		}
		env := environment(mod)
		text, before := readMod(mod)
		commands := [][]string{{"get", root}, {"mod", "tidy"}}
		if strings.Contains(text, root+" ") { // it requires or replaces this library
			commands = commands[1:]
		}
		if _, err := os.Stat(filepath.Join(mod, "vendor", "modules.txt")); err == nil {
			commands = append(commands, []string{"mod", "vendor"})
		}
		if work, _ := goIn(mod, env, "env", "GOWORK"); strings.HasSuffix(strings.TrimSpace(work), ".work") { // whose go version must not be below that of its modules
			commands = append(commands, []string{"work", "use"})
		}
		for _, c := range commands {
			if !r.fix {
				fmt.Fprintf(r.out, "to run: (cd %s && go %s)\n", cmp.Or(r.rel(mod), "."), strings.Join(c, " "))
			} else if _, err := goIn(mod, env, c...); err != nil {
				is := "is not"
				if now, _ := readMod(mod); now != text {
					is = "is changed too"
				}
				errs = append(errs, fmt.Errorf("the files are changed, %s %s: %w", r.rel(filepath.Join(mod, "go.mod")), is, err))
				break
			}
		}
		if _, after := readMod(mod); after != before {
			fmt.Fprintf(r.out, "%s: the go command has raised %q to %q, since this library needs that: older lines have other rules for the language\n",
				r.rel(filepath.Join(mod, "go.mod")), before, after)
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
