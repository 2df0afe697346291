package clockfile_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/clockfile"
	"github.com/oneclock/ids/snowflake"
)

// childVariable is an environment variable that makes the test's program one of those below, and no test.
// It has the name of the program, how far the clock is set forward, and the path.
const childVariable = "CLOCKFILE_TEST_CHILD"

func TestMain(m *testing.M) {
	if child := strings.SplitN(os.Getenv(childVariable), " ", 3); len(child) == 3 {
		forward, err := time.ParseDuration(child[1])
		if err == nil {
			err = map[string]func(string, time.Duration) error{"server": server, "helper": helper}[child[0]](child[2], forward)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	// This lets crypto/rand begin outside all bubbles. With GODEBUG=fips140=on it measures the jitter of the
	// clock for that, and the clock of a bubble has none.
	ids.NewV4()
	m.Run()
}

// child returns a command that runs a program of TestMain, by the emulator that IDS_TEST_EMULATOR names, if any.
func child(t *testing.T, name, path string, forward time.Duration) (cmd *exec.Cmd, log *bytes.Buffer) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	args := append(strings.Fields(os.Getenv("IDS_TEST_EMULATOR")), program)
	cmd, log = exec.Command(args[0], args[1:]...), new(bytes.Buffer)
	// The race detector has a program sleep for a second when main has returned.
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %v %s", childVariable, name, forward, path), "GORACE=atexit_sleep_ms=0")
	cmd.Stderr = log
	return cmd, log
}

// setUp does what the README's program does.
func setUp(path string, forward time.Duration) (*clockfile.File, error) {
	f, err := clockfile.Open(path, &clockfile.Options{
		Clock: &ids.ClockOptions{Now: func() time.Time { return time.Now().Add(forward) }},
	})
	if err != nil {
		return nil, err
	}
	node, err := snowflake.NewNode(7, &snowflake.Options{Clock: f.Clock()})
	if err != nil {
		return nil, err
	}
	snowflake.SetDefault(node)
	return f, nil
}

// server mints in bare goroutines until it is told to stop, and then closes the file and returns at once.
func server(path string, forward time.Duration) error {
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM)
	f, err := setUp(path, forward)
	if err != nil {
		return err
	}
	go func() {
		for {
			snowflake.Next()
		}
	}()
	for range 4 {
		go func() {
			for {
				var batch []byte // so short that a write of it is not mixed with others
				for range 64 {
					batch = binary.BigEndian.AppendUint64(batch, uint64(snowflake.Next()))
				}
				os.Stdout.Write(batch)
			}
		}()
	}
	<-stop
	return f.Close()
}

// helper has a function that sets the clock up close the file, and mints afterwards.
func helper(path string, forward time.Duration) error {
	initIDs := func() error {
		f, err := setUp(path, forward)
		if err != nil {
			return err
		}
		defer f.Close()
		return nil
	}
	if err := initIDs(); err != nil {
		return err
	}
	for {
		snowflake.Next()
	}
}

// TestShutdown stops processes by SIGTERM while bare goroutines mint, on clocks that are set to and fro. Each
// ends with status 0 and says nothing, and no id is issued twice.
func TestShutdown(t *testing.T) {
	path := newPath(t)
	if runtime.GOOS == "windows" {
		t.Skip("no process can send SIGTERM here")
	}
	mustClose(t, mustOpen(t, path, &clockfile.Options{Init: true}))
	starts := 20
	if testing.Short() {
		starts = 5
	}
	var issued []uint64
	for i := range starts {
		cmd, log := child(t, "server", path, time.Duration(-i%3)*time.Minute)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		in := bufio.NewReader(out)
		for n := 0; ; n++ {
			var id [8]byte
			if _, err := io.ReadFull(in, id[:]); err != nil {
				break
			}
			issued = append(issued, binary.BigEndian.Uint64(id[:]))
			if n == 10_000*(i%5) {
				if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := cmd.Wait(); err != nil || log.Len() > 0 {
			t.Fatalf("start %d: %v: %s", i, err, log)
		}
	}
	slices.Sort(issued)
	if n := len(issued) - len(slices.Compact(slices.Clone(issued))); n > 0 {
		t.Errorf("%d of %d ids are repeated", n, len(issued))
	}
	t.Logf("%d ids of %d processes", len(issued), starts)
}

// TestHelperThatCloses puts README's program into a function that closes the file when it returns: the program
// does not hang, but panics with words that name the package.
func TestHelperThatCloses(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	mustClose(t, mustOpen(t, path, &clockfile.Options{Init: true}))
	cmd, log := child(t, "helper", path, 0)
	err := cmd.Run()
	const says = "panic: ids: the clock has ended, by Clock.EndAt or by Close of its clockfile.File\n"
	if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != 2 || !strings.HasPrefix(log.String(), says) {
		t.Errorf("%v: %s", err, log)
	}
}
