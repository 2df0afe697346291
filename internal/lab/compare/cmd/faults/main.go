// Command faults does to the clock of this library and of others what can be done
// to them, and writes what comes of it into docs/faults.md, between the
// markers <!-- faults:begin --> and <!-- faults:end -->:
//
//	go -C internal/lab/compare run ./cmd/faults
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/oneclock/ids/internal/lab/compare/faults"
	"github.com/oneclock/ids/internal/lab/markdown"
)

func main() {
	faults.Child()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "faults:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("faults", flag.ContinueOnError)
	page := flags.String("page", filepath.Join("..", "..", "..", "docs", "faults.md"), "write the table into `file`; empty prints it")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if err := markdown.CanPut(*page, "faults"); err != nil {
		return err
	}
	o := faults.Options{IDs: 100_000, Patience: 10 * time.Second, Versions: map[string]string{}}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			o.Versions[m.Path] = m.Version
		}
	}
	text, err := faults.Text(ctx, o)
	if err != nil {
		return err
	}
	line := strings.Join(append([]string{"go -C internal/lab/compare run ./cmd/faults"}, args...), " ")
	return markdown.Put(*page, "faults", "Command: `"+line+"`\n\n"+text)
}
