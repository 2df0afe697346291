package ids_test

// Nodes: their numbers, the default node, its environment variable, and which nodes may replace the
// default node.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oneclock/ids"
)

// TestDefaultNodeBeforeEpoch asks for a process's first Snowflakes in a testing/synctest bubble,
// which begins before the epoch. With a given number, they would be the same in each run, so the
// call returns an error that names the remedy. With a random number, they begin at the epoch. The
// test runs in a process of its own because another test may already have used the node here.
func TestDefaultNodeBeforeEpoch(t *testing.T) {
	const child = "IDS_TEST_EPOCH_CHILD"
	if os.Getenv(child) != "" {
		synctest.Test(t, checkBeforeEpoch)
		return
	}
	for _, variable := range []string{"IDS_SNOWFLAKE_NODE=7", "IDS_SNOWFLAKE_NODE=random", "IDS_OTHER="} {
		cmd := again(t, "-test.run=^"+t.Name()+"$")
		unsetNode(t)
		cmd.Env = append(os.Environ(), child+"=1", variable)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("with %s: %v\n%s", variable, err, out)
		}
	}
}

// checkBeforeEpoch is the part of TestDefaultNodeBeforeEpoch that runs in its own process.
func checkBeforeEpoch(t *testing.T) {
	layout := ids.TwitterLayout()
	if os.Getenv("IDS_SNOWFLAKE_NODE") != "7" {
		first := partsOf(ids.NextSnowflake())
		for i := range int64(3) {
			want := ids.SnowflakeParts{Time: layout.Epoch, Node: first.Node, Sequence: i + 1}
			if got := partsOf(ids.NextSnowflake()); got != want || !first.Time.Equal(layout.Epoch) {
				t.Errorf("after %v, id %d is %v, want %v", first, i, got, want)
			}
		}
		return
	}
	for range 2 { // a failed call leaves no node behind
		n, err := ids.DefaultSnowflakeNode()
		checkRangeError(t, "DefaultSnowflakeNode", err, "set the clock or, in a testing/synctest bubble, which begins in the year 2000, set IDS_SNOWFLAKE_NODE to random")
		if n != nil || !strings.Contains(err.Error(), "2000-01-01T00:00:00Z is before the first tick") {
			t.Errorf("DefaultSnowflakeNode() = %v, %v", n, err)
		}
		if got := panicOf(func() { ids.NextSnowflake() }); got == nil || got.Error() != err.Error() || !errors.Is(got, ids.ErrRange) {
			t.Errorf("NextSnowflake panics with %v, want %v", got, err)
		}
	}
	time.Sleep(time.Until(start)) // start is after the epoch
	if got, want := partsOf(ids.NextSnowflake()), (ids.SnowflakeParts{Time: start, Node: 7}); got != want {
		t.Errorf("after the epoch, the first id is %v, want %v", got, want)
	}
}

// TestWidthOfSequence has two nodes whose layouts differ only in the width of the sequence and
// whose numbers are 0. No ID of one node has bits of its sequence in the node's place.
func TestWidthOfSequence(t *testing.T) {
	_, c, _, _ := newFake(t)
	wide := ids.SnowflakeLayout{Epoch: start.Add(-time.Hour), Tick: time.Millisecond, NodeBits: 10, SequenceBits: 12}
	thin := ids.SnowflakeLayout{Epoch: wide.Epoch, Tick: time.Millisecond, NodeBits: 12, SequenceBits: 10}
	newNode(t, 0, &ids.SnowflakeOptions{Layout: wide, Clock: c}).Next()
	for _, s := range newNode(t, 0, &ids.SnowflakeOptions{Layout: thin, Clock: c}).Append(nil, 3000) {
		if got := thin.Split(s); got.Node != 0 {
			t.Fatalf("%d is of node %d, want 0", s, got.Node)
		}
	}
}

