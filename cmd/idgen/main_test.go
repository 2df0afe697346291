package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
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

	"github.com/oneclock/ids"
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
	const all = "Idgen makes Make Inspect Convert Range Clock Exit status"
	for args, want := range map[string]string{
		"help": all, "-h": all, "--help": all, "help help": all, "help -h": all, "help version": all, "help -V": all,
		"help UUID7": "Make Exit status", "uuid7 -h": "Make Exit status", "ulid -h": "Make Exit status", "snowflake --help": "Make Exit status",
		"inspect -help": "Inspect Exit status", "convert 1 -h": "Convert Exit status", "range --help": "Range Exit status", "clock -h": "Clock Exit status",
	} {
		lines := must(t, "", strings.Fields(args)...)
		if got := strings.Join(titles.FindAllString(strings.Join(lines, "\n"), -1), " "); got != want {
			t.Errorf("idgen %s has the titles %s, want %s", args, got, want)
		}
	}
	// Each command, form and layout is in it, in lines that a terminal has room for.
	words := slices.Concat(slices.Collect(maps.Keys(commands())), formNames,
		strings.Fields("-n -node -namespace -domain -local -layout -format -as -to -from -json -brief -field -at -prefix -owner"))
	shown := must(t, "", "help")
	for _, word := range slices.Concat(words, layoutNames()) {
		if !strings.Contains(strings.Join(shown, "\n"), word) {
			t.Errorf("the help does not tell of %s", word)
		}
	}
	for _, line := range shown {
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
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	r2, w2 := io.Pipe()
	for name, pipe := range map[string]struct {
		io.ReadCloser
		io.Writer
	}{"os.Pipe": {r, w}, "io.Pipe": {r2, w2}} {
		done := make(chan error)
		go func() {
			_, err := io.ReadFull(pipe, make([]byte, 37))
			pipe.Close()
			done <- err
		}()
		var errs bytes.Buffer
		if status := run([]string{"uuid7", "-n", "1000000000"}, nil, pipe.Writer, &errs); status != 0 || errs.Len() > 0 {
			t.Errorf("%s: status %d, %s", name, status, &errs)
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
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

// TestFailsAtOnce checks that no argument is worked on after a write has failed.
func TestFailsAtOnce(t *testing.T) {
	var errs bytes.Buffer
	status := run(strings.Fields("convert 7 ? 8 ? ?"), nil, fullDisk{}, &errs)
	if got := errs.String(); status != 1 || !strings.HasPrefix(got, "idgen: argument 2, column 1: ") || strings.Count(got, "\n") != 2 || !strings.HasSuffix(got, "\nidgen: writing standard output: no space left\n") {
		t.Errorf("status %d, %q, want a report and the failure", status, got)
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

// TestBigStream checks that bad lines among many are reported by number, in their place among the output, and the
// rest go on.
func TestBigStream(t *testing.T) {
	const lines, every = 300_000, 1000
	good := ids.MustParseULID("01ARZ3NDEKTSV4RRFFQ69G5FAV")
	some := "\r\n" + strings.Repeat(good.String()+"\r\n", every-2) + "01ARZ3NDEKTSV4RRFFQ69G5FAI\n"
	var both bytes.Buffer
	status := run([]string{"convert", "-to", "uuid"}, strings.NewReader(strings.Repeat(some, lines/every)), &both, &both)
	var want strings.Builder
	for n := every; n <= lines; n += every {
		want.WriteString(strings.Repeat(good.UUID().String()+"\n", every-2))
		fmt.Fprintf(&want, "idgen: line %d, column 26: not a ULID: not a Crockford Base32 digit\n", n)
	}
	want.WriteString("idgen: 300 of 299700 lines were bad\n")
	if status != 1 || both.String() != want.String() {
		t.Errorf("status %d, %d bytes, want 1 and %d", status, both.Len(), want.Len())
	}
}

const isTooLong = "idgen: line 2: too long (the limit is 65536 bytes)\n"

// TestLongLine checks that a line of any length is reported and skipped, and never held.
func TestLongLine(t *testing.T) {
	const id = "1541815603606036480"
	piece := strings.Repeat("x", 1<<20)
	parts := []io.Reader{strings.NewReader(id + "\n")}
	for range 198 {
		parts = append(parts, strings.NewReader(piece))
	}
	in := io.MultiReader(append(parts, strings.NewReader("\n"+id+"\n"))...)
	var before, after runtime.MemStats
	var out, errs bytes.Buffer
	runtime.ReadMemStats(&before)
	status := run([]string{"convert"}, in, &out, &errs)
	runtime.ReadMemStats(&after)
	if status != 1 || out.String() != id+"\n"+id+"\n" || !strings.HasPrefix(errs.String(), isTooLong) {
		t.Errorf("status %d, %q, %q", status, &out, &errs)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 4<<20 {
		t.Errorf("%d bytes were allocated for a line of 198 MiB", used)
	}
}

// TestLongestLine checks the longest line that is read and the shortest that is not.
func TestLongestLine(t *testing.T) {
	for _, end := range []string{"\n", "\r\n", ""} {
		name := strings.Repeat("n", 65536)
		want := ids.NewV5(ids.NamespaceDNS(), name).String()
		if got := must(t, "a\n"+name+end, "uuid5"); len(got) != 2 || got[1] != want {
			t.Errorf("%q, want %q", got, want)
		}
		status, out, errs := try("a\n"+name+"n"+end, "uuid5")
		if status != 1 || strings.Count(out, "\n") != 1 || !strings.HasPrefix(errs, isTooLong) {
			t.Errorf("status %d, %q, %q", status, out, errs)
		}
	}
}

// TestAnswersAtOnce checks that whoever writes one line and waits gets the answer to it, and
// that reports come in their order.
func TestAnswersAtOnce(t *testing.T) {
	in, typed := io.Pipe()
	shown, out := io.Pipe()
	done := make(chan int)
	go func() {
		done <- run([]string{"convert"}, in, out, out)
		out.Close()
	}()
	answers := bufio.NewReader(shown)
	for _, test := range [][2]string{
		{"0x0000000000000007\n", "7\n"},
		{"?\n", "idgen: line 2, column 1: not an id: \"?\" cannot occur in one\n"},
		{"8\n9\n?\n10\n", "8\n"},
		{"", "9\n"},
		{"", "idgen: line 5, column 1: not an id: \"?\" cannot occur in one\n"},
		{"", "10\n"},
		{"11", "11\n"},
		{"", "idgen: 2 of 7 lines were bad\n"},
	} {
		if test[0] != "" {
			io.WriteString(typed, test[0])
		}
		if test[0] == "11" {
			typed.Close()
		}
		if got, err := answers.ReadString('\n'); got != test[1] || err != nil {
			t.Fatalf("%q, %v after %q, want %q", got, err, test[0], test[1])
		}
	}
	if status := <-done; status != 1 {
		t.Errorf("status %d", status)
	}
}
