package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/analysis/passes/printf"
)

// TestReports runs all analyzers on programs that use the library of this checkout. Their comments say what is to be
// reported; where there is no comment, nothing may be.
func TestReports(t *testing.T) {
	all := &analysis.Analyzer{
		Name: "all", Doc: "run all analyzers", Requires: []*analysis.Analyzer{inspect.Analyzer, printf.Analyzer},
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

// TestUsage checks that the command, alone and with -h, tells what it does besides analyzing, and its version.
func TestUsage(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "idsvet.exe")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
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
