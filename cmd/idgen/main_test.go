package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
	"time"

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
	if got := must(t, "", "version"); !strings.HasPrefix(got[0], "idgen ") || !strings.HasSuffix(got[0], ", "+runtime.Version()) {
		t.Errorf("idgen version: %q", got)
	}
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

// TestLines gives lines of all kinds to commands that print a line for each of them.
func TestLines(t *testing.T) {
	const id, bad = "1541815603606036480", ": not an id: no known form, length 1\n"
	const tooLong, one, two = ": too long (the limit is 65536 bytes)\n", " lines was bad\n", " lines were bad\n"
	longest := strings.Repeat("n", 65536)
	hash := func(name string) string { return ids.NewV5(ids.NamespaceDNS(), name).String() }
	for _, test := range []struct{ args, stdin, out, errs string }{
		{"convert", "7\n\n8\n", "7\n\n8\n", ""},
		{"convert", "\r\n7\r\n\r\n8", "\n7\n\n8\n", ""},
		{"convert", "7\n\r", "7\n\n", ""},
		{"convert", "", "", ""},
		{"convert", "\n", "\n", ""},
		{"convert", "\ufeff\n\ufeff7\n\ufeff\ufeff8", "\n7\n8\n", ""},
		{"convert", "7\nx\n8\n", "7\n\n8\n", "line 2" + bad + "1 of 3" + one},
		{"convert", "\nx", "\n\n", "line 2" + bad},
		{"convert", "x\n7\n" + longest + "7\n8", "\n7\n\n8\n", "line 1" + bad + "line 3" + tooLong + "2 of 4" + two},
		{"uuid5", "a\n\nb", hash("a") + "\n\n" + hash("b") + "\n", ""},
		{"uuid5", "\ufeffa\n\ufeffa\n", hash("a") + "\n" + hash("a") + "\n", ""},
		{"uuid5", longest + "\r\na", hash(longest) + "\n" + hash("a") + "\n", ""},
		{"uuid5", "a\n" + longest, hash("a") + "\n" + hash(longest) + "\n", ""},
		{"uuid5", "a\n" + longest + "n", hash("a") + "\n\n", "line 2" + tooLong + "1 of 2" + one},
		{"uuid3", "\xff\n", "\n", "line 1: the name is not UTF-8 without a NUL\n"}, // UTF-16
		{"uuid5", "a\x00\n", "\n", "line 1: the name is not UTF-8 without a NUL\n"},
		{"uuid8", "\n5c146b143c528afd938a375d0df1fbf6\nx\n", "\n5c146b14-3c52-8afd-938a-375d0df1fbf6\n\n", "line 3: not 32 hexadecimal digits: length 1\n1 of 2" + one},
		{"inspect -field time -layout twitter", id + "\n\nx\n", "2022-06-28T16:07:40.105Z\n\n\n", "line 3" + bad + "1 of 2" + one},
		{"inspect -brief", "\n00000000-0000-0000-0000-000000000000\n", "\n00000000-0000-0000-0000-000000000000  Nil UUID\n", ""},
		{"inspect -json", "\nx\n", "", "line 2" + bad},
		{"convert 7 8", "", "7\n8\n", ""},
		{"convert 7 x y", "", "7\n", `argument 2: "x" is not an id: no known form, length 1` + "\n" + `argument 3: "y" is not an id: no known form, length 1` + "\n2 of 3 arguments were bad\n"},
	} {
		want := ""
		for line := range strings.Lines(test.errs) {
			want += "idgen: " + line
		}
		status, out, errs := try(test.stdin, strings.Fields(test.args)...)
		if (status != 0) != (want != "") || out != test.out || errs != want {
			t.Errorf("%s of %.40q: status %d, %q, %q, want %q, %q", test.args, test.stdin, status, out, errs, test.out, want)
		}
	}
}

