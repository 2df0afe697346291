package main

// Tests of the parts that all commands share: help, errors, lines and signals.

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
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

// must runs the program, which must succeed without printing to standard error, and returns the
// lines of its output.
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

// A row describes one run of the program, with its output and its errors. A usage error is printed
// with a hint to the help.
type row struct {
	args, stdin string
	status      int
	out, errs   string // errs omits the name of the program
}

// check runs the program for each row.
func check(t *testing.T, rows []row) {
	t.Helper()
	for _, r := range rows {
		args := strings.Fields(r.args)
		want := ""
		for line := range strings.Lines(r.errs) {
			want += "idgen: " + strings.TrimSuffix(line, "\n") + "\n"
		}
		if r.status == 2 {
			want += "Try: idgen help " + args[0] + "\n"
		}
		if status, out, errs := try(r.stdin, args...); status != r.status || out != r.out || errs != want {
			t.Errorf("idgen %s, of %.80q: status %d, %q, %q, want %d, %q, %q", r.args, r.stdin, status, out, errs, r.status, r.out, want)
		}
	}
}

func TestHelp(t *testing.T) {
	for _, arg := range []string{"version", "-version", "--Version"} {
		if got := must(t, "", arg); !strings.HasPrefix(got[0], "idgen ") || !strings.HasSuffix(got[0], ", "+runtime.Version()) {
			t.Errorf("idgen %s: %q", arg, got)
		}
	}
	titles := regexp.MustCompile(`(?m)^[A-Z][a-z]+$|^Idgen makes|^Exit status|^.*%.*|\{[a-z]+\}`)
	for args, want := range map[string]string{
		"help": "Idgen makes Make Inspect Convert Range Clock Exit status", "-h": "Idgen makes Make Inspect Convert Range Clock Exit status",
		"-help help": "Idgen makes Exit status", "--help version": "Idgen makes Exit status", "inspect -help": "Inspect Exit status",
		"convert 1 -h": "Convert Exit status", "help Range": "Range Exit status", "clock --help": "Clock Exit status",
	} {
		got := strings.Join(must(t, "", strings.Fields(args)...), "\n")
		if got := strings.Join(titles.FindAllString(got, -1), " "); got != want {
			t.Errorf("idgen %s has the titles %s, want %s", args, got, want)
		}
	}
	// The help contains each command, form, layout and option, in lines that fit a terminal.
	shown := must(t, "", "help")
	words := "-n -node -namespace -column -layout -format -as -to -from -json -brief -field -at -prefix -owner twitter sonyflake"
	for _, word := range slices.Concat(strings.Fields(words), formNames(), slices.Collect(maps.Keys(commands()))) {
		if !strings.Contains(strings.Join(shown, "\n"), word) {
			t.Errorf("the help does not tell of %s", word)
		}
		if commands()[word] == nil {
			continue
		}
		if got := must(t, "", "help", word); !strings.Contains(strings.Join(got, "\n"), word) || len(got) > 70 {
			t.Errorf("the help about %s is %q", word, got)
		}
	}
	// The help about a command describes only what the command accepts.
	about := map[string]string{
		"FORM ": "uuid1 uuid3 uuid4 uuid5 uuid6 uuid7 uuid8 ulid snowflake inspect convert range", "KIND ": "inspect convert",
		"LAYOUT ": "snowflake inspect range",
		"TIME ":   "uuid1 uuid6 uuid7 ulid snowflake range", "-node  ": "snowflake", "standard input, one per": "uuid3 uuid5 uuid8 inspect convert",
	}
	for part, names := range about {
		for name := range commands() {
			got := strings.Contains(strings.Join(must(t, "", "help", name), "\n"), part+" ")
			if want := slices.Contains(strings.Fields(names), name); got != want {
				t.Errorf("the help about %s has the part %q: %v", name, part, got)
			}
		}
	}
	for _, line := range shown {
		if len(line) > 90 {
			t.Errorf("a line of %d characters: %s", len(line), line)
		}
	}
}

// A fullDisk rejects every write.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestFailures(t *testing.T) {
	many := strings.NewReader(strings.Repeat("01ARZ3NDEKTSV4RRFFQ69G5FAV\n", 10_000))
	const full, lost = "idgen: writing standard output: no space left\n", "idgen: reading standard input: lost\n"
	for args, want := range map[string]string{
		"uuid7": full, "uuid7 -n 1000000000000": full, "convert": full, "inspect -json": full, "convert 7": full, "help": full, "uuid3": lost,
	} {
		var in io.Reader = many
		var out io.Writer = fullDisk{}
		many.Seek(0, io.SeekStart)
		if want == lost {
			out, in = &bytes.Buffer{}, io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(errors.New("lost")))
		}
		var errs bytes.Buffer
		if status := run(strings.Fields(args), in, out, &errs); status != 1 || errs.String() != want {
			t.Errorf("idgen %s: status %d, %q, want %q", args, status, &errs, want)
		}
		if out, ok := out.(*bytes.Buffer); ok && strings.Count(out.String(), "\n") != 1 { // "b" may be an incomplete line
			t.Errorf("idgen %s: %q, want one id", args, out)
		}
		if many.Len() == 0 {
			t.Errorf("idgen %s: reads on when nothing can be written", args)
		}
	}
}

