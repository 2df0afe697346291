// The command idsvet moves a program to github.com/oneclock/ids from another library, and reports what compiles and is wrong
// in programs that use it. Run it alone, or by go vet:
//
//	idsvet -from google ./...
//	idsvet ./...
//	go vet -vettool="$(which idsvet)" ./...
//
// The file README.md says what it does and finds; idsvet help lists the analyzers, of which each can be switched off by a flag.
package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/multichecker"

	"github.com/oneclock/ids/cmd/idsvet/internal/from"
)

// None of the analyzers guesses: where the code does not show that something is wrong, they are silent.
var analyzers = []*analysis.Analyzer{funcValue, mustParse, plainType, typeName, verb, prefix, modulo, nextError, early}

func main() {
	args := os.Args[1:]
	isFrom := func(arg string) bool {
		name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		return strings.HasPrefix(arg, "-") && name == "from"
	}
	if slices.ContainsFunc(args, isFrom) {
		os.Exit(from.Run(".", args, os.Stdout, os.Stderr))
	}
	if len(args) > 0 && args[0] != "-flags" && !strings.HasSuffix(args[len(args)-1], ".cfg") { // go vet asks for -V first
		if err := from.Older("."); err != nil {
			fmt.Fprintln(os.Stderr, "idsvet:", err)
			os.Exit(1)
		}
	}
	multichecker.Main(analyzers...)
}