// TestNodeVariable sets the default node's number by the environment variable. The variable is read
// until it contains a number, and then no more.
func TestNodeVariable(t *testing.T) {
	defer ids.SetDefaultSnowflakeNode(nil)
	ids.SetDefaultSnowflakeNode(nil)
	for _, value := range []string{"1024", "-1", "+1", "0x1", " 1", "1\n", "1_0", "", "Random", "\uff11", "18446744073709551617", "9223372036854775808", "0012", "7"} {
		t.Setenv("IDS_SNOWFLAKE_NODE", value)
		if _, err := ids.DefaultSnowflakeNode(); err != nil {
			checkRangeError(t, "a bad value", err, "environment variable IDS_SNOWFLAKE_NODE is "+strconv.Quote(value)+", not a number from 0 to 1023")
			if got := panicOf(func() { ids.NextSnowflake() }); got != err {
				t.Errorf("with %q NextSnowflake panics with %v, want %v", value, got, err)
			}
		}
	}
	if got := partsOf(ids.NextSnowflake()).Node; got != 12 {
		t.Errorf("the first number after bad values is 12, and the node is %d", got)
	}
}

// TestSetDefaultAtOnce makes goroutines set nodes with the same number, on different clocks, at the
// same time. One of them becomes the default node; the others panic, because they would repeat its
// IDs.
func TestSetDefaultAtOnce(t *testing.T) {
	defer ids.SetDefaultSnowflakeNode(nil)
	nodes := [2]*ids.SnowflakeNode{newNode(t, 42, &ids.SnowflakeOptions{Clock: stopped(vectorTime)}),
		newNode(t, 42, &ids.SnowflakeOptions{Clock: stopped(vectorTime)})}
	const rounds = 3000
	var arrived, let atomic.Int32
	meet := func(n int32) { // meet lets both continue at the same moment
		arrived.Add(1)
		for spins := 0; arrived.Load() < n; spins++ {
			if spins%1000 == 999 {
				runtime.Gosched() // there may be only one processor
			}
		}
	}
	var wg sync.WaitGroup
	for i, n := range nodes {
		wg.Go(func() {
			for round := range int32(rounds) {
				if i == 0 {
					ids.SetDefaultSnowflakeNode(nil)
				}
				meet(4*round + 2)
				if panicOf(func() { ids.SetDefaultSnowflakeNode(n) }) == nil {
					let.Add(1)
				}
				meet(4*round + 4)
			}
		})
	}
	wg.Wait()
	if n := let.Load(); n != rounds {
		t.Errorf("%d nodes were accepted in %d rounds", n, rounds)
	}
}

// TestSetDefaultFromEnv makes the default node with the number in the environment, on a given clock
// and in a given layout.
func TestSetDefaultFromEnv(t *testing.T) {
	defer ids.SetDefaultSnowflakeNode(nil)
	f, c, _, _ := newFake(t)
	for _, k := range []struct {
		value  string
		layout ids.SnowflakeLayout
		want   int64 // negative: an error
		last   int64
	}{
		{"7", ids.SnowflakeLayout{}, 7, 1023}, {"0", ids.SnowflakeLayout{}, 0, 1023}, {"1023", ids.SnowflakeLayout{}, 1023, 1023},
		{"1024", ids.SnowflakeLayout{}, -1, 1023}, {"1024", ids.SonyflakeLayout(), 1024, 65535}, {"65536", ids.SonyflakeLayout(), -1, 65535},
		{"1", ids.SnowflakeLayout{Epoch: start, Tick: 1, NodeBits: 0}, -1, 0}, {"0", ids.SnowflakeLayout{Epoch: start, Tick: 1}, 0, 0},
		{"4611686018427387903", ids.SnowflakeLayout{Epoch: start, Tick: time.Hour, NodeBits: 62}, 1<<62 - 1, 1<<62 - 1},
		{"", ids.SnowflakeLayout{}, -1, 1023}, {"-1", ids.SnowflakeLayout{}, -1, 1023}, {" 7", ids.SnowflakeLayout{}, -1, 1023},
		{"99999999999999999999", ids.SonyflakeLayout(), -1, 65535}, {"pod-7", ids.SnowflakeLayout{}, -1, 1023},
		{"random", ids.SnowflakeLayout{}, -1, 1023}, // random is for programs with many processes
	} {
		ids.SetDefaultSnowflakeNode(nil)
		t.Setenv("IDS_SNOWFLAKE_NODE", k.value)
		made, err := ids.SetDefaultSnowflakeNodeFromEnv(&ids.SnowflakeOptions{Clock: c, Layout: k.layout})
		if k.want < 0 {
			if made != nil {
				t.Errorf("with IDS_SNOWFLAKE_NODE=%s: a node beside the error", k.value)
			}
			checkRangeError(t, "with IDS_SNOWFLAKE_NODE="+k.value, err,
				fmt.Sprintf("environment variable IDS_SNOWFLAKE_NODE is %q, not a number from 0 to %d", k.value, k.last))
			// A failed call must not leave a node that this call would find.
			t.Setenv("IDS_SNOWFLAKE_NODE", "9")
			if n, err := ids.DefaultSnowflakeNode(); err != nil || n.Number() != 9 {
				t.Errorf("after the error: %v, %v", n, err)
			}
			continue
		}
		n, defaultErr := ids.DefaultSnowflakeNode()
		if err != nil || defaultErr != nil || n.Number() != k.want || made != n {
			t.Fatalf("with IDS_SNOWFLAKE_NODE=%s: %v, %v", k.value, err, defaultErr)
		}
		reads := f.reads
		if s := ids.NextSnowflake(); n.Layout().Split(s).Node != k.want || f.reads == reads {
			t.Errorf("with IDS_SNOWFLAKE_NODE=%s: %v, which is of another node or clock", k.value, s)
		}
		// A second node could repeat its IDs.
		if again, err := ids.SetDefaultSnowflakeNodeFromEnv(&ids.SnowflakeOptions{Clock: c, Layout: k.layout}); again != nil || err == nil || !strings.Contains(err.Error(), "already") {
			t.Errorf("the second call: %v, %v", again, err)
		}
		if again, _ := ids.DefaultSnowflakeNode(); again != n {
			t.Error("the second call has changed the node")
		}
	}
}

