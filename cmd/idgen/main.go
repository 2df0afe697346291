// Idgen makes, inspects and converts ids, and gives the bounds of a time for a database query:
//
//	go install github.com/oneclock/ids/cmd/idgen@latest
//	idgen uuid7 -n 10
//	idgen inspect 017F22E2-79B0-7CC3-98C4-DC0C0C07398F
//	idgen help
//
// In a checkout, go run ./cmd/idgen does without the first line.
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

//go:embed help.txt
var help string

func main() {
	endBetweenLines()
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// A tool is one run of the program.
type tool struct {
	in   io.Reader
	out  *bufio.Writer // a failed write stays failed: see stopped
	errs io.Writer
	name string // of the command
	note string // on what is printed, or ""
	// Whether each line of input has one of output, an empty one if it is empty or bad, so that columns fit together again.
	aligned bool
	// The inputs, and those of them that were refused.
	total, bad int
}

// commands returns what the first argument can be.
func commands() map[string]func(*tool, []string) error {
	return map[string]func(*tool, []string) error{
		"uuid1":     runs(oneByOne(ids.NewV1), ids.NewV1At, 1<<14), // a clock sequence has 14 bits
		"uuid2":     (*tool).uuid2,
		"uuid3":     named(ids.NewV3),
		"uuid4":     runs(ids.AppendV4, nil, 0),
		"uuid5":     named(ids.NewV5),
		"uuid6":     runs(oneByOne(ids.NewV6), ids.NewV6At, 1<<14),
		"uuid7":     runs(ids.AppendV7, ids.NewV7At, math.MaxInt),
		"uuid8":     (*tool).uuid8,
		"ulid":      runs(ids.AppendULID, ids.NewULIDAt, math.MaxInt),
		"snowflake": (*tool).snowflake,
		"inspect":   (*tool).inspect,
		"convert":   (*tool).convert,
		"range":     (*tool).bounds,
		"clock":     (*tool).clock,
		"help":      (*tool).help,
		"version":   (*tool).version,
	}
}

// run is the program: it returns the exit status.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	t := &tool{in: stdin, out: bufio.NewWriter(&wholeLines{to: stdout}), errs: stderr}
	err := t.command(args)
	if failed := t.out.Flush(); failed != nil {
		if readerGone(stdout, failed) {
			return min(t.bad, 1)
		}
		err = fmt.Errorf("writing standard output: %w", failed)
	}
	var usage usageError
	switch {
	case errors.As(err, &usage):
		fmt.Fprintf(stderr, "idgen: %v\nTry: idgen help\n", usage)
		return 2
	case err != nil:
		fmt.Fprintf(stderr, "idgen: %v\n", err)
		return 1
	}
	return min(t.bad, 1)
}

// command runs the command that the arguments name, in upper or lower case.
func (t *tool) command(args []string) error {
	if len(args) == 0 {
		return usageError("missing command; there are " + commandNames())
	}
	var ok bool
	t.name, ok = commandNamed(args[0])
	if !ok {
		return usagef("unknown command %s; there are %s", quoted(args[0]), commandNames())
	}
	err := commands()[t.name](t, args[1:])
	if errors.Is(err, flag.ErrHelp) {
		return t.help([]string{t.name})
	}
	return err
}

// commandNamed returns the name of the command that an argument names, and whether there is one.
func commandNamed(arg string) (name string, ok bool) {
	name = strings.ToLower(arg)
	switch name {
	case "-h", "-help", "--help":
		name = "help"
	case "-v", "-version", "--version":
		name = "version"
	}
	_, ok = commands()[name]
	return name, ok
}

// commandNames lists the commands.
func commandNames() string { return listed(slices.Sorted(maps.Keys(commands())), "and") }

// help prints the help, or what it says of a command: one of its parts, and the last, which is about what commands share.
func (t *tool) help(args []string) error {
	parts := strings.Split(strings.Replace(help, "{layouts}", listed(layoutNames(), "or"), 1), "%\n")
	text := strings.Join(parts, "")
	if len(args) > 0 {
		name, ok := commandNamed(args[0])
		if !ok {
			return usagef("unknown command %s; there are %s", quoted(args[0]), commandNames())
		}
		about := map[string]int{"uuid": 1, "ulid": 1, "snowflake": 1, "inspect": 2, "convert": 3, "range": 4, "clock": 5}
		if part, ok := about[strings.TrimRight(name, "12345678")]; ok {
			text = parts[part] + parts[6]
		}
	}
	_, err := t.out.WriteString(text)
	return err
}

// version prints the version of the module that the program was built from, and Go's.
func (t *tool) version([]string) error {
	version := "of unknown version"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		version = info.Main.Version
	}
	_, err := fmt.Fprintf(t.out, "idgen %s, %s\n", version, runtime.Version())
	return err
}

// stopped returns the error of an earlier write to the output, which a write of nothing repeats.
func (t *tool) stopped() error {
	_, err := t.out.Write(nil)
	return err
}

// readerGone reports whether writing to w failed because nobody reads any more, as when piped
// into head. That is the only way in which a write to a pipe fails.
func readerGone(w io.Writer, err error) bool {
	if f, ok := w.(*os.File); ok {
		info, err := f.Stat()
		return err == nil && info.Mode()&os.ModeNamedPipe != 0
	}
	return errors.Is(err, io.ErrClosedPipe)
}
