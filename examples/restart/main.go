// Restart mints ids that are never repeated, whenever it is killed and whatever its wall clock
// shows when it starts again: package clockfile keeps the horizon of its clock in a file.
//
//	go run ./examples/restart -file /var/lib/ids/clock -init -n 10   # the first time on this machine
//	go run ./examples/restart -file /var/lib/ids/clock               # from then on
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/clockfile"
)

// offsetVariable names an environment variable for tests: a duration, such as -40m, by which
// the wall clock seems to be set. The machine's own stays as it is.
const offsetVariable = "RESTART_TEST_CLOCK_OFFSET"

type config struct {
	file         string
	init         bool
	node         int64
	ahead, every time.Duration
	count        int64
	offset       time.Duration
}

func main() {
	c, err := parse(os.Args[1:], os.Getenv(offsetVariable), os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "restart:", err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, c, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "restart:", err)
		os.Exit(1)
	}
}

func parse(args []string, offset string, usage io.Writer) (*config, error) {
	c := new(config)
	f := flag.NewFlagSet("restart", flag.ContinueOnError)
	f.SetOutput(usage)
	f.StringVar(&c.file, "file", "", "the file with the clock's horizon; required")
	f.BoolVar(&c.init, "init", false, "make the file: for the first start on this machine, and never again")
	f.Int64Var(&c.node, "node", 0, "the node number, 0 to 1023, that no other process of the fleet has")
	f.DurationVar(&c.ahead, "ahead", 10*time.Second, "how far the horizon is ahead of the clock; at least 100ms")
	f.DurationVar(&c.every, "every", time.Second, "pause between two rounds of ids (0: none)")
	f.Int64Var(&c.count, "n", 0, "how many rounds to mint (0: until stopped)")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	switch {
	case f.NArg() > 0:
		return nil, fmt.Errorf("unexpected argument %q", f.Arg(0))
	case c.file == "":
		return nil, errors.New("give -file, the file for the clock's horizon")
	case c.node < 0 || c.node > 1023:
		return nil, fmt.Errorf("-node %d is not within 0 to 1023", c.node)
	case c.every < 0 || c.count < 0:
		return nil, errors.New("-every and -n must not be negative")
	}
	if offset != "" {
		var err error
		if c.offset, err = time.ParseDuration(offset); err != nil {
			return nil, fmt.Errorf("%s: %w", offsetVariable, err)
		}
	}
	return c, nil
}

// run mints until ctx is done or the count is reached.
func run(ctx context.Context, c *config, out, log io.Writer) (err error) {
	file, err := clockfile.Open(c.file, &clockfile.Options{
		Init:  c.init,
		Owner: fmt.Sprintf("restart, node %d", c.node),
		Ahead: c.ahead,
		Clock: &ids.ClockOptions{Now: func() time.Time { return time.Now().Add(c.offset) }},
		Report: func(err error) {
			if err == nil {
				fmt.Fprintln(log, "restart: the horizon is saved again, and ids go on")
				return
			}
			fmt.Fprintln(log, "restart: the horizon is not saved, and ids will stop:", err)
		},
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()

	minted := make(chan error, 1)
	go func() { minted <- mint(ctx, c, file.Clock(), out) }()
	// A call for an id may wait for as long as the horizon cannot be saved, and cannot be told to
	// stop: so it is left behind, and the program ends before it panics.
	select {
	case err := <-minted:
		return err
	case <-ctx.Done():
		return nil
	}
}

// mint writes rounds of three ids, each on a line after the name of its kind.
func mint(ctx context.Context, c *config, clock *ids.Clock, out io.Writer) error {
	// The node of versions 1 and 6 is fixed, as an address would be. Only then can they repeat: a
	// random node is another one in each process.
	node := [6]byte{0x03, 'i', 'd', 's', byte(c.node >> 8), byte(c.node)}
	g := ids.NewGenerator(&ids.GeneratorOptions{Clock: clock, Node: node})
	n, err := ids.NewSnowflakeNode(c.node, &ids.SnowflakeOptions{Clock: clock})
	if err != nil {
		return err
	}
	for i := int64(0); c.count == 0 || i < c.count; i++ {
		if _, err := fmt.Fprintf(out, "v6 %v\nv1 %v\nsnowflake %v\n", g.NewV6(), g.NewV1(), n.Next()); err != nil {
			return err
		}
		if c.every > 0 {
			select {
			case <-time.After(c.every):
			case <-ctx.Done():
				return nil
			}
		}
	}
	return nil
}
