package from

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"go/version"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
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
		err = fmt.Errorf("go %s in %s: %w\n%s", strings.Join(args, " "), dir, err, bytes.TrimSpace(stderr.Bytes()))
	}
	return string(out), err
}

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

// A goMod is what counts here of a go.mod.
type goMod struct {
	Go, Toolchain string
	knows         bool // this library: it is required, or replaced
}

func readMod(module string) (m goMod) {
	text, err := goIn(module, nil, "mod", "edit", "-json")
	if err == nil {
		err = json.Unmarshal([]byte(text), &m)
	}
	m.knows = err == nil && strings.Contains(text, fmt.Sprintf("%q", root))
	return m
}

// require lets each module that was changed require this library, or prints how.
func (r *run) require(mods []string, changes []change) error {
	var errs []error
	for _, mod := range mods {
		if !slices.ContainsFunc(changes, func(c change) bool { return moduleOf(c.path, mods) == mod }) {
			continue
		}
		env, before := environment(mod), readMod(mod)
		commands := [][]string{{"get", root}, {"mod", "tidy"}}
		if before.knows {
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
		if after := readMod(mod); after.Go != before.Go || after.Toolchain != before.Toolchain {
			fmt.Fprintf(r.out, "%s: the go command has raised %q to %q, since this library needs that: older lines have other rules for the language\n",
				r.rel(filepath.Join(mod, "go.mod")), before, after)
		}
	}
	return errors.Join(errs...)
}

func (m goMod) String() string { return strings.TrimSpace("go " + m.Go + " " + m.Toolchain) }

// moduleOf returns the innermost of the modules that has the file.
func moduleOf(path string, mods []string) (best string) {
	for _, m := range mods {
		if strings.HasPrefix(path, m+string(filepath.Separator)) && len(m) > len(best) {
			best = m
		}
	}
	return best
}
