// Command report measures this library side by side with others and writes what it finds into
// docs/speed.md, in short into README.md, in both between the markers <!-- compare:begin --> and
// <!-- compare:end -->, and into the charts docs/speed.svg and docs/workers.svg. It takes some 12
// minutes, on a machine that should do nothing else:
//
//	go -C internal/lab/compare run ./cmd/report
//	GOTOOLCHAIN=go1.27.0 go -C internal/lab/compare run ./cmd/report    with Go's own package uuid among the others
//	go -C internal/lab/compare run ./cmd/report -short -out trial  a trial of a minute, into other files
//	go -C internal/lab/compare run ./cmd/report -bench New/V7 -count 5  some benchmarks, and print only
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/oneclock/ids/internal/lab/compare/report"
	"github.com/oneclock/ids/internal/lab/markdown"
)

// A command is what the flags ask for.
type command struct {
	report.Options
	cpus     []int
	out, raw string
	line     string // to type in the root of the repository, for the same again
	some     bool   // only the benchmarks that match Filter

	// The size of what is measured without benchmarks.
	calls, longestRun int
}

// goroutines is how many mint at once while single calls are timed.
const goroutines = 64

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "report:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	c, err := parse(args)
	if err != nil {
		return err
	}
	page, summary := filepath.Join(c.out, "docs", "speed.md"), filepath.Join(c.out, "README.md")
	if c.some {
		page, summary = "", ""
	}
	if err := errors.Join(markdown.CanPut(page, marker), markdown.CanPut(summary, marker)); err != nil {
		return err
	}
	results, err := c.measure(ctx)
	if err != nil {
		return err
	}
	text, err := c.tables(ctx, results)
	if err != nil {
		return err
	}
	if c.some {
		return markdown.Put("", marker, text)
	}
	more, err := c.costs(ctx)
	if err != nil {
		return err
	}
	if err := markdown.Put(page, marker, text+more); err != nil {
		return err
	}
	if err := markdown.Put(summary, marker, c.commandLine()+results.SummaryTable()); err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(c.out, "docs", "speed.svg"), []byte(results.Chart()), 0o644),
		os.WriteFile(filepath.Join(c.out, "docs", "workers.svg"), []byte(results.WorkersChart(c.cpus)), 0o644))
}

// marker names the places on the pages.
const marker = "compare"

// parse reads the flags.
func parse(args []string) (*command, error) {
	c := &command{Options: report.Options{Dir: "."}, calls: 5000, longestRun: 10_000_000}
	c.line = strings.Join(append([]string{"GOTOOLCHAIN=" + runtime.Version(), "go -C internal/lab/compare run ./cmd/report"}, args...), " ")
	flags := flag.NewFlagSet("report", flag.ContinueOnError)
	short := flags.Bool("short", false, "measure little, for a trial: as -count 2 -benchtime 5ms, and the rest alike")
	flags.IntVar(&c.Count, "count", 10, "run all benchmarks `n` times, one time after the other")
	flags.StringVar(&c.Benchtime, "benchtime", "100ms", "run each benchmark for `t` at a time, as go test -benchtime has it")
	flags.StringVar(&c.CPU, "cpu", "1,2,8", "run the parallel benchmarks with these values of GOMAXPROCS")
	flags.StringVar(&c.Filter, "bench", "", "run only benchmarks that match `regexp`, as go test -bench has it, and print the result")
	flags.StringVar(&c.out, "out", filepath.Join("..", "..", ".."), "write README.md, docs/speed.md and the charts beside it in the folder `dir`; the pages must have the markers")
	flags.StringVar(&c.raw, "raw", "", "also write what the benchmarks print to `file`, for benchstat")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if flags.NArg() > 0 {
		return nil, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if *short {
		c.Count, c.Benchtime, c.calls, c.longestRun = 2, "5ms", 500, 100_000
	}
	if c.Count < 1 {
		return nil, fmt.Errorf("-count is %d, below 1", c.Count)
	}
	if c.some = c.Filter != ""; !c.some {
		c.Filter = "."
	}
	for s := range strings.SplitSeq(c.CPU, ",") {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("-cpu has %q, which is not a number of processors", s)
		}
		c.cpus = append(c.cpus, n)
	}
	if _, err := os.Stat("cmd/report/main.go"); err != nil {
		return nil, errors.New("this is not the folder internal/lab/compare: run it as go -C internal/lab/compare run ./cmd/report")
	}
	c.Progress = report.Progress(os.Stderr)
	return c, nil
}

// measure runs the benchmarks.
func (c *command) measure(ctx context.Context) (*report.Results, error) {
	c.Raw = io.Discard
	if c.raw != "" {
		file, err := os.Create(c.raw)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		c.Raw = file
	}
	return report.Run(ctx, c.Options)
}

// tables returns the tables of the benchmarks, in Markdown.
func (c *command) tables(ctx context.Context, results *report.Results) (string, error) {
	toolchain, err := report.Toolchain(ctx, c.Dir)
	if err != nil {
		return "", err
	}
	versions, err := report.VersionLine(ctx, c.Dir)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(c.commandLine())
	fmt.Fprintf(&b, "Medians of %d runs of %s, on %s with %d processors, %s, against %s. A ratio is the median of the ratios in each run.\n\n",
		results.Rounds(), c.Benchtime, results.Machine(), runtime.NumCPU(), toolchain, versions)
	if !c.some {
		b.WriteString("![What one id costs in each library](speed.svg)\n\n![Ids a second by workers](workers.svg)\n\n")
	}
	c.section(&b, "Compared with floors and with the best known library", results.RatioTable())
	c.section(&b, "What one id costs", results.NewTable(c.cpus))
	c.section(&b, "What text, JSON and databases cost", results.TextTable())
	c.section(&b, "Floors", results.FloorTable())
	return b.String(), nil
}

// costs measures what benchmarks do not, and returns the tables.
func (c *command) costs(ctx context.Context) (string, error) {
	var b strings.Builder
	c.section(&b, fmt.Sprintf("How long single calls take while %d goroutines make them", goroutines), report.LatencyTable(goroutines, c.calls, c.Progress))
	c.section(&b, "How cost grows with the length of a run", report.Growth(c.longestRun, c.Progress))
	c.Progress("memory")
	c.section(&b, "Memory of a million ids in a slice", report.Memory())
	size, err := report.Size(ctx, c.Dir, c.Progress)
	c.section(&b, "What an import adds to an empty program", size)
	return b.String(), err
}

// section writes a table under its title and the command that makes it.
func (c *command) section(b *strings.Builder, title, table string) {
	if table != "" {
		fmt.Fprintf(b, "## %s\n\n%s%s\n", title, c.commandLine(), table)
	}
}

// commandLine returns the line that stands above each table.
func (c *command) commandLine() string { return "Command: `" + c.line + "`\n\n" }
