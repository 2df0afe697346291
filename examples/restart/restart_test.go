package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/clockfile"
)

// asProgram is an environment variable that makes the program of the tests be the one that they test.
const asProgram = "RESTART_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	m.Run()
}

// program returns a command that runs the program.
func program(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	return cmd
}

// needsFiles skips a test on systems where no file opens.
func needsFiles(t *testing.T) {
	t.Helper()
	probe, err := clockfile.Open(filepath.Join(t.TempDir(), "probe"), &clockfile.Options{Init: true})
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip("no file opens here: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	probe.Close()
}

// output collects what a program prints, and says when it begins to.
type output struct {
	text  bytes.Buffer
	once  sync.Once
	begun chan struct{}
}

func (o *output) Write(p []byte) (int, error) {
	o.once.Do(func() { close(o.begun) })
	return o.text.Write(p)
}

// history is every id that any life of the program printed.
type history struct {
	ids       map[string]int // the life of each
	snowflake ids.Snowflake  // the latest
}

// add adds what a life printed, of which a line without an end is not an id.
func (h *history) add(life int, printed string) error {
	var v6 ids.UUID
	end := strings.LastIndexByte(printed, '\n') + 1
	for line := range strings.Lines(printed[:end]) {
		line = strings.TrimSuffix(line, "\n")
		if before, ok := h.ids[line]; ok {
			return fmt.Errorf("life %d repeats %s of life %d", life, line, before)
		}
		h.ids[line] = life
		switch kind, id, _ := strings.Cut(line, " "); kind {
		case "v6":
			u, err := ids.ParseUUID(id)
			if err != nil || u.Compare(v6) <= 0 {
				return fmt.Errorf("life %d: %s after %v (%v)", life, line, v6, err)
			}
			v6 = u
		case "snowflake":
			s, err := ids.ParseSnowflake(id)
			if err != nil || s <= h.snowflake {
				return fmt.Errorf("life %d: %s after %v (%v)", life, line, h.snowflake, err)
			}
			h.snowflake = s
		case "v1":
		default:
			return fmt.Errorf("life %d printed %q", life, line)
		}
	}
	return nil
}

// TestKilled kills the program at random moments, with its clock set back by up to an hour at
// each start, and checks every id that it ever printed. Eight files are tried at a time.
func TestKilled(t *testing.T) {
	needsFiles(t)
	kills := 25
	if testing.Short() {
		kills = 5
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	dir := t.TempDir()
	const files = 8
	var all, lives atomic.Int64
	var wg sync.WaitGroup
	for n := range uint64(files) {
		wg.Go(func() {
			printed, of, err := kill(filepath.Join(dir, fmt.Sprint(n)), kills, rand.New(rand.NewPCG(seed, n)))
			if err != nil {
				t.Errorf("file %d: %v", n, err)
			}
			all.Add(printed)
			lives.Add(of)
		})
	}
	wg.Wait()
	t.Logf("%d ids from %d lives; none repeated", all.Load(), lives.Load())
	if lives.Load() < files*int64(kills)/2 {
		t.Errorf("only %d of %d lives printed an id", lives.Load(), files*(kills+2))
	}
}

// kill starts the program with a file again and again, and kills it. It returns how many lines were
// printed, and by how many lives.
func kill(file string, kills int, rnd *rand.Rand) (printed, lives int64, err error) {
	h := history{ids: map[string]int{}}
	for life := range kills + 2 {
		args := []string{"-file", file}
		last := life == 0 || life == kills+1
		if life == 0 {
			args = append(args, "-init")
		}
		if last {
			args = append(args, "-n", "10")
		}
		// Ids an hour ahead of the clock reach the nearest horizon, 1 ms further, before the next
		// one is saved: so they are withheld again and again.
		args = append(args, "-ahead", []string{"100ms", "1s", "10s"}[rnd.IntN(3)])
		args = append(args, "-every", []string{"0", "1ms"}[rnd.IntN(2)])
		cmd := program(args...)
		cmd.Env = append(cmd.Env, fmt.Sprintf("%s=-%dms", offsetVariable, rnd.IntN(3600_000)))
		out, log := &output{begun: make(chan struct{})}, new(bytes.Buffer)
		cmd.Stdout, cmd.Stderr = out, log
		if err := cmd.Start(); err != nil {
			return 0, 0, err
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		if !last {
			if rnd.IntN(4) != 0 { // else it may die before it has printed anything
				select {
				case <-out.begun:
				case err := <-ended:
					return 0, 0, fmt.Errorf("life %d, %v: %w: %s", life, args, err, log)
				}
			}
			// The moment, by which nothing is judged. If the program has ended before, it says why.
			time.Sleep(time.Duration(rnd.Int64N(int64(20 * time.Millisecond))))
			cmd.Process.Kill()
		}
		if err := <-ended; last && err != nil {
			return 0, 0, fmt.Errorf("life %d: %w: %s", life, err, log)
		}
		if log.Len() > 0 {
			return 0, 0, fmt.Errorf("life %d, %v: %s", life, args, log)
		}
		if out.text.Len() > 0 {
			lives++
		}
		if err := h.add(life, out.text.String()); err != nil {
			return 0, 0, err
		}
	}
	return int64(len(h.ids)), lives, nil
}

// TestProgramRefuses checks that a start that is not safe prints no id, says why and ends with
// 1, or with 2 where the command line is wrong.
func TestProgramRefuses(t *testing.T) {
	needsFiles(t)
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(path("empty"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path("foreign"), []byte("[Unit]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path("directory"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, owner := range map[string]string{"locked": "", "other": "restart, node 1"} {
		f, err := clockfile.Open(path(name), &clockfile.Options{Init: true, Owner: owner})
		if err != nil {
			t.Fatal(err)
		}
		if name == "locked" {
			defer f.Close()
		} else {
			f.Close()
		}
	}
	for _, test := range []struct {
		args string
		exit int
		says string
	}{
		{"-file " + path("none"), 1, "first start"},
		{"-file " + path("empty"), 1, "the file is empty"},
		{"-file " + path("foreign"), 1, "of another kind"},
		{"-file " + path("other"), 1, "another owner"},
		{"-file " + path("directory"), 1, "directory"},
		{"-file " + path("locked"), 1, "already open"},
		{"-file " + path("locked") + " -init", 1, "already open"},
		{"-file " + path("no/where") + " -init", 1, "no such"},
		{"", 2, "-file"},
		{"-file x -node 1024", 2, "-node 1024"},
		{"-file " + path("none") + " -init -ahead 99ms", 1, "less than 100ms"},
		{"-file x y", 2, `"y"`},
	} {
		cmd := program(strings.Fields(test.args + " -n 1")...)
		if test.exit == 2 {
			cmd = program(strings.Fields(test.args)...)
		}
		var out, log bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &log
		cmd.Run()
		if got := cmd.ProcessState.ExitCode(); got != test.exit || out.Len() > 0 || !strings.Contains(log.String(), test.says) {
			t.Errorf("%q ends with %d, prints %q, says %q; want %d and %q", test.args, got, &out, &log, test.exit, test.says)
		}
	}
}

// TestProgramStops checks that a signal ends the program in good order.
func TestProgramStops(t *testing.T) {
	needsFiles(t)
	file := filepath.Join(t.TempDir(), "file")
	cmd := program("-file", file, "-init", "-every", "1ms")
	out, log := &output{begun: make(chan struct{})}, new(bytes.Buffer)
	cmd.Stdout, cmd.Stderr = out, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-out.begun
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil || log.Len() > 0 {
		t.Fatalf("%v: %s", err, log)
	}
	// The file has the time of the end, 100 ms ahead of the clock then, and no horizon, ten seconds ahead.
	past := &ids.ClockOptions{Now: func() time.Time { return time.Unix(0, 0) }}
	f, err := clockfile.Open(file, &clockfile.Options{Clock: past})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if saved := f.Clock().Latest(); saved.After(time.Now().Add(100*time.Millisecond)) || saved.IsZero() {
		t.Errorf("the file has %v", saved)
	}
}

// TestProgramStopsWhileIDsWait checks that a signal ends the program also while no horizon can be
// saved and calls for ids wait. The program says that the last save has failed.
func TestProgramStopsWhileIDsWait(t *testing.T) {
	needsFiles(t)
	file := filepath.Join(t.TempDir(), "file")
	cmd := program("-file", file, "-init", "-every", "0", "-ahead", "100ms")
	out, log := &output{begun: make(chan struct{})}, &output{begun: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = out, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-out.begun
	// A directory goes where the next file would be written, as soon as none is being written.
	for os.MkdirAll(filepath.Join(file+".new", "in the way"), 0o755) != nil {
		time.Sleep(time.Millisecond)
	}
	<-log.begun
	time.Sleep(200 * time.Millisecond) // past the horizon, most likely; the test holds if not
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); got != 1 || !strings.Contains(log.text.String(), "is not saved") {
		t.Errorf("ends with %d and says %q", got, &log.text)
	}
}
