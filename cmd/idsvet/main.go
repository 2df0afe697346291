// Idsvet migrates a program from one of several other libraries to github.com/oneclock/ids, and
// lists the code that it cannot convert. In programs that use ids, it also reports mistakes that
// the compiler accepts. Run it directly or through go vet:
//
//	idsvet -from google ./...
//	idsvet ./...
//	go vet -vettool="$(which idsvet)" ./...
//
// README.md describes the moves and the findings. Run idsvet help to list the analyzers. Each
// analyzer has a flag that switches it off.
package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/multichecker"

	"github.com/oneclock/ids/cmd/idsvet/internal/from"
)

// analyzers lists all analyzers. They never guess, and report only code that is certainly wrong.
var analyzers = []*analysis.Analyzer{funcValue, plainType, verb, prefix, modulo, nextError, errEqual, mustParse, float}

const usage = `idsvet reports mistakes that compile in programs that use github.com/oneclock/ids, and moves programs to it.

  idsvet [FLAGS] PACKAGES             reports mistakes. Status: 0 if there are none, 3 if there are some, 1 after an error
  idsvet -from LIBRARY [PACKAGES]     prints the changes of a move, or makes them with -fix. Status: 0, or 1 after an error
                                      It rewrites what it can, and lists the places that it knows to differ. First, it
                                      lists the differences that types cannot show. Look for them by hand
  idsvet help [ANALYZER]              describes an analyzer
  idsvet -version                     prints the version

The status is 2 if flags are wrong. LIBRARY is one of %s.
idsvet -from LIBRARY -h lists the flags of a move. The flags of reports are:

`

func main() {
	flag.Usage = func() {
		fmt.Fprintf(flag.CommandLine.Output(), usage, strings.Join(from.Libraries(), ", "))
		flag.PrintDefaults()
	}
	args := os.Args[1:]
	if len(args) == 0 {
		flag.Usage()
		os.Exit(2)
	}
	if slices.Contains([]string{"-version", "--version", "version"}, args[0]) {
		fmt.Println(version())
		return
	}
	if slices.ContainsFunc(args, regexp.MustCompile(`^-+from(=|$)`).MatchString) {
		os.Exit(from.Run(".", args, os.Stdout, os.Stderr))
	}
	// go vet first runs this program with -V. The toolchain is checked in that run, so the check
	// need not be repeated for each package.
	if args[0] != "-flags" && !strings.HasSuffix(args[len(args)-1], ".cfg") {
		if err := from.Older("."); err != nil {
			fmt.Fprintln(os.Stderr, "idsvet:", err)
			os.Exit(1)
		}
	}
	multichecker.Main(analyzers...)
}

// version returns the version of this program, as recorded by go install, and the version of Go
// that compiled it.
func version() string {
	version := "(devel)"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		version = info.Main.Version
	}
	return "idsvet " + version + ", " + runtime.Version()
}
