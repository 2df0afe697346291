package ids_test

// The main function of the tests, how they start processes, and helpers that many files use. The
// first comment of each test file describes what the file tests.

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/oneclock/ids"
)

// TestMain initializes crypto/rand outside all bubbles, whichever test runs first. With
// GODEBUG=fips140=on, crypto/rand measures the jitter of the clock when it is initialized, and the
// clock of a bubble has none.
func TestMain(m *testing.M) {
	if os.Getenv(isChild) != "" {
		go func() {
			io.Copy(io.Discard, os.Stdin)
			os.Exit(2) // the process that started this one has ended
		}()
	}
	ids.NewV4()
	m.Run()
}

// isChild is set in processes that the tests have started.
const isChild = "IDS_TEST_CHILD"

// again returns a command that runs the test program itself with the given arguments. The new
// process ends with this one, because it watches the end of a pipe that this process holds open. If
// the test program runs in an emulator, the environment variable IDS_TEST_EMULATOR must name it.
func again(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Skip("the program of the tests cannot be started again here: ", err)
	}
	// Without it, the process takes a second to end.
	t.Setenv("GORACE", os.Getenv("GORACE")+" atexit_sleep_ms=0")
	t.Setenv(isChild, "1")
	command := func(args []string) *exec.Cmd {
		args = append(append(strings.Fields(os.Getenv("IDS_TEST_EMULATOR")), exe), args...)
		cmd := exec.Command(args[0], args[1:]...)
		if _, err := cmd.StdinPipe(); err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	try := command([]string{"-test.list=^$"})
	if err := try.Run(); try.ProcessState == nil {
		t.Skip("the program of the tests cannot be started again here, except by an emulator that IDS_TEST_EMULATOR names: ", err)
	}
	return command(args)
}

// A fakeClock is a wall clock that a test sets.
type fakeClock struct {
	mu    sync.Mutex
	t     time.Time
	reads int
}

func (f *fakeClock) now() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reads++
	return f.t
}

func (f *fakeClock) step(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.t = f.t.Add(d)
}

// newNode returns a node.
func newNode(t *testing.T, number int64, opts *ids.SnowflakeOptions) *ids.SnowflakeNode {
	t.Helper()
	n, err := ids.NewSnowflakeNode(number, opts)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// newFake returns a fake clock, and a generator and a node on a clock that reads it.
func newFake(t *testing.T) (*fakeClock, *ids.Clock, *ids.Generator, *ids.SnowflakeNode) {
	t.Helper()
	return newFakeAt(t, start, time.Time{})
}

// newFakeAt is like newFake, for a clock that shows the given time and begins after another one.
func newFakeAt(t *testing.T, at, after time.Time) (*fakeClock, *ids.Clock, *ids.Generator, *ids.SnowflakeNode) {
	t.Helper()
	f := &fakeClock{t: at}
	c := ids.NewClock(&ids.ClockOptions{Now: f.now, After: after})
	g, n := usersOf(t, c)
	return f, c, g, n
}

// usersOf returns a generator and a node on c.
func usersOf(t *testing.T, c *ids.Clock) (*ids.Generator, *ids.SnowflakeNode) {
	t.Helper()
	g := ids.NewGenerator(&ids.GeneratorOptions{Clock: c, NodeID: [6]byte{1, 2, 3, 4, 5, 6}})
	return g, newNode(t, 7, &ids.SnowflakeOptions{Clock: c})
}

// newUnbounded returns a clock with a limit that withholds nothing.
func newUnbounded(opts *ids.ClockOptions) (*ids.Clock, *ids.ClockLimit) {
	c, limit := ids.NewLimitedClock(opts)
	limit.Set(unbounded, nil)
	return c, limit
}

// newLimited is like newFake, for a clock with a limit that withholds nothing.
func newLimited(t *testing.T) (*fakeClock, *ids.Clock, *ids.ClockLimit, *ids.Generator, *ids.SnowflakeNode) {
	t.Helper()
	return newLimitedAt(t, start, time.Time{})
}

// newLimitedAt is like newLimited, for a clock that shows the given time and begins after another
// one.
func newLimitedAt(t *testing.T, at, after time.Time) (*fakeClock, *ids.Clock, *ids.ClockLimit, *ids.Generator, *ids.SnowflakeNode) {
	t.Helper()
	f, c, limit, g, n := newWithheldAt(t, at, after)
	limit.Set(unbounded, nil)
	return f, c, limit, g, n
}

// newWithheldAt is like newFakeAt, for a clock that has no first limit yet and therefore withholds
// the IDs of all formats with a limit.
func newWithheldAt(t *testing.T, at, after time.Time) (*fakeClock, *ids.Clock, *ids.ClockLimit, *ids.Generator, *ids.SnowflakeNode) {
	t.Helper()
	f := &fakeClock{t: at}
	c, limit := ids.NewLimitedClock(&ids.ClockOptions{Now: f.now, After: after})
	g, n := usersOf(t, c)
	return f, c, limit, g, n
}

// partsOf returns the fields of a Snowflake of Twitter's layout.
func partsOf(s ids.Snowflake) ids.SnowflakeParts { return ids.TwitterLayout().Split(s) }

// start is the time at which fake clocks begin, a whole second.
var start = time.Date(2026, 3, 14, 15, 9, 26, 0, time.UTC)

// stopped returns a clock that stands still at t.
func stopped(t time.Time) *ids.Clock {
	return ids.NewClock(&ids.ClockOptions{Now: func() time.Time { return t }})
}

// repeated returns a reader of one repeated byte.
func repeated(b byte) readerFunc {
	return func(p []byte) (int, error) {
		for i := range p {
			p[i] = b
		}
		return len(p), nil
	}
}

// panicOf returns the error with which f panics.
func panicOf(f func()) (err error) {
	defer func() { err, _ = recover().(error) }()
	f()
	return nil
}

// checkPanic checks that f panics with a message that contains the given text.
func checkPanic(t *testing.T, what, message string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if got := recover(); got == nil || !strings.Contains(fmt.Sprint(got), message) {
			t.Errorf("%s panics with %v, want %q", what, got, message)
		}
	}()
	f()
}

// firstOf returns the result of a call that must not fail.
func firstOf[T any](v T, _ error) T { return v }

// pointer returns a pointer to a copy of v.
func pointer[T any](v T) *T { return &v }

func timeOf(u ids.UUID) time.Time {
	at, _ := u.Time()
	return at
}

// unbounded is a limit that withholds nothing, because all formats end before it.
var unbounded = time.Unix(1<<40, 0).UTC()
