// Command database compares ids as primary keys in real databases: SQLite, PostgreSQL and
// MariaDB or MySQL.
//
// It fills one table a scheme and prints what the engine says about it. Without
// a flag it runs on an embedded SQLite, in a temporary folder.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"text/tabwriter"

	"github.com/oneclock/ids"
	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
	case errors.Is(err, errUsage):
		os.Exit(2) // parse has said why
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(os.Stderr, "database: interrupted; its tables are dropped")
		os.Exit(1)
	case err != nil:
		fmt.Fprintln(os.Stderr, "database:", err)
		os.Exit(1)
	}
}

// errUsage is returned for flags that make no sense, after the message has been written.
var errUsage = errors.New("usage")

// options are the flags.
type options struct {
	rows, batch     int
	runs            int
	sqlite          bool
	postgres, mysql string
}

func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("database", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&o.rows, "rows", 200_000, "rows to insert into each table")
	flags.IntVar(&o.batch, "batch", 10_000, "rows in a transaction")
	flags.IntVar(&o.runs, "runs", 3, "times to fill each table: a figure is the median of all")
	flags.BoolVar(&o.sqlite, "sqlite", false, "run on the embedded SQLite too when a server is given")
	flags.StringVar(&o.postgres, "postgres", "", "`URL` of a PostgreSQL database, such as postgres://user:password@127.0.0.1:5432/test")
	flags.StringVar(&o.mysql, "mysql", "", "`DSN` of a MariaDB or MySQL database, such as 'user:password@tcp(127.0.0.1:3306)/test'")
	flags.Usage = func() {
		fmt.Fprintln(stderr, "usage: database [flags]\n\nIn a server's database it creates tables named ids_example_… in place of any so named, and drops them.")
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return o, err
		}
		return o, errUsage
	}
	switch {
	case flags.NArg() > 0:
		fmt.Fprintf(stderr, "database: unexpected argument %q\n", flags.Arg(0))
	case o.rows < 1:
		fmt.Fprintf(stderr, "database: -rows %d: at least 1\n", o.rows)
	case o.batch < 1:
		fmt.Fprintf(stderr, "database: -batch %d: at least 1\n", o.batch)
	case o.runs < 1:
		fmt.Fprintf(stderr, "database: -runs %d: at least 1\n", o.runs)
	default:
		return o, nil
	}
	return o, errUsage
}

// run is the program.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := parse(args, stderr)
	if err != nil {
		return err
	}
	engines, cleanup, err := o.open(ctx)
	defer cleanup()
	if err != nil {
		return err
	}
	node, err := ids.NewSnowflakeNode(1, nil)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%d cores%s, %s/%s, %s: medians of %d runs, %d rows in each table\n\n",
		runtime.NumCPU(), processor(), runtime.GOOS, runtime.GOARCH, runtime.Version(), o.runs, o.rows)
	for _, e := range engines {
		if err := o.runEngine(ctx, e, schemes(node), stdout, stderr); err != nil {
			return err
		}
	}
	return nil
}

// open connects to what the flags name. The function it returns closes and removes whatever was
// opened, after an error too.
func (o options) open(ctx context.Context) (engines []engine, cleanup func(), err error) {
	var undo []func()
	cleanup = func() {
		for _, f := range slices.Backward(undo) {
			f()
		}
	}
	add := func(e engine) {
		engines = append(engines, e)
		undo = append(undo, func() { e.close() })
	}
	if o.sqlite || o.postgres == "" && o.mysql == "" {
		dir, err := os.MkdirTemp("", "ids-database-")
		if err != nil {
			return nil, cleanup, err
		}
		undo = append(undo, func() { os.RemoveAll(dir) })
		e, err := openSQLite(ctx, dir)
		if err != nil {
			return nil, cleanup, err
		}
		add(e)
	}
	if o.postgres != "" {
		native, viaSQL, err := openPostgres(ctx, o.postgres)
		if err != nil {
			return nil, cleanup, err
		}
		add(native)
		add(viaSQL)
	}
	if o.mysql != "" {
		e, err := openMySQL(ctx, o.mysql)
		if err != nil {
			return nil, cleanup, err
		}
		add(e)
	}
	return engines, cleanup, nil
}

// runEngine makes the round trips and the measurements of one engine and prints them.
func (o options) runEngine(ctx context.Context, e engine, schemes []scheme, stdout, stderr io.Writer) error {
	fmt.Fprintf(stdout, "%s\n", e.name())
	trips := e.roundTrips()
	for _, trip := range trips {
		if err := trip.run(ctx); err != nil {
			return fmt.Errorf("%s: %s: %w", e.name(), trip.name, err)
		}
	}
	fmt.Fprintf(stdout, "%d round trips (NULL, lists, arrays, bytes and text): all came back as they were\n\n", len(trips))

	bar := progressbar.NewOptions(o.runs*o.rows*len(schemes),
		progressbar.OptionSetWriter(stderr),
		progressbar.OptionSetVisibility(isTerminal(stderr)),
		progressbar.OptionShowCount(),
		progressbar.OptionShowIts(),
		progressbar.OptionSetItsString("rows"),
		progressbar.OptionClearOnFinish(),
	)
	defer bar.Exit()
	// Round by round, so that what else the machine does hits all schemes alike.
	runs := make([][]result, len(schemes))
	for range o.runs {
		for i, s := range schemes {
			bar.Describe(s.name)
			r, err := measure(ctx, e, s, o.rows, o.batch, func(n int) { bar.Add(n) })
			if err != nil {
				return err
			}
			runs[i] = append(runs[i], r)
		}
	}
	var results []result
	for _, of := range runs {
		results = append(results, median(of))
	}
	bar.Finish()
	return printTable(stdout, results)
}

// processor returns ", " and the model of the processor where Linux tells it.
func processor() string {
	info, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(info)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			return ", " + strings.TrimSpace(value)
		}
	}
	return ""
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// printTable prints one row a scheme. MB are 1,000,000 bytes.
func printTable(w io.Writer, results []result) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "key\tcolumn\trows/s\ttable MB\tindex MB\tlog MB\tlog bytes/row\trange rows\trange ms\t")
	for _, r := range results {
		column, _, _ := strings.Cut(r.column, " ") // without character set and collation
		index := fmt.Sprintf("%.1f", mb(r.index))
		if r.index == 0 {
			index = "in table"
		}
		fmt.Fprintf(t, "%s\t%s\t%.0f\t%.1f\t%s\t%.1f\t%d\t", r.scheme.name, column, r.rate(), mb(r.table), index, mb(r.written), r.written/int64(r.rows))
		if r.ranged {
			fmt.Fprintf(t, "%d\t%.2f\t\n", r.rangeRows, r.rangeTime.Seconds()*1000)
		} else {
			fmt.Fprint(t, "no time\tin it\t\n")
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w)
	return err
}

func mb(n int64) float64 { return float64(n) / 1e6 }
