package main

// This file finds the packages that do not compile, so that the analyzers can skip them.

import (
	"fmt"
	"go/ast"
	"go/types"
	"os"
	"reflect"
	"slices"
	"sync"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/printf"
)

// broken is an analyzer that finds packages that do not compile, or that import a package that does
// not compile. The type information of such a package is incomplete. The other analyzers skip such
// packages without an error, because multichecker would print one error for each package and
// analyzer. Compiler errors are always printed.
var broken = &analysis.Analyzer{
	Name: "broken", Doc: "find packages that do not compile", RunDespiteErrors: true,
	FactTypes: []analysis.Fact{new(isBroken)}, ResultType: reflect.TypeFor[bool](),
	Run: func(pass *analysis.Pass) (any, error) {
		importsBroken := slices.ContainsFunc(pass.Pkg.Imports(), func(p *types.Package) bool {
			return pass.ImportPackageFact(p, new(isBroken))
		})
		if !importsBroken && len(pass.TypeErrors) == 0 && !slices.ContainsFunc(pass.Files, isBad) {
			return false, nil
		}
		pass.ExportPackageFact(new(isBroken))
		reportSkipped()
		return true, nil
	},
}

// isBroken is an analysis fact. It marks a package that does not compile, or that imports a package
// that does not compile.
type isBroken struct{}

func (*isBroken) AFact() {}

// isBad reports whether a file has a syntax error. The type information for such a file is
// incomplete.
func isBad(f *ast.File) bool {
	for n := range ast.Preorder(f) {
		switch n.(type) {
		case *ast.BadDecl, *ast.BadExpr, *ast.BadStmt:
			return true
		}
	}
	return false
}

// reportSkipped prints a line about the skipped packages. Only the first call prints it.
var reportSkipped = sync.OnceFunc(func() {
	fmt.Fprintln(os.Stderr, "idsvet: skipped the packages that do not compile and those that import them")
})

// skipBroken returns a copy of the analyzer a that does not analyze broken packages. If a package
// is broken, the copy's Run function returns the value skipped without calling a.Run.
func skipBroken(a *analysis.Analyzer, skipped any) *analysis.Analyzer {
	b := *a
	b.RunDespiteErrors, b.Requires = true, append(slices.Clone(a.Requires), broken)
	b.Run = func(pass *analysis.Pass) (any, error) {
		if pass.ResultOf[broken].(bool) {
			return skipped, nil
		}
		return a.Run(pass)
	}
	return &b
}

// printfs is a copy of printf.Analyzer that skips broken packages.
var printfs = skipBroken(printf.Analyzer, &printf.Result{})
