package main

// Packages that do not compile, which the analyzers skip.

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

// broken reports whether a package, or a package that it imports, does not compile. Its types are
// then incomplete. The other analyzers skip such a package without an error, because multichecker
// would print the error once for each package and analyzer. It prints the compiler's errors in any
// case.
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

// isBroken is the fact that a package, or a package that it imports, does not compile.
type isBroken struct{}

func (*isBroken) AFact() {}

// isBad reports whether a file has a syntax error, so that a part of it has no types.
func isBad(f *ast.File) bool {
	for n := range ast.Preorder(f) {
		switch n.(type) {
		case *ast.BadDecl, *ast.BadExpr, *ast.BadStmt:
			return true
		}
	}
	return false
}

// reportSkipped prints once that packages were skipped.
var reportSkipped = sync.OnceFunc(func() {
	fmt.Fprintln(os.Stderr, "idsvet: skipped the packages that do not compile and those that import them")
})

// skipBroken returns a copy of the analyzer a. For a broken package, the copy returns the result
// skipped.
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

// printfs is printf.Analyzer, except that it skips broken packages.
var printfs = skipBroken(printf.Analyzer, &printf.Result{})
