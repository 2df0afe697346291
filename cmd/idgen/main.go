// Idgen makes, inspects and converts IDs. It also prints the first ID in a time range and the first
// ID after that range, which are the bounds for a database query. Examples:
//
//	go install github.com/oneclock/ids/cmd/idgen@latest
//	idgen uuid7 -n 10
//	idgen inspect 017F22E2-79B0-7CC3-98C4-DC0C0C07398F
//	idgen help
package main

import (
	"bufio"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/oneclock/ids"
)

// help is the help text. Its parts are separated by percent signs (%). The first line of each part
// contains the names of the commands that the part describes, or the word all.
//
//go:embed help.txt
var help string

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, shield(os.Stdout), os.Stderr))
}

// commands returns a map from the name of each command to its function. The first argument of the
// program is such a name.
func commands() map[string]func(*tool, []string) error {
	return map[string]func(*tool, []string) error{
		"uuid1":     maker(ids.NewV1, ids.NewV1At, 1<<14), // a clock sequence has 14 bits
		"uuid3":     named(ids.NewV3),
		"uuid4":     maker(ids.NewV4, nil, 0),
		"uuid5":     named(ids.NewV5),
		"uuid6":     maker(ids.NewV6, ids.NewV6At, 1<<14),
		"uuid7":     maker(ids.NewV7, ids.NewV7At, math.MaxInt),
		"uuid8":     (*tool).uuid8,
		"ulid":      maker(ids.NewULID, ids.NewULIDAt, math.MaxInt),
		"snowflake": (*tool).snowflake,
		"inspect":   (*tool).inspect,
		"convert":   (*tool).convert,
		"range":     (*tool).bounds,
		"clock":     (*tool).clock,
		"help":      (*tool).help,
		"version":   (*tool).version,
	}
}

// run runs the program and returns its exit status.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	t := &tool{in: stdin, out: bufio.NewWriter(stdout), errs: stderr}
	err := t.command(args)
	if failed := t.out.Flush(); failed != nil {
		err = fmt.Errorf("writing standard output: %w", failed)
	}
	var usage usageError
	switch {
	case errors.As(err, &usage):
		fmt.Fprintf(stderr, "idgen: %s\nTry: idgen %s\n", strings.TrimPrefix(string(usage), "ids: "), strings.TrimSpace("help "+t.name))
		return 2
	case err != nil:
		fmt.Fprintf(stderr, "idgen: %v\n", err)
		return 1
	case t.bad:
		return 1
	}
	return 0
}

// command runs the command whose name is the first argument. The name is case-insensitive.
func (t *tool) command(args []string) error {
	if len(args) == 0 {
		return usageError("missing command; the commands are " + commandNames())
	}
	name := strings.TrimLeft(strings.ToLower(args[0]), "-") // accepts --help, too
	if name == "h" {
		name = "help"
	}
	do := commands()[name]
	if do == nil {
		return unknownCommand(args[0])
	}
	t.name = name
	err := do(t, args[1:])
	if errors.Is(err, flag.ErrHelp) {
		return t.help([]string{name})
	}
	return err
}

// unknownCommand returns the error for an unknown command name.
func unknownCommand(name string) error {
	return usagef("unknown command %.80q; the commands are %s", name, commandNames())
}

func commandNames() string { return strings.Join(slices.Sorted(maps.Keys(commands())), ", ") }

// help prints the help text. If args contains the name of a command, help prints only the parts
// about that command.
func (t *tool) help(args []string) error {
	name, text := "", ""
	if len(args) > 0 {
		name = strings.ToLower(args[0])
		if commands()[name] == nil {
			t.name = "" // makes the error message refer to the help for all commands
			return unknownCommand(args[0])
		}
	}
	for part := range strings.SplitSeq(strings.Replace(help, "{layouts}", layoutNames(), 1), "%") {
		about, body, _ := strings.Cut(part, "\n")
		if name == "" || about == "all" || slices.Contains(strings.Fields(about), name) {
			text += body
		}
	}
	return t.print(text)
}

// version prints the version of the program's module and the version of Go.
func (t *tool) version([]string) error {
	version := "of unknown version"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		version = info.Main.Version
	}
	return t.print(fmt.Sprintf("idgen %s, %s\n", version, runtime.Version()))
}
