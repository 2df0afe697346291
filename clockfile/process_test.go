package clockfile_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
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
	"github.com/oneclock/ids/snowflake"
)

// childVariable is an environment variable that makes the test's program the server below, and no test.
// It has how far the clock is set forward, how far ahead the horizon is, and the path. With "wait" the
// program waits for the end of its input instead.
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
	// This lets crypto/rand begin outside all bubbles. With GODEBUG=fips140=on it measures the jitter of the
	// clock for that, and the clock of a bubble has none.
	ids.NewV4()
	m.Run()
}

// server mints in bare goroutines until it is told to stop. Then it closes the file and returns at once. It prints
// ids of the three kinds that could repeat, each in 16 bytes: the node of versions 1 and 6 is fixed, as an address would be.
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
	node, err := snowflake.NewNode(7, &snowflake.Options{Clock: f.Clock()})
	if err != nil {
		return err
	}
	snowflake.SetDefault(node)
	g := ids.NewGenerator(&ids.GeneratorOptions{Clock: f.Clock(), NodeID: [6]byte{3, 'i', 'd', 's', 0, 7}})
	go func() {
		for {
			snowflake.Next()
		}
	}()
	for range 4 {
		go func() {
			for {
				var batch []byte // so short that a write of it is not mixed with others
				for range 16 {
					v1, v6 := g.NewV1(), g.NewV6()
					batch = append(append(batch, v1[:]...), v6[:]...)
					batch = binary.BigEndian.AppendUint64(append(batch, 0, 0, 0, 0, 0, 0, 0, 0), uint64(snowflake.Next()))
				}
				os.Stdout.Write(batch)
			}
		}()
	}
	<-stop
	return f.Close()
}

// A life is one run of the server: how far its clock is set forward, and when which signal ends it.
type life struct {
	forward, ahead time.Duration
	ids            int // that are read before the signal; negative: it comes at once
	signal         os.Signal
}

// live starts the server and returns the ids that it has printed.
func live(t *testing.T, path string, l life) (printed []ids.UUID) {
	t.Helper()
	program, err := os.Executable()
	must(t, err)
	args := append(strings.Fields(os.Getenv("IDS_TEST_EMULATOR")), program)
	cmd, log := exec.Command(args[0], args[1:]...), new(bytes.Buffer)
	// The race detector has a program sleep for a second when main has returned.
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%v %v %s", childVariable, l.forward, l.ahead, path), "GORACE=atexit_sleep_ms=0")
	cmd.Stderr = log
	out, err := cmd.StdoutPipe()
	must(t, err, cmd.Start())
	defer limit(t)()
	if l.ids < 0 {
		must(t, cmd.Process.Signal(l.signal))
	}
	in := bufio.NewReader(out)
	for n := 0; ; n++ {
		var id ids.UUID
		if _, err := io.ReadFull(in, id[:]); err != nil {
			break
		}
		printed = append(printed, id)
		if n == l.ids {
			must(t, cmd.Process.Signal(l.signal))
		}
	}
	if err := cmd.Wait(); (err == nil) != (l.signal == syscall.SIGTERM) || log.Len() > 0 {
		t.Fatalf("%+v: %v: %s", l, err, log)
	}
	return printed
}

// checkLives starts the server for each life, and checks that no id comes twice, and that each Snowflake and each
// version 6 UUID is above those of all earlier lives.
func checkLives(t *testing.T, path string, lives []life) {
	t.Helper()
	seen := map[ids.UUID]bool{}
	latest := map[int]ids.UUID{} // by version, which a Snowflake has not
	for i, l := range lives {
		before := maps.Clone(latest)
		for _, id := range live(t, path, l) {
			kind := id.Version()
			switch {
			case seen[id]:
				t.Fatalf("life %d, %+v, repeats %v", i, l, id)
			case kind != 1 && id.Compare(before[kind]) <= 0:
				t.Fatalf("life %d, %+v, has %v, after %v", i, l, id, before[kind])
			}
			seen[id] = true
			if id.Compare(latest[kind]) > 0 {
				latest[kind] = id
			}
		}
	}
	t.Logf("%d ids of %d processes", len(seen), len(lives))
	if len(seen) == 0 {
		t.Error("no process has printed an id")
	}
}

// TestProcesses ends processes at random moments, whose clocks are set to and fro by up to an hour: by SIGKILL, or by SIGTERM, where
// they end with status 0 and say nothing. Ids that are ahead of the clock come soon to their horizon, and are withheld again and again.
func TestProcesses(t *testing.T) {
	path := newFile(t)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	var lives []life
	for i := range 40 {
		l := life{time.Duration(-r.Int64N(int64(time.Hour))).Truncate(time.Millisecond),
			[]time.Duration{100 * time.Millisecond, time.Second, 10 * time.Second}[r.IntN(3)], r.IntN(4000) - 1000, syscall.SIGKILL}
		if i%4 == 0 && runtime.GOOS != "windows" { // where no process can send it
			l.ids, l.signal = 5000*r.IntN(3), syscall.SIGTERM
		}
		if lives = append(lives, l); testing.Short() && i == 10 {
			break
		}
	}
	checkLives(t, path, lives)
}
