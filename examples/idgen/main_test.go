package main

import (
	"bytes"
	"errors"
	"io"
	"os"
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

func TestUsage(t *testing.T) {
	for _, test := range []struct {
		args string
		want string // in the message
	}{
		{"", "no command"},
		{"uuid9", `no command "uuid9"`},
		{"uuid7 -n", "needs an argument"},
		{"uuid7 -n -1", "-n -1 is negative"},
		{"uuid7 -n many", "many"},
		{"uuid7 -n 99999999999999999999", "out of range"},
		{"uuid7 10", `"10"`},
		{"uuid7 -format base64", `-format "base64"`},
		{"uuid7 -format=", `-format ""`},
		{"ulid -format urn", "only a UUID"},
		{"snowflake -format braces", "only a UUID"},
		{"snowflake -node 1024", "0 to 1023"},
		{"snowflake -node -1", "0 to 1023"},
		{"snowflake -node 0x1", "0 to 1023"},
		{"snowflake -layout instagram -node 8192", "0 to 8191"},
		{"snowflake -layout facebook", "twitter, discord, instagram, sonyflake"},
		{"uuid2 -domain family", "person, group or org"},
		{"uuid2 -domain org", "-local is needed"},
		{"uuid2 -local 4294967296", "0 to 4294967295"},
		{"uuid2 -local 7 -n 65", "64 ids"},
		{"uuid5 -namespace com name", `-namespace "com"`},
		{"uuid5 -n 3 name", "-n"},
		{"inspect -as guid", `-as "guid"`},
		{"inspect -xml", "-xml"},
		{"convert -to uuid7", `-to "uuid7"`},
		{"convert -as x", `-as "x"`},
		{"convert -format x", `-format "x"`},
		{"range", "range needs one of"},
		{"range uuid7 ulid", "range needs one of"},
		{"range uuid4 -from 2026-01-01 -to 2026-01-02", "not in the order of time"},
		{"range uuid7 -from 2026-01-01", "-to is missing"},
		{"range uuid7 -to 2026-01-01", "-from is missing"},
		{"range uuid7 -from 2026-13-01 -to 2026-01-01", `-from "2026-13-01"`},
		{"range uuid7 -from 2026-01-01 -to yesterday", `-to "yesterday"`},
		{"range uuid7 -from 2026-01-02 -to 2026-01-01", "-to is before -from"},
		{"range uuid7 -layout twitter -from 2026-01-01 -to 2026-01-02", "-layout is for snowflake only"},
		{"range uuid7 -from 1960-01-01 -to 1969-12-31", "there are no ids of that time"},
		{"range snowflake -from 2010-01-01 -to 2010-11-03", "2010-11-04T01:42:54.657Z"},
		{"range snowflake -layout instagram -from 2050-01-01 -to 2050-01-02", "to 2046-"},
		{"range ulid -format urn -from 2026-01-01 -to 2026-01-02", "only a UUID"},
	} {
		status, out, errs := try("", strings.Fields(test.args)...)
		if status != 2 || out != "" {
			t.Errorf("idgen %s: status %d, output %q", test.args, status, out)
		}
		if !strings.HasPrefix(errs, "idgen: ") || !strings.Contains(errs, test.want) || !strings.HasSuffix(errs, "\nTry: idgen help\n") {
			t.Errorf("idgen %s: %q does not tell %q", test.args, errs, test.want)
		}
	}
}

func TestBadNodeInEnvironment(t *testing.T) {
	t.Setenv("IDS_SNOWFLAKE_NODE", "1024")
	if status, _, errs := try("", "snowflake"); status != 2 || !strings.Contains(errs, `IDS_SNOWFLAKE_NODE "1024"`) {
		t.Errorf("status %d, %q", status, errs)
	}
}

func TestHelp(t *testing.T) {
	for _, args := range []string{"help", "-h", "--help", "uuid7 -h", "inspect -help", "range --help", "convert 1 -h"} {
		lines := must(t, "", strings.Fields(args)...)
		if !strings.HasPrefix(lines[0], "Idgen mints") {
			t.Errorf("idgen %s: %q", args, lines[0])
		}
	}
	// Each command, form and layout is in it, in lines that a terminal has room for.
	var words []string
	for name := range commands {
		words = append(words, name)
	}
	words = append(words, formNames...)
	for _, l := range layouts {
		words = append(words, l.name)
	}
	for _, word := range words {
		if word != "help" && !strings.Contains(help, word) {
			t.Errorf("the help does not tell of %s", word)
		}
	}
	for line := range strings.Lines(help) {
		if len(line) > 90 {
			t.Errorf("a line of %d characters: %s", len(line), line)
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
		t.Error("a file or a buffer is no terminal")
	}
	f.Close()
	if isTerminal(f) {
		t.Error("a closed file is no terminal")
	}
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if isTerminal(null) {
		t.Error("the null device is no terminal")
	}
}

var _ ident = ids.UUID{} // the three types are all that an ident can be
var _ ident = ids.ULID{}
var _ ident = ids.Snowflake(0)
