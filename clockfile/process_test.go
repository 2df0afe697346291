package clockfile_test

// Real processes that are killed or stopped at random moments.

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/clockfile"
)

// childVariable turns the test binary into the server below. It contains the amount by which the
// clock is set forward, the distance of the horizon, and the path. If it is "wait", the program
// waits for the end of its input instead.
const childVariable = "CLOCKFILE_TEST_CHILD"

func TestMain(m *testing.M) {
	child := strings.SplitN(os.Getenv(childVariable), " ", 3)
	switch {
	case child[0] == "wait":
		io.Copy(io.Discard, os.Stdin)
		return
	case len(child) == 3:
		if err := server(child[0], child[1], child[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	// These tests mostly wait, for a second in each Open, so more of them run in parallel, unless
	// -parallel is given.
	flag.Set("test.parallel", "8")
	time.Local = time.FixedZone("UTC+5", 5*60*60)
	// This initializes crypto/rand outside all bubbles. With GODEBUG=fips140=on, crypto/rand
	// measures the jitter of the clock when it is initialized, and the clock of a bubble has none.
	ids.NewV4()
	m.Run()
}

// server generates IDs in separate goroutines until it is told to stop. Then it closes the file and
// returns immediately. It prints IDs of the three kinds that could repeat, each in 16 bytes. The
// node of versions 1 and 6 is fixed, like a hardware address.
func server(forward, ahead, path string) error {
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM)
	by, err := time.ParseDuration(forward)
	span, failed := time.ParseDuration(ahead)
	if err = errors.Join(err, failed); err != nil {
		return err
	}
	f, err := clockfile.Open(path, &clockfile.Options{
		Window: span, ClockOptions: &ids.ClockOptions{Now: func() time.Time { return time.Now().Add(by) }},
	})
	if err != nil {
		return err
	}
	node, err := ids.NewSnowflakeNode(7, &ids.SnowflakeOptions{Clock: f.Clock()})
	if err != nil {
		return err
	}
	g := ids.NewGenerator(&ids.GeneratorOptions{Clock: f.Clock(), NodeID: [6]byte{3, 'i', 'd', 's', 0, 7}})
	for range 4 {
		go func() {
			defer func() {
				if err, _ := recover().(error); !errors.Is(err, ids.ErrEnded) {
					panic(err)
				}
				// After Close, main has 100 ms to return, which may be too short on a busy machine.
				select {}
			}()
			for {
				var batch []byte // short enough that its write is not mixed with other writes
				for range 16 {
					v1, v6 := g.NewV1(), g.NewV6()
					batch = append(append(batch, v1[:]...), v6[:]...)
					batch = binary.BigEndian.AppendUint64(append(batch, 0, 0, 0, 0, 0, 0, 0, 0), uint64(node.Next()))
				}
				os.Stdout.Write(batch)
			}
		}()
	}
	<-stop
	if err := f.Close(); !errors.Is(err, os.ErrDeadlineExceeded) { // a busy disk may take more than 5 s
		return err
	}
	return nil
}

// child returns a command that runs the test binary as a child.
func child(t *testing.T, what string) *exec.Cmd {
	t.Helper()
	program, err := os.Executable()
	must(t, err)
	args := append(strings.Fields(os.Getenv("IDS_TEST_EMULATOR")), program)
	cmd := exec.Command(args[0], args[1:]...)
	// Under the race detector, a program sleeps for a second after main has returned.
	cmd.Env = append(os.Environ(), childVariable+"="+what, "GORACE=atexit_sleep_ms=0")
	return cmd
}

// TestProcesses ends processes at random moments, by SIGKILL or by SIGTERM. Their clocks are set
// back and forth by up to an hour. After SIGTERM, they end with status 0 and print nothing. IDs
// that are ahead of the clock soon reach their horizon, and are withheld again and again. No ID is
// generated twice, and each Snowflake and each version 6 UUID is above those of all earlier
// processes. Eight files have such processes at the same time.
func TestProcesses(t *testing.T) {
	t.Parallel()
	for i := range 8 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			killAgain(t, newFile(t))
		})
	}
}

func killAgain(t *testing.T, path string) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	seen := map[ids.UUID]bool{}
	latest := map[int]ids.UUID{} // by version; a Snowflake has none
	for i := range 5 {
		forward := time.Duration(-r.Int64N(int64(time.Hour))).Truncate(time.Millisecond)
		window := []time.Duration{100 * time.Millisecond, time.Second, 10 * time.Second}[r.IntN(3)]
		// The number of IDs to read before the signal. If it is negative, which happens in at most
		// every second process, the signal is sent immediately.
		most, end := r.IntN(4000)-1000*(i%2), syscall.SIGKILL
		if i%4 == 0 && runtime.GOOS != "windows" { // on Windows, no process can send it
			most, end = 5000*r.IntN(3), syscall.SIGTERM
		}
		before := maps.Clone(latest)
		for _, id := range live(t, fmt.Sprint(forward, " ", window, " ", path), most, end) {
			kind := id.Version()
			if seen[id] || kind != 1 && id.Compare(before[kind]) <= 0 {
				t.Fatalf("process %d, %v, has %v, after %v; twice: %v", i, forward, id, before[kind], seen[id])
			}
			seen[id] = true
			if id.Compare(latest[kind]) > 0 {
				latest[kind] = id
			}
		}
		if testing.Short() && i == 1 {
			break
		}
	}
	t.Logf("%d ids", len(seen))
	if len(seen) == 0 {
		t.Error("no process has printed an id")
	}
}

// live runs the server, ends it, and returns the IDs that it has printed.
func live(t *testing.T, what string, most int, end os.Signal) (printed []ids.UUID) {
	t.Helper()
	defer limit(t)()
	cmd, log := child(t, what), new(bytes.Buffer)
	cmd.Stderr = log
	out, err := cmd.StdoutPipe()
	must(t, err, cmd.Start())
	in := bufio.NewReader(out)
	if most < 0 {
		must(t, cmd.Process.Signal(end))
	}
	for n := 0; ; n++ {
		var id ids.UUID
		if _, err := io.ReadFull(in, id[:]); err != nil {
			break
		}
		printed = append(printed, id)
		if n == most {
			must(t, cmd.Process.Signal(end))
		}
	}
	if err := cmd.Wait(); (err == nil) != (end == syscall.SIGTERM) || log.Len() > 0 {
		t.Fatalf("%s: %v: %s", what, err, log)
	}
	return printed
}
