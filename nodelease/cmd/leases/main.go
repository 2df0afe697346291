// Leases creates, shows and checks the store from which package nodelease leases node numbers. The
// file help.txt describes the program's commands and options.
package main

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease/internal/etcdkeys"
	"github.com/oneclock/ids/nodelease/internal/mycheck"
	"github.com/oneclock/ids/nodelease/internal/pgcheck"
	"github.com/oneclock/ids/nodelease/storekit"
)

//go:embed help.txt
var help string

// Exit codes.
const (
	failed = iota + 1
	misused
	found
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	status := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// run runs the program and returns its exit status.
func run(ctx context.Context, args []string, out, errs io.Writer) int {
	misuse := func(err error) int {
		fmt.Fprintf(errs, "leases: %s\nTry: leases -h\n", masked(err))
		return misused
	}
	if len(args) == 0 {
		return misuse(errors.New("missing command; use init, list or check"))
	}
	command, o := args[0], new(options)
	f := flag.NewFlagSet("leases", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.Int64Var(&o.numbers, "numbers", 1024, "")
	f.StringVar(&o.table, "table", "", "")
	f.StringVar(&o.prefix, "prefix", "", "")
	f.Func("layout", "", func(text string) (err error) { o.layout, err = parseLayout(text); return err })
	timeout := f.Duration("timeout", 30*time.Second, "")
	err := f.Parse(args[1:])
	if errors.Is(err, flag.ErrHelp) {
		command = "help"
	}
	switch command {
	case "-h", "-help", "--help", "help":
		fmt.Fprint(out, help)
		return 0
	case "-v", "-version", "--version", "version":
		fmt.Fprintln(out, version())
		return 0
	}
	switch {
	case err != nil:
		return misuse(err)
	case command != "init" && command != "list" && command != "check":
		return misuse(fmt.Errorf("unknown command %q; use init, list or check", command))
	case f.NArg() > 1:
		return misuse(errors.New("more than one URL; options must come before the URL"))
	case o.numbers < 1:
		return misuse(fmt.Errorf("-numbers %d is less than 1", o.numbers))
	case *timeout <= 0:
		return misuse(fmt.Errorf("-timeout %v is not positive", *timeout))
	}
	// These defaults are the same as those of Init and New.
	o.url, o.table, o.prefix = f.Arg(0), cmp.Or(o.table, "node_lease"), cmp.Or(o.prefix, "/nodelease")
	ctx, cancel := context.WithTimeout(ctx, *timeout)
	defer cancel()
	to, err := kind(o.url)
	f.Visit(func(f *flag.Flag) {
		switch {
		case err != nil:
		case f.Name == to.foreign:
			err = fmt.Errorf("-%s is for another kind of store", f.Name)
		case (f.Name == "numbers" || f.Name == "layout") && command == "list":
			err = fmt.Errorf("list shows all numbers and takes no -%s", f.Name)
		}
	})
	layout := cmp.Or(o.layout, new(ids.SnowflakeLayout))
	if command == "init" || o.layout != nil {
		err = cmp.Or(err, storekit.CheckNumbers(o.numbers, *layout))
	}
	if err == nil {
		err = to.checkNames(o)
	}
	if err != nil {
		return misuse(err)
	}
	defer endLate(ctx, errs)()
	s, err := to.open(ctx, o)
	if err == nil {
		defer s.close()
		switch command {
		case "init":
			if err = s.init(ctx, *layout); err == nil {
				_, err = fmt.Fprintf(out, "created the store with the numbers 0 to %d\n", o.numbers-1)
			}
		case "list":
			err = list(ctx, s, out)
		case "check":
			var n int
			if n, err = check(ctx, s, o, out); err == nil && n > 0 {
				return found
			}
		}
	}
	if err != nil {
		fmt.Fprintln(errs, "leases:", masked(err))
		return failed
	}
	return 0
}

// version returns the name of the program and the versions of its module and of Go.
func version() string {
	module := "of unknown version"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		module = info.Main.Version
	}
	return fmt.Sprintf("leases %s, %s", module, runtime.Version())
}

// endLate ends the program 2.5 s after ctx is done, even if a call to the store has not returned.
// The context is done on SIGINT or when the time set by -timeout has elapsed. Calling stop prevents
// endLate from ending the program.
func endLate(ctx context.Context, errs io.Writer) (stop func() bool) {
	over := make(chan struct{})
	unwatch := context.AfterFunc(ctx, func() {
		select {
		case <-over:
		case <-time.After(2500 * time.Millisecond):
			fmt.Fprintln(errs, "leases: the store has not returned:", context.Cause(ctx))
			os.Exit(failed)
		}
	})
	return func() bool { close(over); return unwatch() }
}

// masked returns the text of err, with passwords replaced by three dots. An error may contain a
// password, for example because the user has passed a URL in place of another argument.
func masked(err error) string { return secret.ReplaceAllString(err.Error(), "$1$2...") }

var secret = regexp.MustCompile(`(://[^:/@\s]*:)\S*@|(password=)[^\s&"]*`)

// A storeKind describes one kind of store. The function checkNames checks the names in the options
// before the store is opened.
type storeKind struct {
	open       func(context.Context, *options) (store, error)
	checkNames func(*options) error
	foreign    string // option that only a different kind of store has
}

var (
	postgresKind = &storeKind{openPostgres, func(o *options) error { _, err := pgcheck.Table(o.table); return err }, "prefix"}
	mysqlKind    = &storeKind{openMySQL, func(o *options) error { _, err := mycheck.Table(o.table); return err }, "prefix"}
	etcdKind     = &storeKind{openEtcd, func(o *options) error { return etcdkeys.CheckPrefix(o.prefix) }, "table"}
)

// kind returns the kind of store that url specifies. If url is empty, environment variables
// determine the kind.
func kind(url string) (*storeKind, error) {
	scheme, _, _ := strings.Cut(url, "://")
	if url == "" {
		named := map[string]bool{
			"postgres": cmp.Or(os.Getenv("PGHOST"), os.Getenv("PGSERVICE"), os.Getenv("PGDATABASE")) != "",
			"mysql":    os.Getenv("MYSQL_HOST") != "",
			"http":     os.Getenv("ETCDCTL_ENDPOINTS") != "",
		}
		for kind, is := range named {
			if is && scheme != "" {
				return nil, errors.New("the environment variables name more than one of PostgreSQL, MySQL and etcd; give a URL")
			}
			if is {
				scheme = kind
			}
		}
	}
	switch scheme {
	case "postgres", "postgresql":
		return postgresKind, nil
	case "mysql":
		return mysqlKind, nil
	case "http", "https":
		return etcdKind, nil
	case "":
		return nil, errors.New("no store is named; give a URL, or set PGHOST, MYSQL_HOST or ETCDCTL_ENDPOINTS")
	}
	return nil, errors.New("the URL must begin with postgres://, mysql:// or, for etcd, http:// or https://")
}
