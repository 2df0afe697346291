package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"
	"golang.org/x/tools/go/analysis/passes/inspect"
)

// TestReports runs all analyzers on programs that use the library of this checkout. Comments in the
// programs list the expected findings. A line without a comment must have none.
func TestReports(t *testing.T) {
	all := &analysis.Analyzer{
		Name: "all", Doc: "run all analyzers", Requires: []*analysis.Analyzer{inspect.Analyzer, printfs, broken},
		Run: func(pass *analysis.Pass) (any, error) {
			for _, a := range analyzers {
				if _, err := a.Run(pass); err != nil {
					return nil, err
				}
			}
			return nil, nil
		},
	}
	for _, a := range analyzers {
		all.FactTypes = append(all.FactTypes, a.FactTypes...)
	}
	if err := analysis.Validate(analyzers); err != nil {
		t.Error(err)
	}
	analysistest.Run(t, analysistest.TestData(), all, "./p", "./lib")
}

// build builds the command and returns the path of its binary.
func build(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "idsvet.exe")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return binary
}

// TestBroken checks that packages that do not compile, and those that import them, are skipped with
// one line in addition to the compiler's errors, and that the others are analyzed.
func TestBroken(t *testing.T) {
	binary, dir := build(t), t.TempDir()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	const head = "\n\nimport \"github.com/oneclock/ids/uuid\"\n\n"
	for name, text := range map[string]string{
		"go.mod":          "module example.com/p\n\ngo 1.26\n\nrequire github.com/oneclock/ids v0.0.0\n\nreplace github.com/oneclock/ids => " + root + "\n",
		"types/types.go":  "package types" + head + "var Zero any = uuid.Nil\n\nfunc F() Missing { return nil }\n",
		"syntax/p.go":     "package syntax" + head + "var Zero any = uuid.Nil\n\nvar x = )\n",
		"above/above.go":  "package above" + head + "import \"example.com/p/types\"\n\nvar Zero any = uuid.Nil\n\nfunc G() { types.F() }\n",
		"above2/above.go": "package above2" + head + "import \"example.com/p/above\"\n\nvar Zero any = uuid.Nil\n\nfunc H() { above.G() }\n",
		"right/right.go":  "package right" + head + "var Zero any = uuid.Nil\n",
	} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	for args, status := range map[string]int{"./above2": 1, "./...": 3, "./right": 3} {
		cmd := exec.CommandContext(t.Context(), binary, strings.Fields(args)...)
		cmd.Dir = dir
		out, _ := cmd.CombinedOutput()
		text := string(out)
		skipped := strings.Count(text, "idsvet: skipped the packages that do not compile") == 1
		found := strings.Contains(text, "right.go:5:16: uuid.Nil is a function")
		if cmd.ProcessState.ExitCode() != status || skipped != (args != "./right") || found != (status == 3) {
			t.Errorf("%s: status %d, want %d\n%s", args, cmd.ProcessState.ExitCode(), status, text)
		}
		if strings.Count(text, "uuid.Nil is a function") > 1 || strings.Contains(text, "prerequisites") || strings.Contains(text, "due to errors") {
			t.Errorf("%s: broken packages are reported\n%s", args, text)
		}
	}
}

// TestUsage checks that the command, without arguments and with -h, describes its uses, and that it
// prints its version.
func TestUsage(t *testing.T) {
	binary := build(t)
	for _, args := range [][]string{nil, {"-h"}} {
		out, err := exec.CommandContext(t.Context(), binary, args...).CombinedOutput()
		if (err == nil) != (args != nil) || !strings.Contains(string(out), "-from LIBRARY") || !strings.Contains(string(out), "google, oklog") {
			t.Errorf("%q: %v\n%s", args, err, out)
		}
	}
	out, err := exec.CommandContext(t.Context(), binary, "-version").Output()
	if want := version() + "\n"; err != nil || string(out) != want {
		t.Errorf("-version: %v, %q, want %q", err, out, want)
	}
}
