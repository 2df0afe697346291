package report

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// serial matches the benchmarks that run with one value of GOMAXPROCS: all but Parallel. A
// test checks that none is missing.
const serial = "^Benchmark(Floor|New|Run1000|Goroutines64|String|Base58|AppendText|Parse|ParseBad|MarshalJSON|UnmarshalJSON|Scan)$"

// Options are what Run needs to know.
type Options struct {
	Dir       string // of the module
	Count     int    // rounds
	Benchtime string // of each benchmark, as go test takes it
	CPU       string // values of GOMAXPROCS for Benchmark<Parallel>, separated by commas
	Filter    string // of benchmarks, as go test -bench takes it
	Raw       io.Writer
	Progress  func(line string)
}

// Run runs all benchmarks once in each round. Rounds take turns, instead of each benchmark
// running several times on end, so that a change in the speed of the machine meets all
// libraries alike.
func Run(ctx context.Context, o Options) (*Results, error) {
	temp, err := os.MkdirTemp("", "compare")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temp)
	o.Progress("building the benchmarks")
	binary := filepath.Join(temp, "compare.test")
	if err := goCommand(ctx, o.Dir, "test", "-c", "-o", binary, "."); err != nil {
		return nil, err
	}
	results := NewResults()
	began, done, inRound := time.Now(), 0, 0
	for round := 1; round <= o.Count; round++ {
		atStart := done
		for _, args := range [][]string{
			{"-test.skip=^BenchmarkParallel$"},
			{"-test.skip=" + serial, "-test.cpu=" + o.CPU},
		} {
			args = append(args, "-test.run=^$", "-test.bench="+o.Filter, "-test.benchtime="+o.Benchtime, "-test.timeout=0")
			err := runBinary(ctx, o, binary, args, results, func(k Key) {
				done++
				o.Progress(progress(round, o.Count, done-atStart, inRound, time.Since(began), done) + ": " + k.Operation + "/" + k.Kind + "/" + k.Library)
			})
			if err != nil {
				return nil, err
			}
		}
		inRound = done - atStart
		if inRound == 0 {
			return nil, fmt.Errorf("no benchmark matches %q", o.Filter)
		}
	}
	return results, nil
}

// progress says how far a run is. How many benchmarks there are in a round is known after the
// first.
func progress(round, rounds, done, inRound int, elapsed time.Duration, total int) string {
	line := "round " + strconv.Itoa(round) + " of " + strconv.Itoa(rounds) + ", benchmark " + strconv.Itoa(done)
	if inRound > 0 {
		left := time.Duration(float64(elapsed) / float64(total) * float64(inRound*rounds-total))
		line += " of " + strconv.Itoa(inRound) + ", " + left.Round(time.Second).String() + " left"
	}
	return line
}

// runBinary runs the benchmarks once and adds their results.
func runBinary(ctx context.Context, o Options, binary string, args []string, results *Results, seen func(Key)) error {
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Dir = o.Dir
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	readErr := results.Read(io.TeeReader(out, o.Raw), seen)
	_, drainErr := io.Copy(io.Discard, out)
	if err := errors.Join(readErr, drainErr, cmd.Wait()); err != nil {
		return fmt.Errorf("running the benchmarks: %w", err)
	}
	return nil
}

// goCommand runs the go command in a folder.
func goCommand(ctx context.Context, dir string, args ...string) error {
	_, err := goOutput(ctx, dir, args...)
	return err
}

// goOutput returns what the go command prints in a folder.
func goOutput(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	var complaint strings.Builder
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, complaint.String())
	}
	return string(out), nil
}
