package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oneclock/ids/cmd/idsvet/internal/refused"
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
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
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

// TestRefused compares what MustParse is said to refuse with the texts that the library publishes as accepted and refused.
func TestRefused(t *testing.T) {
	file, err := os.ReadFile("../../testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors map[string][]struct{ Form, Input, Text string }
	err = json.Unmarshal(file, &vectors)
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]string{"uuid": "UUID", "ulid": "ULID", "snowflake": "Snowflake", "typeid": "ID"}
	for list, vs := range vectors {
		for _, v := range vs {
			kind, text := kinds[list], v.Text
			if v.Form != "" {
				kind, text = kinds[strings.ToLower(v.Form)], v.Input
			}
			why := refused.Why(kind, text)
			if kind != "" && (why != "") != (list == "bad") {
				t.Errorf("%s, %s %q: got %q", list, kind, text, why)
			}
		}
	}
	if len(vectors["bad"]) < 50 || len(vectors["uuid"]) < 10 {
		t.Errorf("got %d lists of texts, too few", len(vectors))
	}
}