// noID is the error for "x".
const noID = "not an ID: length 1; a UUID has 36, a ULID 26 and a Snowflake 1 to 19 (for other forms, run: idgen help inspect)"

// TestLines passes lines of all kinds to commands that print one line for each of them.
func TestLines(t *testing.T) {
	const id, bad = "1541815603606036480", ": " + noID + "\n"
	long := strings.Repeat("n", 1<<16-2)
	hash := func(name string) string { return ids.NewV5(ids.NamespaceDNS(), name).String() + "\n" }
	check(t, []row{
		{"convert", "7\n\n8\n", 0, "7\n\n8\n", ""},
		{"convert", "\r\n7\r\n\r\n8", 0, "\n7\n\n8\n", ""},
		{"convert", "7\n\r", 0, "7\n\n", ""},
		{"convert", "", 0, "", ""},
		{"convert", "\ufeff\n\ufeff7\n\ufeff\ufeff8", 0, "\n7\n8\n", ""}, // like the output of cat a.csv empty.csv b.csv
		{"convert", "7\nx\n8\n", 1, "7\n\n8\n", "line 2" + bad},
		{"convert", "x\n7\n" + long + long + long + "\ny", 1, "\n7\n\n\n", "line 1" + bad + "line 3: the line is longer than 65535 bytes\nline 4" + bad},
		{"uuid5", "a\n\nb", 0, hash("a") + "\n" + hash("b"), ""},
		{"uuid5", "\ufeffa\n\ufeffa\n", 0, hash("a") + hash("a"), ""},
		{"uuid5", "x\r\r\n", 0, hash("x\r"), ""},                 // one \r belongs to the line ending
		{"uuid5", long + "\r\na", 0, hash(long) + hash("a"), ""}, // the line fills the buffer
		{"uuid5", long + "nn\n" + long + "nn", 1, "\n\n", "line 1: the line is longer than 65535 bytes\nline 2: the line is longer than 65535 bytes"},
		{"uuid3", "\xff\na\x00b\x00\n", 1, "\n\n", "line 1: the name is not valid UTF-8\nline 2: UTF-16; convert it to UTF-8 first, for example with iconv -f UTF-16 -t UTF-8"},
		{"uuid8", "\n5c146b143c528afd938a375d0df1fbf6\nx\n", 1, "\n5c146b14-3c52-8afd-938a-375d0df1fbf6\n\n", "line 3: not a form of uuid: length 1; want 32 hexadecimal digits or a UUID"},
		{"inspect -field time -layout twitter", id + "\n\nx\n", 1, "2022-06-28T16:07:40.105Z\n\n\n", "line 3" + bad},
		{"inspect -brief", "\n00000000-0000-0000-0000-000000000000\n", 0, "\n00000000-0000-0000-0000-000000000000  Nil UUID\n", ""},
		{"inspect -json", "\nx\n", 1, "\n\n", "line 2" + bad},
		{"convert 7", "8\n", 0, "7\n", ""},
		{"convert 7 x 8", "", 1, "7\n8\n", `"x": ` + noID},
	})
	if status, out, errs := try("", "inspect", ""); status != 1 || out != "" || errs != "idgen: \"\": "+strings.Replace(noID, "1", "0", 1)+"\n" {
		t.Errorf("inspect of an empty argument: status %d, %q, %q", status, out, errs)
	}
}

// TestAnswersAtOnce checks that a user who enters one line gets the answer before entering the next
// line, and that errors are reported in the order of the input.
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
		{"x\n", "idgen: line 2: " + noID + "\n\n"},
		{"8\n9\nx\n10\n", "8\n9\nidgen: line 5: " + noID + "\n\n10\n"},
		{strings.Repeat("1000000\n", 20_000), strings.Repeat("1000000\n", 20_000)},
		{"11", "11\n"},
	} {
		go func() {
			io.WriteString(typed, test[0])
			if test[0] == "11" {
				typed.Close()
			}
		}()
		got := make([]byte, len(test[1]))
		if _, err := io.ReadFull(answers, got); string(got) != test[1] || err != nil {
			typed.Close()
			t.Fatalf("%.40q, %v after %.40q, want %.40q", got, err, test[0], test[1])
		}
	}
	if status := <-done; status != 1 {
		t.Errorf("status %d", status)
	}
}

