package main

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
)

// try runs the program.
func try(stdin string, args ...string) (status int, stdout, stderr string) {
	var out, errs bytes.Buffer
	status = run(args, strings.NewReader(stdin), &out, &errs)
	return status, out.String(), errs.String()
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

func TestHelp(t *testing.T) {
	titles := regexp.MustCompile(`(?m)^[A-Z][a-z]+$|^Idgen makes|^Exit status|^%`)
	const all = "Idgen makes Make Inspect Convert Range Exit status"
	for args, want := range map[string]string{
		"help": all, "-h": all, "--help": all, "help help": all, "help -h": all, "help version": all, "help -V": all,
		"help UUID7": "Make Exit status", "uuid7 -h": "Make Exit status", "ulid -h": "Make Exit status", "snowflake --help": "Make Exit status",
		"inspect -help": "Inspect Exit status", "convert 1 -h": "Convert Exit status", "range --help": "Range Exit status",
	} {
		lines := must(t, "", strings.Fields(args)...)
		if got := strings.Join(titles.FindAllString(strings.Join(lines, "\n"), -1), " "); got != want {
			t.Errorf("idgen %s has the titles %s, want %s", args, got, want)
		}
	}
	// Each command, form and layout is in it, in lines that a terminal has room for.
	words := slices.Concat(slices.Collect(maps.Keys(commands())), formNames,
		strings.Fields("-n -node -namespace -domain -local -layout -format -as -to -from -json -brief -field -at -prefix"))
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
	version := "of unknown version"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		version = info.Main.Version
	}
	want := "idgen " + version + ", " + runtime.Version()
	for _, arg := range []string{"version", "--version", "-V"} {
		if got := must(t, "", arg); len(got) != 1 || got[0] != want {
			t.Errorf("idgen %s: %q, want %q", arg, got, want)
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
	many := strings.NewReader(strings.Repeat("01ARZ3NDEKTSV4RRFFQ69G5FAV\n", 10_000))
	const full, lost = "idgen: writing standard output: no space left\n", "idgen: reading standard input: lost\n"
	for args, want := range map[string]string{
		"uuid7": full, "uuid7 -n 100000": full, "inspect": full, "inspect -json": full, "inspect -brief": full, "inspect -field time": full,
		"convert": full, "uuid5": full, "help": full, "version": full,
		"inspect -": lost, "convert -": lost, "uuid3": lost, "uuid8": lost,
	} {
		var in io.Reader = many
		var out io.Writer = fullDisk{}
		many.Seek(0, io.SeekStart)
		if want == lost {
			out, in = io.Discard, io.MultiReader(strings.NewReader("017F22E2-79B0-7CC3-98C4-DC0C0C07398F\n"), iotest.ErrReader(errors.New("lost")))
		}
		var errs bytes.Buffer
		if status := run(strings.Fields(args), in, out, &errs); status != 1 || errs.String() != want {
			t.Errorf("idgen %s: status %d, %q, want %q", args, status, &errs, want)
		}
	}
}

// TestFailsAtOnce checks that no input is worked on after a write has failed, be it an argument or a line that
// somebody types.
func TestFailsAtOnce(t *testing.T) {
	const full, bad = "idgen: writing standard output: no space left\n", "cannot occur in one\n"
	for name, test := range map[string]struct {
		stdin io.Reader
		args  string
		want  string // the end of what is reported
	}{
		"arguments": {nil, "convert 7 ? 8 ? ?", bad + full},
		"lines":     {io.MultiReader(strings.NewReader("7\n"), strings.NewReader("?\n")), "convert", full},
	} {
		var errs bytes.Buffer
		status := run(strings.Fields(test.args), test.stdin, fullDisk{}, &errs)
		if status != 1 || !strings.HasSuffix(errs.String(), test.want) || strings.Count(errs.String(), "\n") != strings.Count(test.want, "\n") {
			t.Errorf("%s: status %d, %q, want %q", name, status, &errs, test.want)
		}
	}
}

// TestEndsBetweenLines has the output fail while the next line is awaited: the program does not wait for it.
func TestEndsBetweenLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, typed := io.Pipe()
		ended := false
		go func() {
			run([]string{"convert"}, in, fullDisk{}, io.Discard)
			ended = true
		}()
		io.WriteString(typed, "7\n")
		synctest.Wait()
		if !ended {
			t.Error("it waits for more")
		}
		typed.Close()
	})
}