// TestSetDefaultFromEnvRefused tries an unset variable, a layout that cannot hold an ID, and a
// clock before the layout's epoch.
func TestSetDefaultFromEnvRefused(t *testing.T) {
	defer ids.SetDefaultSnowflakeNode(nil)
	ids.SetDefaultSnowflakeNode(nil)
	t.Setenv("IDS_SNOWFLAKE_NODE", "7")
	_, err := ids.SetDefaultSnowflakeNodeFromEnv(&ids.SnowflakeOptions{Layout: ids.SnowflakeLayout{Epoch: start, Tick: -1}})
	checkRangeError(t, "a bad layout", err, "Tick")
	_, err = ids.SetDefaultSnowflakeNodeFromEnv(&ids.SnowflakeOptions{Clock: stopped(time.Unix(0, 0))})
	checkRangeError(t, "a clock before the epoch", err, "before the first tick")
	if err := os.Unsetenv("IDS_SNOWFLAKE_NODE"); err != nil {
		t.Fatal(err)
	}
	if _, err := ids.SetDefaultSnowflakeNodeFromEnv(nil); err == nil || !strings.Contains(err.Error(), "IDS_SNOWFLAKE_NODE is not set: set it to a number from 0 to 1023 that no other process has") {
		t.Errorf("without the variable: %v", err)
	}
	t.Setenv("IDS_SNOWFLAKE_NODE", "7")
	if _, err := ids.SetDefaultSnowflakeNodeFromEnv(nil); err != nil {
		t.Errorf("after errors: %v", err)
	}
}