// TestMain runs the program instead of the tests if TestStopped started this binary.
func TestMain(m *testing.M) {
	if args, ok := os.LookupEnv("IDGEN_TEST"); ok {
		os.Args = append(os.Args[:1], strings.Fields(args)...)
		main()
	}
	os.Exit(m.Run())
}

// TestStopped ends the program by a signal while it writes to a pipe that is not read, or is read
// more slowly than it is written. The output ends at the end of a line.
func TestStopped(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "plan9" || runtime.GOARCH == "wasm" {
		t.Skip("no process can be sent a signal here")
	}
	const endless = "snowflake -node 7 -n 1000000000"
	long := "inspect -brief -layout 2021-01-01T00:00:00." + strings.Repeat("0", 100_000) + "Z,1ms,10,12" // lines that do not fit into a pipe
	for _, stop := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		unread, ended := begin(t, "", endless)
		unread.Process.Signal(stop)
		unread.Wait()
		slow, all, took := readSlowly(t, long, stop)
		// On a busy machine, the program may have given up its line.
		for tries := 1; !strings.HasSuffix(all, "\n") && took >= time.Second && tries < 3; tries++ {
			slow, all, took = readSlowly(t, long, stop)
		}
		rest, _ := io.ReadAll(ended)
		for got, cmd := range map[string]*exec.Cmd{string(rest): unread, all: slow} {
			if !strings.HasSuffix(got, "\n") || cmd.ProcessState.String() != "signal: "+stop.String() {
				t.Errorf("after %v: %v, the output ends in %q", stop, cmd.ProcessState, got[max(0, len(got)-30):])
			}
		}
	}
	cmd, out := begin(t, `trap "" INT;`, endless) // as in a background job of a script
	cmd.Process.Signal(os.Interrupt)
	io.ReadFull(out, make([]byte, 1<<20))
	cmd.Process.Signal(syscall.SIGTERM)
	io.Copy(io.Discard, out)
	cmd.Wait()
	if got := cmd.ProcessState.String(); got != "signal: terminated" {
		t.Errorf("after a signal that is ignored: %s", got)
	}
}

// readSlowly starts the program, signals it while it waits for its reader, and then reads the rest
// of its output. It returns that output and the time from the first signal to the end of the
// output. If writing a line takes more than a second after the signal, the program ends in the
// middle of that line.
func readSlowly(t *testing.T, args string, stop os.Signal) (cmd *exec.Cmd, output string, took time.Duration) {
	cmd, out := begin(t, "", args)
	all, piece, err := []byte(nil), make([]byte, 1000), error(nil)
	began := time.Now()
	cmd.Process.Signal(stop)
	time.Sleep(20 * time.Millisecond) // the program waits for the reader
	for n := 0; err == nil; {
		cmd.Process.Signal(stop) // has no effect
		n, err = out.Read(piece)
		all = append(all, piece[:n]...)
	}
	took = time.Since(began)
	cmd.Wait()
	return cmd, string(all), took
}

// begin starts the program in a shell that first runs the command before, and reads a part of the
// output.
func begin(t *testing.T, before, args string) (*exec.Cmd, io.Reader) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", before+` exec "$0"`, os.Args[0])
	cmd.Env = append(os.Environ(), "IDGEN_TEST="+args)
	cmd.Stdin = strings.NewReader(strings.Repeat("7\n", 1<<20))
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { out.Close() })
	cmd.Stdout = in
	err = cmd.Start()
	in.Close()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, 1<<16+7)); err != nil {
		t.Fatal(err)
	}
	time.Sleep(20 * time.Millisecond) // the pipe fills up again
	return cmd, out
}

// TestUsage checks that an invalid command line is reported, and that it is reported only once.
func TestUsage(t *testing.T) {
	if newFlags().Output() != io.Discard {
		t.Error("package flag says it too")
	}
	const all = "clock, convert, help, inspect, range, snowflake, ulid, uuid1, uuid3, uuid4, uuid5, uuid6, uuid7, uuid8, version"
	for arg, want := range map[string]string{
		"":                          "missing command",
		"uuidv7":                    `unknown command "uuidv7"`,
		"\x1b[2J\xff":               `unknown command "\x1b[2J\xff"`,
		"help uuid":                 `unknown command "uuid"`,
		"uuid2":                     `unknown command "uuid2"`,
		strings.Repeat("7", 60_000): `unknown command "` + strings.Repeat("7", 80) + `"`,
	} {
		status, out, errs := try("", strings.Fields(arg)...)
		want = fmt.Sprintf("idgen: %s; the commands are %s\nTry: idgen help\n", want, all)
		if status != 2 || out != "" || errs != want {
			t.Errorf("idgen %q: status %d, %q, %q, want %q", arg, status, out, errs, want)
		}
	}
}
