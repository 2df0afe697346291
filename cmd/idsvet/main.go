// The command idsvet reports what compiles and is wrong in programs that use github.com/oneclock/ids, above all in those
// that came to it from another library. Run it alone, or by go vet:
//
//	idsvet ./...
//	go vet -vettool="$(which idsvet)" ./...
//
// The file README.md says what it finds; idsvet help lists the analyzers, of which each can be switched off by a flag.
package main

import (
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/multichecker"
)

// None of the analyzers guesses: where the code does not show that something is wrong, they are silent.
var analyzers = []*analysis.Analyzer{funcValue, mustParse, plainType, typeName, verb, prefix, modulo, nextError, early}

func main() { multichecker.Main(analyzers...) }