// TestBigStream checks that a line of any length is never held, and that 20,000 lines stay in their places.
func TestBigStream(t *testing.T) {
	piece, line := strings.Repeat("x", 1<<20), "01ARZ3NDEKTSV4RRFFQ69G5FAV\n\n01ARZ3NDEKTSV4RRFFQ69G5FAI\n"
	parts := []io.Reader{strings.NewReader(strings.Repeat(line, 5_000))}
	for range 198 {
		parts = append(parts, strings.NewReader(piece))
	}
	parts = append(parts, strings.NewReader("\n"+strings.Repeat(line, 5_000)))
	var before, after runtime.MemStats
	out := &bytes.Buffer{}
	out.Grow(1 << 23)
	runtime.ReadMemStats(&before)
	status := run([]string{"convert", "-format", "text"}, io.MultiReader(parts...), out, io.Discard)
	runtime.ReadMemStats(&after)
	half := strings.Repeat("01ARZ3NDEKTSV4RRFFQ69G5FAV\n\n\n", 5_000)
	if status != 1 || out.String() != half+"\n"+half {
		t.Errorf("status %d, %d bytes, want 1 and %d", status, out.Len(), 2*len(half)+1)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 64<<20 {
		t.Errorf("%d bytes were allocated for a line of 198 MiB", used)
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
		{"?\n", "idgen: line 2, column 1: not an id: \"?\" cannot occur in one\n\n"},
		{"8\n9\n?\n10\n", "8\n9\nidgen: line 5, column 1: not an id: \"?\" cannot occur in one\n\n10\n"},
		{"11", "11\nidgen: 2 of 7 lines were bad\n"},
	} {
		io.WriteString(typed, test[0])
		if test[0] == "11" {
			typed.Close()
		}
		got := make([]byte, len(test[1]))
		if _, err := io.ReadFull(answers, got); string(got) != test[1] || err != nil {
			typed.Close()
			t.Fatalf("%q, %v after %q, want %q", got, err, test[0], test[1])
		}
	}
	if status := <-done; status != 1 {
		t.Errorf("status %d", status)
	}
}

// TestMain runs the program itself where TestStopped starts this binary for it.
func TestMain(m *testing.M) {
	const args = "snowflake -node 7 -n 1000000000"
	switch os.Getenv("IDGEN_TEST") {
	case "pipe":
		os.Args = append(os.Args[:1], strings.Fields(args)...)
		main()
	case "file":
		endBetweenLines()
		run(strings.Fields(args), nil, slow{}, os.Stderr)
	}
	os.Exit(m.Run())
}

// A slow output takes a while in the middle of a line.
type slow struct{}

func (slow) Write(p []byte) (int, error) {
	n, err := os.Stdout.Write(p[:len(p)/2+7])
	time.Sleep(20 * time.Millisecond)
	rest, err2 := os.Stdout.Write(p[n:])
	return n + rest, errors.Join(err, err2)
}

// TestStopped ends the program in the middle, writing to a slow file and to a pipe that nobody reads: its output ends at
// a line's end.
func TestStopped(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOARCH == "wasm" {
		t.Skip("no process can be sent a signal here")
	}
	for i, stop := range []os.Signal{os.Interrupt, os.Interrupt, syscall.SIGTERM, syscall.SIGTERM} {
		to := []string{"file", "pipe"}[i%2]
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		cmd := exec.CommandContext(ctx, os.Args[0])
		cmd.Env = append(os.Environ(), "IDGEN_TEST="+to)
		written, out, err := os.Pipe()
		if to == "file" {
			out, err = os.Create(filepath.Join(t.TempDir(), "ids"))
		}
		cmd.Stdout = out
		if err := errors.Join(err, cmd.Start()); err != nil {
			t.Fatal(err)
		}
		if to == "file" {
			written = out
			for size := int64(0); size < 1<<14; time.Sleep(time.Millisecond) {
				info, _ := out.Stat()
				size = info.Size()
			}
		} else {
			out.Close()
			io.ReadFull(written, make([]byte, 1<<16+7)) // then the pipe fills up
		}
		cmd.Process.Signal(stop)
		cmd.Wait()
		written.Seek(0, io.SeekStart)
		got, err := io.ReadAll(written)
		if err != nil || len(got) == 0 || got[len(got)-1] != '\n' || cmd.ProcessState.Exited() {
			t.Errorf("to a %s: %v, %v, the output ends in %q", to, cmd.ProcessState, err, got[max(0, len(got)-30):])
		}
	}
}

// TestUsage checks what each mistake in a command line is answered with.
func TestUsage(t *testing.T) {
	t.Setenv("IDS_SNOWFLAKE_NODE", "7")
	const all = "clock, convert, help, inspect, range, snowflake, ulid, uuid1, uuid2, uuid3, uuid4, uuid5, uuid6, uuid7, uuid8 and version"
	const outside = "there are no ids of that time, only from "
	const noTime = "is not a time (2026-01-31T12:00:00Z), a date, a month, now or a span from now (-36h)"
	const ownLayout = "is not EPOCH,TICK,NODEBITS,SEQUENCEBITS, such as 2021-01-01,1ms,10,12"
	const noLayout = "is not twitter, discord, instagram or sonyflake, and "
	const date = " -from 2026-01-01 -to 2026-01-02"
	for args, want := range map[string]string{
		"":            "missing command; there are " + all,
		"uuidv7":      `unknown command "uuidv7"; there are ` + all,
		"\x1b[2J\xff": `unknown command "\x1b[2J\xff"; there are ` + all,

		"uuid7 -n":      "-n needs a value",
		"uuid7 -n -1":   "-n must not be negative",
		"uuid7 -n many": `-n "many" is not a whole number`,
		"uuid7 -":       `unexpected argument "-"`,

		"uuid7 -prefix Order":                         `-prefix "Order": neither a letter a to z of a prefix nor an underscore within one at byte 0`,
		"uuid7 -at 2026-02-30":                        `-at "2026-02-30" ` + noTime,
		"uuid7 -at 1969-12-31":                        "time is not within 1970-01-01T00:00:00Z to 10889-08-02T05:31:50.655Z",
		"uuid1 -at 2026-01 -n 16385":                  "-n 16385 is too many: uuid1 makes only 16384 ids of one time",
		"snowflake -at 2026-01 -n 4097":               "-n 4097 is too many: snowflake makes only 4096 ids of one time",
		"inspect -xml":                                "inspect has no option -xml; it has -as, -brief, -field, -json and -layout",
		"uuid7 -format base64":                        `-format "base64" is not text, base32, base58, hex, json, urn, braces or typeid`,
		"ulid -format urn":                            "only a UUID can be written as urn",
		"snowflake -node 1024":                        `-node must be a number from 0 to 1023, not "1024"`,
		"snowflake -layout facebook":                  `-layout "facebook" ` + noLayout + ownLayout,
		"range -layout 0001-01-01,0s,0,0 snowflake":   `-layout "0001-01-01,0s,0,0" ` + noLayout + "is not a layout: SnowflakeLayout.Tick 0s is not positive",
		"range -layout 2021-01-01,0s,10,12 snowflake": `-layout "2021-01-01,0s,10,12" ` + noLayout + "is not a layout: SnowflakeLayout.Tick 0s is not positive",
		"inspect -layout 2021-01-01,1ms,10":           `-layout "2021-01-01,1ms,10" ` + noLayout + ownLayout,
		"inspect -layout 2021-01-01,1ms,10,12,last":   `-layout "2021-01-01,1ms,10,12,last" ` + noLayout + ownLayout,
		"inspect -layout 2021,1ms,10,12":              `-layout "2021,1ms,10,12" ` + noLayout + ownLayout + ": the epoch is neither a time, such as 2021-01-01T00:00:00Z, nor a date",
		"inspect -layout 2021-01-01,1,10,12":          `-layout "2021-01-01,1,10,12" ` + noLayout + ownLayout + ": the tick is not a duration",
		"inspect -layout 2021-01-01,1ms,ten,12":       `-layout "2021-01-01,1ms,ten,12" ` + noLayout + ownLayout + ": the bits are not whole numbers",
		"inspect -layout= 7":                          `-layout "" ` + noLayout + ownLayout,
		"inspect -field= 7":                           "-field is empty; it is the name of a field, such as time",
		"inspect -field time -field node 7":           "-field is given twice; it is one field",
		"uuid2 -domain family":                        `-domain "family" is not person, group or org`,
		"uuid2 -domain org":                           "-domain org needs -local NUMBER",
		"uuid2 -local 4294967296":                     `-local must be a number from 0 to 4294967295, not "4294967296"`,
		"uuid2 -local 7 -n 65":                        "-n 65 is too many: version 2 has only 64 ids for each 7 minutes",
		"uuid5 -namespace com name":                   `-namespace "com" is not dns, url, oid, x500 or a UUID`,
		"inspect -json -brief":                        "-brief, -field and -json exclude each other",
		"convert 7 -":                                 "- stands for standard input: no other argument can be beside it",
		"convert -to uuid7":                           `-to "uuid7" is not uuid, ulid, uuid1 or uuid6`,

		"clock":                 "clock takes create or show, and then one path",
		"clock delete a":        `clock can create and show, not "delete"`,
		"clock -owner o show a": "-owner is for create only",

		"range":                        "range takes one kind, uuid7, ulid or snowflake, not 0",
		"range uuid6" + date:           `range does not support "uuid6", only uuid7, ulid and snowflake`,
		"range uuid7 -from 2026-01-01": "-to is missing",
		"range uuid7 -from 2026-01-02 -to 2026-01-01":                                                   "-to must be after -from: it is not included",
		"range uuid7 -layout twitter" + date:                                                            "-layout is for snowflake only",
		"range uuid7 -from 1960-01-01 -to 1969-12-31":                                                   outside + "1970-01-01T00:00:00.000Z to 10889-08-02T05:31:50.655Z",
		"range snowflake -from 2010-01-01 -to 2010-11-04T01:42:54.657Z":                                 outside + "2010-11-04T01:42:54.657Z to 2080-07-10T17:30:30.208Z",
		"range snowflake -from 2080-07-10T17:30:30.209Z -to 2081-01":                                    outside + "2010-11-04T01:42:54.657Z to 2080-07-10T17:30:30.208Z",
		"range snowflake -layout sonyflake -from 2026-01-01T00:00:00.001Z -to 2026-01-01T00:00:00.009Z": "from 2026-01-01T00:00:00.001Z to 2026-01-01T00:00:00.009Z there is no id: -to is not included",
		"range ulid -format urn -from 1960-01 -to 2026-01":                                              "only a UUID can be written as urn",
		"range snowflake -layout sonyflake -from 2014-08 -to 2014-09-01T00:00:00.001Z":                  "from 2014-08-01T00:00:00.000Z to 2014-09-01T00:00:00.001Z there is no id: -to is not included",
	} {
		checkUsage(t, strings.Fields(args), want)
	}
}

// checkUsage checks the message on a command line that is refused.
func checkUsage(t *testing.T, args []string, want string) {
	t.Helper()
	status, out, errs := try("", args...)
	if status != 2 || out != "" {
		t.Errorf("idgen %q: status %d, output %q", args, status, out)
	}
	if want = "idgen: " + want + "\nTry: idgen help\n"; errs != want {
		t.Errorf("idgen %q: %q, want %q", args, errs, want)
	}
}
