package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/oneclock/ids"
)

// try runs the program.
func try(stdin string, args ...string) (status int, stdout, stderr string) {
	var out, errs bytes.Buffer
	status = run(args, strings.NewReader(stdin), &out, &errs)
	return status, out.String(), errs.String()
}

// newTool returns the program before it runs a command, without output, and what it reports.
func newTool(stdin string) (*tool, *bytes.Buffer) {
	errs := new(bytes.Buffer)
	return &tool{in: strings.NewReader(stdin), out: bufio.NewWriter(io.Discard), errs: errs}, errs
}

// must runs the program, which must succeed in silence, and returns the lines of its output.
func must(t *testing.T, stdin string, args ...string) []string {
	t.Helper()
	status, out, errs := try(stdin, args...)
	if status != 0 || errs != "" {
		t.Fatalf("%q: status %d, %s", args, status, errs)
	}
	if out == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(out, "\n"), "\n")
}

func TestBadNodeInEnvironment(t *testing.T) {
	for _, value := range []string{"1024", "web-3", ""} {
		t.Setenv("IDS_SNOWFLAKE_NODE", value)
		want := fmt.Sprintf("idgen: IDS_SNOWFLAKE_NODE must be a number from 0 to 1023, not %q\nTry: idgen help\n", value)
		if status, _, errs := try("", "snowflake"); status != 2 || errs != want {
			t.Errorf("status %d, %q, want %q", status, errs, want)
		}
	}
}

func TestHelp(t *testing.T) {
	for args, first := range map[string]string{
		"help": "Idgen makes", "-h": "Idgen makes", "--help": "Idgen makes", "help me": "Idgen makes", "help -h": "Idgen makes",
		"help UUID7": "Make", "uuid7 -h": "Make", "uuid2 --help": "Make", "ulid -h": "Make", "snowflake -h": "Make",
		"inspect -help": "Inspect", "convert 1 -h": "Convert", "range --help": "Range",
	} {
		lines := must(t, "", strings.Fields(args)...)
		titles := 0
		for _, line := range lines {
			if slices.Contains([]string{"Make", "Inspect", "Convert", "Range"}, line) {
				titles++
			}
		}
		if !strings.HasPrefix(lines[0], first) || titles != map[bool]int{true: 4, false: 1}[first == "Idgen makes"] || slices.Contains(lines, "%") ||
			!strings.HasPrefix(lines[len(lines)-1], "Exit status") {
			t.Errorf("idgen %s: %q", args, lines)
		}
	}
	// Each command, form and layout is in it, in lines that a terminal has room for.
	words := slices.Concat(slices.Collect(maps.Keys(commands)), formNames,
		strings.Fields("-n -node -namespace -domain -local -layout -format -as -to -from -json -brief -field"))
	for _, l := range layouts {
		words = append(words, l.name)
	}
	for _, word := range words {
		if !strings.Contains(help, word) {
			t.Errorf("the help does not tell of %s", word)
		}
	}
	for line := range strings.Lines(help) {
		if len(line) > 90 {
			t.Errorf("a line of %d characters: %s", len(line), line)
		}
	}
}

func TestVersion(t *testing.T) {
	for _, arg := range []string{"version", "--version", "-V"} {
		lines := must(t, "", arg)
		fields := strings.Fields(strings.ReplaceAll(lines[0], "of unknown version", "(devel)"))
		if len(lines) != 1 || len(fields) != 3 || fields[0] != "idgen" || fields[1] == "" || fields[2] != runtime.Version() {
			t.Errorf("idgen %s: %q", arg, lines)
		}
	}
}

// TestReaderGone checks that the program ends in silence when nobody reads its output any more.
func TestReaderGone(t *testing.T) {
	t.Run("os.Pipe", func(t *testing.T) {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		checkReaderGone(t, r, w)
	})
	t.Run("io.Pipe", func(t *testing.T) {
		r, w := io.Pipe()
		checkReaderGone(t, r, w)
	})
}

func checkReaderGone(t *testing.T, r io.ReadCloser, w io.Writer) {
	done := make(chan error)
	go func() {
		_, err := io.ReadFull(r, make([]byte, 37))
		r.Close()
		done <- err
	}()
	var errs bytes.Buffer
	if status := run([]string{"uuid7", "-n", "1000000000"}, nil, w, &errs); status != 0 || errs.Len() > 0 {
		t.Errorf("status %d, %s", status, &errs)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// A fullDisk takes no byte.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestFailures(t *testing.T) {
	ids := strings.Repeat("01ARZ3NDEKTSV4RRFFQ69G5FAV\n", 10_000)
	for _, args := range []string{"uuid7", "uuid7 -n 100000", "inspect", "inspect -json", "convert", "uuid5", "help"} {
		var errs bytes.Buffer
		if status := run(strings.Fields(args), strings.NewReader(ids), fullDisk{}, &errs); status != 1 {
			t.Errorf("idgen %s: status %d", args, status)
		}
		if want := "idgen: writing standard output: no space left\n"; errs.String() != want {
			t.Errorf("idgen %s: %q", args, &errs)
		}
	}
	for _, args := range []string{"inspect", "convert", "uuid5", "uuid8"} {
		var errs bytes.Buffer
		broken := io.MultiReader(strings.NewReader("017F22E2-79B0-7CC3-98C4-DC0C0C07398F\n"), iotest.ErrReader(errors.New("lost")))
		if status := run(strings.Fields(args), broken, io.Discard, &errs); status != 1 {
			t.Errorf("idgen %s: status %d", args, status)
		}
		if want := "idgen: reading standard input: lost\n"; errs.String() != want {
			t.Errorf("idgen %s: %q", args, &errs)
		}
	}
}

func TestTerminal(t *testing.T) {
	f, err := os.Create(t.TempDir() + "/file")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if isTerminal(f) || isTerminal(new(bytes.Buffer)) {
		t.Error("a file or a buffer is not a terminal")
	}
	f.Close()
	if isTerminal(f) {
		t.Error("a closed file is not a terminal")
	}
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if isTerminal(null) {
		t.Error("the null device is not a terminal")
	}
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("this system does not give a terminal by opening a file:", err)
	}
	defer terminal.Close()
	if !isTerminal(terminal) {
		t.Error("a terminal is not seen as one")
	}
}

var _ ident = ids.UUID{} // the three types are all that an ident can be
var _ ident = ids.ULID{}
var _ ident = ids.Snowflake(0)
