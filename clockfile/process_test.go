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

// childVariable is an environment variable that makes the test's program the server below, and no test.
// It has how far the clock is set forward, and the path.
const childVariable = "CLOCKFILE_TEST_CHILD"

func TestMain(m *testing.M) {
	if forward, path, ok := strings.Cut(os.Getenv(childVariable), " "); ok {
		if err := server(path, forward); err != nil {
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

// server does what the README's program does, and mints in bare goroutines until it is told to stop. Then it closes the
// file and returns at once.
func server(path, forward string) error {
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM)
	by, err := time.ParseDuration(forward)
	if err != nil {
		return err
	}
	f, err := clockfile.Open(path, &clockfile.Options{
		Clock: &ids.ClockOptions{Now: func() time.Time { return time.Now().Add(by) }},
	})
	if err != nil {
		return err
	}
	node, err := snowflake.NewNode(7, &snowflake.Options{Clock: f.Clock()})
	if err != nil {
		return err
	}
	snowflake.SetDefault(node)
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

// TestShutdown stops processes by SIGTERM while bare goroutines mint, on clocks that are set to and fro. Each
// ends with status 0 and says nothing, and no id is issued twice.
func TestShutdown(t *testing.T) {
	path := newFile(t)
	if runtime.GOOS == "windows" {
		t.Skip("no process can send SIGTERM here")
	}
	program, err := os.Executable()
	must(t, err)
	args := append(strings.Fields(os.Getenv("IDS_TEST_EMULATOR")), program)
	starts := 10
	if testing.Short() {
		starts = 5
	}
	var issued []uint64
	for i := range starts {
		cmd, log := exec.Command(args[0], args[1:]...), new(bytes.Buffer)
		// The race detector has a program sleep for a second when main has returned.
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=-%dm %s", childVariable, i%3, path), "GORACE=atexit_sleep_ms=0")
		cmd.Stderr = log
		out, err := cmd.StdoutPipe()
		must(t, err, cmd.Start())
		in := bufio.NewReader(out)
		for n := 0; ; n++ {
			var id [8]byte
			if _, err := io.ReadFull(in, id[:]); err != nil {
				break
			}
			issued = append(issued, binary.BigEndian.Uint64(id[:]))
			if n == 10_000*(i%5) {
				must(t, cmd.Process.Signal(syscall.SIGTERM))
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