// TestDrawnNumberIsLogged makes Snowflakes in a bubble, which waits for the goroutine that logs. A
// number that was drawn is logged once, unless the variable asks for a drawn number. The first call
// does not wait for the log, whose lock is held meanwhile.
func TestDrawnNumberIsLogged(t *testing.T) {
	const child = "IDS_TEST_DRAWN_CHILD" // no other test writes to the log of that process
	if os.Getenv(child) == "" {
		cmd := again(t, "-test.run=^"+t.Name()+"$")
		cmd.Env = append(os.Environ(), child+"=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	const message = "ids: IDS_SNOWFLAKE_NODE is not set, so this process has the random Snowflake node number %d. " +
		"Two processes with the same number generate the same IDs: set a different number in each. " +
		"See https://pkg.go.dev/github.com/oneclock/ids/snowflake#Next\n"
	for value, want := range map[string]string{"": message, "random": "", "7": "", "web-3": ""} {
		synctest.Test(t, func(t *testing.T) {
			time.Sleep(time.Until(start)) // a node with a given number begins after the epoch
			if unsetNode(t); value != "" {
				t.Setenv("IDS_SNOWFLAKE_NODE", value)
			}
			ids.SetDefaultSnowflakeNode(nil)
			var mu sync.Mutex
			var says strings.Builder
			log.SetOutput(writerFunc(func(line []byte) (int, error) {
				mu.Lock()
				defer mu.Unlock()
				return says.Write(line)
			}))
			mu.Lock()
			var calls sync.WaitGroup
			for range 50 {
				calls.Go(func() {
					if err := panicOf(func() { ids.NextSnowflake() }); (err != nil) != (value == "web-3") {
						t.Errorf("with the value %q: %v", value, err)
					}
				})
			}
			calls.Wait()
			mu.Unlock()
			synctest.Wait()
			if n, err := ids.DefaultSnowflakeNode(); err == nil && want != "" {
				want = fmt.Sprintf(want, n.Number())
			}
			if got := says.String(); !strings.HasSuffix(got, want) || strings.Count(got, "\n") != strings.Count(want, "\n") {
				t.Errorf("with the value %q the log has %q, want one line that ends in %q", value, got, want)
			}
		})
	}
}

// TestLogPanics uses a log that panics, in a bubble, which waits for the goroutine that logs. The
// panic does not end the program. A process of TestLogsThatNeedSnowflakes may end before that
// goroutine runs.
func TestLogPanics(t *testing.T) {
	unsetNode(t)
	defer log.SetOutput(log.Writer())
	defer ids.SetDefaultSnowflakeNode(nil)
	ids.SetDefaultSnowflakeNode(nil)
	synctest.Test(t, func(t *testing.T) {
		writes := 0
		log.SetOutput(writerFunc(func([]byte) (int, error) {
			writes++
			panic("disk")
		}))
		ids.NextSnowflake()
		if synctest.Wait(); writes != 1 {
			t.Errorf("%d lines are logged", writes)
		}
	})
}

// TestLogsThatNeedSnowflakes starts a process with each of logsThatNeedSnowflakes. Each process
// gets its first Snowflake and, if it can, logs where its number comes from.
func TestLogsThatNeedSnowflakes(t *testing.T) {
	const child = "IDS_TEST_LOG_CHILD"
	if name := os.Getenv(child); name != "" {
		said := make(chan bool, 10)
		logsThatNeedSnowflakes[name](writerFunc(func(line []byte) (int, error) {
			n, err := os.Stderr.Write(line)
			if bytes.Contains(line, []byte("IDS_SNOWFLAKE_NODE")) {
				said <- true
			}
			return n, err
		}))
		fmt.Println("made", ids.NextSnowflake())
		if !cannotSay[name] {
			<-said
		}
		return
	}
	unsetNode(t)
	var processes sync.WaitGroup
	for name := range logsThatNeedSnowflakes {
		cmd := again(t, "-test.run=^"+t.Name()+"$")
		cmd.Env = append(os.Environ(), child+"="+name)
		var out strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &out
		processes.Go(func() {
			err := cmd.Start()
			if err == nil {
				late := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
				defer late.Stop()
				err = cmd.Wait()
			}
			fatal := name == "log.Fatal" && err != nil && err.Error() == "exit status 1"
			if err != nil && !fatal || !fatal && !strings.Contains(out.String(), "made") ||
				!cannotSay[name] && !strings.Contains(out.String(), "has the random Snowflake node number") {
				t.Errorf("%s: %v, prints\n%s", name, err, out.String())
			}
		})
	}
	processes.Wait()
}

// cannotSay contains the logs whose process ends before they write the line, or that never write
// it.
var cannotSay = map[string]bool{
	"a slog handler that hands records to a worker, by a full buffer": true, "a writer that panics": true,
	"a handler that makes a Snowflake and panics": true, "a writer that hangs": true, "log.Fatal": true,
}

// logsThatNeedSnowflakes contains logs that write to out. In each, the code that writes a line may
// wait for the first Snowflake, or the first Snowflake for the line.
var logsThatNeedSnowflakes = map[string]func(out io.Writer){
	"plain": func(out io.Writer) { log.SetOutput(out) },
	"a writer that numbers lines": func(out io.Writer) {
		log.SetOutput(&numbering{out: out})
		log.Print("first")
	},
	"a pipe, whose reader numbers lines": func(out io.Writer) {
		r, w := io.Pipe()
		log.SetOutput(w)
		go io.Copy(&numbering{out: out}, r)
		log.Print("first")
		log.Print("second")
	},
	"a slog handler that hands records to a worker": func(out io.Writer) {
		records := make(recordChan)
		slog.SetDefault(slog.New(records))
		go records.number(out)
		slog.Info("first")
		slog.Info("second")
	},
	"a slog handler that hands records to a worker, by a full buffer": func(out io.Writer) {
		records := make(recordChan, 10)
		slog.SetDefault(slog.New(records))
		go func() {
			for {
				slog.Info("busy")
			}
		}()
		for len(records) < cap(records) {
			runtime.Gosched()
		}
		go records.number(io.Discard)
		slog.Info("first")
	},
	"a logger with a lock, to which package log writes too": func(out io.Writer) {
		own := &numbering{out: out}
		log.SetOutput(own)
		fmt.Fprintln(own, "first")
	},
	"a slog handler with a lock, called without a slog.Logger": func(out io.Writer) {
		h := slog.NewTextHandler(&numbering{out: out}, nil)
		slog.SetDefault(slog.New(h))
		h.Handle(context.Background(), slog.NewRecord(time.Now(), slog.LevelInfo, "first", 0))
	},
	"a slog handler with a lock": func(out io.Writer) {
		slog.SetDefault(slog.New(slog.NewTextHandler(&numbering{out: out}, nil)))
		slog.Info("first")
	},
	"the first Snowflake under a lock that the writer takes": func(out io.Writer) {
		var mu sync.Mutex
		log.SetOutput(writerFunc(func(line []byte) (int, error) {
			mu.Lock()
			defer mu.Unlock()
			return out.Write(line)
		}))
		mu.Lock()
		defer mu.Unlock()
		ids.NextSnowflake()
	},
	"a writer that panics": func(io.Writer) {
		log.SetOutput(writerFunc(func([]byte) (int, error) { panic("disk") }))
	},
	"a handler that makes a Snowflake and panics": func(io.Writer) {
		slog.SetDefault(slog.New(slog.NewTextHandler(&numbering{out: writerFunc(func([]byte) (int, error) { panic("disk") })}, nil)))
		defer func() { _ = recover() }()
		slog.Info("first")
	},
	"a writer 1,200 calls above the log": func(out io.Writer) {
		var deep func(n int, line []byte) (int, error)
		deep = func(n int, line []byte) (int, error) {
			if n > 0 {
				return deep(n-1, line)
			}
			return fmt.Fprintf(out, "%v %s", ids.NextSnowflake(), line)
		}
		log.SetOutput(writerFunc(func(line []byte) (int, error) { return deep(1200, line) }))
		log.Print("first")
	},
	"a writer that hangs": func(io.Writer) {
		log.SetOutput(writerFunc(func([]byte) (int, error) { select {} }))
	},
	"the number of the run, in each line": func(out io.Writer) {
		run := sync.OnceValue(func() string { return ids.NextSnowflake().String() })
		log.SetOutput(writerFunc(func(line []byte) (int, error) { return fmt.Fprintf(out, "%v %s", run(), line) }))
		run()
		log.Print("first")
	},
	"log.Fatal": func(out io.Writer) {
		log.SetOutput(&numbering{out: out})
		log.Fatal("first and last")
	},
}

// numbering writes lines, each after a Snowflake, under its own lock.
type numbering struct {
	mu  sync.Mutex
	out io.Writer
}

func (n *numbering) Write(line []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	_, err := fmt.Fprintf(n.out, "%v %s", ids.NextSnowflake(), line)
	return len(line), err
}

// A recordChan is a slog handler that passes each record to another goroutine.
type recordChan chan slog.Record

func (recordChan) Enabled(context.Context, slog.Level) bool { return true }
func (c recordChan) WithAttrs([]slog.Attr) slog.Handler     { return c }
func (c recordChan) WithGroup(string) slog.Handler          { return c }

func (c recordChan) Handle(_ context.Context, r slog.Record) error {
	c <- r
	return nil
}

// number writes the records, each after a Snowflake.
func (c recordChan) number(out io.Writer) {
	for r := range c {
		fmt.Fprintln(out, ids.NextSnowflake(), r.Message)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// unsetNode unsets the variable until the end of the test.
func unsetNode(t *testing.T) {
	t.Helper()
	t.Setenv("IDS_SNOWFLAKE_NODE", "") // restores the variable at the end
	if err := os.Unsetenv("IDS_SNOWFLAKE_NODE"); err != nil {
		t.Fatal(err)
	}
}

// TestDefaultNodeOnce starts the default node from many goroutines at the same time. All get the
// same node. In turn, exactly one call of SetDefaultSnowflakeNodeFromEnv makes it.
func TestDefaultNodeOnce(t *testing.T) {
	defer ids.SetDefaultSnowflakeNode(nil)
	for _, fromEnv := range []bool{false, true} {
		t.Setenv("IDS_SNOWFLAKE_NODE", "random") // random logs nothing
		if fromEnv {
			t.Setenv("IDS_SNOWFLAKE_NODE", "7")
		}
		for range 200 {
			ids.SetDefaultSnowflakeNode(nil)
			nodes := make([]int64, 8)
			var made atomic.Int64
			var wg sync.WaitGroup
			begin := make(chan struct{})
			for i := range nodes {
				wg.Go(func() {
					<-begin
					if fromEnv {
						if _, err := ids.SetDefaultSnowflakeNodeFromEnv(nil); err == nil {
							made.Add(1)
						}
					}
					nodes[i] = partsOf(ids.NextSnowflake()).Node
				})
			}
			close(begin)
			wg.Wait()
			if slices.Min(nodes) != slices.Max(nodes) || fromEnv != (made.Load() == 1) {
				t.Fatalf("nodes %v, made %d times", nodes, made.Load())
			}
		}
	}
}

// A candidate is a node with the given number or, if that is negative, with the default node's.
type candidate struct {
	number int64
	layout ids.SnowflakeLayout
	clock  *ids.Clock
}

func (c candidate) node(t *testing.T) *ids.SnowflakeNode {
	if c.number < 0 {
		n, _ := ids.DefaultSnowflakeNode()
		c.number = n.Number()
	}
	return newNode(t, c.number, &ids.SnowflakeOptions{Layout: c.layout, Clock: c.clock})
}

// TestTwinOfDefaultNode replaces the default node with others, and also makes both on the same
// clock. A node that would repeat the default node's IDs is refused: it has the same number in a
// layout that packs alike, is on another clock, and both numbers were given. Without that check, a
// program that mints 50,000 IDs with a default node that it did not know about, and as many with
// the node of its configuration, has each ID twice.
func TestTwinOfDefaultNode(t *testing.T) {
	defer ids.SetDefaultSnowflakeNode(nil)
	twitter, discord := ids.TwitterLayout(), ids.DiscordLayout()
	// In layouts without a sequence, the node always has the same place.
	flat := ids.SnowflakeLayout{Epoch: start.AddDate(-1, 0, 0), Tick: time.Millisecond, NodeBits: 10}
	flatLast, flatZone, wide, slow, long, last, many := flat, flat, flat, flat, flat, twitter, twitter
	last.NodeLast = true
	many.NodeBits++
	flatLast.NodeLast = true
	flatZone.Epoch = flat.Epoch.In(time.FixedZone("east", 3600))
	wide.SequenceBits = 1
	slow.Tick *= 2
	long.Tick = time.Hour // so few ticks that any width of the node leaves enough bits
	longMany := long
	longMany.NodeBits++
	one, other := ids.NewClock(nil), ids.NewClock(nil)

	given := func(l ids.SnowflakeLayout) func() {
		return func() { ids.SetDefaultSnowflakeNode(candidate{7, l, one}.node(t)) }
	}
	drawn := func() { t.Setenv("IDS_SNOWFLAKE_NODE", "random") } // random logs nothing
	fromVariable := func() {
		t.Setenv("IDS_SNOWFLAKE_NODE", "7")
		ids.NextSnowflake() // makes the node, as a library unknown to main may do
	}
	fromEnv := func() {
		t.Setenv("IDS_SNOWFLAKE_NODE", "7")
		if _, err := ids.SetDefaultSnowflakeNodeFromEnv(&ids.SnowflakeOptions{Clock: one}); err != nil {
			t.Error(err)
		}
	}
	for _, c := range []struct {
		what    string
		old     func() // makes the default node
		next    candidate
		refused bool
		// shares the default node's sequence when both are on one clock, as refused nodes do
		shares bool
	}{
		{"a number that was drawn, by one that is given", drawn, candidate{-1, twitter, one}, false, true},
		{"that of the variable, on a new clock", fromVariable, candidate{7, twitter, one}, true, true},
		{"that of the variable, of the zero layout", fromVariable, candidate{7, ids.SnowflakeLayout{}, one}, true, true},
		{"that of the variable, on its own clock", fromVariable, candidate{7, twitter, nil}, false, true},
		{"that of the variable, of another number", fromVariable, candidate{8, twitter, one}, false, false},
		{"that of SetDefaultSnowflakeNodeFromEnv, on a new clock", fromEnv, candidate{7, twitter, other}, true, true},
		{"that of SetDefaultSnowflakeNodeFromEnv, on its own clock", fromEnv, candidate{7, twitter, one}, false, true},
		{"on a new clock", given(twitter), candidate{7, twitter, other}, true, true},
		{"on the default clock", given(twitter), candidate{7, twitter, nil}, true, true},
		{"on the same clock", given(twitter), candidate{7, twitter, one}, false, true},
		{"of another number", given(twitter), candidate{8, twitter, other}, false, false},
		{"of another epoch", given(twitter), candidate{7, discord, other}, false, false},
		{"the zone of the epoch", given(flat), candidate{7, flatZone, other}, true, true},
		{"the place of the node beside no sequence", given(flat), candidate{7, flatLast, other}, true, true},
		{"the width of the sequence", given(flat), candidate{7, wide, other}, false, false},
		{"the length of the tick", given(flat), candidate{7, slow, other}, false, false},
		{"the width of the node", given(twitter), candidate{7, many, other}, false, false},
		{"the width of the node beside long ticks", given(long), candidate{7, longMany, other}, false, false},
		{"the place of the node", given(twitter), candidate{7, last, other}, false, false},
	} {
		t.Run(c.what, func(t *testing.T) {
			ids.SetDefaultSnowflakeNode(nil)
			c.old()
			old, err := ids.DefaultSnowflakeNode()
			if err != nil {
				t.Fatal(err)
			}
			next := c.next.node(t)
			err = panicOf(func() { ids.SetDefaultSnowflakeNode(next) })
			want := next
			if c.refused {
				want = old
				message := fmt.Sprintf("ids: node %d is already the default Snowflake node, on another clock, so IDs would repeat: ", next.Number())
				if err == nil || !strings.HasPrefix(err.Error(), message) || !strings.Contains(err.Error(), "SetDefaultSnowflakeNodeFromEnv in main") {
					t.Errorf("the panic value is %v, want %s…", err, message)
				}
			} else if err != nil {
				t.Error(err)
			}
			if got, err := ids.DefaultSnowflakeNode(); got != want || err != nil {
				t.Errorf("the default node is %p, %v, want %p: the old one is %p", got, err, want, old)
			}
			if s := ids.NextSnowflake(); want.Layout().Split(s).Node != want.Number() {
				t.Errorf("NextSnowflake returns %v, which is not of node %d", s, want.Number())
			}

			// On the same clock, nodes that would repeat IDs share a sequence, so their IDs differ.
			clock := stopped(start)
			newNode(t, old.Number(), &ids.SnowflakeOptions{Layout: old.Layout(), Clock: clock}).Next()
			id := newNode(t, next.Number(), &ids.SnowflakeOptions{Layout: next.Layout(), Clock: clock}).Next()
			alone := newNode(t, next.Number(), &ids.SnowflakeOptions{Layout: next.Layout(), Clock: stopped(start)}).Next()
			if (id != alone) != c.shares {
				t.Errorf("on one clock the second node gives %v, and on another %v; want it to share: %v", id, alone, c.shares)
			}

			// Setting nil is for tests. It removes the guard.
			ids.SetDefaultSnowflakeNode(nil)
			ids.SetDefaultSnowflakeNode(next)
			if got, _ := ids.DefaultSnowflakeNode(); got != next {
				t.Errorf("after nil, the default node is %p, want %p", got, next)
			}
		})
	}
	// A number that was drawn, replaced after the same number is given.
	drawn()
	ids.SetDefaultSnowflakeNode(nil)
	next, err := ids.DefaultSnowflakeNode()
	if err != nil {
		t.Fatal(err)
	}
	ids.SetDefaultSnowflakeNode(nil)
	ids.SetDefaultSnowflakeNode(candidate{next.Number(), twitter, one}.node(t))
	if err := panicOf(func() { ids.SetDefaultSnowflakeNode(next) }); err != nil {
		t.Errorf("a number that is given, by one that was drawn: %v", err)
	}
}
